//go:build !unix && !windows

package external

import (
	"os"
	"os/exec"
)

// family is a running program. The processes that it starts cannot be found on this system.
type family struct{ *os.Process }

// group does nothing, since this system has no groups of processes.
func group(*exec.Cmd) {}

// newFamily returns the family of a program that has just started.
func newFamily(p *os.Process) family { return family{p} }

// end kills the program, unless it has already ended.
func (f family) end(ended bool) {
	if !ended {
		_ = f.Kill() // it may have ended
	}
}
