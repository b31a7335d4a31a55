//go:build unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// family is a running program with all processes in its group.
type family struct{ pid int }

// group makes a program, before it starts, the head of a group of processes, so that an interrupt from a terminal
// goes to this process alone, which ends the others.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// newFamily returns the family of a program that has just started.
func newFamily(p *os.Process) family { return family{p.Pid} }

// end kills the program, which may have ended, and all of its group, but no process that has made a group of its own.
func (f family) end(bool) {
	_ = syscall.Kill(-f.pid, syscall.SIGKILL) // none may be left
}
