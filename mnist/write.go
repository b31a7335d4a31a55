package mnist

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"os"
)

// writer is an IDX file being written. Its count stands in the header, ahead of
// the items, so it is fixed at the start and checked at the end.
type writer struct {
	magic  magic
	w      *bufio.Writer
	count  int
	next   int // index of the next item
	closed bool
}

func newWriter(w io.Writer, m magic, sizes ...int) writer {
	head := binary.BigEndian.AppendUint32(nil, uint32(m))
	for _, n := range sizes {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	b := bufio.NewWriter(w)
	b.Write(head) // a bufio.Writer keeps its error for the next call
	return writer{magic: m, w: b, count: sizes[0]}
}

// ready reports whether one more item may be written.
func (w *writer) ready() error {
	if w.closed {
		return fmt.Errorf("mnist: %s writer: %w", w.magic.item(), os.ErrClosed)
	}
	if w.next == w.count {
		return fmt.Errorf("mnist: %s writer: got one more than the %d announced", w.magic.item(), w.count)
	}
	return nil
}

// wrap says at which item an error came up.
func (w *writer) wrap(err error) error {
	return fmt.Errorf("mnist: writing %s %d of %d: %w", w.magic.item(), w.next, w.count, err)
}

func (w *writer) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("mnist: writing %ss: %w", w.magic.item(), err)
	}
	if w.next != w.count {
		return fmt.Errorf("mnist: %s writer: got %d, expected the %d announced", w.magic.item(), w.next, w.count)
	}
	return nil
}

// ImageWriter writes an IDX file of images, one at a time.
type ImageWriter struct {
	writer
	width, height int
}

// NewImageWriter begins a file of count images of width×height. Only sizes that
// [NewImages] would refuse are an error here. For a packed file, w is a
// gzip.Writer. Output is buffered until Close.
func NewImageWriter(w io.Writer, count, width, height int) (*ImageWriter, error) {
	if err := checkSizes(int64(count), int64(width), int64(height)); err != nil {
		return nil, fmt.Errorf("mnist: image writer: %w", err)
	}
	return &ImageWriter{newWriter(w, imageMagic, count, height, width), width, height}, nil
}

// Write appends an image; its bounds may start anywhere, so a sub-image will do.
// An image of the wrong size, or one too many, is refused and the file stays as
// it was.
func (w *ImageWriter) Write(img *image.Gray) error {
	if err := w.ready(); err != nil {
		return err
	}
	r := img.Bounds()
	if r.Dx() != w.width || r.Dy() != w.height {
		return w.wrap(fmt.Errorf("got %d×%d pixels, expected %d×%d", r.Dx(), r.Dy(), w.width, w.height))
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):][:w.width]
		if _, err := w.w.Write(row); err != nil {
			return w.wrap(err)
		}
	}
	w.next++
	return nil
}

// Close writes out what is buffered and reports whether every image announced
// was written. It does not close the underlying writer.
func (w *ImageWriter) Close() error { return w.close() }

// LabelWriter writes an IDX file of labels, one at a time.
type LabelWriter struct{ writer }

// NewLabelWriter begins a file of count labels. Only a count that [NewLabels]
// would refuse is an error here. Output is buffered until Close.
func NewLabelWriter(w io.Writer, count int) (*LabelWriter, error) {
	if err := checkSizes(int64(count), 1, 1); err != nil {
		return nil, fmt.Errorf("mnist: label writer: %w", err)
	}
	return &LabelWriter{newWriter(w, labelMagic, count)}, nil
}

// Write appends a label. One too many is refused and the file stays as it was.
func (w *LabelWriter) Write(label uint8) error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.w.WriteByte(label); err != nil {
		return w.wrap(err)
	}
	w.next++
	return nil
}

// Close writes out what is buffered and reports whether every label announced
// was written. It does not close the underlying writer.
func (w *LabelWriter) Close() error { return w.close() }
