package external

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a running program with all processes that it starts, directly or not.
type family struct {
	pid int
	job windows.Handle // 0 if the system did not create a job
}

// group puts a program, before it starts, into a new group of processes with the program at its head, so that an
// interrupt from a console reaches only superres, which then ends the programs.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// newFamily puts a program that has just started into a job. All processes that the program starts from now on belong
// to the job and end with it. The job ends with this process, even if this process is killed. Without a job, for which
// the system may lack a right, only end ends the processes.
func newFamily(p *os.Process) family {
	f := family{pid: p.Pid}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return f
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var process windows.Handle
		process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, process)
			_ = windows.CloseHandle(process)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return f
	}
	f.job = job
	return f
}

// end kills the program, unless ended is true, and all processes that it has started. With ended it closes the job too.
func (f family) end(ended bool) {
	if f.job != 0 { // 0: the system gave no job
		_ = windows.TerminateJobObject(f.job, 1) // an error means that no process is left
		if ended {
			_ = windows.CloseHandle(f.job)
		}
		return
	}
	if ended || exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(f.pid)).Run() == nil {
		return // the children of a process that has ended cannot be found
	}
	if p, err := os.FindProcess(f.pid); err == nil {
		_ = p.Kill() // it may have ended
		_ = p.Release()
	}
}
