//go:build !unix

package serve

import "os/exec"

// detach does nothing: on this system, Ctrl-C in the server's terminal does not end a browser that the server started.
func detach(*exec.Cmd) {}
