package sandbox

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// variable is the environment variable that tells the program, after landlock, which confinements have failed.
const variable = "SUPERRES_SANDBOX"

// Enter confines this process for good: from then on it opens no files, makes no connections, starts no programs, and
// ends with its parent. Call it once, at the beginning of main. It executes the program again, confined, with the same
// arguments, environment, standard streams and open files. files is the number of open files that the parent passed on
// besides the streams. Enter returns the confinements that failed, in a few words each: the kernel may lack landlock.
//
// Note: landlock confines a thread and the threads that it starts, but Go has several threads before main runs. So the
// confined thread executes the program again. Landlock allows reading the files needed for the start, also later; the
// seccomp filter then refuses to open any file. Between the two, Enter calls prepare, which may read the files in
// folders (they may be absent) and create executable memory. Outside of Linux, prepare is not called.
func Enter(files int, prepare func(), folders ...string) (missing []string) {
	faults, begun := os.LookupEnv(variable)
	if !begun {
		runtime.LockOSThread() // until the program is executed again
		defer runtime.UnlockOSThread()
		if err := landlock(folders); err != nil {
			faults = "landlock (" + err.Error() + ")"
		}
		// Close files, too, that the parent or its ancestors have left open by mistake.
		_ = unix.CloseRange(uint(3+files), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // since Linux 5.11
		// Exec returns only if it fails. The program executed here finds variable in its environment.
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
	const mostFiles = 32 // the Go runtime opens some files itself
	note("few open files", unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: mostFiles, Max: mostFiles}))
	prepare()
	if !unfiltered { // only tests go without
		note("seccomp", setFilter())
	}
	return missing
}

// Tests set these variables to imitate an older kernel.
var (
	lastLandlock uintptr = math.MaxUint32 // the latest version of landlock to use; 0: none
	unfiltered   bool                     // use no seccomp filter
)

// landlock forbids this thread to change anything in any folder, to use TCP and abstract Unix sockets, and to signal
// other processes. It may read and execute only the files that the program needs to start, and files in folders.
func landlock(folders []string) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	if version = min(version, lastLandlock); version == 0 {
		return unix.ENOSYS
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_EXECUTE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM}
	// Later versions have more rights; the kernel refuses rights that it does not know.
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
	for _, name := range append(startFiles(), folders...) {
		letStart(ruleset, name)
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// startFiles returns the files, and folders of files, that this program reads and executes when it starts: the program
// itself; a file that Go's runtime reads; and, if the program is linked dynamically, the loader's cache and the folders
// of the mapped libraries (not the files, which an update may have replaced). Some may not exist.
func startFiles() []string {
	const self = "/proc/self/exe"
	list := []string{self, "/etc/ld.so.cache", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"}
	own, _ := os.Readlink(self)
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		// Addresses, permissions (x: executable), offset, device, inode, and the path, which may contain spaces.
		fields := strings.SplitN(line, " ", 3)
		_, path, is := strings.Cut(line, " /")
		if path = "/" + strings.TrimSuffix(path, "\n"); !is || !strings.Contains(fields[1], "x") || path == own {
			continue
		}
		// A path without a folder is not a file, but the name of a piece of memory.
		if dir := filepath.Dir(path); dir != "/" && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// letStart allows threads confined by ruleset to read and execute the file called name, or the files in the folder
// called name. It ignores names that do not exist or that landlock does not confine.
func letStart(ruleset uintptr, name string) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Parent_fd: int32(fd),
		Allowed_access: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE}
	_, _, _ = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
}

// Watch does nothing on this system, where the parent limits the memory.
func Watch(func()) (allow func(bytes int64)) { return func(int64) {} }

// Child is a child process. This process, its parent, limits its memory.
type Child struct {
	pid   int
	statm *os.File // the file /proc/PID/statm, which tells the size of the process
}

// Adopt returns the Child for a process that this process has started and not yet waited for.
func Adopt(p *os.Process) (*Child, error) {
	statm, err := os.Open(fmt.Sprintf("/proc/%d/statm", p.Pid))
	if err != nil {
		return nil, err
	}
	return &Child{pid: p.Pid, statm: statm}, nil
}

// Size returns how many bytes of data memory the process has mapped, used or not.
func (c *Child) Size() (int64, error) {
	var text [256]byte
	n, err := c.statm.ReadAt(text[:], 0)
	fields := strings.Fields(string(text[:n]))
	if len(fields) < 6 {
		return 0, fmt.Errorf("sandbox: the size of process %d cannot be read: %v", c.pid, err)
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64) // the sixth number is for data and stacks
	return pages * int64(os.Getpagesize()), err
}

// Allow lets the process map the given number of bytes more than now, plus ownSize for the program itself. A Go program
// that asks for more ends with "out of memory". The process must not have been waited for.
func (c *Child) Allow(bytes int64) error {
	if raced {
		return nil // the race detector maps several times as much memory
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	most := uint64(size + bytes + ownSize)
	return unix.Prlimit(c.pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil)
}

// Close releases the handle of the process; the process continues.
func (c *Child) Close() { c.statm.Close() }
