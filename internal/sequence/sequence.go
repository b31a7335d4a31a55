// Package sequence reads and writes files of several pictures: animations, as GIF, PNG or WebP,
// and the pages of a TIFF. One picture of them is in memory at a time.
//
// Reading begins in sequence.go: gif.go, png.go and webp.go take the frames of an animation apart, each into a file
// of that frame alone, which package imagefile decodes under its limits, and canvas.go puts them together as they
// are seen. Writing is apng.go, giffile.go, which waits for palette.go, and imagefile.Pages.
//
// A static area of an animation has the same bytes in all frames, where they are read and where
// they are written, so that what enlarges each frame for itself does not make it flicker.
package sequence

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// The limits of what is in one file.
const (
	// MostFrames is how many frames or pages it may have.
	MostFrames = imagefile.MostFrames
	// WholePixels is how many pixels all of them may have together, in multiples of those that one may have.
	WholePixels = 100
)

// Delay is how long a frame is seen: Num/Den seconds. A Den of 0 stands for 100.
type Delay struct{ Num, Den uint16 }

// Frame is one picture of a sequence. It belongs to the caller.
type Frame struct {
	// Number is that of the frame, from 1.
	Number int
	// Image is what is seen: all of the canvas of an animation, of one type for all frames,
	// *image.Gray, *image.Gray16, *image.NRGBA or *image.NRGBA64.
	Image image.Image
	// Delay is how long it is seen; zero for a page.
	Delay Delay
	// Page is all that is known of a page; nil for a frame.
	Page *imagefile.Picture
}

// Reader reads a sequence, frame by frame.
type Reader struct {
	// Format is imagefile.GIF, PNG, WebP or TIFF.
	Format imagefile.Format
	// Pages tells that the pictures are pages, each of a size of its own: a TIFF.
	Pages bool
	// Frames is how many there are.
	Frames int
	// Plays is how often an animation is played; 0: without end.
	Plays int
	// Opaque tells that nothing of any frame is transparent, GreyAlpha that all are grey with
	// transparency. Both are of animations alone.
	Opaque, GreyAlpha bool
	// Subsampled and Quantiser are those of a Picture, of the first frame.
	Subsampled bool
	Quantiser  float64
	// Warnings are what is not as the file says, each fit to follow its name.
	Warnings []string

	data   []byte
	name   string
	lim    imagefile.Limits
	grey   bool
	turn   int            // orientation
	size   imagefile.Size // of the canvas
	cells  cells
	begin  func() cells
	canvas canvas
	places []uint32 // of pages
	number int      // of frames that were read
}

// cell is a frame as a file has it.
type cell struct {
	// The place on the canvas that the file says, which may be anything.
	left, top, width, height int64

	size     imagefile.Size  // of the frame, inside of the canvas: see Reader.cell
	rect     image.Rectangle // the same, where it lies on the canvas
	from, to int64           // where its pixels lie in the file
	delay    Delay
	over     bool // it is blended over what is there, rather than put in its place
	after    disposal
}

// disposal is what becomes of the place of a frame before the next is shown.
type disposal uint8

const (
	keep    disposal = iota // it stays
	clear                   // it becomes transparent
	restore                 // it becomes what it was before
)

// cells walks over the frames of an animation. The same walk plans and reads, so that what was
// checked is what is read.
type cells interface {
	// next returns the next frame, without size and rect, or io.EOF behind the last.
	next() (cell, error)
	// file returns a file of the frame alone that next returned last, whose size is set.
	file(cell) ([]byte, error)
}

