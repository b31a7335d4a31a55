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

// input is the bytes of a file, in memory or on a disk.
type input struct {
	io.ReaderAt
	size int64
	data []byte // nil: on a disk
	held int64  // bytes of memory that it takes, or will
}

// onDisk is a file that can be read at any place, of the given size. What is appended to it
// meanwhile is left out.
func onDisk(r io.ReaderAt, size int64) *input { return &input{ReaderAt: r, size: size, held: size} }

// inMemory is bytes in memory.
func inMemory(data []byte) *input {
	size := int64(len(data))
	return &input{ReaderAt: bytes.NewReader(data), size: size, data: data, held: size}
}

// readAll reads r to its end, and finds its format: the first bytes decide before the rest is
// read, so a huge file of another kind costs nothing. limit is the most bytes accepted.
//
// Note: blocks that are put together take twice the bytes, a buffer that grows three times.
func readAll(ctx context.Context, r io.Reader, name string, limit int64) (*input, *codec, error) {
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
	const least, most = 1 << 12, 1 << 20 // bytes of a block, else what there is so far
	var blocks [][]byte
	size := 0
	for more := true; more; {
		b := make([]byte, min(max(size, least), most))
		n, err := io.ReadFull(in, b)
		if more = err == nil; !more && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil, unfinished(err, name)
		}
		if size += n; int64(size) > limit {
			return nil, nil, tooManyBytes(name, 0, limit)
		}
		blocks = append(blocks, b[:n])
	}
	data := make([]byte, 0, size)
	for i, b := range blocks {
		data = append(data, b...)
		blocks[i] = nil
	}
	file := inMemory(data)
	file.held *= 2
	return file, f, nil
}

// load brings a file into memory, so that it stays as it is while it is decoded.
func (in *input) load(ctx context.Context, name string) error {
	if in.data != nil {
		return nil
	}
	const step = 1 << 20
	data := make([]byte, in.size)
	for n := 0; n < len(data); {
		if err := ctx.Err(); err != nil {
			return unfinished(err, name)
		}
		got, err := in.ReadAt(data[n:min(n+step, len(data))], int64(n))
		n += got
		if errors.Is(err, io.EOF) {
			data = data[:n]
		} else if err != nil {
			return unfinished(err, name)
		}
	}
	in.data, in.ReaderAt, in.size = data, bytes.NewReader(data), int64(len(data))
	return nil
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
