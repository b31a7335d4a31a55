package video

import (
	"os/exec"
	"syscall"
)

// setGroup makes a program, before it starts, the head of a group of processes of its own.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
