package upscale

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// overrun is the hard limit behind the estimates of memory: while pictures are in work it looks
// every few milliseconds at the heap of the process, and stops those in work when it has grown
// past twice what they were promised together. Which of several takes so much, the heap does not
// tell: all are stopped, and are to be tried again one at a time, when only the one that does it
// alone fails. Stopping is the end of a context; what does not look at it is not stopped.
//
// Garbage that another picture has left counts in the heap until it is collected, so before
// anything is stopped it is.
type overrun struct {
	heap  func() int64 // what is in use or not yet found to be garbage, in bytes
	quiet int64        // bytes of the heap before any picture

	mu     sync.Mutex // guards what is below
	inWork map[*watched]bool
}

// watched is a picture in work.
type watched struct {
	of       *overrun
	promised int64 // bytes
	stop     context.CancelCauseFunc
	stopped  bool
	alone    bool // no other was in work when it was stopped
}

// errOverrun is the cause of the end of the context of a picture that is stopped.
var errOverrun = errors.New("more memory than expected")

const (
	// lookEvery is the time between two looks at the heap: reading it takes some microseconds.
	lookEvery = 5 * time.Millisecond
	// headBytes are promised to a picture of which nothing is known yet.
	headBytes = 64 << 20
)

// heapBytes is the heap of the process: see overrun.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// watchMemory begins to watch, until end is called.
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

// look stops all that is in work if the heap has grown too much.
func (o *overrun) look() {
	if o.heap() <= o.limit() {
		return
	}
	runtime.GC()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.heap() <= o.limitLocked() {
		return
	}
	for w := range o.inWork {
		if !w.stopped { // what was stopped with others was not alone, though they have ended
			w.stopped, w.alone = true, len(o.inWork) == 1
			w.stop(errOverrun)
		}
	}
}

// limit is how large the heap may become.
func (o *overrun) limit() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.limitLocked()
}

// limitLocked is limit for those who have the lock.
func (o *overrun) limitLocked() int64 {
	most := o.quiet
	for w := range o.inWork {
		most += 2 * w.promised
	}
	return most
}

// begin adds a picture of which nothing is known yet. Its work is to look at the context that
// is returned.
func (o *overrun) begin(ctx context.Context) (context.Context, *watched) {
	ctx, stop := context.WithCancelCause(ctx)
	w := &watched{of: o, promised: headBytes, stop: stop}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inWork[w] = true
	return ctx, w
}

// promise tells how many bytes the picture was promised.
func (w *watched) promise(bytes int64) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.promised = max(bytes, headBytes)
}

// end takes the picture away, and tells whether it was stopped, and whether it was the only one
// in work then.
func (w *watched) end() (stopped, alone bool) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	delete(w.of.inWork, w)
	w.stop(nil)
	return w.stopped, w.alone
}

// budget is memory to be divided among pictures, which get it in their order: one that there is not enough for waits,
// and all behind it. It is safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	moved *sync.Cond // what is below
	slot  int        // of the picture that may take memory next
	free  int64      // bytes
}

func newBudget(bytes int64) *budget {
	b := &budget{free: bytes}
	b.moved = sync.NewCond(&b.mu)
	return b
}

// queue waits until picture i has the slot.
func (b *budget) queue(i int) { b.when(func() bool { return b.slot == i }, 0) }

// take waits for memory and takes it. It must not be more than there is in all.
func (b *budget) take(bytes int64) { b.when(func() bool { return b.free >= bytes }, bytes) }

func (b *budget) when(ready func() bool, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !ready() {
		b.moved.Wait()
	}
	b.free -= bytes
}

// next gives the slot to the next picture.
func (b *budget) next() { b.change(1, 0) }

// give gives memory back.
func (b *budget) give(bytes int64) { b.change(0, bytes) }

func (b *budget) change(slots int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slot += slots
	b.free += bytes
	b.moved.Broadcast()
}
