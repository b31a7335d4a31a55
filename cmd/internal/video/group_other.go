//go:build !unix && !windows

package video

import (
	"os"
	"os/exec"
)

// setGroup does nothing, since this system has no process groups.
func setGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }
