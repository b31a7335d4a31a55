package console

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"superres/cmd/internal/paths"
)

// Streams are the program's standard streams.
type Streams struct {
	// In is standard input.
	In io.Reader
	// Out is standard output, for data. If a write to Out fails, so does the program, even if the command ignores it.
	Out io.Writer
	// Err is standard error, for messages.
	Err io.Writer
}

// file returns the *os.File that w, a standard stream, is or wraps, and true; or false if there is none.
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

// output is standard output. It keeps the first error of a write, with the exit code ExitOutput.
type output struct {
	io.Writer
	err error // nil: no write has failed
}

// Write implements io.Writer. It gives an error the exit code ExitOutput, and keeps the first one in o.err.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		err = Fail(ExitOutput, fmt.Errorf("standard output cannot be written: %w", err))
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

// TakesBinary returns an error if name, the name of an output, is "-" and standard output is a terminal, which might
// take binary output for control codes. It is called before any work.
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
