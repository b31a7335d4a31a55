package enlarging

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"runtime"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/safefile"
	"superres/internal/sequence"
	"superres/internal/usage"
	"superres/superres"
)

// series holds what animations and files with pages have in common.
type series struct {
	*run
	*sequence.Reader
	pic *imagefile.Picture // the file: its format and the metadata common to all frames
}

// animation is the sequence of the frames of an animation, which all have one size.
type animation struct{ series }

// pages is the sequence of the pages in a TIFF, each enlarged as a separate picture.
type pages struct{ series }

// measureSeries sets the sizes and the memory in r from cfg, the header of the first picture of a file of this kind;
// file and metadata take heldBytes. As the sizes of further pages are unknown, it sets r.Memory to the limit for pages.
func (r *run) measureSeries(kind imagefile.Format, cfg image.Config, heldBytes int64) error {
	if kind.CanPage() {
		size, _, err := r.measure(cfg, false, heldBytes, 0) // false: results are not written in strips
		r.takeSize(size)
		r.Memory = r.Limits.Memory
		return err
	}
	if isDeep(cfg.ColorModel) { // the first frame may be opaque, but any frame of an animation can be transparent
		cfg.ColorModel = color.NRGBA64Model
	} else {
		cfg.ColorModel = color.NRGBAModel
	}
	d, err := r.measureAnimation(cfg, heldBytes)
	r.together = d.mostPictures(r.Limits.Memory)
	r.Memory = d.total(r.together)
	return err
}

// measureAnimation sets r.Output and r.Pixels, and returns the memory d for an animation in which all frames have the
// header cfg; heldBytes is the size in bytes of the file and its metadata.
func (r *run) measureAnimation(cfg image.Config, heldBytes int64) (d demand, err error) {
	size, err := r.resultSize(image.Pt(cfg.Width, cfg.Height))
	if err != nil {
		return d, err
	}
	in, out := int64(cfg.Width)*int64(cfg.Height), int64(size.X)*int64(size.Y) // pixels of a frame and of a result
	frame, result := pixelBytes(cfg.ColorModel)*in, pixelBytes(r.Keep.deepened(cfg).ColorModel)*out
	canvas := 4 * in // in bytes, as are frame and result
	if isDeep(cfg.ColorModel) {
		canvas = 8 * in
	}
	// Needed once are the file, the canvas, the saved canvas or a frame being decoded, and the previous result. Each
	// picture being enlarged needs one frame and one result that wait.
	size, d, err = r.measure(cfg, false, heldBytes+2*canvas+result, frame+result) // false: not in strips
	r.takeSize(size)
	return d, err
}

// openSeries opens pic, a file with several pictures, for r. heldBytes is the size of the file and its metadata in
// bytes. It fails if the pictures or their memory exceed the limits, or if r.Format cannot hold several pictures.
func openSeries(ctx context.Context, r *run, pic *imagefile.Picture, heldBytes int64) (_ Sequence, err error) {
	s := series{run: r, pic: pic}
	limits, sums := r.limits(), pageSums{}
	limits.Accept = func(page image.Config, heldBytes int64) error { return sums.add(r, page, heldBytes) }
	if s.Reader, err = sequence.NewReader(ctx, pic, r.Source.Name(), limits); err != nil {
		return nil, err
	}
	r.Frames, r.ahead = s.Reader.Frames, 2*r.together // as many pictures may wait as are enlarged
	if s.Pages {
		return openPages(ctx, &pages{s}, sums)
	}
	a := &animation{s}
	if err := a.chooseFormat(fmt.Sprintf("an animation of %d frames", r.Frames), AnimationFormat); err != nil {
		return nil, err
	}
	if r.Warnings = append(r.Warnings, s.Reader.Warnings...); r.Format.CanPage() {
		r.Warnings = append(r.Warnings, "its delays are left out: the pages of a TIFF have none")
	}
	if err := r.fill(ctx, a, 2); err != nil {
		return nil, err
	}
	first := r.read[0].frame.Image
	r.Input = first.Bounds().Size()
	cfg := image.Config{ColorModel: first.ColorModel(), Width: r.Input.X, Height: r.Input.Y}
	switch {
	case s.Opaque && cfg.ColorModel == color.NRGBAModel: // no alpha, which takes less memory
		cfg.ColorModel = color.RGBAModel
	case s.Opaque && cfg.ColorModel == color.NRGBA64Model:
		cfg.ColorModel = color.RGBA64Model
	}
	d, err := r.measureAnimation(cfg, heldBytes)
	r.Memory = d.total(r.together)
	return a, err
}

