//go:build unix && !linux

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// family is a program that has started, and all that it starts in turn in its group of processes.
type family struct{ pid int }

// group puts a program, before it starts, into a group of processes of its own. What a
// terminal interrupts then is this program alone, which ends the others.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// newFamily returns the family of a program that has just started.
func newFamily(p *os.Process, _ string) family { return family{p.Pid} }

// end kills the program, which may have ended itself just now, and all of its group. What has
// made a group of its own stays.
func (f family) end(bool) {
	_ = syscall.Kill(-f.pid, syscall.SIGKILL) // none may be left
}
