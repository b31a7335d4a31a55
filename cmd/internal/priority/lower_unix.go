//go:build unix && !linux

package priority

import "golang.org/x/sys/unix"

// Lower gives the process, for good, the nice value 10, or leaves it where it is higher.
func Lower() error {
	const self = 0
	now, err := unix.Getpriority(unix.PRIO_PROCESS, self)
	if err != nil || now >= niceness {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, self, niceness)
}
