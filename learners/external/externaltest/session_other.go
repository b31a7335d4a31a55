//go:build !unix

package externaltest

import "syscall"

// ownSession does nothing: there are no sessions here.
var ownSession *syscall.SysProcAttr
