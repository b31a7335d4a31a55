package video

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// alphaReader turns a Y4M stream of layout 444, which decodeArgs asks for if a video has transparency, into 444alpha.
// Each picture that it reads has twice the height of a frame: the frame, and below it the opacity, in the plane Y.
type alphaReader struct {
	in         *bufio.Reader
	planeBytes int          // number of bytes in a plane of a frame; 0: the header has not been read
	waiting    bytes.Buffer // bytes that Read will return next
}

// Read implements io.Reader. It allocates no memory for a frame before it has read the line that begins the frame.
func (u *alphaReader) Read(p []byte) (int, error) {
	if u.waiting.Len() == 0 {
		if err := u.fill(); err != nil {
			return 0, err
		}
	}
	return u.waiting.Read(p)
}

// fill sets u.waiting: first to the header, for layout 444alpha and half the height (the lower half is opacity), and in
// each later call to the next frame, as the planes Y, Cb, Cr and opacity. Samples have one byte.
func (u *alphaReader) fill() error {
	line, err := u.in.ReadString('\n')
	if err == io.EOF && line != "" { // the stream ends within a line
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	u.waiting.Reset()
	if u.planeBytes == 0 {
		h, err := readHeader(line)
		if err != nil {
			return err
		}
		u.planeBytes = h.Width * (h.Height / 2)
		text := h.Sized(h.Width, h.Height/2).String()
		u.waiting.WriteString(strings.Replace(text, " C444", " C444alpha", 1) + "\n")
		return nil
	}
	u.waiting.WriteString(line)
	stacked := make([]byte, 3*2*u.planeBytes) // three planes of twice the height
	if _, err := io.ReadFull(u.in, stacked); err != nil {
		return io.ErrUnexpectedEOF
	}
	for _, half := range []int{0, 2, 4, 1} { // the six halves are Y, opacity, Cb, unused, Cr, unused
		u.waiting.Write(stacked[half*u.planeBytes:][:u.planeBytes])
	}
	return nil
}
