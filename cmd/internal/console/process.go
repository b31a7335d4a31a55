package console

import (
	"context"
	"runtime"
	"runtime/debug"
)

// Garbage is collected when it reaches Garbage percent of the live memory: most memory is a few large arrays of pixels,
// and a low percentage nearly halves the peak. Ballast is the size, in bytes, of an array that counts as live but is
// never used, so that the system provides no memory for it. Without it, a heap of a few MB would be collected so often
// that a picture of 708×708 pixels would take 5 % longer. With 32 MB, a picture of 768×512 takes no less time, and
// small ones take half of the memory that is promised.
const Garbage, Ballast = 30, 12 << 20

var ballast []byte

// PrepareHeap makes Go collect garbage that reaches garbage percent of the live memory, which includes ballastBytes.
func PrepareHeap(garbage, ballastBytes int) {
	debug.SetGCPercent(garbage)
	ballast = make([]byte, ballastBytes)
	runtime.KeepAlive(ballast) // nothing else reads ballast
}

// ownProcess is the key of the context value that OwnProcess sets.
type ownProcess struct{}

// OwnProcess returns ctx with a mark for LimitProcess: the process runs only one command, so its memory may be limited.
func OwnProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownProcess{}, true)
}

// LimitProcess makes the system refuse memory to the process once it takes far more than l.Memory, in case the
// estimates of memory were wrong; Go then ends the process with ExitUsage. It works only on Linux, and only if ctx
// comes from OwnProcess. Programs that the process starts inherit the limit.
func LimitProcess(ctx context.Context, l Limits) {
	if ctx.Value(ownProcess{}) != nil {
		// The limit is generous since it also counts address space that Go's runtime has reserved and not used.
		limitData(4*l.Memory + 1<<30)
	}
}
