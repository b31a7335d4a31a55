//go:build unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// family is a running program with all processes in its group.
type family struct{ pid int }

// group puts a program, before it starts, into a new group of processes with the program at its head, so that an
// interrupt from a terminal reaches only superres, which then ends the programs.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// newFamily returns the family of a program that has just started.
func newFamily(p *os.Process) family { return family{p.Pid} }

// end kills the program and all processes of its group. Processes in other groups stay alive. Whether the program has
// already ended, which the argument says, makes no difference on this system.
func (f family) end(bool) {
	_ = syscall.Kill(-f.pid, syscall.SIGKILL) // an error means that no process is left
}
