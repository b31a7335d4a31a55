// Package scheduling divides memory and processors among the pictures that a server works on.
package scheduling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Scheduler divides memory and processors among the pictures of requests. Small pictures have slots and memory that
// large ones cannot take, and while a small one is enlarged, much larger ones pause. So a small picture takes about as
// long as on an idle server, and large ones lose little time. It is safe for concurrent use.
type Scheduler struct {
	memory int64 // bytes for all pictures
	kept   int64 // part of memory that only small pictures may take, in bytes
	large  int   // large pictures in work at a time
	small  int   // small pictures in work at a time
	queue  int   // most pictures that wait
	ending <-chan struct{}
	tasks  atomic.Int32 // number of pictures that share the processors

	mu       sync.Mutex // guards what follows
	waiting  []*Slot    // sorted by their time
	working  []*Slot
	expected []*Slot       // small pictures whose files are being received
	moved    chan struct{} // closed, and replaced, when a picture has left
}

// Slot is the place of a picture in the scheduler, from when it joins the queue to its end.
type Slot struct {
	of    *Scheduler
	load  Load
	small bool
	time  time.Time     // rank in the queue: time of arrival plus twice the estimated work
	ready chan struct{} // closed when the picture may begin

	pausing sync.Mutex // guards rest and rested
	rest    func()     // gives up its share of the processors; nil: it has none
	rested  time.Time  // end of its last pause
}

// Load is an estimate of the resources that a picture takes.
type Load struct {
	// Memory is in bytes.
	Memory int64
	// Pixels is the number of pixels computed for the result, counting each as often as it is computed.
	Pixels int64
}

// Busy is the error of a picture that is refused because too many wait.
type Busy struct {
	Wait time.Duration // estimate of when there is room
}

func (b Busy) Error() string {
	return fmt.Sprintf("the server is busy; come again in %d s", b.Seconds())
}

// Seconds returns Wait in whole seconds, rounded up, and at least 1.
func (b Busy) Seconds() int { return max(1, int((b.Wait+time.Second-1)/time.Second)) }

// ErrEnding is the error of pictures that wait when the server is to end.
var ErrEnding = errors.New("the server is about to end; start it again")

// smallPixels is the most pixels of the result of a small picture, always the cost of every picture besides its
// pixels, in pixels, and pace the pixels made in a second: about half of what two processors make.
const (
	smallPixels = 1_500_000
	always      = 50_000
	pace        = 4e6
)

// New returns a Scheduler with memory bytes for all pictures, in which up to queue pictures may wait. When
// ending is closed, waiting pictures are refused.
func New(memory int64, queue int, ending <-chan struct{}) *Scheduler {
	n := runtime.GOMAXPROCS(0)
	return &Scheduler{memory: memory, kept: Kept(memory), large: n, small: max(1, n/2), queue: queue, ending: ending,
		moved: make(chan struct{})}
}

// Kept returns the part of memory, in bytes, that only small pictures may take.
func Kept(memory int64) int64 { return memory / 8 }

// Begin puts a picture that takes load into the queue, from which it starts at once if there is room, and returns its
// slot. It returns a Busy error if too many pictures wait.
func (s *Scheduler) Begin(load Load) (*Slot, error) {
	one := &Slot{of: s, load: load, ready: make(chan struct{})}
	one.small = load.Pixels <= smallPixels && load.Memory <= s.kept/2
	one.time = time.Now().Add(2 * one.seconds())
	s.mu.Lock()
	defer s.mu.Unlock()
	if wait, full := s.full(one); full {
		return nil, Busy{wait}
	}
	at, _ := slices.BinarySearchFunc(s.waiting, one, func(a, b *Slot) int { return cmp.Or(a.time.Compare(b.time), -1) })
	s.waiting = slices.Insert(s.waiting, at, one)
	s.admit()
	return one, nil
}

