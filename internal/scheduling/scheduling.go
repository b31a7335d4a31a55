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

// Scheduler divides memory and processors among the pictures of requests. Some slots and memory are reserved for small
// pictures, and while a small picture is enlarged, much larger pictures pause. So a small picture takes about as long
// as on an idle server, and large pictures lose little time. It is safe for concurrent use.
type Scheduler struct {
	memory int64 // bytes for all pictures
	kept   int64 // bytes of memory reserved for small pictures
	large  int   // most large pictures that may be enlarged at the same time
	small  int   // most small pictures that may be enlarged at the same time
	queue  int   // most large pictures that may wait; for small ones see full
	ending <-chan struct{}
	tasks  atomic.Int32 // number of pictures that use the processors now

	mu       sync.Mutex // guards the fields below
	waiting  []*Slot    // sorted by Slot.time
	working  []*Slot
	expected []*Slot       // small pictures whose files are being received
	moved    chan struct{} // closed, and replaced, when a picture leaves waiting, working or expected
}

// Slot is one picture in the scheduler, from when it joins the queue to the end of its work.
type Slot struct {
	of    *Scheduler
	load  Load
	small bool
	time  time.Time     // rank in the queue: time of arrival plus twice the estimated work
	ready chan struct{} // closed when the picture may begin

	pausing sync.Mutex // guards rest and rested
	rest    func()     // ends the picture's use of the processors; nil: it uses none
	rested  time.Time  // end of the picture's last pause
}

// Load is an estimate of the resources that a picture needs.
type Load struct {
	Memory int64 // in bytes
	Pixels int64 // the number of pixels computed for the result; a pixel that is computed twice counts twice
}

// Busy is the error for a picture that is refused because too many pictures wait.
type Busy struct {
	Wait time.Duration // estimated time until the queue has room
}

func (b Busy) Error() string {
	return fmt.Sprintf("the server is busy; come again in %d s", b.Seconds())
}

// Seconds returns Wait in whole seconds, rounded up, and at least 1.
func (b Busy) Seconds() int { return max(1, int((b.Wait+time.Second-1)/time.Second)) }

// ErrEnding is the error for pictures that wait when the server ends.
var ErrEnding = errors.New("the server is about to end; start it again")

// smallPixels is the largest number of pixels of a small picture's result. always is the fixed cost of a picture,
// expressed in pixels. pace is the assumed speed in pixels per second, half the speed of two processors.
const (
	smallPixels = 1_500_000
	always      = 50_000
	pace        = 4e6
)

// New returns a Scheduler that divides memory, in bytes, among all pictures. As many large pictures as processors and
// half as many small ones work at a time, while at most queue large ones wait. Closing ending refuses those that wait.
func New(memory int64, queue int, ending <-chan struct{}) *Scheduler {
	n := runtime.GOMAXPROCS(0)
	return &Scheduler{memory: memory, kept: Kept(memory), large: n, small: max(1, n/2), queue: queue, ending: ending,
		moved: make(chan struct{})}
}

// Kept returns how many bytes are reserved for small pictures if all pictures together have memory bytes.
func Kept(memory int64) int64 { return memory / 8 }

// Begin puts a picture that needs load into the queue, ranked by its arrival plus twice its estimated time, and
// returns its slot. If there is room, the picture may begin at once. If too many wait, the error is Busy.
func (s *Scheduler) Begin(load Load) (*Slot, error) {
	slot := &Slot{of: s, load: load, ready: make(chan struct{})}
	slot.small = load.Pixels <= smallPixels && load.Memory <= s.kept/2 // kept has room for two such pictures
	slot.time = time.Now().Add(2 * slot.seconds())
	s.mu.Lock()
	defer s.mu.Unlock()
	if wait, full := s.full(slot); full {
		return nil, Busy{wait}
	}
	i, _ := slices.BinarySearchFunc(s.waiting, slot, func(a, b *Slot) int { return cmp.Or(a.time.Compare(b.time), -1) })
	s.waiting = slices.Insert(s.waiting, i, slot)
	s.admit()
	return slot, nil
}

// Await waits until the picture of slot may begin. Unless queued is nil, Await calls it with the position in the queue,
// from 1: at first, and whenever it may have fallen. After an error, the slot is given up.
func (s *Scheduler) Await(ctx context.Context, slot *Slot, queued func(position int)) error {
	for {
		position, moved := s.position(slot)
		if position > 0 && queued != nil {
			queued(position)
		}
		select {
		case <-slot.ready:
			return nil
		case <-ctx.Done():
			s.leave(slot)
			return context.Cause(ctx)
		case <-s.ending:
			s.leave(slot)
			return ErrEnding
		case <-moved:
		}
	}
}

// Start lets the picture use the processors, until o.rest is called, if it may begin. Otherwise it returns false.
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

// Places returns how many large and how many small pictures may be enlarged at the same time.
func (s *Scheduler) Places() (large, small int) { return s.large, s.small }

// Tasks returns the number of pictures that use the processors now.
func (s *Scheduler) Tasks() int { return int(s.tasks.Load()) }