// NewReader begins to read the file in pic.File, which it keeps; pic is what imagefile made of it, and name is for
// messages. All frames of an animation are decoded once, so that what is wrong with one is told now, and of pages
// the headers are read. lim are those of each picture; Accept is asked about each page, now.
//
// Errors are of the class safefile.ErrInput or ErrLimit, or that of ctx.
func NewReader(ctx context.Context, pic *imagefile.Picture, name string, lim imagefile.Limits) (*Reader, error) {
	lim.FirstFrame, lim.Several = true, nil
	r := &Reader{Format: pic.Format, data: pic.File, name: name, lim: lim, turn: pic.Metadata.Orientation}
	var err error
	switch r.Format {
	case imagefile.TIFF:
		err = r.findPages(ctx)
	case imagefile.GIF:
		err = r.openGIF()
	case imagefile.PNG:
		err = r.openPNG()
	case imagefile.WebP:
		err = r.openWebP()
	default:
		err = safefile.Refuse(safefile.ErrInput, "", "is a %s, which has one picture", r.Format)
	}
	if err == nil && !r.Pages {
		err = r.survey(ctx)
	}
	if err != nil {
		return nil, r.explain(err)
	}
	return r, nil
}

// explain words an error for people.
func (r *Reader) explain(err error) error {
	if fault, ok := safefile.Named(err, r.name); ok {
		return fault
	}
	if stopped, ok := safefile.Stopped(err, r.name); ok {
		return stopped
	}
	if rule, ok := errors.AsType[metadata.FormatError](err); ok {
		err, _ = safefile.Named(refuseDamaged("%s", rule), r.name)
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return safefile.Refuse(safefile.ErrInput, r.name, "damaged animation: unexpected EOF (is the file complete?)")
	}
	return err
}

// damaged refuses what is against the rules.
func refuseDamaged(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, "", "damaged animation: %s; copy or export it again",
		fmt.Sprintf(format, args...))
}

// tooMany refuses more frames than are looked at.
func refuseTooMany() error {
	return safefile.Refuse(safefile.ErrLimit, "", "has more than %d frames; cut it into parts first", MostFrames)
}

// checkWhole refuses what has too many pixels together.
func (r *Reader) checkWhole(pixels int64) error {
	if most := WholePixels * r.lim.Pixels; most > 0 && pixels > most {
		return safefile.Refuse(safefile.ErrLimit, "",
			"its %d pictures have %.4g megapixels together, the limit is %.4g, that of %d pictures alone",
			r.Frames, float64(pixels)/1e6, float64(most)/1e6, WholePixels).With(imagefile.MorePixels)
	}
	return nil
}

