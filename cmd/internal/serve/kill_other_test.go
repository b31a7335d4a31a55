//go:build !unix

package serve

import "os"

// killSelf ends this process, with an exit code: there are no signals.
func killSelf() { os.Exit(9) }

// signalParent does nothing: there are no signals.
func signalParent() error { return os.ErrPermission }
