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

// scheduler divides memory and processors among the pictures of requests. Small pictures have slots and memory that
// large ones cannot take, and while a small one is in work, those that are much larger pause. So a small picture takes
// about as long as alone, however many large ones there are, and these lose little time. It is safe for concurrent
// use.
type scheduler struct {
	memory int64 // bytes, of all
	kept   int64 // of these, for small pictures
	large  int   // large pictures in work at a time
	small  int   // small ones
	queue  int   // pictures that may wait
	ending <-chan struct{}
	tasks  atomic.Int32 // pictures that share the processors

	mu       sync.Mutex // guards what follows
	waiting  []*slot    // by their time
	working  []*slot
	expected []*slot       // that come
	moved    chan struct{} // closed, and made anew, when a picture has left
}

// slot is that of a picture, from when it begins to wait for one to its end.
type slot struct {
	of    *scheduler
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

// newScheduler makes the scheduler of a server whose pictures take some memory, in bytes, and of which some may wait in
// the queue. When ending is closed, those that wait are refused.
func newScheduler(memory int64, queue int, ending <-chan struct{}) *scheduler {
	n := runtime.GOMAXPROCS(0)
	return &scheduler{memory: memory, kept: keptOf(memory), large: n, small: max(1, n/2), queue: queue, ending: ending,
		moved: make(chan struct{})}
}

// keptOf is how much of all memory is kept for small pictures.
func keptOf(memory int64) int64 { return memory / 8 }

// begin gives a slot to a picture, or puts it into the queue. It refuses the picture as busy where too many wait.
func (s *scheduler) begin(load upscale.Load) (*slot, error) {
	one := &slot{of: s, load: load, ready: make(chan struct{})}
	one.small = load.Pixels <= smallPixels && load.Memory <= s.kept/2
	one.time = time.Now().Add(2 * one.seconds())
	s.mu.Lock()
	defer s.mu.Unlock()
	if wait, full := s.full(one); full {
		return nil, busy{wait}
	}
	at, _ := slices.BinarySearchFunc(s.waiting, one, func(a, b *slot) int { return cmp.Or(a.time.Compare(b.time), -1) })
	s.waiting = slices.Insert(s.waiting, at, one)
	s.admit()
	return one, nil
}

// await waits until a picture may be in work. queued is called with its position in the queue, from 1; it may be nil.
// After an error the picture has left.
func (s *scheduler) await(ctx context.Context, one *slot, queued func(position int)) error {
	for {
		position, moved := s.position(one)
		if position > 0 && queued != nil {
			queued(position)
		}
		select {
		case <-one.ready:
			return nil
		case <-ctx.Done():
			s.leave(one)
			return context.Cause(ctx)
		case <-s.ending:
			s.leave(one)
			return errEnding
		case <-moved:
		}
	}
}

// start takes a share of the processors, if the picture may be in work.
func (o *slot) start() bool {
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
func (s *scheduler) task() (rest func()) {
	s.tasks.Add(1)
	return func() { s.tasks.Add(-1) }
}

// position returns that of a picture in the queue, from 1, or 0 when it does not wait, and a channel that is closed
// when it may have changed.
func (s *scheduler) position(one *slot) (position int, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 1 + slices.Index(s.waiting, one), s.moved
}

// seconds is about how long the picture will take.
func (o *slot) seconds() time.Duration {
	return time.Duration(float64(o.load.Pixels+always) / pace * float64(time.Second))
}

// full tells whether one more picture may not wait, and how long it would. A small one waits
// for as many as can be in work: more of them are refused rather than delayed.
func (s *scheduler) full(one *slot) (wait time.Duration, full bool) {
	most, places := s.queue, s.large
	if one.small {
		most, places = min(most, s.small), s.small
	}
	ahead := 0
	for _, other := range s.waiting {
		if other.small == one.small && !(one.small && one.muchLess(other)) {
			ahead++
			wait += other.seconds() / time.Duration(places)
		}
	}
	return wait, ahead >= most && !s.fits(one)
}

// muchLess tells whether a picture is so much less work than another that this pauses for it.
func (o *slot) muchLess(than *slot) bool { return 4*o.seconds() < than.seconds() }

// fits tells whether there is a place, among those that do not pause for it, and memory for
// a picture.
func (s *scheduler) fits(one *slot) bool {
	used, largeUsed, places := int64(0), int64(0), s.large
	if one.small {
		places = s.small
	}
	for _, other := range s.working {
		used += other.load.Memory
		if !other.small {
			largeUsed += other.load.Memory
		}
		if other.small == one.small && !one.muchLess(other) {
			places--
		}
	}
	return places > 0 && used+one.load.Memory <= s.memory && (one.small || largeUsed+one.load.Memory <= s.memory-s.kept)
}

// admit begins what can begin, in order. Past a picture that there is no room for go only
// small ones that are much less work.
func (s *scheduler) admit() {
	var before *slot // the least that has no room
	s.waiting = slices.DeleteFunc(s.waiting, func(one *slot) bool {
		if before != nil && !(one.small && one.muchLess(before)) || !s.fits(one) {
			if before == nil || one.seconds() < before.seconds() {
				before = one
			}
			return false
		}
		s.working = append(s.working, one)
		close(one.ready)
		return true
	})
}

// leave gives back a slot, or leaves the queue.
func (s *scheduler) leave(one *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *slot) bool { return other == one }
	s.waiting = slices.DeleteFunc(s.waiting, is)
	s.working = slices.DeleteFunc(s.working, is)
	s.admit()
	s.move()
}

// end gives back the slot and its share of the processors.
func (o *slot) end() {
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
func (o *slot) pause(ctx context.Context) {
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

// transfer returns a slot for a file that comes or goes. It takes nothing, and pauses for small pictures: many files
// that move would take the processors from them, here and where they come from.
func (s *scheduler) transfer() *slot {
	return &slot{of: s, load: upscale.Load{Pixels: 5 * smallPixels}}
}

// expect makes others pause for a picture that is small by its file, while this comes, which
// does not take longer than a moment, until done is called.
func (s *scheduler) expect() (done func()) {
	one := &slot{of: s, small: true, load: upscale.Load{Pixels: 1}}
	s.mu.Lock()
	s.expected = append(s.expected, one)
	s.mu.Unlock()
	forget := sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expected = slices.DeleteFunc(s.expected, func(other *slot) bool { return other == one })
		s.move()
	})
	moment := time.AfterFunc(longestPause, forget)
	return func() {
		moment.Stop()
		forget()
	}
}

// move wakes those who wait for others to leave.
func (s *scheduler) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// smallerThan tells whether a picture of much less work is in work, and when to look again.
func (s *scheduler) smallerThan(one *slot) (moved <-chan struct{}, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	less := func(other *slot) bool { return other.muchLess(one) }
	return s.moved, slices.ContainsFunc(s.working, less) || slices.ContainsFunc(s.expected, less)
}
