// Package sequence reads files with several pictures: animations as GIF, PNG or WebP, and the pages of a TIFF. It
// writes animations as GIF or PNG. One picture of a file is in memory at a time.
//
// Reading begins in sequence.go: gif.go, png.go and webp.go turn each frame of an animation into a file, which package
// imagefile decodes within its limits, and canvas.go composes the pictures shown from the decoded frames. Writing is in
// apng.go and giffile.go; palette.go chooses the colours of a GIF. imagefile.PageWriter writes pages.
//
// A static area of an animation has the same bytes in all frames that are read, and in all frames that are written. So
// a program that enlarges the frames one by one does not make static areas flicker.
package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// Limits on one file.
const (
	// MostFrames is the largest number of frames or pages of a file.
	MostFrames = imagefile.MostFrames
	// WholePixels times Limits.Pixels is the greatest number of pixels of all frames or pages together.
	WholePixels = 100
)

// Delay is how long a frame is shown: Num/Den seconds. A Den of 0 stands for 100.
type Delay struct{ Num, Den uint16 }

// Frame is one picture of a sequence. It belongs to the caller.
type Frame struct {
	Number int // the number of the frame in the file, from 1
	// Image is the picture shown. For an animation it is the whole canvas, and has the same type in all frames:
	// *image.Gray, *image.Gray16, *image.NRGBA or *image.NRGBA64.
	Image image.Image
	Delay Delay // how long the frame is shown; zero for a page
	// Page is the page as imagefile has decoded it, with its metadata; nil for a frame of an animation.
	Page *imagefile.Picture
}

// Reader reads a sequence, frame by frame.
type Reader struct {
	Format imagefile.Format // imagefile.GIF, PNG, WebP or TIFF
	Pages  bool             // the pictures are pages of a TIFF, which may differ in size; false: frames of an animation
	Frames int              // the number of frames or pages
	Plays  int              // how often an animation is played; 0: endlessly
	// Opaque says that all pixels of an animation are opaque, GreyAlpha that all its frames are grey and some pixels
	// are transparent. Both are false for pages.
	Opaque, GreyAlpha bool
	// Subsampled and Quantiser are fields of imagefile.Picture, as in the first frame.
	Subsampled bool
	Quantiser  float64
	// Warnings list where the content differs from what the file says, each worded to follow the name of the file.
	Warnings []string

	data   []byte
	name   string
	lim    imagefile.Limits
	grey   bool           // all frames are grey
	turn   int            // the EXIF orientation, 1 to 8
	size   imagefile.Size // size of the canvas
	cells  cells
	begin  func(data []byte) (cells, error)
	canvas canvas
	places []uint64 // offset of the directory of each page
	number int      // the number of frames or pages that Next has returned
}

// cell is a frame as it is stored in the file: a rectangle of the canvas.
type cell struct {
	// The place on the canvas as the file gives it, not checked.
	left, top, width, height int64

	size     imagefile.Size  // the checked width and height: see Reader.cell
	rect     image.Rectangle // the checked place on the canvas
	from, to int64           // the offsets [from, to) of the pixels in the file
	delay    Delay
	over     bool // the frame is blended over the canvas; false: it replaces the pixels there
	after    disposal
}

// disposal says what happens to the rectangle of a frame before the next frame is shown.
type disposal uint8

const (
	keep    disposal = iota // the frame stays
	clear                   // the rectangle becomes transparent
	restore                 // the rectangle looks again as before the frame
)

// cells walks over the frames of an animation, both to check and to read them, so that every frame read was checked.
type cells interface {
	// about returns what the file says about the whole animation, in the part read so far.
	about() animation
	// next returns the next frame, without size and rect, or io.EOF after the last.
	next() (cell, error)
	// file returns a file with only the frame that next has returned last. The size of the frame must be set.
	file(cell) ([]byte, error)
}

// animation holds what a file says about the whole animation.
type animation struct {
	width, height int64 // size of the canvas, not checked
	deep          bool  // the samples have 16 bits
	plays         int   // how often it is played; 0: endlessly
	frames        int64 // the number of frames; -1: the format does not say
}

