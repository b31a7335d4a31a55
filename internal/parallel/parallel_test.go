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
