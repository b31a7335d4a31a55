package console

import (
	"cmp"
	"fmt"
	"io"
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
