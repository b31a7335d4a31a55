package y4m

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"superres/internal/imagefile"
)

// longest is the greatest length of a line that is read, in bytes. Usual lines have about a hundred.
const longest = 4096

// Frame is one frame of video.
type Frame struct {
	Params string // the rest of the frame's line after "FRAME", usually empty
	Data   []byte // samples, plane after plane: one byte each or, for more than 8 bits, two, the low byte first
}

// Reader reads a stream. It must be used by only one goroutine.
type Reader struct {
	Header // of the stream
	r      *bufio.Reader
	count  int // number of the frame last read by Next, from 1
}

// NewReader reads the header of a stream from r and returns a reader for the frames. It fails, with a safefile.Fault
// without a name, if there is no header or an unknown one, or if frames exceed lim. It allocates no memory for a frame.
func NewReader(r io.Reader, lim imagefile.Limits) (*Reader, error) {
	in := &Reader{r: bufio.NewReaderSize(r, 1<<16)}
	line, err := in.line()
	if err != nil {
		return nil, fault(err, "its header")
	}
	if len(line) < len(Magic) || line[:len(Magic)] != Magic {
		return nil, refuse("does not begin with %q", Magic)
	}
	in.Header, err = parse(line[len(Magic):], lim)
	return in, err
}

// Next returns the next frame, in new memory of FrameBytes, or io.EOF at the end. It fails with a safefile.Fault that
// contains the number of the frame, from 1, but no file name.
func (in *Reader) Next() (*Frame, error) {
	if _, err := in.r.Peek(1); err == io.EOF {
		return nil, io.EOF
	}
	in.count++
	what := fmt.Sprint("frame ", in.count)
	line, err := in.line()
	if err != nil {
		return nil, fault(err, what)
	}
	const word = "FRAME"
	if len(line) < len(word) || line[:len(word)] != word || len(line) > len(word) && line[len(word)] != ' ' {
		return nil, refuse("%s is damaged: it begins with %.20q, expected %q", what, line, word)
	}
	f := in.NewFrame(line[len(word):])
	if n, err := io.ReadFull(in.r, f.Data); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, refuse("%s is cut short: it has %d of %d bytes", what, n, len(f.Data))
	} else if err != nil {
		return nil, fault(err, what)
	}
	return f, nil
}

// Skip adds n to the count of frames, for n frames that the stream lacks here, so that errors give the right numbers.
func (in *Reader) Skip(n int) { in.count += n }

// errLine is the error for a line that is too long or contains unprintable characters.
var errLine = errors.New("no line of text")

// line returns the next line without its newline. It fails with errLine for a line that is longer than longest or not
// printable ASCII, and with io.EOF where the stream ends before the newline.
func (in *Reader) line() (string, error) {
	var text []byte
	for {
		c, err := in.r.ReadByte()
		switch {
		case err != nil:
			return "", err
		case c == '\n':
			return string(text), nil
		case c < ' ' || c > '~' || len(text) == longest:
			return "", errLine
		}
		text = append(text, c)
	}
}

// fault returns err, which stopped the reading of a part of the stream called item, as a fault without a file name.
func fault(err error, item string) error {
	switch {
	case errors.Is(err, errLine):
		return refuse("%s is damaged: it does not begin with a line of text", item)
	case errors.Is(err, io.EOF):
		return refuse("%s is cut short: its first line does not end", item)
	}
	return refuse("%s cannot be read: %v", item, err)
}

// Writer writes a stream, each frame with a single Write. It must be used by only one goroutine.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter writes the header h to w and returns a writer for the frames.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	_, err := io.WriteString(w, h.String()+"\n")
	return &Writer{w: w}, err
}

// Put writes f, the next frame. It returns the error of the underlying writer.
func (out *Writer) Put(f *Frame) error {
	out.buf = append(out.buf[:0], "FRAME"+f.Params+"\n"...)
	out.buf = append(out.buf, f.Data...)
	_, err := out.w.Write(out.buf)
	return err
}
