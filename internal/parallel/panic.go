package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic of a goroutine that works for another. The goroutine that waits for the work then panics with the
// *Panic, so that a recover there sees it; a panic that is not recovered in its own goroutine would end the process.
type Panic struct {
	// Value is the value of the first panic.
	Value any
	// Stack is the stack of the goroutine that panicked first, as debug.Stack formats it.
	Stack []byte
}

// Error returns the value of the panic, followed by the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns the value of the panic if it is an error, or nil.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Caught calls work and returns its error. A panic of work is returned as an error, a *Panic.
func Caught(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = asPanic(v)
		}
	}()
	return work()
}

// asPanic returns v, a value that a deferred function has recovered, as a *Panic.
func asPanic(v any) *Panic {
	if err, ok := v.(error); ok {
		if p, ok := errors.AsType[*Panic](err); ok {
			return p // v is the panic of a goroutine that this one has waited for
		}
	}
	return &Panic{v, debug.Stack()}
}

// Start calls work in a new goroutine. The returned function waits for the result and returns it, or panics as
// work did, with a *Panic. It may be called once. If it is not called, a panic of work has no effect.
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

// panics keeps the first panic of several goroutines.
type panics struct{ first atomic.Pointer[Panic] }

// catch calls work and reports whether it returned; false means that it panicked, and the panic is kept.
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

// raise panics with the panic that was kept, if there is one. No goroutine may be working.
func (p *panics) raise() {
	if first := p.first.Load(); first != nil {
		panic(first)
	}
}
