package serve

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"superres/cmd/internal/upscale"
)

// turns divides memory and processors among requests, which come in no order of their own.
// Small pictures have places and memory that large ones cannot take, and while one is in
// work, those that are much larger pause. So a small picture takes about as long as alone,
// however many large ones there are, and these are held up by little. It is safe for
// concurrent use.
type turns struct {
	memory int64 // bytes, of all
	kept   int64 // of these, for small pictures
	large  int   // large pictures in work at a time
	small  int   // small ones
	queue  int   // pictures that may wait
	ending <-chan struct{}
	tasks  atomic.Int32 // pictures that share the processors

	mu       sync.Mutex // guards what follows
	waiting  []*turn    // by their time
	working  []*turn
	expected []*turn       // that come
	moved    chan struct{} // closed, and made anew, when a picture has left
}

// turn is the turn of a picture, from its waiting to its end.
type turn struct {
	of    *turns
	load  upscale.Load
	small bool
	time  time.Time     // of its coming, and later for more work
	ready chan struct{} // closed: it is in work

	pausing sync.Mutex // guards what follows
	rest    func()     // ends its share of the processors; nil: it has none
	rested  time.Time  // when it has paused last
}

// In pixels of the result: what is small, as how many every picture counts besides, and how
// many are made in a second, about half of what two processors do.
const (
	smallPixels = 1_500_000
	always      = 50_000
	pace        = 4e6
)

// newTurns makes the turns of a server that takes so many bytes, until ending is closed, from
// when on nobody is admitted who waits.
func newTurns(memory int64, queue int, ending <-chan struct{}) *turns {
	n := runtime.GOMAXPROCS(0)
	return &turns{memory: memory, kept: keptOf(memory), large: n, small: max(1, n/2), queue: queue, ending: ending, moved: make(chan struct{})}
}

// keptOf is how much of all memory is kept for small pictures.
func keptOf(memory int64) int64 { return memory / 8 }

// begin begins the turn of a picture, or the waiting for it, and refuses it as busy where too many
// wait.
func (t *turns) begin(load upscale.Load) (*turn, error) {
	one := &turn{of: t, load: load, ready: make(chan struct{})}
	one.small = load.Pixels <= smallPixels && load.Memory <= t.kept/2
	one.time = time.Now().Add(2 * one.seconds())
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait, full := t.full(one); full {
		return nil, busy{wait}
	}
	at, _ := slices.BinarySearchFunc(t.waiting, one, func(a, b *turn) int { return cmp.Or(a.time.Compare(b.time), -1) })
	t.waiting = slices.Insert(t.waiting, at, one)
	t.admit()
	return one, nil
}

// await waits until a picture may be in work. queued is called with its place among those that
// wait, from 1; it may be nil. After an error the picture has left.
func (t *turns) await(ctx context.Context, one *turn, queued func(place int)) error {
	for {
		place, moved := t.place(one)
		if place > 0 && queued != nil {
			queued(place)
		}
		select {
		case <-one.ready:
			return nil
		case <-ctx.Done():
			t.leave(one)
			return context.Cause(ctx)
		case <-t.ending:
			t.leave(one)
			return errEnding
		case <-moved:
		}
	}
}

// start takes a share of the processors, if the picture may be in work.
func (o *turn) start() bool {
	select {
	case <-o.ready:
		if o.rest == nil {
			o.rest = o.of.task()
		}
		return true
	default:
		return false
	}
}

// task counts a picture among those that share the processors, until rest is called.
func (t *turns) task() (rest func()) {
	t.tasks.Add(1)
	return func() { t.tasks.Add(-1) }
}

// place returns the place of a picture among those that wait, from 1, or 0 when it does not,
// and when to look again.
func (t *turns) place(one *turn) (place int, moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return 1 + slices.Index(t.waiting, one), t.moved
}

// seconds is about how long the picture will take.
func (o *turn) seconds() time.Duration {
	return time.Duration(float64(o.load.Pixels+always) / pace * float64(time.Second))
}

