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
// large ones cannot take, and while a small one is enlarged, much larger ones pause. So a small picture takes about as
// long as on an idle server, and large ones lose little time. It is safe for concurrent use.
type scheduler struct {
	memory int64 // bytes for all pictures
	kept   int64 // part of memory that only small pictures may take, in bytes
	large  int   // large pictures in work at a time
	small  int   // small pictures in work at a time
	queue  int   // most pictures that wait
	ending <-chan struct{}
	tasks  atomic.Int32 // number of pictures that share the processors

	mu       sync.Mutex // guards what follows
	waiting  []*slot    // sorted by their time
	working  []*slot
	expected []*slot       // small pictures whose files are being received
	moved    chan struct{} // closed, and replaced, when a picture has left
}

// slot is the place of a picture in the scheduler, from when it joins the queue to its end.
type slot struct {
	of    *scheduler
	load  upscale.Load
	small bool
	time  time.Time     // rank in the queue: time of arrival plus twice the estimated work
	ready chan struct{} // closed when the picture may begin

	pausing sync.Mutex // guards rest and rested
	rest    func()     // gives up its share of the processors; nil: it has none
	rested  time.Time  // end of its last pause
}

// smallPixels is the most pixels of the result of a small picture, always the cost of every picture besides its
// pixels, in pixels, and pace the pixels made in a second: about half of what two processors make.
const (
	smallPixels = 1_500_000
	always      = 50_000
	pace        = 4e6
)

// newScheduler returns a scheduler with memory bytes for all pictures, in which up to queue pictures may wait. When
// ending is closed, waiting pictures are refused.
func newScheduler(memory int64, queue int, ending <-chan struct{}) *scheduler {
	n := runtime.GOMAXPROCS(0)
	return &scheduler{memory: memory, kept: keptOf(memory), large: n, small: max(1, n/2), queue: queue, ending: ending,
		moved: make(chan struct{})}
}

// keptOf returns the part of memory, in bytes, that only small pictures may take.
func keptOf(memory int64) int64 { return memory / 8 }

// begin puts a picture that takes load into the queue, from which it starts at once if there is room, and returns its
// slot. It returns a busy error if too many pictures wait.
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

// await waits until the picture of slot one may begin. It calls queued, which may be nil, with its position in the
// queue, from 1, whenever that may have changed. After an error, the slot is given up.
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

// start takes a share of the processors if the picture may begin; it returns false if it must still wait.
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

// task counts one more picture that shares the processors, until rest is called.
func (s *scheduler) task() (rest func()) {
	s.tasks.Add(1)
	return func() { s.tasks.Add(-1) }
}

// position returns the position of one in the queue, from 1, or 0 if it does not wait, and a channel that is closed
// when it may have changed.
func (s *scheduler) position(one *slot) (position int, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 1 + slices.Index(s.waiting, one), s.moved
}

// seconds returns about how long the picture will take.
func (o *slot) seconds() time.Duration {
	return time.Duration(float64(o.load.Pixels+always) / pace * float64(time.Second))
}

// full reports whether there is no room for one in the queue, and estimates its wait. The queue of small pictures is
// only as long as the number in work at a time: more are refused rather than delayed.
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

// muchLess reports whether o is less than a quarter of the work of than, which then pauses for o.
func (o *slot) muchLess(than *slot) bool { return 4*o.seconds() < than.seconds() }

// fits reports whether there is memory and a place for one. Pictures in work that would pause for it take no place.
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

// admit starts the waiting pictures that fit, in order. Only small ones of much less work may pass one that does not
// fit.
func (s *scheduler) admit() {
	var before *slot // the one of least work among those that do not fit
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

// leave removes one from the queue or from the pictures in work.
func (s *scheduler) leave(one *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *slot) bool { return other == one }
	s.waiting = slices.DeleteFunc(s.waiting, is)
	s.working = slices.DeleteFunc(s.working, is)
	s.admit()
	s.move()
}

// end gives up the slot and its share of the processors.
func (o *slot) end() {
	if o.rest != nil {
		o.rest()
	}
	o.of.leave(o)
}

// A picture pauses for longestPause at most and then works for betweenPause at least, so that it works a fifth of the
// time however many smaller pictures there are.
const (
	longestPause = 400 * time.Millisecond
	betweenPause = 100 * time.Millisecond
)

// pause waits between steps of the work while a picture of much less work is in work, for longestPause at most.
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

// transfer returns a slot for the transfer of a file. It takes no memory and pauses for small pictures, as many
// transfers would take the processors from them, both here and at the client.
func (s *scheduler) transfer() *slot {
	return &slot{of: s, load: upscale.Load{Pixels: 5 * smallPixels}}
}

// expect makes larger pictures pause while the file of a small one is received, until done is called or longestPause
// is over.
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

// move wakes all that wait for pictures to leave.
func (s *scheduler) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// smallerThan reports whether a picture of much less work than one is in work or expected, and returns a channel that
// is closed when that may have changed.
func (s *scheduler) smallerThan(one *slot) (moved <-chan struct{}, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	less := func(other *slot) bool { return other.muchLess(one) }
	return s.moved, slices.ContainsFunc(s.working, less) || slices.ContainsFunc(s.expected, less)
}
