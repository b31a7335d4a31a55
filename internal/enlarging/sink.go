package enlarging

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"superres/internal/safefile"
)

// Sink receives a result.
type Sink interface {
	// Deliver calls write and stores the bytes written as the result of p: all, or nothing if write fails (of video,
	// Pipe keeps all up to then). Errors of Deliver itself wrap safefile.ErrOutput.
	Deliver(p *Plan, write func(io.Writer) error) error
	// Aside opens an empty temporary file for use while a result is computed. done releases the file.
	Aside() (f *os.File, done func(), err error)
}

// Scratch opens a temporary file without a name in folder; "" is the temporary folder of the system. done closes it.
func Scratch(folder string) (f *os.File, done func(), err error) {
	if f, err = safefile.Scratch(folder); err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// Pipe is the Sink for standard output. It writes a result once it is complete, but a video frame by frame.
type Pipe struct{ io.Writer }

// Deliver implements Sink. It passes video on as it comes. It keeps other results until write has succeeded: a single
// picture in memory, several in an unnamed file.
func (s Pipe) Deliver(p *Plan, write func(io.Writer) error) error {
	if p.Format == Video {
		return write(s.Writer)
	}
	if p.Frames == 0 {
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		_, err := s.Write(buf.Bytes())
		return err
	}
	aside, done, err := s.Aside()
	if err != nil {
		return err
	}
	defer done()
	if err := write(aside); err != nil {
		return err
	}
	if _, err := aside.Seek(0, io.SeekStart); err != nil {
		return safefile.Unwritable("standard output", err)
	}
	_, err = io.Copy(s.Writer, aside)
	return err
}

// Aside implements Sink: the file is in the temporary folder of the system.
func (s Pipe) Aside() (*os.File, func(), error) { return Scratch("") }

// Response is the Sink for the answer to a request. After an error, the caller discards the bytes written to To.
type Response struct {
	// Name is the name of the result in messages.
	Name string
	// To receives the bytes of the result.
	To io.Writer
	// Scratch is an open temporary file for one picture at a time; nil: each picture gets a new one.
	Scratch *os.File
}

// Deliver implements Sink: it passes the bytes on to s.To. If s.To fails, the error names s.Name.
func (s Response) Deliver(_ *Plan, write func(io.Writer) error) error {
	to := &safefile.Watched{Writer: s.To}
	err := write(to)
	if to.Err != nil {
		return safefile.Unwritable(s.Name, to.Err)
	}
	return err
}

// Aside implements Sink: it empties s.Scratch and returns it, or a new file if s.Scratch is nil.
func (s Response) Aside() (*os.File, func(), error) {
	if s.Scratch == nil {
		return Scratch("")
	}
	_, err := s.Scratch.Seek(0, io.SeekStart)
	if err == nil {
		err = s.Scratch.Truncate(0)
	}
	return s.Scratch, func() { _ = s.Scratch.Truncate(0) }, err
}
