//go:build !unix && !windows

package video

import "os/exec"

// setGroup does nothing, since this system has no groups of processes.
func setGroup(*exec.Cmd) {}
