package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic in a worker goroutine. The goroutine that waits for the worker then panics with the *Panic, so that
// a recover there sees it. Without that, a panic that its own goroutine does not recover would end the process.
type Panic struct {
	Value any    // the argument of the first panic
	Stack []byte // the stack of the goroutine that panicked first, as debug.Stack formats it
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns Value if it is an error, or nil.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Caught calls work and returns its error. If work panics, the error is a *Panic.
func Caught(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = asPanic(v)
		}
	}()
	return work()
}

// asPanic returns v, the result of recover, as a *Panic: the *Panic in v or, if there is none, a new one.
func asPanic(v any) *Panic {
	if err, ok := v.(error); ok {
		if p, ok := errors.AsType[*Panic](err); ok {
			return p // v is the panic of a worker that this goroutine has waited for
		}
	}
	return &Panic{v, debug.Stack()}
}

// Start calls work in a new goroutine. The returned function waits for the result of work and returns it, or panics
// with a *Panic if work panicked. It may be called once. If it is not called, a panic of work has no effect.
func Start[R any](work func() R) (wait func() R) {
	var result R
	done := make(chan error, 1)
	go func() {
		done <- Caught(func() error {
			result = work()
			return nil
		})
	}()
	return func() R {
		if err := <-done; err != nil {
			panic(err)
		}
		return result
	}
}

// panics holds the first panic among several goroutines.
type panics struct{ first atomic.Pointer[Panic] }

// catch calls work and reports whether it returned; false: it panicked, and p holds the first such panic.
func (p *panics) catch(work func()) bool {
	err := Caught(func() error {
		work()
		return nil
	})
	if err != nil {
		p.first.CompareAndSwap(nil, err.(*Panic))
	}
	return err == nil
}

// raise panics with the panic that p holds, if there is one. Call it after all goroutines have ended.
func (p *panics) raise() {
	if first := p.first.Load(); first != nil {
		panic(first)
	}
}
