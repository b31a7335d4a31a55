//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// group puts a program, before it starts, into a group of processes of its own. What a
// terminal interrupts then is this program alone, which ends the others.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends a program and all of its group; it may have ended itself just now.
func endGroup(pid int, _ bool) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // none may be left
}
