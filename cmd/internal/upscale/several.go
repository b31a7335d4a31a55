package upscale

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/internal/sequence"
	"superres/superres"
)

// isDeep tells whether a picture has 16 bits a sample.
func isDeep(m color.Model) bool {
	return m == color.Gray16Model || m == color.RGBA64Model || m == color.NRGBA64Model
}

// measureSeveral is measure for a file of several pictures, by the header of the first, before
// anything else is known of it: together is how many of them are in work at a time. Pages, each
// of its own size, have all memory.
func (e enlarger) measureSeveral(j job, kind imagefile.Format, cfg image.Config, held int64) (w, h int, need int64, together int, err error) {
	if kind == "tiff" {
		j.format = "" // each is made as a whole
		w, h, _, err := e.measure(j, cfg, held)
		return w, h, e.opt.Limits.Memory, 1, err
	}
	if isDeep(cfg.ColorModel) {
		cfg.ColorModel = color.NRGBA64Model
	} else {
		cfg.ColorModel = color.NRGBAModel
	}
	w, h, d, err := e.measureFrame(j, cfg, held)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	together = d.most(e.opt.Limits.Memory)
	return w, h, d.of(together), together, nil
}

// measureFrame is measureEach for the frames of an animation, which are as cfg says.
func (e enlarger) measureFrame(j job, cfg image.Config, held int64) (w, h int, d demand, err error) {
	j.format = "" // each is made as a whole
	if w, h, err = e.engines.first.model.ResultSize(cfg.Width, cfg.Height, e.opt.Size); err != nil {
		return 0, 0, d, console.Fail(console.ExitUsage, err)
	}
	in, out := int64(cfg.Width)*int64(cfg.Height), int64(w)*int64(h)
	seen, made := pixelOf(cfg.ColorModel), pixelOf(deepened(e.opt.Keep, cfg).ColorModel)
	canvas := int64(4)
	if isDeep(cfg.ColorModel) {
		canvas = 8
	}
	// The canvas, and what it covers or a frame as it is decoded; the result before.
	held += 2*canvas*in + made*out
	// With each in work, one that waits for it, or for one before it.
	return e.measureEach(j, cfg, held, seen*in+made*out)
}

