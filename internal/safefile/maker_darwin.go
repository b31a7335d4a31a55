package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// machine returns a text that is different on every machine.
func machine() string {
	host, _ := os.Hostname()
	return host
}

// bootOf returns a text that changes whenever the machine starts, or "" where the system has no such text.
func bootOf() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

// processStart returns when a process began, in microseconds since 1970, or 0 where that is not
// told, and whether the process runs.
func processStart(pid int) (start uint64, runs bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return 0, !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	const zombie = 5 // SZOMB of <sys/proc.h>: it has ended, and nobody waited for it
	at := info.Proc.P_starttime
	return uint64(at.Sec)*1e6 + uint64(at.Usec), info.Proc.P_stat != zombie
}
