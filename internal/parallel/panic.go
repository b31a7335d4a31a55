package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic of a goroutine that works for another: the one that waits for the work panics
// with it in turn, so that a recover there sees it. Nobody can recover from a panic of another
// goroutine, which ends the process.
type Panic struct {
	// Value is what the first panic had.
	Value any
	// Stack is that of the goroutine which panicked first, as debug.Stack formats it.
	Stack []byte
}

// Error is the value of the panic, and behind it the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns the value where it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Caught calls work and returns its error. A panic of it becomes an error, a *Panic.
func Caught(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = asPanic(v)
		}
	}()
	return work()
}

// asPanic returns what a goroutine has panicked with, in the deferred function that recovers it.
func asPanic(v any) *Panic {
	if err, ok := v.(error); ok {
		if p, ok := errors.AsType[*Panic](err); ok {
			return p // of a goroutine that this one has waited for
		}
	}
	return &Panic{v, debug.Stack()}
}

// Start calls work in a goroutine of its own. The function that it returns waits for the result
// and returns it, or panics as work did, with a *Panic; where it is not called, a panic of work
// has no effect. It may be called once.
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

// panics keeps the first panic of some goroutines.
type panics struct{ first atomic.Pointer[Panic] }

// catch calls work and returns whether it came to its end. A panic of it is kept.
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

// raise panics with the panic that was kept, if there is one. No goroutine may be at work.
func (p *panics) raise() {
	if first := p.first.Load(); first != nil {
		panic(first)
	}
}
