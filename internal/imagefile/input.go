package imagefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"superres/internal/imagefile/foreign"
	"superres/internal/safefile"
)

// readPicture reads r to its end and finds the format. The first bytes decide
// before the rest is read, so a huge file of another kind costs nothing. size
// is the expected number of bytes, 0 if unknown; limit is the most accepted.
func readPicture(ctx context.Context, r io.Reader, size int64, name string, limit int64) ([]byte, *format, error) {
	in := bufio.NewReader(stoppable{ctx, r})
	head, err := in.Peek(foreign.HeadLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, unfinished(err, name)
	}
	f, err := sniff(head)
	if err != nil {
		err, _ = safefile.Named(err, name)
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
	if f.name == "tiff" {
		if raw, is := foreign.Raw(bytes.NewReader(data.Bytes())); is {
			err, _ := safefile.Named(unreadable(raw), name)
			return nil, nil, err
		}
	}
	return data.Bytes(), f, nil
}

// unfinished reports an error of reading: an interruption or the system's.
func unfinished(err error, name string) error {
	if err, ok := safefile.Stopped(err, name); ok {
		return err
	}
	return safefile.Unreadable(name, err)
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
