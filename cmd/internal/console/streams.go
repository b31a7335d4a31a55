package console

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the program's standard streams.
type Streams struct {
	// In is standard input.
	In io.Reader
	// Out is standard output, for data. What cannot be written to it is an error of the
	// program, whatever a command makes of it.
	Out io.Writer
	// Err is standard error, for messages.
	Err io.Writer
}

// output is standard output; what cannot be written to it has its exit code.
type output struct {
	io.Writer
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		err = Fail(ExitOutput, fmt.Errorf("standard output cannot be written: %w", err))
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

// TakesBinary refuses, before any work, to write a result that is no text to standard output
// where that is a terminal, which would show it, and might obey it.
func (s *Streams) TakesBinary() error {
	if IsTerminal(s.Out) {
		return Usage("standard output is a terminal, and the result is no text: give it a file with -o FILE, or with > FILE behind the command")
	}
	return nil
}

// IsTerminal tells whether what is written to w is shown on a terminal.
func IsTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
