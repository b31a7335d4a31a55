//go:build !unix && !windows

package video

import (
	"os"
	"os/exec"
)

// setGroup does nothing, since this system has no groups of processes.
func setGroup(*exec.Cmd) {}

// killGroup ends a program.
func killGroup(p *os.Process) error { return p.Kill() }
