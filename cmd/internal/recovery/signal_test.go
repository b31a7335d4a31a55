//go:build unix

package recovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners/external/externaltest"
)

// sweeping starts a sweep in a process of its own, by a shell with a script where one is given, with a learner that
// never ends, and returns it with what the learner has started.
func sweeping(t *testing.T, temp, script string) (cmd *exec.Cmd, child int) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "child")
	cmd = consoletest.Process(dir, "recover", "--panel", "4,6,1", "--n", "20", "--trials", "1", "-o", "out",
		"--learners", "exec:"+externaltest.Command("family", file))
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	if script != "" {
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("there is no shell")
		}
		cmd.Path, cmd.Args = shell, append([]string{"sh", "-c", script + `; exec "$0" "$@"`}, cmd.Args...)
	}
	if signal.Ignored(syscall.SIGHUP) { // where the tests run under nohup, the program would too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
		t.Cleanup(func() { signal.Ignore(syscall.SIGHUP) })
	}
	must.Succeed(t, cmd.Start())
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	for child == 0 {
		text, _ := os.ReadFile(file)
		_ = json.Unmarshal(text, &child)
		time.Sleep(5 * time.Millisecond)
	}
	return cmd, child
}

// checkGone checks that the process pid has ended, or ends soon: the process that inherits it must collect it first. If
// it has not ended, checkGone kills its process group.
func checkGone(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(text), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("a process that the program started is left")
	if group, err := syscall.Getpgid(pid); err == nil {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
}

// nothingLeft checks that a folder of temporary files is empty.
func nothingLeft(t *testing.T, temp string) {
	t.Helper()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%d folders are left, %v", len(left), err)
	}
}

// An interrupted sweep leaves no process and no folder behind, whether by the keyboard, by kill, by timeout, which
// sends two signals, or by the end of the terminal. nohup keeps it from the last.
func TestInterruptedProgram(t *testing.T) {
	one := func(s syscall.Signal) []syscall.Signal { return []syscall.Signal{s} }
	for name, c := range map[string]struct {
		script  string
		signals []syscall.Signal
		code    int
	}{
		"keyboard": {"", one(syscall.SIGINT), 130},
		"kill":     {"", one(syscall.SIGTERM), 143},
		"terminal": {"", one(syscall.SIGHUP), 129},
		"timeout":  {"", slices.Repeat(one(syscall.SIGINT), 5), 130},
		"nohup":    {"trap '' HUP", []syscall.Signal{syscall.SIGHUP, syscall.SIGINT}, 130},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			cmd, child := sweeping(t, temp, c.script)
			for _, s := range c.signals {
				_ = cmd.Process.Signal(s)    // it may have ended
				time.Sleep(time.Millisecond) // so that each arrives as one of its own
			}
			_ = cmd.Wait() // its code tells
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("%v, expected exit code %d", cmd.ProcessState, c.code)
			}
			nothingLeft(t, temp)
			checkGone(t, child)
		})
	}
}

// pipes are the ends of a pipe that is closed after the test.
func pipes(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// short starts a sweep that is done soon, and then prints to out.
func short(t *testing.T, temp string, out *os.File) (cmd *exec.Cmd, report string) {
	t.Helper()
	dir := t.TempDir()
	cmd = consoletest.Process(dir, "recover", "--panel", "4,6,1", "--n", "20", "--trials", "1", "--iterations", "2",
		"-o", "out", "--learners", "exec:"+externaltest.Command("serve"), "-q")
	cmd.Env, cmd.Stdout = append(cmd.Env, "TMPDIR="+temp), out
	must.Succeed(t, cmd.Start())
	return cmd, filepath.Join(dir, "out", "report.html")
}

// Where nobody reads what is printed, the program ends as by the signal for that, and leaves nothing.
func TestNobodyReads(t *testing.T) {
	temp := t.TempDir()
	r, w := pipes(t)
	r.Close()
	cmd, _ := short(t, temp, w)
	_ = cmd.Wait() // its code tells
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGPIPE) {
		t.Errorf("%v, expected exit code %d", cmd.ProcessState, 128+int(syscall.SIGPIPE))
	}
	nothingLeft(t, temp)
}

// A second interrupt, some time after the first, ends a program that hangs at once: here it prints to a pipe that is
// full.
func TestSecondInterrupt(t *testing.T) {
	_, w := pipes(t)
	must.Succeed(t, w.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	if _, err := w.Write(make([]byte, 1<<22)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a pipe that is not full: %v", err)
	}
	cmd, report := short(t, t.TempDir(), w)
	for there := false; !there; time.Sleep(5 * time.Millisecond) { // or the test ends by its limit
		_, err := os.Stat(report)
		there = err == nil
	}
	time.Sleep(300 * time.Millisecond) // until it prints
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for over := false; !over; {
		_ = cmd.Process.Signal(syscall.SIGINT)
		select {
		case <-ended:
			over = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if state, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !state.Signaled() ||
		state.Signal() != syscall.SIGINT {
		t.Errorf("%v, expected the end by the signal", cmd.ProcessState)
	}
}
