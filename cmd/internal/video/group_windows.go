package video

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// setGroup makes the program of cmd, which has not started yet, the leader of a new process group.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// killGroup kills p and all programs that p started: ffmpeg may be a shim that starts the real ffmpeg.
func killGroup(p *os.Process) error {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	kill.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if kill.Run() == nil {
		return nil
	}
	return p.Kill()
}
