package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"superres/internal/must"
)

// inherited is the number of a file that is left open when the process begins.
const inherited = 57

const testVariable = "SUPERRES_TEST_SANDBOX"

func TestMain(m *testing.M) {
	if folder := os.Getenv(testVariable); folder != "" {
		confined(folder)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// confined tries what a process in a sandbox must not do, and what it must, and prints what was
// wrong. Then it takes as many MiB as its standard input says.
func confined(folder string) {
	missing := Enter(0)
	if _, err := unix.Seek(inherited, 0, io.SeekCurrent); err == nil {
		fmt.Println("can use a file that was left open")
	}
	for _, m := range missing {
		fmt.Println("missing", m)
	}
	for name, try := range map[string]func() error{
		"write":   func() error { return os.WriteFile(filepath.Join(folder, "new"), nil, 0o666) },
		"read":    func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"remove":  func() error { return os.Remove(filepath.Join(folder, "old")) },
		"connect": func() error { _, err := net.Dial("tcp", os.Getenv("ADDRESS")); return err },
		"listen":  func() error { _, err := net.Listen("unix", filepath.Join(folder, "socket")); return err },
		"run":     func() error { return exec.Command("/bin/true").Run() },
		"signal":  func() error { return syscall.Kill(os.Getppid(), 0) },
		"trace":   func() error { return syscall.PtraceAttach(os.Getppid()) },
		"limit":   func() error { return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}) },
		"code": func() error {
			_, err := unix.Mmap(-1, 0, 4096, unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
			return err
		},
		"new call": func() error {
			if _, _, errno := unix.RawSyscall(1000, 0, 0, 0); errno != unix.ENOSYS {
				return nil
			}
			return errors.New("there is none")
		},
	} {
		// On threads of their own: the filter is for all.
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				runtime.LockOSThread()
				if err := try(); err == nil {
					fmt.Println("can", name)
				}
			})
		}
		group.Wait()
	}
	fmt.Println("ready")
	var mib int
	for {
		if _, err := fmt.Scan(&mib); err != nil {
			return
		}
		data := make([]byte, mib<<20)
		for i := 0; i < len(data); i += 4096 {
			data[i] = 1
		}
		fmt.Println("took", mib, data[0])
		runtime.GC()
	}
}

// A process in a sandbox opens nothing, reaches nobody and runs nothing, on any thread, and goes on with
// its work; what takes more memory than it may ends, and only then.
func TestConfined(t *testing.T) {
	folder := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(folder, "old"), nil, 0o666))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	if err := unix.Dup3(int(os.Stdin.Fd()), inherited, 0); err != nil { // for all children
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), testVariable+"="+folder, "ADDRESS="+l.Addr().String())
	var errs strings.Builder
	cmd.Stderr = &errs
	in := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	child := must.Get(Adopt(cmd.Process))(t)
	defer child.Close()
	read := func(until string) {
		t.Helper()
		for {
			var line string
			for b := [1]byte{}; ; line += string(b[:]) {
				if _, err := io.ReadFull(out, b[:]); err != nil {
					t.Fatalf("%v: %s", err, errs.String())
				}
				if b[0] == '\n' {
					break
				}
			}
			if strings.HasPrefix(line, until) {
				return
			}
			if what, is := strings.CutPrefix(line, "missing "); is {
				t.Log("missing:", what) // an older kernel
			} else {
				t.Error(line)
			}
		}
	}
	read("ready")
	must.Succeed(t, child.Allow(800<<20))
	for range 3 { // what was given back can be taken again
		fmt.Fprintln(in, 300)
		read("took 300")
	}
	if raced {
		t.Skip("the race detector has no limit")
	}
	fmt.Fprintln(in, 4000)
	if rest, _ := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("past the limit: %s", rest)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "out of memory") {
		t.Errorf("%v: %.300s", err, errs.String())
	}
}
