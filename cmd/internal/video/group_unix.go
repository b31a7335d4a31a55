//go:build unix

package video

import (
	"os"
	"os/exec"
	"syscall"
)

// setGroup makes a program, before it starts, the head of a group of processes of its own.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a program that setGroup was called for, with all that it has started.
func killGroup(p *os.Process) error {
	if syscall.Kill(-p.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return p.Kill()
}
