package parallel_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"superres/internal/parallel"
)

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
