package parallel

import (
	"context"
	"runtime"
	"sync"
)

// Each calls work for every item, with at most as many calls at a time as there are processors, started in the order of
// items. It passes each result to done as soon as it is ready, one call at a time, in any order. It stops at the first
// error of work or done, or when ctx ends, and returns that error; later results are dropped. If work or done panics,
// it stops as well, and panics in the calling goroutine with a *Panic.
func Each[T, R any](ctx context.Context, items []T, work func(context.Context, T) (R, error),
	done func(R) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan T)
	go func() {
		defer close(next)
		for _, item := range items {
			select {
			case next <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	var caught panics
	var wg sync.WaitGroup
	var one sync.Mutex
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		wg.Go(func() {
			for item := range next {
				whole := caught.catch(func() {
					r, err := work(ctx, item)
					one.Lock()
					defer one.Unlock()
					if err == nil && ctx.Err() == nil {
						err = done(r)
					}
					if err != nil {
						cancel(err)
					}
				})
				if !whole {
					cancel(nil)
				}
			}
		})
	}
	wg.Wait()
	caught.raise()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Numbers returns the numbers 0 to n-1, as items for Each or an order to be sorted.
func Numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
