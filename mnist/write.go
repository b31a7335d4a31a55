package mnist

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"os"
)

// ImageWriter writes an IDX file of images, one at a time. The count stands in the header, before the images, so it is
// an argument of NewImageWriter, and Close checks it.
type ImageWriter struct {
	w                    *bufio.Writer
	count, width, height int
	next                 int // index of the next image
	closed               bool
}

// NewImageWriter begins a file of count images of width×height pixels. It returns an error for sizes that [NewImages]
// would refuse. To write a gzip file, pass a gzip.Writer as w. Output is buffered until Close.
func NewImageWriter(w io.Writer, count, width, height int) (*ImageWriter, error) {
	if err := checkSizes(int64(count), int64(width), int64(height)); err != nil {
		return nil, fmt.Errorf("mnist: image writer: %w", err)
	}
	var head []byte
	for _, n := range []int{int(imageMagic), count, height, width} {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	b := bufio.NewWriter(w)
	b.Write(head) // a bufio.Writer returns an error of this call from the next one
	return &ImageWriter{w: b, count: count, width: width, height: height}, nil
}

// Write appends img, which may be a sub-image. If the file has another size of images, all announced images are
// written, or the writer is closed, it returns an error and leaves the file unchanged.
func (w *ImageWriter) Write(img *image.Gray) error {
	if w.closed {
		return fmt.Errorf("mnist: image writer: %w", os.ErrClosed)
	}
	if w.next == w.count {
		return fmt.Errorf("mnist: image writer: got one more than the %d announced", w.count)
	}
	r := img.Bounds()
	if r.Dx() != w.width || r.Dy() != w.height {
		return fmt.Errorf("mnist: writing image %d of %d: got %d×%d pixels, expected %d×%d",
			w.next, w.count, r.Dx(), r.Dy(), w.width, w.height)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):][:w.width]
		if _, err := w.w.Write(row); err != nil {
			return fmt.Errorf("mnist: writing image %d of %d: %w", w.next, w.count, err)
		}
	}
	w.next++
	return nil
}

// Close writes the buffer but leaves the underlying writer open. It fails if fewer images were written than announced.
func (w *ImageWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("mnist: writing images: %w", err)
	}
	if w.next != w.count {
		return fmt.Errorf("mnist: image writer: got %d, expected the %d announced", w.next, w.count)
	}
	return nil
}
