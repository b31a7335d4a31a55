package imagefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// input is a file in memory or on a disk.
type input struct {
	io.ReaderAt
	size int64
	data []byte // all bytes of the file; nil: it is on a disk
	held int64  // bytes of memory that the file takes, or will take once load has read it

	still func() (*metadata.Still, error) // returns what the boxes of the file say; reads them once
}

// newInput returns an input of size bytes to be read from r.
func newInput(r io.ReaderAt, size int64) *input {
	in := &input{ReaderAt: r, size: size, held: size}
	in.still = sync.OnceValues(func() (*metadata.Still, error) { return metadata.ReadStill(in) })
	return in
}

// Size implements metadata.Source: the length of the file in bytes.
func (in *input) Size() int64 { return in.size }

// onDisk returns the file r of size bytes as an input. Bytes appended to the file later are ignored.
func onDisk(r io.ReaderAt, size int64) *input { return newInput(r, size) }

// inMemory returns data as an input, without copying it.
func inMemory(data []byte) *input {
	in := newInput(bytes.NewReader(data), int64(len(data)))
	in.data = data
	return in
}

// readAll reads r to its end and returns the bytes with the codec for their format. It fails early if the first bytes
// show that the format cannot be read, and if r has more than limit bytes. name is for errors.
//
// Note: reading blocks and joining them takes memory for twice the bytes of the input; a growing buffer, three times.
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
	const least, most = 1 << 12, 1 << 20 // bytes of a block; a block is as long as all blocks before it
	var blocks [][]byte
	size := 0
	for more := true; more; {
		b := make([]byte, min(max(size, least), most))
		n, err := io.ReadFull(in, b)
		if more = err == nil; !more && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil, readError(err, name)
		}
		if size += n; int64(size) > limit {
			const unknown = 0 // how many bytes there are
			return nil, nil, tooManyBytes(name, unknown, limit)
		}
		blocks = append(blocks, b[:n])
	}
	data := make([]byte, 0, size)
	for i, b := range blocks {
		data = append(data, b...)
		blocks[i] = nil // the memory can be reused
	}
	file := inMemory(data)
	file.held *= 2 // see the note above
	return file, f, nil
}

// load reads a file from the disk into in.data, so that it cannot change while being decoded. If the file has become
// shorter, so does the input. name is for errors.
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

// readError returns err, an error from reading the file name, as an interruption if ctx has ended, else as a fault.
func readError(err error, name string) error {
	if err, ok := safefile.Stopped(err, name); ok {
		return err
	}
	return safefile.Unreadable(name, err)
}

// stoppable is a reader that fails with the error of its context once the context has ended.
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
