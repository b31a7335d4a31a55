package parallel_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

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
			if err != nil {
				t.Fatal(err)
			}
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
