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

// input is a file in memory or on a disk.
type input struct {
	io.ReaderAt
	size int64
	data []byte // nil: on a disk
	held int64  // bytes of memory that it takes, or will
}

// onDisk returns a file that can be read at any offset, of the given size in bytes. Bytes that are appended to
// it later are not read.
func onDisk(r io.ReaderAt, size int64) *input { return &input{ReaderAt: r, size: size, held: size} }

// inMemory returns a file in memory.
func inMemory(data []byte) *input {
	size := int64(len(data))
	return &input{ReaderAt: bytes.NewReader(data), size: size, data: data, held: size}
}

// readAll reads r to its end and finds the format. The first bytes decide before the rest is read, so a huge
// file of another kind costs nothing. An input of more than limit bytes is refused.
//
// Note: joining blocks takes twice the bytes of the input, where a growing buffer takes three times as many.
func readAll(ctx context.Context, r io.Reader, name string, limit int64) (*input, *codec, error) {
	in := bufio.NewReader(stoppable{ctx, r})
	head, err := in.Peek(foreign.HeadLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, readError(err, name)
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
			return nil, nil, readError(err, name)
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

// load reads a file into memory, so that it cannot change while it is decoded.
func (in *input) load(ctx context.Context, name string) error {
	if in.data != nil {
		return nil
	}
	const step = 1 << 20
	data := make([]byte, in.size)
	for n := 0; n < len(data); {
		if err := ctx.Err(); err != nil {
			return readError(err, name)
		}
		got, err := in.ReadAt(data[n:min(n+step, len(data))], int64(n))
		n += got
		if errors.Is(err, io.EOF) {
			data = data[:n]
		} else if err != nil {
			return readError(err, name)
		}
	}
	in.data, in.ReaderAt, in.size = data, bytes.NewReader(data), int64(len(data))
	return nil
}

// readError words an error of reading: an interruption, or an error of the system.
func readError(err error, name string) error {
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
