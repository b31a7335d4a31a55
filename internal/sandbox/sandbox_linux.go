package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// variable is set, in the environment, once landlock confines the process; it has the faults.
const variable = "SUPERRES_SANDBOX"

// Enter confines this process for good: it opens no file, no connection and no other program
// from then on, and ends with its parent. It is called once, at the beginning of main: the
// program is begun anew within, with the same arguments, environment, standard streams and, of
// what its parent has passed on besides, the first files. It returns what could not be had, in a
// few words each, such as for a kernel without it.
//
// Note: landlock confines a thread and those it starts, and Go has several before main runs. So
// the program is executed again by the thread that is confined; what reading that takes is
// refused later, with all other opening of files, by the seccomp filter.
func Enter(files int) (missing []string) {
	faults, begun := os.LookupEnv(variable)
	if !begun {
		runtime.LockOSThread() // until the program is begun anew
		defer runtime.UnlockOSThread()
		if err := landlock(); err != nil {
			faults = "landlock (" + err.Error() + ")"
		}
		// Nor does anything stay open that the parent, or a parent of it, has left open by mistake.
		_ = unix.CloseRange(uint(3+files), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // from Linux 5.11 on
		err := syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), variable+"="+faults))
		faults = "landlock (" + err.Error() + ")"
	}
	if faults != "" {
		missing = append(missing, faults)
	}
	note := func(what string, err error) {
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", what, err))
		}
	}
	note("an end with the parent", unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
	note("no core dumps", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	const mostFiles = 32 // Go has some of its own
	note("few open files", unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: mostFiles, Max: mostFiles}))
	note("seccomp", filter())
	return missing
}

// landlock forbids this thread to change anything in any folder, to use TCP and sockets
// without a path, and to send signals to others.
func landlock() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM}
	// Later versions know more; the kernel refuses what it does not know.
	if version >= 2 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		rules.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		rules.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(ruleset))
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Watch has nothing to do on this system, where the parent limits the memory.
func Watch(func()) (allow func(bytes int64)) { return func(int64) {} }

// Child is a process whose memory is limited by this one, its parent.
type Child struct {
	pid   int
	statm *os.File // of /proc, which tells its size
}

// Adopt takes over a process that this one has started and not yet waited for.
func Adopt(p *os.Process) (*Child, error) {
	statm, err := os.Open(fmt.Sprintf("/proc/%d/statm", p.Pid))
	if err != nil {
		return nil, err
	}
	return &Child{pid: p.Pid, statm: statm}, nil
}

// Size returns how many bytes the process has mapped for data, used or not.
func (c *Child) Size() (int64, error) {
	var text [256]byte
	n, err := c.statm.ReadAt(text[:], 0)
	fields := strings.Fields(string(text[:n]))
	if len(fields) < 6 {
		return 0, fmt.Errorf("sandbox: the size of process %d cannot be read: %v", c.pid, err)
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// Allow lets the process map, from now on, so many bytes more than it has, and some for the
// program itself; a Go program that asks for more ends with "out of memory". The process must
// not have been waited for.
func (c *Child) Allow(bytes int64) error {
	if raced {
		return nil // the race detector maps several times as much
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	most := uint64(size + bytes + ownSize)
	return unix.Prlimit(c.pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil)
}

// Close gives up what is held of the process, which goes on.
func (c *Child) Close() { c.statm.Close() }
