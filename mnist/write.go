package mnist

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"os"
)

// writer writes an IDX file. The header before the items has their count, so it is given at the start and checked at
// the end.
type writer struct {
	magic  magic
	w      *bufio.Writer
	count  int
	next   int // index of the next item
	closed bool
}

// newWriter writes the header.
func newWriter(w io.Writer, m magic, sizes ...int) writer {
	head := binary.BigEndian.AppendUint32(nil, uint32(m))
	for _, n := range sizes {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	b := bufio.NewWriter(w)
	b.Write(head) // a bufio.Writer keeps its error for the next call
	return writer{magic: m, w: b, count: sizes[0]}
}

// ready returns an error where no further item may be written.
func (w *writer) ready() error {
	if w.closed {
		return fmt.Errorf("mnist: %s writer: %w", w.magic.item(), os.ErrClosed)
	}
	if w.next == w.count {
		return fmt.Errorf("mnist: %s writer: got one more than the %d announced", w.magic.item(), w.count)
	}
	return nil
}

// wrap adds the number of the item to an error.
func (w *writer) wrap(err error) error {
	return fmt.Errorf("mnist: writing %s %d of %d: %w", w.magic.item(), w.next, w.count, err)
}

// close flushes the buffer and checks the count.
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

// NewImageWriter begins a file of count images of width×height pixels. It refuses sizes that [NewImages] would
// refuse. For a packed file, w is a gzip.Writer. Output is buffered until Close.
func NewImageWriter(w io.Writer, count, width, height int) (*ImageWriter, error) {
	if err := checkSizes(int64(count), int64(width), int64(height)); err != nil {
		return nil, fmt.Errorf("mnist: image writer: %w", err)
	}
	return &ImageWriter{newWriter(w, imageMagic, count, height, width), width, height}, nil
}

// Write appends an image, which may be a sub-image. It refuses an image of another size, and one more than announced;
// the file stays as it was.
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

// Close writes the buffer, and returns an error where fewer images were written than announced. It does not close the
// underlying writer.
func (w *ImageWriter) Close() error { return w.close() }

// LabelWriter writes an IDX file of labels, one at a time.
type LabelWriter struct{ writer }

// NewLabelWriter begins a file of count labels. It refuses a count that [NewLabels] would refuse. Output is buffered
// until Close.
func NewLabelWriter(w io.Writer, count int) (*LabelWriter, error) {
	if err := checkSizes(int64(count), 1, 1); err != nil {
		return nil, fmt.Errorf("mnist: label writer: %w", err)
	}
	return &LabelWriter{newWriter(w, labelMagic, count)}, nil
}

// Write appends a label. It refuses one more than announced; the file stays as it was.
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

// Close writes the buffer, and returns an error where fewer labels were written than announced. It does not close the
// underlying writer.
func (w *LabelWriter) Close() error { return w.close() }
