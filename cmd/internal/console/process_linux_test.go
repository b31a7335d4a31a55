package console

import (
	"context"
	"syscall"
	"testing"

	"superres/internal/must"
)

// LimitProcess sets a limit far above Limits.Memory, and only with a context of OwnProcess.
func TestLimitProcess(t *testing.T) {
	read := func() (limit syscall.Rlimit) {
		must.Succeed(t, syscall.Getrlimit(syscall.RLIMIT_DATA, &limit))
		return limit
	}
	before := read()
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_DATA, &before) }()
	l := Limits{Memory: 2 << 30}
	if LimitProcess(context.Background(), l); read() != before {
		t.Errorf("the limit of a process of others is %v, it was %v", read(), before)
	}
	LimitProcess(OwnProcess(context.Background()), l)
	if want := min(before.Max, 9<<30); read().Cur != want || read().Max != before.Max {
		t.Errorf("the limit is %v, expected %d", read(), want)
	}
}
