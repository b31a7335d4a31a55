package bench

import (
	"time"

	"golang.org/x/sys/windows"
)

// processorTime returns how long the process has used processors, summed over processors.
func processorTime() time.Duration {
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &kernel, &user) != nil {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return 100 * time.Duration(ticks(kernel)+ticks(user)) // a tick is 100 ns
}