// openPages sets memory, format and sizes of s.run for a file with pages, and reads page 1; sums covers all pages.
func openPages(ctx context.Context, s *pages, sums pageSums) (_ Sequence, err error) {
	r := s.run
	sums.plan(r)
	if err := s.chooseFormat(fmt.Sprintf("a TIFF of %d pages", r.Frames), PageFormat); err != nil {
		return nil, err
	}
	if most := int64(1<<32 - 1); sums.written > most {
		return nil, safefile.Refuse(safefile.ErrOutput, r.Source.Name(),
			"its %d pages would have %s, and a TIFF has at most 4 GiB", r.Frames, usage.Bytes(sums.written)).
			With(imagefile.FewerPages)
	}
	r.Warnings = append(r.Warnings, s.Reader.Warnings...)
	if err := r.fill(ctx, s, 1); err != nil {
		return nil, err
	}
	r.Input = r.read[0].frame.Image.Bounds().Size()
	r.Output, err = r.resultSize(r.Input)
	return s, err
}

// pageSums sums up the memory and the output of the pages in a file.
type pageSums struct {
	written int64 // bytes of all results, uncompressed
	largest int64 // bytes of memory for the page that needs the most
	waiting int64 // most bytes for a page that waits to be enlarged plus one that waits to be written
}

// add adds a page with header cfg to the sums; file and metadata take heldBytes. It fails if a page exceeds the limits.
func (t *pageSums) add(r *run, cfg image.Config, heldBytes int64) error {
	size, d, err := r.measure(cfg, false, heldBytes, 0) // false: not in strips
	deep := r.Keep.deepened(cfg).ColorModel
	made := pixelBytes(deep) * int64(size.X) * int64(size.Y)
	seen := pixelBytes(cfg.ColorModel) * int64(cfg.Width) * int64(cfg.Height)
	t.largest = max(t.largest, d.total(1))
	t.waiting = max(t.waiting, seen+made+made/2) // made/2: the part of a written page that is not freed yet
	if deep == color.YCbCrModel || deep == color.RGBAModel || deep == color.RGBA64Model {
		made = made / 4 * 3 // three samples per pixel: no transparency
	}
	t.written += made
	return err
}

// plan sets r.Memory for all pages: for the largest, and for others that wait to be enlarged or written. If that
// exceeds the limit, no page waits: pages are enlarged and written one by one.
func (t *pageSums) plan(r *run) {
	if runtime.GOMAXPROCS(0) > 1 {
		const least = 8 << 20 // bytes: small pages are decoded, enlarged and written at once, each with its own buffers
		t.waiting = max(t.waiting, least)
	}
	if r.Memory = t.largest + superres.WithGarbage(t.waiting); r.Memory > r.Limits.Memory {
		r.Memory, r.ahead = t.largest, 1
	}
}

// chooseFormat sets the format of the result if Follow is set: to the format of the file, or to PNG if that cannot be
// written with several pictures. It fails, with remedy, if the result cannot hold the pictures, which title describes.
func (s *series) chooseFormat(title string, remedy safefile.Remedy) error {
	r := s.run
	if r.Follow {
		if r.Format = s.Reader.Format; !r.Format.CanAnimate() && !r.Format.CanPage() {
			r.Format = imagefile.PNG
		}
	}
	if r.Format.CanPage() || r.Format.CanAnimate() && !s.Pages {
		return nil
	}
	return safefile.Refuse(safefile.ErrOutput, r.Source.Name(), "is %s, which %s cannot be", title,
		strings.ToUpper(string(r.Format))).With(remedy)
}

// Noun implements Sequence: messages call a frame or a page a picture.
func (s *series) Noun() string { return "picture" }

// Share implements Sequence: it divides the given number of pictures by the number of pictures in the file.
func (s *series) Share(pictures int) float64 { return float64(pictures) / float64(s.run.Frames) }

