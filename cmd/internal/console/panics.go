package console

import (
	"errors"
	"fmt"
	"os"

	"superres/internal/parallel"
	"superres/internal/safefile"
)

// PanicsAreFatal tells whether a panic while a picture is in work ends the program with its stack, by
// SUPERRES_PANIC=fatal in the environment. All tests set it, and so does a developer who looks for a fault.
func PanicsAreFatal() bool { return os.Getenv("SUPERRES_PANIC") == "fatal" }

// Picture calls work on the picture of a name and returns its error. A panic of work, or of a goroutine that it waits
// for, becomes the error of that picture, of the class of a bad file, unless panics are fatal: other pictures have
// nothing to do with it.
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
