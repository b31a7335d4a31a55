package enlarging

import (
	"context"
	"errors"
	"io"

	"superres/internal/parallel"
)

// made is what became of a frame, or why nothing did.
type made[T any] struct {
	frame T
	err   error
}

// mapInOrder calls work for each frame that next returns, for several together, and hands the results to put in the
// order of the frames. Frames are numbered from 1. At most ahead of them are in memory: in work, read, or waiting for
// one before them. Were these only together, one frame that takes long would hold up all. It ends at io.EOF of next, or
// at the first error, also of put, when all frames before have been put; or when ctx ends, without waiting for a frame
// that does not come. It panics with a panic of next or work, a *parallel.Panic.
func mapInOrder[F, T any](ctx context.Context, next func() (F, error), together, ahead int,
	work func(ctx context.Context, n int, frame F) (T, error), put func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots, queue := make(chan struct{}, ahead), make(chan chan made[T], ahead)
	working := make(chan struct{}, together)
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
			queue <- result // never waits: there are as many slots
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
		if result == nil { // the end
			return ctx.Err()
		}
		m := <-result // soon, also when ctx ends
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
