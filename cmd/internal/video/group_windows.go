package video

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// setGroup makes a program, before it starts, the head of a group of processes of its own.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// killGroup ends a program with all that it has started, as a shim that starts the ffmpeg of a package.
func killGroup(p *os.Process) error {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	kill.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if kill.Run() == nil {
		return nil
	}
	return p.Kill()
}
