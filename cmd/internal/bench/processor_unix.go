//go:build unix

package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns how long the process has used processors, summed over processors.
func processorTime() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
