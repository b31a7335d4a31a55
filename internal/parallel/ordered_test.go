package parallel_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"superres/internal/parallel"
)

func TestOrdered(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		var got []int
		if err := parallel.Ordered(n, func(i int) int { return i * i }, func(v int) error { got = append(got, v); return nil }); err != nil {
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

// The first error ends it, and nothing is at work afterwards.
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
