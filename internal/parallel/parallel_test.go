package parallel_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"superres/internal/must"
	"superres/internal/parallel"
)

func TestForCoversEveryIndexOnceInTheSameRanges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{0, 1, 7, 64, 65, 1000} {
		var want []int
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			start := make([]int, n) // the range each index was handed out in
			err := parallel.For(context.Background(), n, 16, func() func(lo, hi int) {
				return func(lo, hi int) {
					for i := lo; i < hi; i++ {
						start[i] += lo + 1
					}
				}
			})
			must.Succeed(t, err)
			for i, s := range start {
				if s != i/16*16+1 {
					t.Fatalf("n=%d procs=%d: index %d ran in range %d", n, procs, i, s-1)
				}
			}
			if want == nil {
				want = start
			}
			if !slices.Equal(start, want) {
				t.Errorf("n=%d: ranges differ between worker counts", n)
			}
		}
	}
}

func TestForStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ran := 0
	err := parallel.For(ctx, 1000, 1000, func() func(lo, hi int) {
		return func(lo, hi int) { ran++ }
	})
	if err != nil || ran != 1 {
		t.Fatalf("before: err %v, ran %d", err, ran)
	}
	cancel()
	err = parallel.For(ctx, 1000, 1, func() func(lo, hi int) {
		return func(lo, hi int) { t.Error("ran after cancellation") }
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// Few indices have all workers: the first waits here until the second begins.
func TestIndicesRunAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	second := make(chan bool)
	done := make([]bool, 2)
	parallel.Indices(len(done), func(i int) {
		if i == 0 {
			<-second
		} else {
			close(second)
		}
		done[i] = true
	})
	if !done[0] || !done[1] {
		t.Error(done)
	}
}

func TestEach(t *testing.T) {
	items := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	square := func(_ context.Context, i int) (int, error) { return i * i, nil }
	sum := 0
	if err := parallel.Each(t.Context(), items, square, func(v int) error { sum += v; return nil }); err != nil ||
		sum != 285 {
		t.Errorf("sum %d, error %v", sum, err)
	}
	if err := parallel.Each(t.Context(), nil, square, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
	bad := errors.New("bad")
	fail := func(_ context.Context, i int) (int, error) {
		if i == 3 {
			return 0, bad
		}
		return i, nil
	}
	if err := parallel.Each(t.Context(), items, fail, func(int) error { return nil }); !errors.Is(err, bad) {
		t.Errorf("an error of the work: got %v", err)
	}
	calls := 0
	if err := parallel.Each(t.Context(), items, square, func(int) error { calls++; return bad }); !errors.Is(err,
		bad) || calls != 1 {
		t.Errorf("an error of done: got %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	if err := parallel.Each(ctx, items, square, func(int) error { calls++; cancel(); return nil }); !errors.Is(err,
		context.Canceled) || calls != 1 {
		t.Errorf("cancelled: got %v after %d calls", err, calls)
	}
}

// burst panics in a function whose name is to be in the stack.
func burst() { panic(io.ErrNoProgress) }

// A panic of any worker reaches the goroutine that waits for it, once, with its value and the
// stack of the worker, when nothing is at work any more.
func TestPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var working atomic.Int32
	at := func(i int) {
		working.Add(1)
		defer working.Add(-1)
		if i%7 == 3 {
			burst()
		}
	}
	loop := func() error {
		return parallel.For(t.Context(), 100, 1, func() func(lo, hi int) { return func(lo, hi int) { at(lo) } })
	}
	for name, work := range map[string]func() error{
		"For":   loop,
		"inner": func() error { parallel.Rows(100, func(int) { _ = loop() }); return nil },
		"Each": func() error {
			work := func(context.Context, int) (int, error) { at(3); return 0, nil }
			return parallel.Each(t.Context(), make([]int, 100), work, func(int) error { return nil })
		},
		"done of Each": func() error {
			work := func(context.Context, int) (int, error) { return 0, nil }
			return parallel.Each(t.Context(), make([]int, 100), work, func(int) error { burst(); return nil })
		},
		"Ordered": func() error {
			return parallel.Ordered(100, func(i int) int { at(i); return i }, func(int) error { return nil })
		},
		"done of Ordered": func() error {
			return parallel.Ordered(100, func(i int) int { return i }, func(int) error { burst(); return nil })
		},
		"Start": func() error { parallel.Start(func() int { at(3); return 1 })(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			err := parallel.Caught(work)
			p, ok := errors.AsType[*parallel.Panic](err)
			if !ok || p.Value != io.ErrNoProgress || !errors.Is(err, io.ErrNoProgress) {
				t.Errorf("error %v", err)
			}
			if n := strings.Count(err.Error(), "burst("); n != 1 || working.Load() != 0 {
				t.Errorf("%d at work, the panic is %d times in %v", working.Load(), n, err)
			}
		})
	}
	if err := parallel.Caught(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("without a panic: %v", err)
	}
	if got := parallel.Start(func() int { return 5 })(); got != 5 {
		t.Errorf("Start: %d", got)
	}
}

func TestOrdered(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		var got []int
		if err := parallel.Ordered(n, func(i int) int { return i * i },
			func(v int) error { got = append(got, v); return nil }); err != nil {
			t.Fatal(err)
		}
		var want []int
		for i := range n {
			want = append(want, i*i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %v", n, got)
		}
	}
}

// While as many tasks as there are processors are under way, each loop has one worker; the ranges stay.
func TestTask(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	workers := func() (count int) {
		covered := make([]int, 100)
		if err := parallel.For(t.Context(), 100, 5, func() func(lo, hi int) {
			count++
			return func(lo, hi int) {
				for i := lo; i < hi; i++ {
					covered[i]++
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(covered, 0) || slices.Max(covered) > 1 {
			t.Errorf("covered %v", covered)
		}
		return count
	}
	var ends []func()
	for _, want := range []int{4, 2, 2, 1, 1} { // 1 to 5 tasks
		ends = append(ends, parallel.Task())
		if got := workers(); got != want {
			t.Errorf("%d tasks: %d workers, expected %d", len(ends), got, want)
		}
	}
	for _, end := range ends {
		end()
	}
	if got := workers(); got != 4 {
		t.Errorf("afterwards: %d workers", got)
	}
}

// The first error ends Ordered, and no work is running afterwards.
func TestOrderedStops(t *testing.T) {
	stop := errors.New("stop")
	var begun, ended atomic.Int64
	calls := 0
	err := parallel.Ordered(1000, func(i int) int {
		begun.Add(1)
		defer ended.Add(1)
		return i
	}, func(i int) error {
		if calls++; i == 3 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if b, e := begun.Load(), ended.Load(); b != e || b == 1000 {
		t.Errorf("%d begun, %d ended", b, e)
	}
}