// pixelOf is how many bytes a pixel has in memory, of a frame or a page and of what is made of it.
func pixelOf(m color.Model) int64 {
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

// series is a file of several pictures that is to be enlarged.
type series struct {
	*sequence.Reader
	enlarger
	j    job // of the format that is written
	pic  *imagefile.Picture
	name string
	opt  superres.Options
	by   choice      // of a model for all frames; of pages, that of the first
	size image.Point // of the first picture
	need int64       // bytes of memory that it takes, as is known when all of it has been looked through

	together int // pictures in work at a time
	ahead    int // pictures at most that are in work, or wait for that or to be written
}

// openSeries looks through a file and chooses what enlarges it: of an animation by its first
// frames, as of a stream, so that what stands still stays the same. held are the bytes that the
// file takes, with its metadata, together how many pictures are in work at a time.
func (e enlarger) openSeries(
	ctx context.Context, j job, pic *imagefile.Picture, held int64, together int,
) (s *series, err error) {
	s = &series{enlarger: e, j: j, pic: pic, name: nameOf(j), opt: e.opt.Size, together: together, ahead: 2 * together}
	lim := e.limits()
	bytes := int64(0) // of the results, as pages
	// What a page takes, and one that waits to be enlarged and another to be written, in bytes.
	largest, waits := int64(0), int64(0)
	lim.Accept = func(cfg image.Config, held int64) error {
		w, h, need, err := e.measure(job{Input: j.Input}, cfg, held)
		deep := deepened(e.opt.Keep, cfg).ColorModel
		made := pixelOf(deep) * int64(w) * int64(h)
		largest = max(largest, need)
		seen := pixelOf(cfg.ColorModel) * int64(cfg.Width) * int64(cfg.Height)
		waits = max(waits, seen+made+made/2) // and what is left of one that was written
		if deep == color.YCbCrModel || deep == color.RGBAModel || deep == color.RGBA64Model {
			made = made / 4 * 3 // without transparency
		}
		bytes += made
		return err
	}
	if s.Reader, err = sequence.NewReader(ctx, pic, s.name, lim); err != nil {
		return nil, err
	}
	if runtime.GOMAXPROCS(0) > 1 {
		const least = 8 << 20 // small pages are decoded, enlarged and written at once, each by its own buffers
		waits = max(waits, least)
	}
	if s.need = largest + superres.WithGarbage(waits); s.need > e.opt.Limits.Memory {
		s.need, s.ahead = largest, 1 // one after the other
	}
	if err := s.chooseFormat(); err != nil {
		return nil, err
	}
	if most := int64(1<<32 - 1); s.Pages && bytes > most {
		return nil, safefile.Refuse(safefile.ErrOutput, s.name, "its %d pages would have %s, and a TIFF has at most 4 GiB", s.Frames, console.Bytes(bytes)).With(imagefile.FewerPages)
	}
	if s.opt.Depth = e.opt.Keep.Depth; s.j.format == "gif" {
		s.opt.Depth = 8
	}
	return s, s.choose(ctx, held)
}

// chooseFormat says what a file becomes: in a pipe the same as it is, unless another was asked
// for.
func (s *series) chooseFormat() error {
	if s.j.output == "-" && s.enlarger.opt.Naming.Format == "" {
		if s.j.format = s.Format; s.Format == "webp" {
			s.j.format = "png"
		}
	}
	what, use := fmt.Sprintf("an animation of %d frames", s.Frames), "png or gif"
	good := s.j.format == "png" || s.j.format == "gif" || s.j.format == "tiff"
	if s.Pages {
		what, use, good = fmt.Sprintf("a TIFF of %d pages", s.Frames), "tiff", s.j.format == "tiff"
	}
	if good {
		return nil
	}
	return console.Fail(console.ExitOutput, fmt.Errorf("%s: is %s, which %s cannot be; use --format %s, or --first-frame", s.name, what, strings.ToUpper(string(s.j.format)), use))
}

// choose reads the first pictures and chooses the model by them. Of an animation it works out
// what it takes: held is as in openSeries.
func (s *series) choose(ctx context.Context, held int64) error {
	first, err := s.Next(ctx)
	if err != nil {
		return err
	}
	s.size = first.Image.Bounds().Size()
	if s.Pages {
		if s.by, err = s.engines.of(ctx, first.Page); err == nil {
			s.Rewind()
		}
		return err
	}
	cfg := image.Config{ColorModel: first.Image.ColorModel(), Width: s.size.X, Height: s.size.Y}
	switch {
	case s.Opaque && cfg.ColorModel == color.NRGBAModel:
		cfg.ColorModel = color.RGBAModel
	case s.Opaque && cfg.ColorModel == color.NRGBA64Model:
		cfg.ColorModel = color.RGBA64Model
	}
	_, _, d, err := s.measureFrame(s.j, cfg, held)
	if err != nil {
		return err
	}
	s.need = d.of(s.together)
	like := &imagefile.Picture{Image: first.Image, Quantiser: s.Quantiser}
	var second image.Image
	if s.Frames > 1 {
		f, err := s.Next(ctx)
		if err != nil {
			return err
		}
		second = f.Image
	}
	s.by, err = s.engines.ofMoving(ctx, like, second)
	s.opt.Subsampled = s.Subsampled || s.by.found != nil && s.by.found.Subsampled
	s.pic.GreyAlpha = s.GreyAlpha
	s.Rewind()
	return err
}

// about tells people of it.
func (s *series) about(need int64, together int) string {
	kind := fmt.Sprintf("%s of %d frames", strings.ToUpper(string(s.Format)), s.Frames)
	if s.Pages {
		return fmt.Sprintf("TIFF of %d pages, the first %dx%d, %v, about %s", s.Frames, s.size.X, s.size.Y, s.by, console.Bytes(need))
	}
	return fmt.Sprintf("%s, %dx%d, %v for all, about %s for %d at a time", kind, s.size.X, s.size.Y, s.by, console.Bytes(need), together)
}

// finished is a picture that was enlarged.
type finished struct {
	*sequence.Frame
	img      image.Image
	how      imagefile.EncodeOptions
	warnings []string
}

// one enlarges a picture.
func (s *series) one(ctx context.Context, _ int, f *sequence.Frame) (out finished, err error) {
	by, opt, pic := s.by, s.opt, s.pic
	if s.Pages {
		pic = f.Page
		if by, err = s.engines.of(ctx, pic); err != nil {
			return out, err
		}
		opt.Subsampled = by.found != nil && by.found.Subsampled
	}
	img, err := by.model.Upscale(ctx, f.Image, opt)
	if err != nil {
		return out, fmt.Errorf("%s: picture %d: %w", s.name, f.Number, err)
	}
	out = finished{Frame: f}
	if f.Page != nil {
		f.Page.Image = nil // it is not held until the result is written
	}
	out.img, out.how, out.warnings = finish(s.enlarger.opt.Keep, pic, img, s.j.format, s.enlarger.opt.Quality, by.software)
	out.how.Alpha = !s.Opaque
	f.Image = nil
	return out, nil
}

// several enlarges a file of several pictures.
func (e enlarger) several(
	ctx context.Context, j job, info fs.FileInfo, pic *imagefile.Picture, held int64, together int, out *outcome,
) error {
	s, err := e.openSeries(ctx, j, pic, held, together)
	if err != nil {
		return err
	}
	out.need = s.need
	out.from, out.by, out.about = s.size, s.by, s.about(out.need, together)
	if out.to.X, out.to.Y, err = s.by.model.ResultSize(s.size.X, s.size.Y, s.opt); err != nil {
		return console.Fail(console.ExitUsage, err)
	}
	out.warnings = append(out.warnings, s.Warnings...)
	if s.j.format == "tiff" && !s.Pages {
		out.warnings = append(out.warnings, "its delays are left out: the pages of a TIFF have none")
	}
	for range together - 1 { // the first is that of the file
		defer parallel.Task()()
	}
	var failure error // of anything but the writing
	err = s.deliver(info, parted(&failure, func(w io.Writer) error {
		to, done, err := s.writer(console.Interruptible(ctx, w))
		if err != nil {
			return writing{err}
		}
		defer done()
		next := func() (*sequence.Frame, error) {
			if s.ahead == 1 && out.frames > 0 {
				runtime.GC() // there is no room for what is left of the page before
			}
			return s.Next(ctx)
		}
		err = inOrder(ctx, next, together, s.ahead, s.one, func(f finished) error {
			if err := asWriting(to.put(f)); err != nil {
				return err
			}
			out.note(f)
			out.frames++
			out.tell(out.frames, float64(out.frames)/float64(s.Frames))
			return nil
		})
		if err == nil {
			err = asWriting(to.close())
		}
		return err
	}))
	if failure != nil {
		return failure
	}
	return err
}

// note notes the warnings of a picture, of each kind the first.
func (out *outcome) note(f finished) {
	for _, text := range f.warnings {
		told := false
		for _, before := range out.warnings {
			told = told || strings.HasSuffix(before, text)
		}
		if !told && f.Page != nil {
			text = fmt.Sprintf("page %d: %s", f.Number, text)
		}
		if !told {
			out.warnings = append(out.warnings, text)
		}
	}
}

// deliver is that of the enlarger; into a pipe by a file without a name, since all of it or
// nothing is to go there.
func (s *series) deliver(info fs.FileInfo, write func(io.Writer) error) error {
	if s.j.output != "-" {
		return s.enlarger.deliver(s.j, info, write)
	}
	aside, err := safefile.Scratch("")
	if err != nil {
		return err
	}
	defer aside.Close()
	if err := write(aside); err != nil {
		return err
	}
	if _, err := aside.Seek(0, io.SeekStart); err != nil {
		return safefile.Unwritable("standard output", err)
	}
	_, err = io.Copy(s.streams.Out, aside)
	return err
}

// pictureWriter writes the pictures of a file one after the other.
type pictureWriter struct {
	put   func(finished) error
	close func() error
}

// writer is that of the format; done is to be called in the end.
func (s *series) writer(w io.Writer) (to pictureWriter, done func(), err error) {
	done = func() {}
	switch s.j.format {
	case "gif":
		aside, close, err := s.putAside()
		if err != nil {
			return to, nil, err
		}
		g := sequence.NewGIFWriter(w, s.Plays, s.by.software, aside)
		return pictureWriter{func(f finished) error { return g.Put(f.img, f.Delay) }, g.Close}, close, nil
	case "tiff":
		p := imagefile.NewPageWriter(w, s.Frames)
		return pictureWriter{func(f finished) error {
			if !s.Pages && f.Number > 1 {
				f.how.Metadata.EXIF, f.how.Metadata.XMP = nil, nil // of the first
			}
			return p.Put(f.img, f.how)
		}, p.Close}, done, nil
	}
	var p *sequence.PNGWriter
	return pictureWriter{func(f finished) error {
		if p == nil {
			p = sequence.NewPNGWriter(w, s.Frames, s.Plays, f.how)
		}
		return p.Put(f.img, f.Delay)
	}, func() error { return p.Close() }}, done, nil
}

// putAside returns an empty file for what is put aside while the result is made, and what is to be
// called when it is made.
func (s *series) putAside() (f *os.File, done func(), err error) {
	folder := ""
	switch asked := s.j.asked; {
	case asked != nil && asked.aside != nil:
		_, err = asked.aside.Seek(0, io.SeekStart)
		if err == nil {
			err = asked.aside.Truncate(0)
		}
		return asked.aside, func() { _ = asked.aside.Truncate(0) }, err
	case asked == nil && s.j.output != "-":
		folder = filepath.Dir(s.j.output)
	}
	f, err = safefile.Scratch(folder)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// lookAtSeveral is look for a file of several pictures.
func (e enlarger) lookAtSeveral(
	ctx context.Context, j job, pic *imagefile.Picture, held int64, together int, ev *pictureEvent,
) (choice, error) {
	s, err := e.openSeries(ctx, j, pic, held, together)
	if err != nil {
		return choice{}, err
	}
	ev.Frames, ev.Memory = s.Frames, s.need
	ev.chosen(s.by)
	return s.by, nil
}