// plan checks the size of the canvas, and counts the frames in all, each of which must be inside
// of it. Nothing is decoded, and no memory is taken for pixels. begin makes another walk like all.
func (r *Reader) plan(width, height int64, all cells, begin func() cells) (err error) {
	if r.size, err = r.lim.CheckSize(width, height); err != nil {
		return err
	}
	for r.cells = all; ; {
		if _, err := r.cell(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if r.number > MostFrames {
			return refuseTooMany()
		}
	}
	if r.Frames, r.begin = r.number, begin; r.Frames == 0 {
		return refuseDamaged("it has no frames")
	}
	return r.checkWhole(int64(r.Frames) * r.size.Pixels())
}

// cell goes on to the next frame and checks that it is inside of the canvas.
func (r *Reader) cell() (cell, error) {
	c, err := r.cells.next()
	if err != nil {
		return c, err
	}
	r.number++
	ok := false
	if c.size, ok = r.size.Part(c.left, c.top, c.width, c.height); !ok {
		w, h := r.size.Sides()
		return c, refuseDamaged("frame %d, of %dx%d at %d,%d, is not inside of its %dx%d",
			r.number, c.width, c.height, c.left, c.top, w, h)
	}
	c.rect = c.size.Bounds().Add(image.Pt(int(c.left), int(c.top)))
	return c, nil
}

// survey looks at all frames.
func (r *Reader) survey(ctx context.Context) error {
	r.Rewind()
	r.Opaque, r.grey = true, true
	for range r.Frames {
		if _, err := r.compose(ctx); err != nil {
			return err
		}
		if r.Opaque || r.grey {
			opaque, grey := r.canvas.describe()
			r.Opaque, r.grey = r.Opaque && opaque, r.grey && grey
		}
		r.canvas.dispose()
	}
	r.GreyAlpha = r.grey && !r.Opaque
	r.Rewind()
	return nil
}

// Rewind goes back to the first frame.
func (r *Reader) Rewind() {
	r.number = 0
	if !r.Pages {
		r.cells = r.begin()
		r.canvas.reset()
	}
}

// Next reads the next frame. It returns io.EOF behind the last.
func (r *Reader) Next(ctx context.Context) (*Frame, error) {
	if r.number == r.Frames {
		return nil, io.EOF
	}
	if r.Pages {
		return r.page(ctx)
	}
	c, err := r.compose(ctx)
	if err != nil {
		return nil, r.explain(err)
	}
	f := &Frame{Number: r.number, Image: imagefile.Upright(r.canvas.image(r.grey && r.Opaque), r.turn), Delay: c.delay}
	r.canvas.dispose()
	return f, nil
}

// compose decodes the next cell, as a file that may be no larger than its place on the canvas, and puts it there.
func (r *Reader) compose(ctx context.Context) (cell, error) {
	c, err := r.cell()
	if err != nil {
		return c, err
	}
	still, err := r.cells.file(c)
	if err != nil {
		return c, err
	}
	lim := r.lim
	lim.Strip, lim.Accept = true, nil
	lim.Pixels, lim.Side = c.size.Pixels(), max(c.rect.Dx(), c.rect.Dy())
	pic, err := imagefile.DecodeBytes(ctx, still, fmt.Sprintf("%s: frame %d", r.name, r.number), lim)
	if err != nil {
		return c, err
	}
	if got := pic.Image.Bounds(); got != c.size.Bounds() {
		return c, refuseDamaged("frame %d has pixels of %dx%d, expected %dx%d",
			r.number, got.Dx(), got.Dy(), c.rect.Dx(), c.rect.Dy())
	}
	if r.number == 1 {
		r.Subsampled, r.Quantiser = pic.Subsampled, pic.Quantiser
	}
	r.canvas.put(pic.Image, c)
	return c, nil
}

// errEnough ends the reading of a page of which the header is enough.
var errEnough = errors.New("enough")

// findPages finds the pages of a TIFF and reads their headers.
func (r *Reader) findPages(ctx context.Context) error {
	r.Pages = true
	places, others, err := imagefile.Pages(r.data)
	r.places, r.Frames = places, len(places)
	switch {
	case len(places)+others >= MostFrames:
		return refuseTooMany()
	case errors.Is(err, io.ErrUnexpectedEOF) && len(places) > 0:
		text := fmt.Sprintf("points outside of itself behind %d pages (is the file complete?)", len(places))
		r.Warnings = append(r.Warnings, text)
	case err != nil:
		fault := safefile.Refuse(safefile.ErrInput, "", "damaged TIFF: %v; copy or export it again", err)
		return fault.With(imagefile.FirstPage)
	}
	accept, pixels := r.lim.Accept, int64(0)
	r.lim.Accept = func(cfg image.Config, held int64) error {
		if accept != nil {
			if err := accept(cfg, held); err != nil {
				return err
			}
		}
		pixels += int64(cfg.Width) * int64(cfg.Height)
		return errEnough
	}
	for range places {
		if _, err := r.page(ctx); !errors.Is(err, errEnough) {
			return err
		}
	}
	r.lim.Accept = nil
	r.Rewind()
	if err := r.checkWhole(pixels); err != nil {
		return err
	}
	if others > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("has %d smaller copies or masks of its pages, which are left out", others))
	}
	return nil
}

// page reads the next page.
func (r *Reader) page(ctx context.Context) (*Frame, error) {
	at := r.places[r.number]
	r.number++
	order := binary.ByteOrder(binary.LittleEndian)
	if r.data[0] == 'M' {
		order = binary.BigEndian
	}
	order.PutUint32(r.data[4:], at)
	pic, err := imagefile.DecodeBytes(ctx, r.data, fmt.Sprintf("%s: page %d", r.name, r.number), r.lim)
	if err != nil {
		return nil, err
	}
	return &Frame{Number: r.number, Image: pic.Image, Page: pic}, nil
}
