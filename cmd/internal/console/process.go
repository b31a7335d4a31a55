package console

import "context"

// ownProcess is the key of the context value that OwnProcess sets.
type ownProcess struct{}

// OwnProcess returns a context for Run that allows LimitProcess to change the process, since it runs nothing else.
func OwnProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownProcess{}, true)
}

// LimitProcess has the system end the process, with the exit code of a crash, once it takes far more memory than
// l.Memory, in case the estimates of memory were wrong. It does so on Linux only, and only if ctx comes from
// OwnProcess; programs that the process starts inherit the limit.
func LimitProcess(ctx context.Context, l Limits) {
	if ctx.Value(ownProcess{}) != nil {
		// The limit is generous since it also counts address space that Go's runtime has reserved and not used.
		limitData(4*l.Memory + 1<<30)
	}
}
