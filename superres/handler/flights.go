package handler

import (
	"context"
	"sync"
	"time"

	"superres/internal/parallel"
	"superres/internal/scheduling"
)

// flights lets requests for the same result share the work on it. The zero value has none.
type flights struct {
	most int // at a time
	mu   sync.Mutex
	all  map[string]*flight
}

// flight is the work on one result.
type flight struct {
	waiting int // number of requests that wait; with the last one the work ends
	cancel  context.CancelFunc
	done    chan struct{} // closed when result and err are set
	result  *result
	err     error
}

// do returns the result of work for key, with a use of its own. Calls with the same key at the same time share one call
// of work. When ctx ends, do returns its error; when nobody waits any more, the context of work is cancelled. do fails
// with scheduling.Busy where too much other work is under way.
func (f *flights) do(ctx context.Context, key string, work func(context.Context) (*result, error)) (*result, error) {
	f.mu.Lock()
	one := f.all[key]
	if one == nil && len(f.all) >= f.most {
		f.mu.Unlock()
		return nil, scheduling.Busy{Wait: time.Second}
	}
	if one == nil {
		one = &flight{done: make(chan struct{})}
		if f.all == nil {
			f.all = map[string]*flight{}
		}
		f.all[key] = one
		var own context.Context
		own, one.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go func() {
			var made *result
			err := parallel.Caught(func() (err error) {
				made, err = work(own)
				return err
			})
			f.land(key, one, made, err)
		}()
	}
	one.waiting++
	f.mu.Unlock()
	select {
	case <-one.done:
		return one.result, one.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-one.done: // one use was counted for this call
		one.result.release()
	default:
		if one.waiting--; one.waiting == 0 {
			f.forget(key, one)
		}
	}
	return nil, ctx.Err()
}

// land ends the flight with what work returned.
func (f *flights) land(key string, one *flight, made *result, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.result, one.err = made, err
	for range one.waiting {
		made.use()
	}
	made.release() // that of work
	f.forget(key, one)
	close(one.done)
}

// forget ends the work, and lets later calls restart.
func (f *flights) forget(key string, one *flight) {
	one.cancel()
	if f.all[key] == one {
		delete(f.all, key)
	}
}
