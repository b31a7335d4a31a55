//go:build unix

package serve

import (
	"os"
	"syscall"
)

// killSelf kills this process as another one may, or Linux when memory runs out.
func killSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// signalParent returns an error if this process may not send signals to its parent.
func signalParent() error { return syscall.Kill(os.Getppid(), 0) }
