package models

import (
	"syscall"
	"testing"

	"superres/internal/must"
)

// On a full disk, for which a limit of file size stands, fetching fails as output, and goes on once there is room.
func TestGetOnFullDisk(t *testing.T) {
	dir := standIn(t)
	openShop(t)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	full := was
	full.Cur = 40
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Skip(err)
	}
	stdout, stderr, code := program.Call(t, dir, "", "models", "get", "free")
	must.Succeed(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	if code != 5 || stdout != "" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	program.Ends(t, dir, 0, "free: ×2", "models", "get", "free")
}
