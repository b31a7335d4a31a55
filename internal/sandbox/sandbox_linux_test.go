package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"superres/internal/must"
)

// inherited is the number of a file that is left open when the process begins.
const inherited = 57

const (
	testVariable     = "SUPERRES_TEST_SANDBOX" // the folder of the test
	landlockVariable = "SUPERRES_TEST_LANDLOCK"
	freeVariable     = "SUPERRES_TEST_FREE" // which protection is off: filter, or all
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(testVariable); folder != "" {
		confined(folder)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// deeds are what a process in a sandbox must not do. folder is the folder of the test.
func deeds(folder string) map[string]func() error {
	parent := os.Getppid()
	call := func(trap uintptr, args ...uintptr) error {
		args = append(args, 0, 0, 0, 0, 0)
		if _, _, errno := unix.RawSyscall6(trap, args[0], args[1], args[2], args[3], args[4], 0); errno != 0 {
			return errno
		}
		return nil
	}
	return map[string]func() error{
		"write":   func() error { return os.WriteFile(filepath.Join(folder, "new"), nil, 0o666) },
		"read":    func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"list":    func() error { _, err := os.ReadDir("/etc"); return err },
		"remove":  func() error { return os.Remove(filepath.Join(folder, "old")) },
		"connect": func() error { _, err := net.Dial("tcp", os.Getenv("ADDRESS")); return err },
		"listen":  func() error { _, err := net.Listen("unix", filepath.Join(folder, "socket")); return err },
		"run":     func() error { return exec.Command("/bin/true").Run() },
		"signal":  func() error { return syscall.Kill(parent, 0) },
		"trace":   func() error { return syscall.PtraceAttach(parent) },
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
		"signal by an owner": func() error { _, err := unix.FcntlInt(0, unix.F_SETOWN, parent); return err },
		"signal by an owner of a kind": func() error {
			owner := struct{ kind, pid int32 }{1, int32(parent)} // F_OWNER_PID
			return call(unix.SYS_FCNTL, 0, unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
		},
		"another signal": func() error { _, err := unix.FcntlInt(0, unix.F_SETSIG, int(unix.SIGTERM)); return err },
		"processors of the parent": func() error {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(parent, &set); err != nil {
				return err
			}
			return unix.SchedSetaffinity(parent, &set)
		},
		"policy of the parent": func() error {
			priority := int32(0)
			return call(unix.SYS_SCHED_SETSCHEDULER, uintptr(parent), 0, uintptr(unsafe.Pointer(&priority)))
		},
		"priority within the policy": func() error {
			priority := int32(0)
			return call(unix.SYS_SCHED_SETPARAM, uintptr(parent), uintptr(unsafe.Pointer(&priority)))
		},
		"attributes of the parent": func() error {
			attr, err := unix.SchedGetAttr(parent, 0)
			if err != nil {
				return err
			}
			return unix.SchedSetAttr(parent, attr, 0)
		},
		"priority of the parent": func() error {
			nice, err := unix.Getpriority(unix.PRIO_PROCESS, parent) // 20 minus it
			if err != nil {
				return err
			}
			return unix.Setpriority(unix.PRIO_PROCESS, parent, 20-nice)
		},
		"priority of the parent's files": func() error { return call(unix.SYS_IOPRIO_SET, 1, uintptr(parent), 0) },
		"outlive":                        func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
	}
}

// confined tries what a process in a sandbox must not do, and what it must, and prints what it can do. Then it takes
// as many MiB as its standard input says.
func confined(folder string) {
	if n, err := strconv.Atoi(os.Getenv(landlockVariable)); err == nil {
		lastLandlock = uintptr(n)
	}
	free := os.Getenv(freeVariable)
	if unfiltered = free == "filter"; free != "all" {
		for _, m := range Enter(0, func() {}) {
			fmt.Println("missing", m)
		}
		if _, err := unix.Seek(inherited, 0, io.SeekCurrent); err == nil {
			fmt.Println("can use a file that was left open")
		}
	}
	for name, try := range deeds(folder) {
		if name == "trace" && free == "all" {
			continue // the test would stop
		}
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

// start starts a process in a sandbox, with more variables, and returns it with its standard input and output. ends
// returns what it wrote to standard error.
func start(t *testing.T, variables ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Scanner,
	ends func() string) {
	t.Helper()
	folder := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(folder, "old"), nil, 0o666))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	if err := unix.Dup3(int(os.Stdin.Fd()), inherited, 0); err != nil { // for all children
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(inherited) })
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), testVariable+"="+folder, "ADDRESS="+l.Addr().String()), variables...)
	var errs strings.Builder
	cmd.Stderr = &errs
	in = must.Get(cmd.StdinPipe())(t)
	out = bufio.NewScanner(must.Get(cmd.StdoutPipe())(t))
	must.Succeed(t, cmd.Start())
	return cmd, in, out, errs.String
}