// Describe implements Sequence: format, frames, size, model, memory and how many frames are enlarged at once.
func (s *animation) Describe() string {
	return fmt.Sprintf("%s of %d frames, %d×%d, %v for all, about %s for %d at a time",
		strings.ToUpper(string(s.Reader.Format)), s.run.Frames, s.Input.X, s.Input.Y, s.Choice, usage.Bytes(s.Memory),
		s.together)
}

// Describe implements Sequence: the number of pages, the size and model of the first page, and the memory.
func (s *pages) Describe() string {
	return fmt.Sprintf("TIFF of %d pages, the first %d×%d, %v, about %s", s.run.Frames, s.Input.X, s.Input.Y, s.Choice,
		usage.Bytes(s.Memory))
}

// Choose implements Sequence: it returns one model for all frames, chosen from the first two.
func (s *animation) Choose(ctx context.Context) (Choice, error) { return s.chooseMoving(ctx) }

// Result implements Sequence: it chooses a model for the page f, and enlarges f with that model.
func (s *pages) Result(ctx context.Context, f *Frame) (Result, error) {
	by, err := s.choose(ctx, f, 0)
	if err != nil {
		return Result{}, err
	}
	return s.resultBy(ctx, f, by)
}

// Finish implements Sequence like series.Finish, but warnings name the page.
func (s *pages) Finish(f *Frame, enlarged image.Image, by Choice) (Result, error) {
	r, err := s.series.Finish(f, enlarged, by)
	r.where = fmt.Sprintf("page %d: ", f.Number)
	return r, err
}

// Next implements Sequence: it reads the next page with its metadata, or the next frame with the metadata of the file.
func (s *series) Next(ctx context.Context) (*Frame, error) {
	if s.ahead == 1 && s.Written > 0 {
		runtime.GC() // frees the previous page: there is memory for only one
	}
	in, err := s.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	f := &Frame{Number: in.Number, Image: in.Image, Delay: in.Delay, About: in.Page}
	if in.Page == nil {
		about := *s.pic // but with what holds for all frames, not for the first alone
		about.GreyAlpha, about.Subsampled, about.Quantiser, about.Quality = s.GreyAlpha, s.Subsampled, s.Quantiser, 0
		f.About = &about
	}
	return f, nil
}

// Finish implements Sequence: it returns enlarged with metadata adapted to the new size, and frees the picture in f.
func (s *series) Finish(f *Frame, enlarged image.Image, by Choice) (Result, error) {
	z := metadata.Resizing{From: f.Image.Bounds().Size(), To: enlarged.Bounds().Size()}
	r := s.finish(f, enlarged, by, z)
	r.How.Alpha = !s.Opaque
	f.Image, f.About.Image = nil, nil // freed before the result is written
	return r, nil
}

// Writer implements Sequence: it writes a GIF, pages of a TIFF or an animated PNG. The func() frees a temporary file.
func (s *series) Writer(w io.Writer) (Writer, func(), error) {
	switch s.run.Format {
	case imagefile.GIF:
		aside, done, err := s.Sink.Aside()
		if err != nil {
			return Writer{}, nil, err
		}
		g := sequence.NewGIFWriter(w, s.Plays, s.Choice.provenance, aside)
		return Writer{func(r Result) error { return g.Put(r.Image, r.Delay) }, g.Close}, done, nil
	case imagefile.TIFF:
		t := imagefile.NewPageWriter(w, s.run.Frames)
		return Writer{func(r Result) error {
			if !s.Pages && r.Number > 1 {
				m := &r.How.Metadata
				m.EXIF, m.XMP, m.IPTC = nil, nil, nil // frames share the metadata of their file: page 1 gets them
			}
			return t.Put(r.Image, r.How)
		}, t.Close}, func() {}, nil
	}
	var a *sequence.PNGWriter
	return Writer{func(r Result) error {
		if a == nil {
			a = sequence.NewPNGWriter(w, s.run.Frames, s.Plays, r.How)
		}
		return a.Put(r.Image, r.Delay)
	}, func() error { return a.Close() }}, func() {}, nil
}

// isDeep reports whether pictures of colour model m have 16 bits per sample; false means 8.
func isDeep(m color.Model) bool {
	return m == color.Gray16Model || m == color.RGBA64Model || m == color.NRGBA64Model
}

// pixelBytes returns how many bytes of memory one pixel of colour model m takes at most.
func pixelBytes(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}
