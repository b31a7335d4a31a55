package upscale

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// overrun enforces a hard limit behind the estimates of memory. Every few milliseconds it compares the heap of the
// process with twice the estimates of all pictures in work. If the heap is larger, it collects garbage first, and if
// that does not help, cancels all of them, as it cannot tell which one takes too much. The caller then tries them
// again one at a time, when only a picture that overruns alone fails. Work that ignores its context is not stopped.
type overrun struct {
	heap  func() int64 // bytes in use or not yet collected
	quiet int64        // bytes of the heap before any work

	mu     sync.Mutex // guards inWork and its pictures
	inWork map[*watched]bool
}

// watched is a picture in work.
type watched struct {
	of       *overrun
	promised int64 // estimate of its memory in bytes
	stop     context.CancelCauseFunc
	stopped  bool
	alone    bool // it was the only one in work when it was stopped; false: not so, or not stopped
}

// errOverrun is the cause of cancellation of a picture that was stopped.
var errOverrun = errors.New("more memory than expected")

const (
	// lookEvery is the time between two checks of the heap; a check takes some microseconds.
	lookEvery = 5 * time.Millisecond
	// headBytes is the estimate for a picture whose header has not been read.
	headBytes = 64 << 20
)

// heapBytes returns the bytes of the heap of the process that are in use or not yet collected.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// watchMemory begins to check the heap, until end is called.
func watchMemory() (o *overrun, end func()) {
	o = &overrun{heap: heapBytes, quiet: heapBytes(), inWork: map[*watched]bool{}}
	over := make(chan struct{})
	ticker := time.NewTicker(lookEvery)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
				o.look()
			}
		}
	}()
	return o, func() { close(over) }
}

// look stops all pictures in work if the heap is too large.
func (o *overrun) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.heap() <= o.limit() {
		return
	}
	runtime.GC()
	if o.heap() <= o.limit() {
		return
	}
	for w := range o.inWork {
		if !w.stopped { // keeps alone false if those stopped with it have ended meanwhile
			w.stopped, w.alone = true, len(o.inWork) == 1
			w.stop(errOverrun)
		}
	}
}

// limit returns the most bytes that the heap may have. The caller holds o.mu.
func (o *overrun) limit() int64 {
	most := o.quiet
	for w := range o.inWork {
		most += 2 * w.promised
	}
	return most
}

// begin adds a picture whose size is not known yet. Its work must use the returned context.
func (o *overrun) begin(ctx context.Context) (context.Context, *watched) {
	ctx, stop := context.WithCancelCause(ctx)
	w := &watched{of: o, promised: headBytes, stop: stop}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inWork[w] = true
	return ctx, w
}

// promise sets the estimate of memory of the picture, in bytes.
func (w *watched) promise(bytes int64) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.promised = max(bytes, headBytes)
}

// end removes the picture. stopped says that it was stopped, and alone that it was the only one in work then.
func (w *watched) end() (stopped, alone bool) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	delete(w.of.inWork, w)
	w.stop(nil)
	return w.stopped, w.alone
}

// budget divides memory among pictures in order: if there is too little for one, it and all after it wait. It is safe
// for concurrent use.
type budget struct {
	mu    sync.Mutex
	moved *sync.Cond // signals changes of slot and free
	slot  int        // index of the picture that may take memory next
	free  int64      // bytes not taken
}

func newBudget(bytes int64) *budget {
	b := &budget{free: bytes}
	b.moved = sync.NewCond(&b.mu)
	return b
}

// queue waits until it is the turn of picture i to take memory.
func (b *budget) queue(i int) { b.when(func() bool { return b.slot == i }, 0) }

// take waits until bytes are free and takes them. bytes must not be more than the whole budget.
func (b *budget) take(bytes int64) { b.when(func() bool { return b.free >= bytes }, bytes) }

func (b *budget) when(ready func() bool, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !ready() {
		b.moved.Wait()
	}
	b.free -= bytes
}

// next gives the turn to the next picture.
func (b *budget) next() { b.change(1, 0) }

// give returns bytes to the budget.
func (b *budget) give(bytes int64) { b.change(0, bytes) }

func (b *budget) change(slots int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slot += slots
	b.free += bytes
	b.moved.Broadcast()
}
