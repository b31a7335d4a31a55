package enlarging

import (
	"context"
	"errors"
	"io"

	"superres/internal/parallel"
)

// made is a frame after one step of the work, or the error that ended the step.
type made[T any] struct {
	frame T
	err   error
}

// mapInOrder calls work on the frames that next returns, numbered from 1, on up to mostWorkers frames at once, and
// passes the results to put in the order of the frames. At most mostFrames frames are in memory: being read, being
// worked on, or waiting for an earlier frame. If mostFrames exceeds mostWorkers, one slow frame does not hold up the
// others. mapInOrder returns nil once next has returned io.EOF and all results are put. On an error from next, work or
// put, it first puts the results of earlier frames, then returns the error. If ctx ends, it returns the error of ctx at
// once. If next or work panics, it panics with a *parallel.Panic.
func mapInOrder[F, T any](ctx context.Context, next func() (F, error), mostWorkers, mostFrames int,
	work func(ctx context.Context, n int, frame F) (T, error), put func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots, queue := make(chan struct{}, mostFrames), make(chan chan made[T], mostFrames)
	working := make(chan struct{}, mostWorkers)
	go func() {
		defer close(queue)
		for n := 1; ; n++ {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			var frame F
			err := parallel.Caught(func() (err error) {
				frame, err = next()
				return err
			})
			if err == io.EOF || ctx.Err() != nil {
				return
			}
			result := make(chan made[T], 1)
			queue <- result // never blocks: queue has room for as many results as there are slots
			if err != nil {
				result <- made[T]{err: err}
				return
			}
			select {
			case working <- struct{}{}:
			case <-ctx.Done():
				result <- made[T]{err: ctx.Err()}
				return
			}
			go func() {
				defer func() { <-working }()
				var out T
				err := parallel.Caught(func() (err error) {
					out, err = work(ctx, n, frame)
					return err
				})
				result <- made[T]{out, err}
			}()
		}
	}()
	for {
		var result chan made[T]
		select {
		case result = <-queue:
		case <-ctx.Done():
		}
		if result == nil { // all frames are put, or ctx has ended
			return ctx.Err()
		}
		m := <-result // does not block for long: work ends soon after ctx does
		if p, ok := errors.AsType[*parallel.Panic](m.err); ok {
			panic(p)
		}
		if m.err == nil {
			m.err = put(m.frame)
		}
		if m.err != nil {
			return m.err
		}
		<-slots
	}
}
