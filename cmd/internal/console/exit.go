package console

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/training"
)

// The exit codes. A program that a signal ended exits with 128 plus the number of the signal.
const (
	ExitOK      = 0
	ExitNothing = 1 // nothing usable was made
	ExitUsage   = 2 // wrong usage; also a crash of Go, for example for lack of memory
	ExitSome    = 3 // some files failed, others are done
	ExitInput   = 4 // an input is missing, cannot be read, is damaged or is no picture
	ExitOutput  = 5 // an output exists or cannot be written, or two inputs have the same output
	ExitModel   = 6 // a model is missing or damaged
	ExitLimit   = 7 // a limit of pixels, memory or time is exceeded
)

// Fail returns err with an exit code attached, which ExitCode returns.
func Fail(code int, err error) error { return coded{err, code} }

// Failf is Fail for the error fmt.Errorf(format, args...).
func Failf(code int, format string, args ...any) error {
	return Fail(code, fmt.Errorf(format, args...))
}

// coded is an error with an exit code.
type coded struct {
	error
	code int
}

func (e coded) Unwrap() error { return e.error }

// Usage returns Failf(ExitUsage, format, args...), an error about wrong usage.
func Usage(format string, args ...any) error { return Failf(ExitUsage, format, args...) }

// packages matches the names of packages, such as "superres: ", at the start of an error's text or after a colon.
var packages = regexp.MustCompile(`(^|: )(?:(?:superres|stage|coupled|convolutional|resample|score|training|learners|sparse|external|planted|mnist|patches|matfile|npz|npy|zip|networks|graph): )+`)

// Message returns the text of err as a line, with advice on flags, without names of packages, and with long words cut.
func Message(err error) string {
	words := strings.Split(safefile.OneLine(packages.ReplaceAllString(advised(err), "$1")), " ")
	for i, word := range words {
		words[i] = safefile.Shortened(word)
	}
	return strings.Join(words, " ")
}

// ExitCode returns the exit code of err: the code given to Fail, else the code of the error's class, else ExitNothing.
func ExitCode(err error) int {
	if e, ok := errors.AsType[coded](err); ok {
		return e.code
	}
	for _, c := range []struct {
		class error
		code  int
	}{
		{usage.ErrSettings, ExitUsage}, // first, since a fault about a file may have it as its cause
		{safefile.ErrInput, ExitInput}, {safefile.ErrOutput, ExitOutput}, {safefile.ErrLimit, ExitLimit},
		{superres.ErrModel, ExitModel}, {training.ErrPictures, ExitInput},
	} {
		if errors.Is(err, c.class) {
			return c.code
		}
	}
	return ExitNothing
}
