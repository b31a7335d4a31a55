// Package parallel runs loops whose result does not depend on how many workers run them.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For divides [0, n) into ranges [lo, hi) of at most grain indices and runs them on up to GOMAXPROCS workers, or fewer
// while several tasks run (see Task). It calls newWorker once for each worker, before any range runs. newWorker returns
// the loop body; memory that newWorker allocates belongs to that worker alone.
//
// The ranges do not depend on the number of workers. So a body that writes only to its own indices gives the same bits
// with any number of workers; so does a body that adds into a slot for its range, if the slots are summed in order
// afterwards. Ranges start in ascending order but end in any order.
//
// When ctx ends, ranges that have not started are skipped and For returns ctx.Err(); otherwise it returns nil. When a
// body panics, ranges that have not started are skipped as well, and once all workers have ended, For panics with a
// *Panic in the goroutine that called it.
func For(ctx context.Context, n, grain int, newWorker func() func(lo, hi int)) error {
	grain = max(grain, 1)
	workers := min(processors(), (n+grain-1)/grain)
	var next atomic.Int64
	loop := func(body func(lo, hi int)) {
		for ctx.Err() == nil {
			lo := int(next.Add(int64(grain))) - grain
			if lo >= n {
				return
			}
			body(lo, min(lo+grain, n))
		}
	}
	bodies := make([]func(lo, hi int), workers)
	for i := range bodies {
		bodies[i] = newWorker()
	}
	var caught panics
	work := func(body func(lo, hi int)) {
		if !caught.catch(func() { loop(body) }) {
			next.Store(int64(n)) // no further range starts
		}
	}
	var wg sync.WaitGroup
	for _, body := range bodies[min(1, workers):] {
		wg.Go(func() { work(body) })
	}
	if workers > 0 {
		work(bodies[0]) // the caller works, too
	}
	wg.Wait()
	caught.raise()
	return ctx.Err()
}

// tasks is the number of running tasks: see Task.
var tasks atomic.Int32

// Task begins a task, such as one of several pictures, that shares the processors with other tasks until end is called.
// With as many tasks as processors, each For has one worker, so a task stays on one processor, with its caches.
func Task() (end func()) {
	tasks.Add(1)
	return func() { tasks.Add(-1) }
}

// processors returns each task's share of the processors, rounded up.
func processors() int {
	share := max(1, int(tasks.Load()))
	return (runtime.GOMAXPROCS(0) + share - 1) / share
}

// Indices calls body for every i in [0, n), on all workers, one index at a time: for few indices with much work each.
func Indices(n int, body func(i int)) {
	// The background context never ends, so there is no error.
	_ = For(context.Background(), n, 1, func() func(lo, hi int) { return func(i, _ int) { body(i) } })
}

// Rows calls body for every row y in [0, n), on all workers, in ranges of 16 rows. The rows of a range come in order.
func Rows(n int, body func(y int)) {
	// The background context never ends, so there is no error.
	_ = For(context.Background(), n, 16, func() func(lo, hi int) {
		return func(lo, hi int) {
			for y := lo; y < hi; y++ {
				body(y)
			}
		}
	})
}

// Ordered calls work for each i in [0, n), with at most one call more at a time than there are processors. It passes
// the results to done in order, in the calling goroutine. It stops at the first error from done, or if work or done
// panics. Once all started work has ended, it returns the error, or panics in the calling goroutine with a *Panic.
func Ordered[R any](n int, work func(i int) R, done func(R) error) error {
	queue := make(chan func() R, runtime.GOMAXPROCS(0)) // its capacity limits how many calls of work run at a time
	stop := make(chan struct{})
	go func() {
		defer close(queue)
		for i := range n {
			begin := make(chan func() R, 1)
			select {
			case queue <- func() R { return (<-begin)() }:
			case <-stop:
				return
			}
			begin <- Start(func() R { return work(i) }) // not before it has a place in the queue
		}
	}()
	var err error
	stopped := false
	var caught panics
	for wait := range queue {
		returned := caught.catch(func() {
			if r := wait(); !stopped { // wait even when stopped, so that no call of work is still running in the end
				err = done(r)
			}
		})
		if failed := !returned || err != nil; failed && !stopped {
			stopped = true
			close(stop)
		}
	}
	caught.raise()
	return err
}

// Each calls work for every item, with at most as many calls at a time as there are processors, started in the order of
// items. It passes each result to done as soon as it is ready, in any order, one call of done at a time. It stops at
// the first error from work or done, or when ctx ends, and returns the error or the cause of ctx. It drops later
// results. If work or done panics, it stops as well, and panics in the calling goroutine with a *Panic.
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
				returned := caught.catch(func() {
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
				if !returned {
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

// Numbers returns 0 to n-1, as items for Each or as an order to be sorted.
func Numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
