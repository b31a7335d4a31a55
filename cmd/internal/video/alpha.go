package video

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// unstacked reads the Y4M stream that decodeArgs asks for of a video with transparency, as one of the layout 444alpha.
// In the stream a picture has twice the height: its upper half is a frame, and the brightness of its lower half the
// opacity of that.
type unstacked struct {
	in      *bufio.Reader
	bytes   int // of a plane; 0: the header was not read yet
	waiting bytes.Buffer
}

// Read implements io.Reader. It takes no memory for a frame before the header has been read from it.
func (u *unstacked) Read(p []byte) (int, error) {
	if u.waiting.Len() == 0 {
		if err := u.more(); err != nil {
			return 0, err
		}
	}
	return u.waiting.Read(p)
}

// more reads the header, or a frame, into u.waiting.
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
	for _, plane := range []int{0, 2, 4, 1} { // of the halves Y, alpha, Cb, none, Cr, none
		u.waiting.Write(stacked[plane*u.bytes:][:u.bytes])
	}
	return nil
}
