//go:build !unix

package serve

import "os/exec"

// detach does nothing: a browser does not hear Ctrl-C in the terminal of the server here.
func detach(*exec.Cmd) {}
