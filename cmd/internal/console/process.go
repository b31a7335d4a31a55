package console

import "context"

// ownProcess is the key of a context of a program that has its process to itself.
type ownProcess struct{}

// OwnProcess returns a context for Run which says that the process is the program's alone, so that commands may set
// limits of the process.
func OwnProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownProcess{}, true)
}

// LimitProcess sets the last guard of the machine, behind the estimates and what watches them: a process which takes
// far more memory than its limit ends at once, with the exit code of a crash. It has an effect on Linux alone, where
// ctx is one of OwnProcess, and on programs that the process starts.
func LimitProcess(ctx context.Context, l Limits) {
	if ctx.Value(ownProcess{}) != nil {
		// Address space that the runtime has reserved and not used counts, too.
		limitData(4*l.Memory + 1<<30)
	}
}
