package parallel

import "runtime"

// Ordered calls work for each i in [0, n), with at most as many calls at a time as there are processors. It passes the
// results to done in order, in the calling goroutine. It stops at the first error of done and returns it once all work
// has ended. If work or done panics, it stops as well, and panics in the calling goroutine with a *Panic.
func Ordered[R any](n int, work func(i int) R, done func(R) error) error {
	queue := make(chan func() R, runtime.GOMAXPROCS(0)) // its capacity limits how many calls of work are under way
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
			begin <- Start(func() R { return work(i) })
		}
	}()
	var err error
	stopped := false
	var caught panics
	for wait := range queue {
		whole := caught.catch(func() {
			if r := wait(); !stopped { // wait even when stopped, so that no call of work is left in the end
				err = done(r)
			}
		})
		if failed := !whole || err != nil; failed && !stopped {
			stopped = true
			close(stop)
		}
	}
	caught.raise()
	return err
}
