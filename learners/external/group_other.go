//go:build !unix && !windows

package external

import (
	"os"
	"os/exec"
)

// group does nothing: there are no groups of processes here.
func group(*exec.Cmd) {}

// endGroup ends a program, unless it has ended itself.
func endGroup(pid int, ended bool) {
	if p, err := os.FindProcess(pid); err == nil && !ended {
		_ = p.Kill() // it may have ended
	}
}
