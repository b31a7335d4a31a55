package console

import (
	"errors"
	"fmt"
	"os"

	"superres/internal/parallel"
	"superres/internal/safefile"
)

// PanicsAreFatal reports whether SUPERRES_PANIC=fatal is in the environment, as in all tests: then a panic during the
// work on a picture ends the program and prints its stack.
func PanicsAreFatal() bool { return os.Getenv("SUPERRES_PANIC") == "fatal" }

// Picture calls work for the picture called name and returns the error of work. Unless PanicsAreFatal, a panic in work,
// or in a goroutine that work waits for, becomes an error of class ErrInput, so that other pictures go on.
func Picture(name string, work func() error) error {
	if PanicsAreFatal() {
		return work()
	}
	err := parallel.Caught(work)
	if p, ok := errors.AsType[*parallel.Panic](err); ok {
		const report = "please report it with the file and what is written with SUPERRES_PANIC=fatal in the environment"
		reason := fmt.Sprintf("a fault of superres, not of the file: %v; %s", p.Value, report)
		return &safefile.Fault{Name: name, Class: safefile.ErrInput, Cause: p, Reason: reason}
	}
	return err
}
