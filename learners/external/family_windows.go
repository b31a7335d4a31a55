package external

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a program that has started, and all that it starts in turn.
type family struct {
	pid int
	job windows.Handle // 0: the system had none
}

// group puts a program, before it starts, into a group of processes of its own. What a
// console interrupts then is this program alone, which ends the others.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// newFamily puts a program that has just started into a job, in which all is that it starts from
// now on. All of it ends with the job, and that with this process, however it ends.
func newFamily(p *os.Process, _ string) family {
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

// end kills the program, unless it has ended itself, and all that it has started. It is called
// with ended last, and the job is closed then.
func (f family) end(ended bool) {
	if f.job != 0 {
		_ = windows.TerminateJobObject(f.job, 1) // none may be left
		if ended {
			_ = windows.CloseHandle(f.job)
		}
		return
	}
	if ended || exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(f.pid)).Run() == nil {
		return // who the children of one that has ended are is not known
	}
	if p, err := os.FindProcess(f.pid); err == nil {
		_ = p.Kill() // it may have ended
		_ = p.Release()
	}
}
