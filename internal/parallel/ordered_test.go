package parallel_test

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"superres/internal/parallel"
)

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
