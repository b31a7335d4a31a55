package console

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"superres/cmd/internal/paths"
)

// Streams are the program's standard streams.
type Streams struct {
	// In is standard input.
	In io.Reader
	// Out is standard output, for data. What cannot be written to it is an error of the program, whatever a command
	// makes of it.
	Out io.Writer
	// Err is standard error, for messages.
	Err io.Writer
}

// CheckOpen refuses, before any work, standard output that was closed when the program began. What is written to it
// then is an error in any case.
//
// Note: Go opens /dev/null in its place, which takes everything, for reading and writing. So it cannot be told from a
// /dev/null that the program was given opened for both, as some libraries that start programs do; a shell opens it
// for writing.
func (s *Streams) CheckOpen() error { return checkOpen(s.Out) }

// file is the file that a standard stream is, if it is one.
func file(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	if p, ok := w.(pipe); ok {
		w = p.Writer
	}
	f, ok := w.(*os.File)
	return f, ok
}

func checkOpen(w io.Writer) error {
	if f, ok := file(w); ok && wasClosed(f) {
		return errClosed
	}
	return nil
}

// errClosed is standard output that was closed when the program began.
var errClosed = Fail(ExitOutput, errors.New("standard output is closed, or is /dev/null opened for reading as well; "+
	"redirect it to a file, to a pipe or with >/dev/null"))

// output is standard output; what cannot be written to it has its exit code.
type output struct {
	io.Writer
	check func() error // that it was not closed when the program began
	err   error        // the first
}

// newOutput returns standard output that is written to w, beside a standard error.
//
// Note: a program that is started for its exit code alone has both discarded, by daemon(3), Node's stdio "ignore" or
// Python's DEVNULL, each by /dev/null opened for reading and writing. So where standard error looks as if it had been
// closed as well, nothing is wrong.
func newOutput(w, stderr io.Writer) *output {
	return &output{Writer: w, check: sync.OnceValue(func() error {
		if checkOpen(stderr) != nil {
			return nil
		}
		return checkOpen(w)
	})}
}

func (o *output) Write(p []byte) (int, error) {
	if err := o.check(); err != nil {
		o.err = err
		return 0, err
	}
	n, err := o.Writer.Write(p)
	if err != nil {
		err = Fail(ExitOutput, fmt.Errorf("standard output cannot be written: %w", err))
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

// TakesBinary refuses, before any work, an output that is no text and whose name is -, where standard output is a
// terminal, which would show it, and might obey it.
func (s *Streams) TakesBinary(name string) error {
	if paths.IsStandard(name) && IsTerminal(s.Out) {
		return Usage("standard output is a terminal, and the result is no text: give it a file with -o FILE, or " +
			"with > FILE behind the command")
	}
	return nil
}

// IsTerminal tells whether what is written to w is shown on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := file(w)
	return ok && term.IsTerminal(int(f.Fd()))
}
