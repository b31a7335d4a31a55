package parallel

import "runtime"

// Ordered calls work for 0..n-1, as many at a time as there are processors, and done with
// what it returns, in order and in the calling goroutine. It stops at the first error of
// done and returns it; nothing is at work then.
func Ordered[R any](n int, work func(i int) R, done func(R) error) error {
	queue := make(chan chan R, runtime.GOMAXPROCS(0)) // its room bounds what is in work
	stop := make(chan struct{})
	go func() {
		defer close(queue)
		for i := range n {
			one := make(chan R, 1)
			select {
			case queue <- one:
			case <-stop:
				return
			}
			go func() { one <- work(i) }()
		}
	}()
	var err error
	for one := range queue {
		r := <-one // also after an error, so that nothing is at work in the end
		if err != nil {
			continue
		}
		if err = done(r); err != nil {
			close(stop)
		}
	}
	return err
}
