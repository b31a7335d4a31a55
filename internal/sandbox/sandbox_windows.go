package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Enter does nothing on this system, where the parent confines the process; it returns the missing confinements.
func Enter(int, func(), ...string) (missing []string) {
	return []string{"no rules for files and the network on this system"}
}

// Watch does nothing on this system, where the parent limits the memory.
func Watch(func()) (allow func(bytes int64)) { return func(int64) {} }

// Child is a child process. It ends with this process, its parent, which limits its memory.
type Child struct{ job windows.Handle }

// Adopt returns the Child for a process that this process has started, and has it end when the Child is closed.
func Adopt(p *os.Process) (*Child, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		_ = windows.CloseHandle(process)
	}
	c := &Child{job}
	if err == nil {
		err = c.set(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, 0)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// set sets the flags of the job's limits and, for JOB_OBJECT_LIMIT_PROCESS_MEMORY, the limit of its memory to bytes.
func (c *Child) set(flags uint32, bytes int64) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	info.ProcessMemoryLimit = uintptr(bytes)
	_, err := windows.SetInformationJobObject(c.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// Size returns 0: the size is unknown on this system.
func (c *Child) Size() (int64, error) { return 0, nil }

// Allow lets the process commit the given number of bytes, plus ownSize for the program itself. A Go program that asks
// for more ends with "out of memory".
func (c *Child) Allow(bytes int64) error {
	return c.set(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE|windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY, bytes+ownSize)
}

// Close ends the process if it still runs.
func (c *Child) Close() { _ = windows.CloseHandle(c.job) }
