package upscale

import "sync"

// budget divides memory among pictures in the order of their indices: a picture that needs more than is free waits, and
// so do all after it. A budget is safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	moved *sync.Cond // signals changes of turn and free
	turn  int        // index of the picture that may take memory next
	free  int64      // bytes not taken
}

func newBudget(bytes int64) *budget {
	b := &budget{free: bytes}
	b.moved = sync.NewCond(&b.mu)
	return b
}

// queue waits until all pictures before picture i have taken their memory.
func (b *budget) queue(i int) { b.waitAndTake(func() bool { return b.turn == i }, 0) }

// take waits until enough bytes are free and takes them. bytes must not exceed the whole budget.
func (b *budget) take(bytes int64) { b.waitAndTake(func() bool { return b.free >= bytes }, bytes) }

// waitAndTake waits until ready returns true, which may change with b.turn and b.free, and then takes bytes.
func (b *budget) waitAndTake(ready func() bool, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !ready() {
		b.moved.Wait()
	}
	b.free -= bytes
}

// next says that the picture whose turn it is has its memory, so that the next picture may take memory.
func (b *budget) next() { b.change(1, 0) }

func (b *budget) give(bytes int64) { b.change(0, bytes) }

// change adds turns to b.turn and bytes to b.free, and wakes all pictures that wait.
func (b *budget) change(turns int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn += turns
	b.free += bytes
	b.moved.Broadcast()
}