// read returns the lines of out before the one that begins with until.
func read(t *testing.T, out *bufio.Scanner, until string) (lines []string) {
	t.Helper()
	for out.Scan() {
		if strings.HasPrefix(out.Text(), until) {
			slices.Sort(lines)
			return slices.Compact(lines)
		}
		lines = append(lines, out.Text())
	}
	t.Fatalf("no line %q behind %q", until, lines)
	return nil
}

// A process in a sandbox opens nothing, reaches nobody and runs nothing, on any thread, also on kernels with an older
// landlock or none, and goes on with its work.
func TestConfinedByOlderKernels(t *testing.T) {
	// What a process without a sandbox can do: the other tests must not be passed because something fails anyhow.
	cmd, in, out, _ := start(t, freeVariable+"=all")
	can := read(t, out, "ready")
	in.Close()
	must.Succeed(t, cmd.Wait())
	for name := range deeds("") {
		switch name {
		case "trace", "new call": // the first is not tried, the second fails on all systems
		default:
			if !slices.Contains(can, "can "+name) {
				t.Errorf("without a sandbox a process cannot %s", name)
			}
		}
	}
	for version := range 7 {
		cmd, in, out, errs := start(t, fmt.Sprint(landlockVariable, "=", version))
		for _, line := range read(t, out, "ready") {
			if what, is := strings.CutPrefix(line, "missing "); !is {
				t.Errorf("landlock %d: %s", version, line)
			} else if version > 0 {
				t.Log("missing:", what) // a kernel that is older still
			}
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("landlock %d: %v: %s", version, err, errs())
		}
	}
}

// Landlock alone, of any version, keeps a process from reading, writing and running.
func TestConfinedByLandlock(t *testing.T) {
	for version := 1; version < 8; version++ {
		cmd, in, out, errs := start(t, fmt.Sprint(landlockVariable, "=", version), freeVariable+"=filter")
		for _, line := range read(t, out, "ready") {
			switch name := strings.TrimPrefix(line, "can "); name {
			case "read", "list", "write", "remove", "listen", "run":
				t.Errorf("landlock %d: can %s", version, name)
			case "connect", "signal":
				if version >= 6 {
					t.Errorf("landlock %d: can %s", version, name)
				}
			default:
				if strings.HasPrefix(line, "missing ") {
					t.Skip(line)
				}
			}
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("landlock %d: %v: %s", version, err, errs())
		}
	}
}

// A process in a sandbox does nothing that it must not do, on any thread, and what takes more memory than it may ends,
// and only then.
func TestConfined(t *testing.T) {
	cmd, in, out, errs := start(t)
	child := must.Get(Adopt(cmd.Process))(t)
	defer child.Close()
	for _, line := range read(t, out, "ready") {
		if what, is := strings.CutPrefix(line, "missing "); is {
			t.Log("missing:", what) // an older kernel
		} else {
			t.Error(line)
		}
	}
	must.Succeed(t, child.Allow(800<<20))
	for range 3 { // what was given back can be taken again
		fmt.Fprintln(in, 300)
		read(t, out, "took 300")
	}
	if raced {
		t.Skip("the race detector has no limit")
	}
	fmt.Fprintln(in, 4000)
	if out.Scan() {
		t.Errorf("past the limit: %s", out.Text())
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(errs(), "out of memory") {
		t.Errorf("%v: %.300s", err, errs())
	}
}
