//go:build unix

package externaltest

import "syscall"

// ownSession has a process begin a session of its own.
var ownSession = &syscall.SysProcAttr{Setsid: true}
