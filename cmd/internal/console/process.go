package console

import (
	"context"
	"runtime"
	"runtime/debug"
)

// The program mostly holds a few large arrays of pixels, so garbage is collected as soon as it is Garbage percent of
// the live memory, which nearly halves the peak. Ballast is the size, in bytes, of an array that counts as live but is
// never used, so that the system provides no memory for it. Without it, frequent collections of a heap of a few MB
// would take 5 % of the time for a picture of 708×708 pixels.
const Garbage, Ballast = 30, 12 << 20

var ballast []byte

// PrepareHeap makes Go collect garbage at garbage percent of the live memory and the ballast. A process calls it first.
func PrepareHeap(garbage, ballastBytes int) {
	debug.SetGCPercent(garbage)
	ballast = make([]byte, ballastBytes)
	runtime.KeepAlive(ballast) // nothing else reads ballast
}

// ownProcess is the key of the context value that OwnProcess sets.
type ownProcess struct{}

// OwnProcess returns a context for Run that allows LimitProcess to limit the whole process, since it runs nothing else.
func OwnProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownProcess{}, true)
}

// LimitProcess makes the system end the process, with the exit code of a crash, once it takes far more memory than
// l.Memory, in case the estimates of memory were wrong. It works only on Linux, and only if ctx comes from OwnProcess;
// programs that the process starts inherit the limit.
func LimitProcess(ctx context.Context, l Limits) {
	if ctx.Value(ownProcess{}) != nil {
		// The limit is generous since it also counts address space that Go's runtime has reserved and not used.
		limitData(4*l.Memory + 1<<30)
	}
}