func (a animation) about() animation { return a }

// NewReader returns a reader for pic.File, the file of several pictures that imagefile.Open returned as pic, and keeps
// it. Messages call the file name. NewReader decodes all frames of an animation once, so that damage is its error and
// not one of Next. Of a TIFF it reads only headers, and calls lim.Accept for each page. lim is for each picture.
//
// Errors are of the class safefile.ErrInput or ErrLimit, or the error of ctx.
func NewReader(ctx context.Context, pic *imagefile.Picture, name string, lim imagefile.Limits) (*Reader, error) {
	lim.FirstFrame, lim.Several = true, nil // every decoding is of one frame or page
	r := &Reader{Format: pic.Format, data: pic.File, name: name, lim: lim, turn: pic.Metadata.Orientation}
	var err error
	switch r.Format {
	case imagefile.TIFF:
		err = r.findPages(ctx)
	case imagefile.GIF:
		err = r.open(ctx, newGIFCells)
	case imagefile.PNG:
		err = r.open(ctx, newPNGCells)
	case imagefile.WebP:
		err = r.open(ctx, newWebPCells)
	default:
		err = safefile.Refuse(safefile.ErrInput, "", "is a %s, which has one picture", r.Format)
	}
	if err != nil {
		return nil, r.explain(err)
	}
	return r, nil
}

// explain returns err as an error about the file, in words for people. An error of no known kind is returned unchanged.
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

// refuseDamaged returns the error for a file that breaks a rule of its format.
func refuseDamaged(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, "", "damaged animation: %s; copy or export it again",
		fmt.Sprintf(format, args...))
}

// refuseTooMany returns the error for a file with more than MostFrames frames or pages.
func refuseTooMany() error {
	return safefile.Refuse(safefile.ErrLimit, "", "has more than %d frames; cut it into parts first", MostFrames)
}

// checkWhole fails if pixels, the sum over all frames or pages, exceeds WholePixels times the limit for one picture.
func (r *Reader) checkWhole(pixels int64) error {
	if most := WholePixels * cmp.Or(r.lim.Pixels, imagefile.DefaultPixels); pixels > most {
		return safefile.Refuse(safefile.ErrLimit, "",
			"its %d pictures have %.4g megapixels together, the limit is %.4g, as for %d single pictures",
			r.Frames, float64(pixels)/1e6, float64(most)/1e6, WholePixels).With(imagefile.MorePixels)
	}
	return nil
}

