package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// machine returns a text that is different on every machine.
func machine() string {
	host, _ := os.Hostname()
	return host
}

// bootOf returns "": the start of a process is a time of day here.
func bootOf() string { return "" }

// processStart returns when a process began, in units of 100 ns since 1601, or 0 where that is not
// told, and whether the process runs.
func processStart(pid int) (start uint64, runs bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0, !errors.Is(err, windows.ERROR_INVALID_PARAMETER) // the error for a number that no process has
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err == nil && event == windows.WAIT_OBJECT_0 {
		return 0, false // it has ended, and somebody holds it open
	}
	var began, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &began, &ended, &kernel, &user); err != nil {
		return 0, true
	}
	return uint64(began.HighDateTime)<<32 | uint64(began.LowDateTime), true
}
