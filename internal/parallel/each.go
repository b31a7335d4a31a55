package parallel

import (
	"context"
	"runtime"
	"sync"
)

// Each calls work with the items, as many at a time as there are processors, begun
// in their order, and done with each result as it comes, one call at a time, in any
// order. It stops at the first error of either and when ctx ends, and returns why;
// work that has not ended then is not passed on. When work or done panics it stops as well, and
// panics in the goroutine that called it, with a *Panic.
func Each[T, R any](ctx context.Context, items []T, work func(context.Context, T) (R, error), done func(R) error) error {
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