// full tells whether one more picture may not wait, and how long it would. A small one waits
// for as many as can be in work: more of them are refused rather than delayed.
func (t *turns) full(one *turn) (wait time.Duration, full bool) {
	most, places := t.queue, t.large
	if one.small {
		most, places = min(most, t.small), t.small
	}
	ahead := 0
	for _, other := range t.waiting {
		if other.small == one.small && !(one.small && one.muchLess(other)) {
			ahead++
			wait += other.seconds() / time.Duration(places)
		}
	}
	return wait, ahead >= most && !t.fits(one)
}

// muchLess tells whether a picture is so much less work than another that this pauses for it.
func (o *turn) muchLess(than *turn) bool { return 4*o.seconds() < than.seconds() }

// fits tells whether there is a place, among those that do not pause for it, and memory for
// a picture.
func (t *turns) fits(one *turn) bool {
	used, largeUsed, places := int64(0), int64(0), t.large
	if one.small {
		places = t.small
	}
	for _, other := range t.working {
		used += other.load.Memory
		if !other.small {
			largeUsed += other.load.Memory
		}
		if other.small == one.small && !one.muchLess(other) {
			places--
		}
	}
	return places > 0 && used+one.load.Memory <= t.memory && (one.small || largeUsed+one.load.Memory <= t.memory-t.kept)
}

// admit begins what can begin, in order. Past a picture that there is no room for go only
// small ones that are much less work.
func (t *turns) admit() {
	var before *turn // the least that has no room
	t.waiting = slices.DeleteFunc(t.waiting, func(one *turn) bool {
		if before != nil && !(one.small && one.muchLess(before)) || !t.fits(one) {
			if before == nil || one.seconds() < before.seconds() {
				before = one
			}
			return false
		}
		t.working = append(t.working, one)
		close(one.ready)
		return true
	})
}

// leave ends a turn, or the waiting for it.
func (t *turns) leave(one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	is := func(other *turn) bool { return other == one }
	t.waiting = slices.DeleteFunc(t.waiting, is)
	t.working = slices.DeleteFunc(t.working, is)
	t.admit()
	t.move()
}

// end ends the turn.
func (o *turn) end() {
	if o.rest != nil {
		o.rest()
	}
	o.of.leave(o)
}

// A picture that pauses for smaller ones goes on for a fifth of the time, however many of these
// there are.
const (
	longestPause = 400 * time.Millisecond
	betweenPause = 100 * time.Millisecond
)

// pause waits while a picture of much less work is in work. It is called between two steps of
// the work.
func (o *turn) pause(ctx context.Context) {
	o.pausing.Lock()
	defer o.pausing.Unlock()
	if time.Since(o.rested) < betweenPause {
		return
	}
	over := time.Now().Add(longestPause)
	paused := false
	for ctx.Err() == nil {
		moved, must := o.of.smallerThan(o)
		left := time.Until(over)
		if !must || left <= 0 {
			break
		}
		if !paused && o.rest != nil {
			o.rest()
		}
		paused = true
		select {
		case <-moved:
		case <-time.After(left):
		case <-ctx.Done():
		}
	}
	if paused && o.rest != nil {
		o.rest = o.of.task()
	}
	if paused {
		o.rested = time.Now()
	}
}

// transfer is a turn that is none, of files that come or go, to pause for small pictures: many
// that move would take the processors from them, here and where they come from.
func (t *turns) transfer() *turn {
	return &turn{of: t, load: upscale.Load{Pixels: 5 * smallPixels}}
}

// expect makes others pause for a picture that is small by its file, while this comes, which
// does not take longer than a moment, until done is called.
func (t *turns) expect() (done func()) {
	one := &turn{of: t, small: true, load: upscale.Load{Pixels: 1}}
	t.mu.Lock()
	t.expected = append(t.expected, one)
	t.mu.Unlock()
	forget := sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.expected = slices.DeleteFunc(t.expected, func(other *turn) bool { return other == one })
		t.move()
	})
	moment := time.AfterFunc(longestPause, forget)
	return func() {
		moment.Stop()
		forget()
	}
}

// move wakes those who wait for others to leave.
func (t *turns) move() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// smallerThan tells whether a picture of much less work is in work, and when to look again.
func (t *turns) smallerThan(one *turn) (moved <-chan struct{}, is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	less := func(other *turn) bool { return other.muchLess(one) }
	return t.moved, slices.ContainsFunc(t.working, less) || slices.ContainsFunc(t.expected, less)
}
