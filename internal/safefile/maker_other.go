//go:build !darwin && !linux && !windows

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// machine returns a text that is different on every machine.
func machine() string {
	host, _ := os.Hostname()
	return host
}

// bootOf returns "": it is not known here when the machine started.
func bootOf() string { return "" }

// processStart returns 0, since it is not known here when a process began, and whether there is one of that number.
func processStart(pid int) (start uint64, runs bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return 0, false
	}
	return 0, !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
