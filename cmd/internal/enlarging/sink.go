package enlarging

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// Sink receives a result.
type Sink interface {
	// Deliver calls write and stores what it writes as the result of p: whole, or not at all if write fails. Its own
	// errors have the exit code console.ExitOutput.
	Deliver(p *Plan, write func(io.Writer) error) error
	// Aside opens an empty temporary file, used while a result is made. done gives it back.
	Aside() (f *os.File, done func(), err error)
}

// FileSink is a Sink that makes a file.
type FileSink struct {
	// Path is the file to make, and Root the folder that it must not leave through a symbolic link.
	Path, Root string
	// Keep makes the file from what write writes. info describes the input file; nil for a pipe.
	Keep func(info fs.FileInfo, write func(io.Writer) error) error
}

// Deliver implements Sink. It makes the folder of the file if need be.
func (s FileSink) Deliver(p *Plan, write func(io.Writer) error) error {
	dir := filepath.Dir(s.Path)
	if link, is := paths.ThroughLink(s.Root, dir); is {
		return console.Failf(console.ExitOutput, "%s is a link out of %s; nothing is written through it", link, s.Root)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return safefile.Unwritable(dir, err)
	}
	err := s.Keep(p.content.Info, write)
	if errors.Is(err, fs.ErrExist) { // the file did not exist when the batch was planned
		return console.Failf(console.ExitOutput, "%s has been made by another program since this one began; "+
			"if that is another superres in %s, wait for it, or use another -o", s.Path, filepath.Clean(s.Root))
	}
	return err
}

// Aside implements Sink: the file has no name, and lies in the folder of the result.
func (s FileSink) Aside() (*os.File, func(), error) { return scratch(filepath.Dir(s.Path)) }

func scratch(folder string) (*os.File, func(), error) {
	f, err := safefile.Scratch(folder)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// Pipe is the Sink of standard output. It gets a whole result at once, but video frame by frame.
type Pipe struct{ io.Writer }

// Deliver implements Sink. Until its end, one picture is kept in memory, several in an unnamed file.
func (s Pipe) Deliver(p *Plan, write func(io.Writer) error) error {
	if p.endless {
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

// Aside implements Sink.
func (s Pipe) Aside() (*os.File, func(), error) { return scratch("") }

// Response is the Sink of the answer to a request. After an error the caller discards what it wrote.
type Response struct {
	// Name stands for the result in messages.
	Name string
	// To receives the bytes of the result.
	To io.Writer
	// Scratch is an open temporary file for one picture at a time; nil: each picture gets a new one.
	Scratch *os.File
}

// Deliver implements Sink.
func (s Response) Deliver(_ *Plan, write func(io.Writer) error) error {
	to := &safefile.Watched{Writer: s.To}
	err := write(to)
	if to.Err != nil {
		return safefile.Unwritable(s.Name, to.Err)
	}
	return err
}

// Aside implements Sink.
func (s Response) Aside() (*os.File, func(), error) {
	if s.Scratch == nil {
		return scratch("")
	}
	_, err := s.Scratch.Seek(0, io.SeekStart)
	if err == nil {
		err = s.Scratch.Truncate(0)
	}
	return s.Scratch, func() { _ = s.Scratch.Truncate(0) }, err
}
