//go:build unix

package video

import (
	"os"
	"os/exec"
	"syscall"
)

// setGroup makes the program of cmd, which has not started yet, the leader of a new process group.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills p, a program for which setGroup was called, and all programs that p started.
func killGroup(p *os.Process) error {
	if syscall.Kill(-p.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return p.Kill()
}
