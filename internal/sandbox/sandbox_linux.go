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

// variable is the environment variable that tells the program, once landlock confines it, which confinements failed.
const variable = "SUPERRES_SANDBOX"

// Enter confines this process for good: from then on it opens no file, no connection and no other program, and it ends
// with its parent. It is called once, at the beginning of main. It executes the program again, confined, with the same
// arguments, environment, standard streams and open files, of which files is the number that its parent passed on
// besides the streams. It returns the confinements that are missing, for example because the kernel lacks landlock, in
// a few words each.
//
// Note: landlock confines a thread and the threads that it starts, and Go has several before main runs. So the
// confined thread executes the program again. Files that the start needs can be read, by landlock alone later too;
// the seccomp filter refuses to open any. Between both, prepare may read the files in folders, which may be absent, and
// make memory that can be executed. Outside of Linux it is not called.
func Enter(files int, prepare func(), folders ...string) (missing []string) {
	faults, begun := os.LookupEnv(variable)
	if !begun {
		runtime.LockOSThread() // until the program is executed again
		defer runtime.UnlockOSThread()
		if err := landlock(folders); err != nil {
			faults = "landlock (" + err.Error() + ")"
		}
		// Files that the parent or its ancestors have left open by mistake are closed too.
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
	const mostFiles = 32 // the Go runtime opens some itself
	note("few open files", unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: mostFiles, Max: mostFiles}))
	prepare()
	if !unfiltered {
		note("seccomp", filter())
	}
	return missing
}

// What tests switch off, to be on an older kernel.
var (
	lastLandlock uintptr = math.MaxUint32 // the last version of landlock that is used; 0: none
	unfiltered   bool                     // there is no seccomp filter
)

// landlock forbids this thread to change anything in any folder, to read and to execute files but those that the
// program needs to start and those in folders, to use TCP and sockets without a path, and to send signals to other
// processes.
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
	// Later versions know more rights; the kernel refuses rights that it does not know.
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

// startFiles returns the files, and folders of files, that this program reads and executes when it starts: itself and,
// where it is linked dynamically, the folders of the libraries that it has mapped, in which an update may have put
// others since. Some may not exist.
func startFiles() []string {
	const self = "/proc/self/exe"
	list := []string{self, "/etc/ld.so.cache", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"}
	own, _ := os.Readlink(self)
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		// Addresses, permissions, offset, device, inode, and the path, which may have spaces.
		fields := strings.SplitN(line, " ", 3)
		_, path, is := strings.Cut(line, " /")
		if path = "/" + strings.TrimSuffix(path, "\n"); !is || !strings.Contains(fields[1], "x") || path == own {
			continue
		}
		// What lies in no folder is memory that has only a name like a file's.
		if dir := filepath.Dir(path); dir != "/" && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// letStart lets threads that ruleset confines read and execute the file, or the files in the folder, called name. It
// leaves out what there is none of, or what landlock does not confine.
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

// Child is a process; this one, its parent, limits its memory.
type Child struct {
	pid   int
	statm *os.File // the statm file of the process in /proc, which has its size
}

// Adopt returns the child for a process that this one has started and not yet waited for.
func Adopt(p *os.Process) (*Child, error) {
	statm, err := os.Open(fmt.Sprintf("/proc/%d/statm", p.Pid))
	if err != nil {
		return nil, err
	}
	return &Child{pid: p.Pid, statm: statm}, nil
}

// Size returns how many bytes of data the process has mapped, used or not.
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

// Allow lets the process map bytes more bytes than it has mapped now, and ownSize for the program itself. A Go program
// that asks for more ends with "out of memory". The process must not have been waited for.
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

// Close releases the handle of the process, which continues.
func (c *Child) Close() { c.statm.Close() }
