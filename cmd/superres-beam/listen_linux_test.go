package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"superres/internal/must"
)

// listening returns the sockets on which the process pid waits for connections.
func listening(pid string) (list []string) {
	waiting := map[string]string{} // addresses, by inode of the socket
	for _, kind := range []string{"tcp", "tcp6"} {
		data, _ := os.ReadFile(filepath.Join("/proc", pid, "net", kind)) // the process may have ended
		for row := range strings.Lines(string(data)) {
			const local, state, inode, listen = 1, 3, 9, "0A"
			if f := strings.Fields(row); len(f) > inode && f[state] == listen {
				waiting["socket:["+f[inode]+"]"] = f[local]
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join("/proc", pid, "fd", "*"))
	for _, f := range files {
		if target, err := os.Readlink(f); err == nil && waiting[target] != "" {
			list = append(list, waiting[target])
		}
	}
	return list
}

// A run on one machine never opens a port, nor do its child processes.
func TestOpensNoPort(t *testing.T) {
	t.Chdir(t.TempDir())
	writePictures(t, "in", 30, 60, 50)
	cmd := exec.Command(os.Args[0], "--shards", "3", "--", "upscale", "--effort", "fast", "-r", "-o", "out", "in")
	cmd.Env = append(os.Environ(), programVariable+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must.Succeed(t, cmd.Start())
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	var found []string
	looks, children := 0, map[string]bool{}
	driver := strconv.Itoa(cmd.Process.Pid)
	for {
		select {
		case err := <-ended:
			if err != nil || len(hashes(t, "out")) != 30 {
				t.Fatalf("%v: %s", err, out.String())
			}
			if len(found) > 0 {
				t.Errorf("it listens at %v", found)
			}
			if looks < 5 || len(children) == 0 {
				t.Errorf("looked at %d times, at %d parts", looks, len(children))
			}
			return
		case <-time.After(5 * time.Millisecond):
		}
		looks++
		pids := []string{driver}
		tasks, _ := filepath.Glob(filepath.Join("/proc", driver, "task/*/children"))
		for _, f := range tasks {
			data, _ := os.ReadFile(f)
			for _, pid := range strings.Fields(string(data)) {
				pids, children[pid] = append(pids, pid), true
			}
		}
		for _, pid := range pids {
			for _, at := range listening(pid) {
				if !slices.Contains(found, at) {
					found = append(found, at)
				}
			}
		}
	}
}

// The runner that would listen on all interfaces is refused.
func TestPrismIsRefused(t *testing.T) {
	for _, name := range []string{"prism", "PrismRunner"} {
		cmd := exec.Command(os.Args[0], "--runner", name, "--", "upscale", "-o", "out", "in")
		cmd.Env = append(os.Environ(), programVariable+"=1")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || !bytes.Contains(out, []byte("runs what anybody sends it")) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
