// Package fail ends deeply nested code of a reader at its first error. Readers of files, and checks of networks, take
// many small steps that can all fail, and only the function that began can say more about an error than the step. So
// the steps panic with a Failure, and that function calls them by Catch, which returns the error. No Failure leaves the
// package in which it arose.
package fail

import "fmt"

// Failure is an error with which a step panics.
type Failure struct{ error }

// With returns the Failure with the text of fmt.Errorf.
func With(format string, args ...any) Failure { return Failure{fmt.Errorf(format, args...)} }

// When panics with f if is holds.
func (f Failure) When(is bool) {
	if is {
		panic(f)
	}
}

// If panics with a Failure if err is not nil.
func If(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// When panics with the Failure of With(format, args...) if is holds. The arguments are evaluated in any case.
func When(is bool, format string, args ...any) {
	if is {
		panic(With(format, args...))
	}
}

// Need returns v. It panics with a Failure if err is not nil.
func Need[T any](v T, err error) T {
	If(err)
	return v
}

// Catch calls f, and returns the error of the Failure with which f panics; nil if f returns. Other panics go on.
func Catch(f func()) (err error) {
	defer func() {
		caught := recover()
		if failure, is := caught.(Failure); is {
			err = failure.error
		} else if caught != nil {
			panic(caught)
		}
	}()
	f()
	return nil
}
