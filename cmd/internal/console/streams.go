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
	// Out is standard output, for data. If a write to it fails, the program fails, even if the command ignores the
	// error.
	Out io.Writer
	// Err is standard error, for messages.
	Err io.Writer
}

// CheckOpen, called before any work, returns an error if standard output was closed when the program began. Writes to
// it would fail anyway, but later.
//
// Note: Go replaces a closed standard stream by /dev/null, opened for reading and writing. Some libraries that start
// programs pass /dev/null opened in this way, too, and are refused alike; a shell opens it for writing only.
func (s *Streams) CheckOpen() error { return checkOpen(s.Out) }

// file returns the *os.File below w, a standard stream that may be wrapped, and whether there is one.
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

// errClosed is the error of CheckOpen.
var errClosed = Fail(ExitOutput, errors.New("standard output is closed, or is /dev/null opened for reading as well; "+
	"redirect it to a file, to a pipe or with >/dev/null"))

// output is standard output. It keeps its first error, which has the exit code ExitOutput.
type output struct {
	io.Writer
	check func() error // returns errClosed if standard output was closed at the start
	err   error        // the first error of a write
}

// newOutput returns standard output that writes to w; stderr is standard error.
//
// Note: daemon(3), Node's stdio "ignore" and Python's DEVNULL discard both streams by /dev/null opened for reading and
// writing. So if standard error looks closed as well, no error is returned: the output is not wanted.
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

// TakesBinary, called before any work, returns an error if binary output would go to a terminal, which might take it
// for control codes: if name is "-" and standard output is a terminal.
func (s *Streams) TakesBinary(name string) error {
	if paths.IsStandard(name) && IsTerminal(s.Out) {
		return Usage("standard output is a terminal, and the result is no text: give it a file with -o FILE, or " +
			"with > FILE behind the command")
	}
	return nil
}

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := file(w)
	return ok && term.IsTerminal(int(f.Fd()))
}
