//go:build !unix && !windows

package external

import (
	"os"
	"os/exec"
)

// family is a program that has started: what it starts in turn is not known here.
type family struct{ *os.Process }

// group does nothing: there are no groups of processes here.
func group(*exec.Cmd) {}

// newFamily returns the family of a program that has just started.
func newFamily(p *os.Process, _ string) family { return family{p} }

// end kills the program, unless it has ended itself.
func (f family) end(ended bool) {
	if !ended {
		_ = f.Kill() // it may have ended
	}
}
