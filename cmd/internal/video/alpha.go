package video

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// unstacked turns a Y4M stream of layout 444, for which decodeArgs asks if a video has transparency, into layout
// 444alpha. Each picture of the stream has twice the height of a frame: the upper half is the frame, and Y of the lower
// half is the opacity of the frame.
type unstacked struct {
	in      *bufio.Reader
	bytes   int          // number of bytes in a plane of a frame; 0: the header has not been read
	waiting bytes.Buffer // bytes that Read will return next
}

// Read implements io.Reader. It allocates no memory for a frame before it has read the line that begins the frame.
func (u *unstacked) Read(p []byte) (int, error) {
	if u.waiting.Len() == 0 {
		if err := u.more(); err != nil {
			return 0, err
		}
	}
	return u.waiting.Read(p)
}

// more reads the header, or the next frame, into u.waiting.
func (u *unstacked) more() error {
	line, err := u.in.ReadString('\n')
	if err == io.EOF && line != "" {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	u.waiting.Reset()
	if u.bytes == 0 {
		h, err := readHeader(line)
		if err != nil {
			return err
		}
		u.bytes = h.Width * (h.Height / 2)
		text := h.Sized(h.Width, h.Height/2).String()
		u.waiting.WriteString(strings.Replace(text, " C444", " C444alpha", 1) + "\n")
		return nil
	}
	u.waiting.WriteString(line)
	stacked := make([]byte, 3*2*u.bytes)
	if _, err := io.ReadFull(u.in, stacked); err != nil {
		return io.ErrUnexpectedEOF
	}
	for _, plane := range []int{0, 2, 4, 1} { // the six halves are Y, alpha, Cb, unused, Cr, unused
		u.waiting.Write(stacked[plane*u.bytes:][:u.bytes])
	}
	return nil
}