// Await waits until the picture of slot one may begin. It calls queued, which may be nil, with its position in the
// queue, from 1, whenever that may have changed. After an error, the slot is given up.
func (s *Scheduler) Await(ctx context.Context, one *Slot, queued func(position int)) error {
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
			return ErrEnding
		case <-moved:
		}
	}
}

// Start takes a share of the processors if the picture may begin; it returns false if it must still wait.
func (o *Slot) Start() bool {
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

// Places returns how many large and small pictures are in work at a time.
func (s *Scheduler) Places() (large, small int) { return s.large, s.small }

// Tasks returns the number of pictures that share the processors.
func (s *Scheduler) Tasks() int { return int(s.tasks.Load()) }

// Pictures returns how many pictures wait and how many are in work.
func (s *Scheduler) Pictures() (waiting, working int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting), len(s.working)
}

// Load returns the load that the picture was begun with.
func (o *Slot) Load() Load { return o.load }

// task counts one more picture that shares the processors, until rest is called.
func (s *Scheduler) task() (rest func()) {
	s.tasks.Add(1)
	return func() { s.tasks.Add(-1) }
}

// position returns the position of one in the queue, from 1, or 0 if it does not wait, and a channel that is closed
// when it may have changed.
func (s *Scheduler) position(one *Slot) (position int, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 1 + slices.Index(s.waiting, one), s.moved
}

// seconds returns about how long the picture will take.
func (o *Slot) seconds() time.Duration {
	return time.Duration(float64(o.load.Pixels+always) / pace * float64(time.Second))
}

// full reports whether there is no room for one in the queue, and estimates its wait. The queue of small pictures is
// only as long as the number in work at a time: more are refused rather than delayed.
func (s *Scheduler) full(one *Slot) (wait time.Duration, full bool) {
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
func (o *Slot) muchLess(than *Slot) bool { return 4*o.seconds() < than.seconds() }

// fits reports whether there is memory and a place for one. Pictures in work that would pause for it take no place.
func (s *Scheduler) fits(one *Slot) bool {
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
func (s *Scheduler) admit() {
	var before *Slot // the one of least work among those that do not fit
	s.waiting = slices.DeleteFunc(s.waiting, func(one *Slot) bool {
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
func (s *Scheduler) leave(one *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *Slot) bool { return other == one }
	s.waiting = slices.DeleteFunc(s.waiting, is)
	s.working = slices.DeleteFunc(s.working, is)
	s.admit()
	s.move()
}

// End gives up the slot and its share of the processors.
func (o *Slot) End() {
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

// Pause waits between steps of the work while a picture of much less work is in work, for longestPause at most.
func (o *Slot) Pause(ctx context.Context) {
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

// Transfer returns a slot for the transfer of a file. It takes no memory and pauses for small pictures, as many
// transfers would take the processors from them, both here and at the client.
func (s *Scheduler) Transfer() *Slot {
	return &Slot{of: s, load: Load{Pixels: 5 * smallPixels}}
}

// Expect makes larger pictures pause while the file of a small one is received, until done is called or longestPause
// is over.
func (s *Scheduler) Expect() (done func()) {
	one := &Slot{of: s, small: true, load: Load{Pixels: 1}}
	s.mu.Lock()
	s.expected = append(s.expected, one)
	s.mu.Unlock()
	forget := sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expected = slices.DeleteFunc(s.expected, func(other *Slot) bool { return other == one })
		s.move()
	})
	moment := time.AfterFunc(longestPause, forget)
	return func() {
		moment.Stop()
		forget()
	}
}

// move wakes all that wait for pictures to leave.
func (s *Scheduler) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// smallerThan reports whether a picture of much less work than one is in work or expected, and returns a channel that
// is closed when that may have changed.
func (s *Scheduler) smallerThan(one *Slot) (moved <-chan struct{}, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	less := func(other *Slot) bool { return other.muchLess(one) }
	return s.moved, slices.ContainsFunc(s.working, less) || slices.ContainsFunc(s.expected, less)
}
