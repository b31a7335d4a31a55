//go:build unix

package serve

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C in the server's terminal from ending a browser that cmd starts.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
