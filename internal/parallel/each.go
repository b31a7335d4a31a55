package parallel

import (
	"context"
	"runtime"
	"sync"
)

// Each calls work with the items, as many at a time as there are processors, begun
// in their order, and done with each result as it comes, one call at a time, in any
// order. It stops at the first error of either and when ctx ends, and returns why;
// work that has not ended then is not passed on.
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
	var wg sync.WaitGroup
	var one sync.Mutex
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		wg.Go(func() {
			for item := range next {
				r, err := work(ctx, item)
				one.Lock()
				if err == nil && ctx.Err() == nil {
					err = done(r)
				}
				if err != nil {
					cancel(err)
				}
				one.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
