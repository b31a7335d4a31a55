package enlarging

import (
	"bufio"
	"context"
	"io"
	"io/fs"

	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Source is where the bytes of a picture come from.
type Source interface {
	// Name is what messages call the source.
	Name() string
	// Open opens the source at its beginning. The caller closes what it returns.
	Open() (*Content, error)
}

// Content is a source that is open.
type Content struct {
	// Reader reads the bytes in order.
	*bufio.Reader
	// At reads them in any order. It is nil for a pipe, whose size is not known either.
	At io.ReaderAt
	// Size is the number of bytes; 0 for a pipe.
	Size int64
	// Info describes the file, as it was when it was opened; nil for what is no file of the user.
	Info fs.FileInfo
	// Close frees what Open has taken.
	Close func()
}

// StartsWith tells whether the content begins with some text. It reads nothing that is read later.
func (c *Content) StartsWith(text string) bool {
	head, _ := c.Peek(len(text)) // one that is shorter is another
	return string(head) == text
}

// decode reads the content as a picture under limits; name is for messages.
func (c *Content) decode(ctx context.Context, name string, limits imagefile.Limits) (*imagefile.Picture, error) {
	if c.At == nil {
		return imagefile.Decode(ctx, c.Reader, name, limits)
	}
	return imagefile.OpenAt(ctx, c.At, c.Size, name, limits)
}

// File is the Source of a regular file, by its path.
type File string

// Name implements Source.
func (f File) Name() string { return string(f) }

// Open implements Source. It fails as safefile.OpenRegular does.
func (f File) Open() (*Content, error) {
	file, size, err := safefile.OpenRegular(string(f))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, safefile.Refuse(safefile.ErrInput, string(f), "cannot be read: %v", err)
	}
	return &Content{bufio.NewReader(file), file, size, info, func() { file.Close() }}, nil
}

// Standard is the Source of standard input. It is made once for a stream, of which it may have read ahead.
type Standard struct{ in *bufio.Reader }

// NewStandard makes the Source of a stream.
func NewStandard(in io.Reader) *Standard { return &Standard{bufio.NewReader(in)} }

// Name implements Source.
func (s *Standard) Name() string { return "standard input" }

// Open implements Source. It goes on where the last Content was left.
func (s *Standard) Open() (*Content, error) {
	return &Content{Reader: s.in, Close: func() {}}, nil
}

// Body is the Source of the body of a request, which has no file of its own.
type Body struct {
	// Title is what messages call it.
	Title string
	// Bytes are its bytes, which stay as they are, and Size is their number.
	Bytes io.ReaderAt
	Size  int64
}

// Name implements Source.
func (b *Body) Name() string { return b.Title }

// Open implements Source.
func (b *Body) Open() (*Content, error) {
	return &Content{bufio.NewReader(io.NewSectionReader(b.Bytes, 0, b.Size)), b.Bytes, b.Size, nil, func() {}}, nil
}