// Pictures returns how many pictures wait and how many have begun and not ended.
func (s *Scheduler) Pictures() (waiting, working int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting), len(s.working)
}

// Load returns the load that was passed to Begin.
func (o *Slot) Load() Load { return o.load }

// task counts one more picture that uses the processors, until rest is called.
func (s *Scheduler) task() (rest func()) {
	s.tasks.Add(1)
	return func() { s.tasks.Add(-1) }
}

// position returns the position of slot in the queue, from 1, or 0 if it does not wait, and a channel that is closed
// when the position may have fallen.
func (s *Scheduler) position(slot *Slot) (position int, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 1 + slices.Index(s.waiting, slot), s.moved
}

// seconds estimates how long the picture takes.
func (o *Slot) seconds() time.Duration {
	return time.Duration(float64(o.load.Pixels+always) / pace * float64(time.Second))
}

// full reports whether slot neither fits nor may wait behind the pictures ahead of it, and estimates how long these
// take. No more small pictures may wait than may be enlarged at the same time: more are refused rather than delayed.
func (s *Scheduler) full(slot *Slot) (wait time.Duration, full bool) {
	most, places := s.queue, s.large
	if slot.small {
		most, places = min(most, s.small), s.small
	}
	ahead := 0
	for _, other := range s.waiting {
		if other.small == slot.small && !(slot.small && slot.muchLess(other)) {
			ahead++
			wait += other.seconds() / time.Duration(places)
		}
	}
	return wait, ahead >= most && !s.fits(slot)
}

// muchLess reports whether o needs less than a quarter of the work of other, which then pauses for o.
func (o *Slot) muchLess(other *Slot) bool { return 4*o.seconds() < other.seconds() }

// fits reports whether slot may work now: whether a place is free, not counting pictures that would pause for slot,
// and memory, of which large pictures leave s.kept to small ones.
func (s *Scheduler) fits(slot *Slot) bool {
	used, large, places := int64(0), int64(0), s.large
	if slot.small {
		places = s.small
	}
	for _, other := range s.working {
		used += other.load.Memory
		if !other.small {
			large += other.load.Memory
		}
		if other.small == slot.small && !slot.muchLess(other) {
			places--
		}
	}
	return places > 0 && used+slot.load.Memory <= s.memory && (slot.small || large+slot.load.Memory <= s.memory-s.kept)
}

// admit starts waiting pictures that fit, in order. Only small pictures of much less work pass a picture that does not.
func (s *Scheduler) admit() {
	var before *Slot // the waiting picture of least work that does not fit
	s.waiting = slices.DeleteFunc(s.waiting, func(slot *Slot) bool {
		if before != nil && !(slot.small && slot.muchLess(before)) || !s.fits(slot) {
			if before == nil || slot.seconds() < before.seconds() {
				before = slot
			}
			return false
		}
		s.working = append(s.working, slot)
		close(slot.ready)
		return true
	})
}

// leave removes slot from s.waiting or s.working, admits the pictures that fit then, and wakes the waiting.
func (s *Scheduler) leave(slot *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(other *Slot) bool { return other == slot }
	s.waiting = slices.DeleteFunc(s.waiting, is)
	s.working = slices.DeleteFunc(s.working, is)
	s.admit()
	s.move()
}

// End gives up the slot, and its use of the processors.
func (o *Slot) End() {
	if o.rest != nil {
		o.rest()
	}
	o.of.leave(o)
}

// A picture pauses for at most longestPause and then works for at least betweenPause, so that it works at least a fifth
// of the time however many smaller pictures there are.
const (
	longestPause = 400 * time.Millisecond
	betweenPause = 100 * time.Millisecond
)

// Pause waits while a picture with much less work is enlarged or expected, but for at most longestPause, and not within
// betweenPause of its last pause. Call it between steps of the work.
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

// Transfer returns a slot for sending or receiving a file. The slot counts no memory. It pauses for small pictures, as
// many transfers would take the processors from them, here and at the client.
func (s *Scheduler) Transfer() *Slot {
	return &Slot{of: s, load: Load{Pixels: 5 * smallPixels}} // more than 4 times as many: see muchLess
}

// Expect makes larger pictures pause while a small picture is received: until done is called, for at most longestPause.
func (s *Scheduler) Expect() (done func()) {
	slot := &Slot{of: s, small: true, load: Load{Pixels: 1}}
	s.mu.Lock()
	s.expected = append(s.expected, slot)
	s.mu.Unlock()
	forget := sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expected = slices.DeleteFunc(s.expected, func(other *Slot) bool { return other == slot })
		s.move()
	})
	moment := time.AfterFunc(longestPause, forget)
	return func() {
		moment.Stop()
		forget()
	}
}

// move wakes all goroutines that wait on s.moved.
func (s *Scheduler) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// smallerThan reports whether a picture with much less work than slot is being enlarged or expected, and returns a
// channel that is closed when it may have become false.
func (s *Scheduler) smallerThan(slot *Slot) (moved <-chan struct{}, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	less := func(other *Slot) bool { return other.muchLess(slot) }
	return s.moved, slices.ContainsFunc(s.working, less) || slices.ContainsFunc(s.expected, less)
}
