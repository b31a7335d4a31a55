//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the system calls that fail with EPERM, together with olderCalls: all calls that open files or connections,
// execute programs, change what other processes see, or reach other processes.
//
// Note: which calls the Go runtime and the C library need differs from kernel to kernel and is not documented, so the
// list contains denied calls instead of allowed ones. It is tight, because almost all harm begins with one of few calls
// (open, socket, execve, clone of a process, kill, ptrace), because calls with numbers beyond the last one known here
// do not exist for the process, and because no new memory becomes executable.
var denied = []uint32{
	// Files.
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2,
	unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHMOD, unix.SYS_FCHOWNAT,
	unix.SYS_FCHOWN, unix.SYS_UTIMENSAT, unix.SYS_TRUNCATE, unix.SYS_FALLOCATE, unix.SYS_CHDIR, unix.SYS_FCHDIR,
	unix.SYS_CHROOT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	unix.SYS_FILE_SETATTR, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_INOTIFY_INIT1, unix.SYS_FANOTIFY_INIT, unix.SYS_IOCTL, unix.SYS_SYNC, unix.SYS_QUOTACTL,
	unix.SYS_QUOTACTL_FD, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	// The network.
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVFROM, unix.SYS_RECVMSG,
	unix.SYS_RECVMMSG,
	// Programs and other processes.
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD,
	unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_TKILL,
	unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SETRLIMIT, unix.SYS_SETPGID, unix.SYS_SETSID,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_PERSONALITY, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET,
	unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_SETUID,
	unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
	unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_SETGROUPS, unix.SYS_CAPSET,
	// The kernel.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_ACCT, unix.SYS_SYSLOG,
	unix.SYS_VHANGUP,
}

// deniedArguments are system calls that fail with EPERM if an argument has one of the listed values.
//
// Note: F_SETOWN has the kernel send signals about a file to any process. Landlock prevents it since Linux 6.12.
// PR_SET_PDEATHSIG could undo what Enter has set: that the process ends with its parent.
var deniedArguments = []struct {
	call     uint32
	argument uint32 // the number of the argument, from 0
	values   []uint32
}{
	{unix.SYS_FCNTL, 1, []uint32{unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG, unix.F_SETLEASE, unix.F_NOTIFY}},
	{unix.SYS_PRCTL, 0, []uint32{unix.PR_SET_PDEATHSIG, unix.PR_SCHED_CORE}},
}

// lastCall is the greatest number of a system call known to this package.
const lastCall = unix.SYS_RSEQ_SLICE_YIELD

// Offsets in the data that the kernel passes to a filter.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArg0 = 16 // the low half of the first argument; arguments have 8 bytes
)

// The answers of a filter.
const (
	allow   = unix.SECCOMP_RET_ALLOW
	forbid  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// setFilter makes the kernel refuse, for all threads, the system calls that filterProgram lists. It cannot be undone.
func setFilter() error {
	program := filterProgram(uint32(os.Getpid()))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	list := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&list)))
	runtime.KeepAlive(program)
	switch {
	case errno != 0:
		return errno
	case thread != 0:
		return errors.New("a thread has a filter of its own")
	}
	return nil
}

// filterProgram returns the filter for the process pid, as instructions for the filter machine of the kernel (BPF).
// An instruction from unless skips as many instructions as skip says, unless its test on k is true.
func filterProgram(pid uint32) (p []unix.SockFilter) {
	put := func(code uint16, jt, jf uint8, k uint32) {
		p = append(p, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}
	load := func(offset uint32) { put(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }
	answer := func(what uint32) { put(unix.BPF_RET|unix.BPF_K, 0, 0, what) }
	unless := func(test uint16, k uint32, skip uint8) { put(unix.BPF_JMP|test|unix.BPF_K, 0, skip, k) }

	load(offsetArch)
	put(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, architecture)
	answer(unix.SECCOMP_RET_KILL_PROCESS) // a system call in the convention of another architecture
	load(offsetCall)
	unless(unix.BPF_JGT, lastCall, 1)
	answer(unknown)
	for _, call := range append(denied, olderCalls...) {
		unless(unix.BPF_JEQ, call, 1)
		answer(forbid)
	}
	// The process may start threads, but not processes. A filter cannot see the flags of clone3; if clone3 is unknown,
	// the C library uses clone. (unless skips 1 or 4 instructions if the call is another one.)
	unless(unix.BPF_JEQ, unix.SYS_CLONE3, 1)
	answer(unknown)
	unless(unix.BPF_JEQ, unix.SYS_CLONE, 4)
	load(offsetArg0)
	put(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, unix.CLONE_THREAD)
	answer(allow)
	answer(forbid)
	// Signals may be sent only to this process.
	for _, call := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL} {
		unless(unix.BPF_JEQ, call, 4)
		load(offsetArg0)
		put(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, pid)
		answer(allow)
		answer(forbid)
	}
	for _, d := range deniedArguments {
		unless(unix.BPF_JEQ, d.call, uint8(2+2*len(d.values)))
		load(offsetArg0 + 8*d.argument)
		for _, v := range d.values {
			unless(unix.BPF_JEQ, v, 1)
			answer(forbid)
		}
		answer(allow)
	}
	// Memory must not become executable: the third argument, the protection, must not have PROT_EXEC.
	for _, call := range []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT} {
		unless(unix.BPF_JEQ, call, 4)
		load(offsetArg0 + 2*8)
		put(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, unix.PROT_EXEC)
		answer(forbid)
		answer(allow)
	}
	// Limits may be read but not set: the third argument, a pointer to new limits, must be 0 in both of its halves.
	unless(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 6)
	load(offsetArg0 + 2*8)
	put(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 2, 0)
	load(offsetArg0 + 2*8 + 4)
	put(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, 0)
	answer(forbid)
	answer(allow)
	answer(allow)
	return p
}