// open sets the fields of r about the whole animation; begin returns a walk over its frames. It counts the frames and
// checks that each lies inside the canvas, before it takes memory for pixels. Then survey decodes them once.
func (r *Reader) open(ctx context.Context, begin func(data []byte) (cells, error)) (err error) {
	r.begin = begin
	if r.cells, err = begin(r.data); err != nil {
		return err
	}
	first := r.cells.about()
	if r.size, err = r.lim.CheckSize(first.width, first.height); err != nil {
		return err
	}
	for {
		if _, err := r.cell(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if r.number > MostFrames {
			return refuseTooMany()
		}
	}
	if r.Frames = r.number; r.Frames == 0 {
		return refuseDamaged("it has no frames")
	}
	if err := r.checkWhole(int64(r.Frames) * r.size.Pixels()); err != nil {
		return err
	}
	all := r.cells.about()
	if all.frames >= 0 && int64(r.Frames) != all.frames {
		r.Warnings = append(r.Warnings, fmt.Sprintf("says that it has %d frames, and has %d", all.frames, r.Frames))
	}
	r.Plays, r.canvas = all.plays, newCanvas(r.size, all.deep)
	return r.survey(ctx)
}

// cell returns the next frame, with size and rect checked. It fails if the frame is not inside the canvas. But a frame
// of a GIF is cut off at the right and lower edges of the canvas, as in browsers.
func (r *Reader) cell() (cell, error) {
	c, err := r.cells.next()
	if err != nil {
		return c, err
	}
	r.number++
	ok, width, height := false, c.width, c.height
	w, h := r.size.Sides()
	if r.Format == imagefile.GIF {
		width, height = min(width, int64(w)-c.left), min(height, int64(h)-c.top)
	}
	if c.size, ok = r.size.Part(c.left, c.top, width, height); !ok {
		return c, refuseDamaged("frame %d, of %d×%d at %d,%d, is not inside of its %d×%d",
			r.number, c.width, c.height, c.left, c.top, w, h)
	}
	c.rect = c.size.Bounds().Add(image.Pt(int(c.left), int(c.top)))
	return c, nil
}

// survey decodes all frames once. It sets r.Opaque if all are opaque, r.grey if all are grey, and r.GreyAlpha if all
// are grey and some pixels transparent. It fails if a frame is damaged.
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

// Rewind makes Next start over with the first frame or page.
func (r *Reader) Rewind() {
	r.number = 0
	if !r.Pages {
		r.cells, _ = r.begin(r.data) // cannot fail: the same call succeeded in open
		r.canvas.reset()
	}
}

// Next returns the next frame or page, which belongs to the caller, or io.EOF after the last.
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

// compose decodes the next stored frame onto the canvas. It fails if the picture and the frame differ in size.
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
	lim.Pixels, lim.Side = c.size.Pixels(), max(c.rect.Dx(), c.rect.Dy()) // refuse a frame that says it is larger
	pic, err := imagefile.DecodeBytes(ctx, still, fmt.Sprintf("%s: frame %d", r.name, r.number), lim)
	if err != nil {
		return c, err
	}
	if got := pic.Image.Bounds(); got != c.size.Bounds() {
		return c, refuseDamaged("frame %d has pixels of %d×%d, expected %d×%d",
			r.number, got.Dx(), got.Dy(), c.rect.Dx(), c.rect.Dy())
	}
	if r.number == 1 {
		r.Subsampled, r.Quantiser = pic.Subsampled, pic.Quantiser
	}
	r.canvas.put(pic.Image, c)
	return c, nil
}

// errEnough stops imagefile after the header of a page, when only the header is needed.
var errEnough = errors.New("enough")

// findPages sets r.places and r.Frames for a TIFF. It refuses pages with a bad header, too many and too large ones.
func (r *Reader) findPages(ctx context.Context) error {
	r.Pages = true
	places, others, err := imagefile.Pages(r.data)
	r.places, r.Frames = places, len(places)
	switch {
	case len(places)+others >= MostFrames: // Pages stops at MostFrames, and the file may have more
		return refuseTooMany()
	case errors.Is(err, io.ErrUnexpectedEOF) && len(places) > 0:
		text := fmt.Sprintf("points outside of itself behind %d pages (is the file complete?)", len(places))
		r.Warnings = append(r.Warnings, text)
	case err != nil:
		fault := safefile.Refuse(safefile.ErrInput, "", "damaged TIFF: %v; copy or export it again", err)
		return fault.With(imagefile.FirstPage) // the advice to take the first page
	}
	accept, pixels := r.lim.Accept, int64(0)
	r.lim.Accept = func(cfg image.Config, held int64) error {
		if accept != nil {
			if err := accept(cfg, held); err != nil {
				return err
			}
		}
		pixels += int64(cfg.Width) * int64(cfg.Height)
		return errEnough // ends r.page after the header
	}
	for range places {
		if _, err := r.page(ctx); !errors.Is(err, errEnough) {
			return err
		}
	}
	if r.lim.Accept = nil; accept != nil { // all pages are accepted; a nil Accept would lower the limit of pixels
		r.lim.Accept = func(image.Config, int64) error { return nil }
	}
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

// page returns the next page, decoded. It writes the offset of the page into the header of the file in r.data.
func (r *Reader) page(ctx context.Context) (*Frame, error) {
	imagefile.SetPage(r.data, r.places[r.number])
	r.number++
	pic, err := imagefile.DecodeBytes(ctx, r.data, fmt.Sprintf("%s: page %d", r.name, r.number), r.lim)
	if err != nil {
		return nil, err
	}
	return &Frame{Number: r.number, Image: pic.Image, Page: pic}, nil
}
