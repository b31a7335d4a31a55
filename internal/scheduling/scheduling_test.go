package scheduling

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"superres/internal/must"
)

// The loads of these tests: of a small picture, of one of much less work, of large ones.
var (
	tinyLoad  = Load{Memory: 40 << 20, Pixels: 20_000}
	smallLoad = Load{Memory: 60 << 20, Pixels: 1_000_000}
	largeLoad = Load{Memory: 500 << 20, Pixels: 20e6}
	hugeLoad  = Load{Memory: 1700 << 20, Pixels: 200e6}
)

// newTestTurns returns a scheduler for two processors, in which up to queue pictures may wait.
func newTestTurns(queue int) *Scheduler {
	t := New(2<<30, queue, make(chan struct{}))
	t.large, t.small = 2, 1
	return t
}

// Large pictures wait for one another; small ones and those of much less work do not wait for them. The one of least
// work is next, unless another has waited long.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTestTurns(8)
		var mu sync.Mutex
		var order []string
		in := func(name string, load Load, lasts time.Duration) {
			go func() {
				one, err := all.enter(t.Context(), load, nil)
				if err != nil {
					t.Error(name, err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(lasts)
				one.End()
			}()
			synctest.Wait()
		}
		in("huge", hugeLoad, 10*time.Second)
		in("large", largeLoad, time.Second)
		in("larger", Load{Memory: 1700 << 20, Pixels: 40e6}, time.Second)
		in("small", smallLoad, time.Second)
		in("tiny", tinyLoad, time.Second)
		in("small 2", smallLoad, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"huge", "small", "tiny", "small 2", "large", "larger"}; !slices.Equal(order, want) {
			t.Errorf("%v, expected %v", order, want)
		}
		// Later ones of less work go first, and not for ever.
		order = nil
		in("huge", hugeLoad, 200*time.Second)
		in("huge 2", hugeLoad, time.Second)
		in("large", largeLoad, time.Second)
		time.Sleep(150 * time.Second)
		in("large 2", largeLoad, time.Second)
		time.Sleep(time.Hour)
		synctest.Wait()
		if want := []string{"huge", "large", "huge 2", "large 2"}; !slices.Equal(order, want) {
			t.Errorf("%v, expected %v", order, want)
		}
		if len(all.waiting)+len(all.working) > 0 {
			t.Error("somebody is left")
		}
	})
}

// The scheduler never gives out more memory than it has nor lets more pictures wait than it may; a small picture is
// refused rather than delayed by many others.
func TestTurnsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTestTurns(3)
		var refused, entered [2]int
		var mu sync.Mutex
		used, most := int64(0), int64(0)
		for i := range 60 {
			class, load := 0, largeLoad
			if i%3 == 0 {
				class, load = 1, smallLoad
			}
			go func() {
				one, err := all.enter(t.Context(), load, nil)
				mu.Lock()
				defer mu.Unlock()
				if b, is := errors.AsType[Busy](err); is {
					refused[class]++
					if class == 0 && b.Seconds() < 1 || b.Seconds() > 100 {
						t.Errorf("come again in %d s", b.Seconds())
					}
					return
				}
				entered[class]++
				used += load.Memory
				most = max(most, used)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				used -= load.Memory
				one.End()
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if entered != [2]int{5, 2} || refused != [2]int{35, 18} || most > 2<<30 {
			t.Errorf("%v entered, %v refused, %d MiB", entered, refused, most>>20)
		}
	})
}

// A large picture pauses while small ones are in work, but not all of the time.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTestTurns(8)
		large := must.Get(all.enter(t.Context(), largeLoad, nil))(t)
		paused := func() time.Duration {
			began := time.Now()
			large.Pause(t.Context())
			return time.Since(began)
		}
		if d := paused(); d != 0 {
			t.Errorf("alone: %v", d)
		}
		small, err := all.enter(t.Context(), smallLoad, nil)
		must.Succeed(t, err)
		small.Pause(t.Context()) // not for a large one
		time.AfterFunc(70*time.Millisecond, small.End)
		if d := paused(); d != 70*time.Millisecond {
			t.Errorf("until it ends: %v", d)
		}
		if small, err = all.enter(t.Context(), smallLoad, nil); err != nil {
			t.Fatal(err)
		}
		if d := paused(); d != 0 {
			t.Errorf("at once again: %v", d)
		}
		time.Sleep(betweenPause)
		if d := paused(); d != longestPause {
			t.Errorf("for ever: %v", d)
		}
		time.Sleep(betweenPause)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if large.Pause(ctx); time.Since(large.rested) != 0 {
			t.Error("not until it is interrupted")
		}
		small.End()
		large.End()
	})
}

// Nothing is left of pictures that stop waiting, or are refused while they wait.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending := make(chan struct{})
		all := New(2<<30, 8, ending)
		first := must.Get(all.enter(t.Context(), hugeLoad, nil))(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		results := make(chan error, 2)
		var places []int
		go func() {
			_, err := all.enter(ctx, hugeLoad, nil)
			results <- err
		}()
		synctest.Wait()
		go func() {
			_, err := all.enter(t.Context(), hugeLoad, func(place int) { places = append(places, place) })
			results <- err
		}()
		synctest.Wait()
		cancel(gone)
		if err := <-results; !errors.Is(err, gone) {
			t.Error(err)
		}
		synctest.Wait()
		if !slices.Equal(places, []int{2, 1}) {
			t.Errorf("places %v", places)
		}
		close(ending)
		if err := <-results; !errors.Is(err, ErrEnding) {
			t.Error(err)
		}
		first.End()
		synctest.Wait()
		if len(all.waiting)+len(all.working) > 0 {
			t.Error("somebody is left")
		}
	})
}

// enter waits for and returns the slot of a picture that takes load.
func (t *Scheduler) enter(ctx context.Context, load Load, queued func(place int)) (*Slot, error) {
	one, err := t.Begin(load)
	if err == nil {
		err = t.Await(ctx, one, queued)
	}
	if err == nil {
		one.Start()
	}
	return one, err
}
