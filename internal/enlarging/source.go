package enlarging

import (
	"bufio"
	"context"
	"io"
	"io/fs"

	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Source provides the bytes of a picture.
type Source interface {
	// Name returns the name of the source for messages.
	Name() string
	// Open opens the source at its beginning. The caller closes the content.
	Open() (*Content, error)
}

// Content is a source that is open.
type Content struct {
	// Reader reads the bytes in order.
	*bufio.Reader
	// At reads the bytes in any order; nil for a pipe.
	At io.ReaderAt
	// Size is the number of bytes; 0 for a pipe.
	Size int64
	// Info describes the file as it was when it was opened; nil if the content is not a file of the user.
	Info fs.FileInfo
	// Title describes the video file for people; empty: the content itself tells what it is.
	Title string
	// Frames is the number of frames of a video that its file states; 0: unknown.
	Frames int
	// Siting says where the samples of colour in a video lie: see y4m.Layout.Sited; empty: the content says where.
	Siting string
	// Done is the number of frames, from the first on, that an earlier run has enlarged. If Done is not 0, the content
	// consists of the first two frames, which the choice of the model needs, and the frames that are not yet enlarged.
	Done int
	Made
	// Close closes the files that Open opened.
	Close func()
}

// Made tells how another program has made the content from a file; the zero value: the content is the file itself.
type Made struct {
	// Amend adds missing metadata to the picture and corrects its pixels; nil: the content is the file itself.
	Amend func(*imagefile.Picture)
	// Upright says that the pixels are already upright, even if the metadata ask for a rotation.
	Upright bool
}

// StartsWith reports whether the content begins with text. It consumes nothing.
func (c *Content) StartsWith(text string) bool {
	head, _ := c.Peek(len(text)) // after an error, head is shorter than text, so not equal
	return string(head) == text
}

// decode returns the picture in the content, read within limits, with name as the name in messages. It reads a pipe
// in order. If another program made the content (not of a pipe), it takes only the first picture and calls c.Amend.
func (c *Content) decode(ctx context.Context, name string, limits imagefile.Limits) (*imagefile.Picture, error) {
	if c.At == nil {
		return imagefile.Decode(ctx, c.Reader, name, limits)
	}
	limits.Upright, limits.Made = c.Upright, c.Amend != nil
	limits.FirstFrame = limits.FirstFrame || limits.Made
	pic, err := imagefile.OpenAt(ctx, c.At, c.Size, name, limits)
	if err == nil && c.Amend != nil {
		c.Amend(pic)
	}
	return pic, err
}

// File is the Source of a regular file; the string is the path.
type File string

// Name implements Source: the path of the file.
func (f File) Name() string { return string(f) }

// Open implements Source. It fails if the file cannot be read or is not a regular file.
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
	return &Content{Reader: bufio.NewReader(file), At: file, Size: size, Info: info,
		Close: func() { file.Close() }}, nil
}

// Standard is the Source that reads standard input. Make only one per stream, because it reads ahead.
type Standard struct{ in *bufio.Reader }

func NewStandard(stream io.Reader) *Standard { return &Standard{bufio.NewReader(stream)} }

// Name implements Source: a name for messages, not a path.
func (s *Standard) Name() string { return "standard input" }

// Open implements Source. It continues where the last Content stopped.
func (s *Standard) Open() (*Content, error) {
	return &Content{Reader: s.in, Close: func() {}}, nil
}

// Body is the Source of a request body, which is not a file of the user.
type Body struct {
	// Title is the name of the body in messages.
	Title string
	// Bytes reads the body, which must not change, and Size is its length in bytes.
	Bytes io.ReaderAt
	Size  int64
	Made
}

// Name implements Source: the title of the body.
func (b *Body) Name() string { return b.Title }

// Open implements Source: the content reads b.Bytes from the beginning, and can read it in any order.
func (b *Body) Open() (*Content, error) {
	return &Content{Reader: bufio.NewReader(io.NewSectionReader(b.Bytes, 0, b.Size)), At: b.Bytes, Size: b.Size,
		Made: b.Made, Close: func() {}}, nil
}
