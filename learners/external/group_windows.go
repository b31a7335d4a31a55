package external

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// group puts a program, before it starts, into a group of processes of its own. What a
// console interrupts then is this program alone, which ends the others.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup ends a program and all that it has started, unless it has ended itself: who
// its children are is not known any more then.
func endGroup(pid int, ended bool) {
	if ended {
		return
	}
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() == nil {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended
		_ = p.Release()
	}
}
