// Package parallel runs loops whose result does not depend on how many workers run them.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For divides [0, n) into ranges [lo, hi) of at most grain indices and runs them on up to GOMAXPROCS workers, fewer
// while several tasks are under way (see Task). newWorker is called once for each worker, before any range runs, and
// returns the loop body; memory that newWorker allocates belongs to that worker alone.
//
// The ranges are the same whatever the worker count, so a body that writes only to its own indices (or adds into a
// slot of its own range, summed in order afterwards) gives the same bits with any number of workers. Ranges start
// in ascending order but finish in any.
//
// When ctx ends, ranges that have not started are left out and For returns ctx.Err(); otherwise it returns nil.
// When a body panics, ranges that have not started are left out as well, and For panics in the goroutine that
// called it, with a *Panic, when all workers have ended.
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
			next.Store(int64(n))
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

// tasks is the number of tasks that share the processors.
var tasks atomic.Int32

// Task begins a task that shares the processors with others, until the returned function is called. With as many
// tasks as processors, each For has one worker, so that a task stays on one processor and its data near it.
func Task() (end func()) {
	tasks.Add(1)
	return func() { tasks.Add(-1) }
}

// processors returns the number of processors for one task, rounded up.
func processors() int {
	share := max(1, int(tasks.Load()))
	return (runtime.GOMAXPROCS(0) + share - 1) / share
}

// Indices calls body for every i in [0, n), on all workers, which take one index after the other: it is for few indices
// that each take long.
func Indices(n int, body func(i int)) {
	// The background context never ends, so there is no error.
	_ = For(context.Background(), n, 1, func() func(lo, hi int) { return func(i, _ int) { body(i) } })
}

// Rows calls body for every row y in [0, n), on all workers. The rows of one range come in order.
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
