package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// olderCalls are denied calls that newer architectures do not have.
var olderCalls = []uint32{unix.SYS_RENAMEAT, unix.SYS_KEXEC_FILE_LOAD}
