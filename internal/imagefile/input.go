package imagefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// OpenRegular opens the named file, which must be regular, and returns its size
// in bytes. Its errors are of the class ErrInput.
//
// Note: a FIFO or a device is refused before it is opened, since opening some
// of them has effects, and again afterwards, since the name may have changed
// hands in between; the open itself never waits.
func OpenRegular(name string) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, unreadable(name, err)
	}
	if info.IsDir() { // one that cannot be looked into is told as that
		dir, err := os.Open(name)
		if err != nil {
			return nil, 0, unreadable(name, err)
		}
		dir.Close()
	}
	if err := mustBeRegular(name, info.Mode()); err != nil {
		return nil, 0, err
	}
	f, err := openWithoutWaiting(name)
	if err != nil {
		return nil, 0, unreadable(name, err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, 0, unreadable(name, err)
	}
	if err := mustBeRegular(name, info.Mode()); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func mustBeRegular(name string, mode fs.FileMode) error {
	var text string
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		text = "is a folder, not a file; name a file in it"
	case mode&fs.ModeNamedPipe != 0:
		text = "is a pipe, not a file; give it as standard input and use - for its name"
	default:
		text = "is a device or socket, not a file; copy its data to a file first"
	}
	return &fault{name: name, text: text, class: ErrInput}
}

// readPicture reads r to its end and finds the format. The first bytes decide
// before the rest is read, so a huge file of another kind costs nothing. size
// is the expected number of bytes, 0 if unknown; limit is the most accepted.
func readPicture(ctx context.Context, r io.Reader, size int64, name string, limit int64) ([]byte, *format, error) {
	in := bufio.NewReader(stoppable{ctx, r})
	head, err := in.Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, unfinished(err, name)
	}
	f, err := sniff(head)
	if err != nil {
		err, _ = named(err, name)
		return nil, nil, err
	}

	var data bytes.Buffer
	data.Grow(int(min(size, limit)) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(in, limit+1)); err != nil {
		return nil, nil, unfinished(err, name)
	}
	if int64(data.Len()) > limit {
		return nil, nil, tooManyBytes(name, 0, limit)
	}
	return data.Bytes(), f, nil
}

// unfinished reports an error of reading: an interruption or the system's.
func unfinished(err error, name string) error {
	if err, ok := stopped(err, name); ok {
		return err
	}
	return unreadable(name, err)
}

// stoppable is a reader that fails with the context's error once it is done.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
