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
	"superres/internal/safefile"
	"superres/internal/sequence"
	"superres/internal/usage"
	"superres/superres"
)

// series is the sequence of the frames of an animation, which all have one size, or of the pages of a TIFF.
type series struct {
	*Plan
	*sequence.Reader
	pic *imagefile.Picture // the file: its format and the metadata common to all frames
}

// measureSeries works out sizes and memory from cfg, the header of the first picture; held are the bytes of the file
// and its metadata. For pages, whose sizes are not known yet, it sets p.Memory to all memory allowed.
func (p *Plan) measureSeries(kind imagefile.Format, cfg image.Config, held int64) error {
	if kind.CanPage() {
		size, _, err := p.measure(cfg, false, held, 0)
		p.worked, p.Output, p.Memory = size, size, p.Limits.Memory
		return err
	}
	if isDeep(cfg.ColorModel) {
		cfg.ColorModel = color.NRGBA64Model
	} else {
		cfg.ColorModel = color.NRGBAModel
	}
	d, err := p.measureAnimation(cfg, held)
	p.together = d.most(p.Limits.Memory)
	p.Memory = d.of(p.together)
	return err
}

// measureAnimation sets p.Output and returns the memory d for an animation whose frames all have the header cfg; held
// are the bytes of the file and its metadata.
func (p *Plan) measureAnimation(cfg image.Config, held int64) (d demand, err error) {
	size, err := p.resultSize(image.Pt(cfg.Width, cfg.Height))
	if err != nil {
		return d, err
	}
	in, out := int64(cfg.Width)*int64(cfg.Height), int64(size.X)*int64(size.Y)
	seen, made := pixelBytes(cfg.ColorModel), pixelBytes(p.Keep.deepened(cfg).ColorModel)
	canvas := int64(4)
	if isDeep(cfg.ColorModel) {
		canvas = 8
	}
	// shared: the canvas, the area it covers or a frame being decoded, and the previous result. each: a frame and its
	// result that wait beside those in work.
	p.Output, d, err = p.measure(cfg, false, held+2*canvas*in+made*out, seen*in+made*out)
	p.worked = p.Output
	return d, err
}

// openSeries opens pic, a file of several pictures, for p. held are the bytes of the file and its metadata. It fails
// if the pictures or the memory for them are beyond the limits, or if p.Format cannot hold several pictures.
func openSeries(ctx context.Context, p *Plan, pic *imagefile.Picture, held int64) (err error) {
	s := &series{Plan: p, pic: pic}
	limits, pages := p.limits(), pageSums{}
	limits.Accept = func(cfg image.Config, held int64) error { return pages.add(p, cfg, held) }
	if s.Reader, err = sequence.NewReader(ctx, pic, p.Source.Name(), limits); err != nil {
		return err
	}
	p.Frames, p.ahead, p.seq.Sequence = s.Reader.Frames, 2*p.together, s
	p.title = fmt.Sprintf("%s of %d frames", strings.ToUpper(string(s.Reader.Format)), p.Frames)
	p.scope, p.noun = " for all", "picture"
	p.share = func(written int) float64 { return float64(written) / float64(p.Frames) }
	if s.Pages {
		p.title, p.first, p.scope, p.own = fmt.Sprintf("TIFF of %d pages", p.Frames), "the first ", "", true
		pages.plan(p)
	}
	if err := s.chooseFormat(); err != nil {
		return err
	}
	if most := int64(1<<32 - 1); s.Pages && pages.written > most {
		return safefile.Refuse(safefile.ErrOutput, p.Source.Name(),
			"its %d pages would have %s, and a TIFF has at most 4 GiB", p.Frames, usage.Bytes(pages.written)).
			With(imagefile.FewerPages)
	}
	if p.Warnings = append(p.Warnings, s.Reader.Warnings...); p.Format.CanPage() && !s.Pages {
		p.Warnings = append(p.Warnings, "its delays are left out: the pages of a TIFF have none")
	}
	if s.Pages {
		err = p.seq.fill(ctx, 1)
	} else {
		p.moves = true
		err = p.seq.fill(ctx, 2)
	}
	if err != nil {
		return err
	}
	first := p.seq.read[0].frame.Image
	p.Input = first.Bounds().Size()
	if s.Pages {
		p.Output, err = p.resultSize(p.Input)
		return err
	}
	cfg := image.Config{ColorModel: first.ColorModel(), Width: p.Input.X, Height: p.Input.Y}
	switch {
	case s.Opaque && cfg.ColorModel == color.NRGBAModel:
		cfg.ColorModel = color.RGBAModel
	case s.Opaque && cfg.ColorModel == color.NRGBA64Model:
		cfg.ColorModel = color.RGBA64Model
	}
	d, err := p.measureAnimation(cfg, held)
	p.Memory = d.of(p.together)
	return err
}

// pageSums sums up the memory and the output of the pages of a file.
type pageSums struct {
	written int64 // bytes of all results
	largest int64 // memory of the page that takes most, in bytes
	waiting int64 // most bytes of one page that waits to be enlarged and one that waits to be written
}

// add counts a page with header cfg. held are the bytes of the file and its metadata. It fails beyond the limits.
func (t *pageSums) add(p *Plan, cfg image.Config, held int64) error {
	size, d, err := p.measure(cfg, false, held, 0)
	deep := p.Keep.deepened(cfg).ColorModel
	made := pixelBytes(deep) * int64(size.X) * int64(size.Y)
	seen := pixelBytes(cfg.ColorModel) * int64(cfg.Width) * int64(cfg.Height)
	t.largest = max(t.largest, d.of(1))
	t.waiting = max(t.waiting, seen+made+made/2) // half of made: what is not yet freed of a page that was written
	if deep == color.YCbCrModel || deep == color.RGBAModel || deep == color.RGBA64Model {
		made = made / 4 * 3 // three samples a pixel: no transparency
	}
	t.written += made
	return err
}

// plan sets p.Memory for all pages. With too little memory for a waiting page, pages are enlarged one by one.
func (t *pageSums) plan(p *Plan) {
	if runtime.GOMAXPROCS(0) > 1 {
		const least = 8 << 20 // small pages are decoded, enlarged and written at once, each with its own buffers
		t.waiting = max(t.waiting, least)
	}
	if p.Memory = t.largest + superres.WithGarbage(t.waiting); p.Memory > p.Limits.Memory {
		p.Memory, p.ahead = t.largest, 1
	}
}

// chooseFormat sets the format of the result to that of the file if p.Follow says so. It fails if the format cannot
// hold several pictures.
func (s *series) chooseFormat() error {
	p := s.Plan
	if p.Follow {
		if p.Format = s.Reader.Format; !p.Format.CanAnimate() && !p.Format.CanPage() {
			p.Format = imagefile.PNG
		}
	}
	what, use := fmt.Sprintf("an animation of %d frames", p.Frames), AnimationFormat
	good := p.Format.CanAnimate() || p.Format.CanPage()
	if s.Pages {
		what, use, good = fmt.Sprintf("a TIFF of %d pages", p.Frames), PageFormat, p.Format.CanPage()
	}
	if good {
		return nil
	}
	return safefile.Refuse(safefile.ErrOutput, p.Source.Name(), "is %s, which %s cannot be", what,
		strings.ToUpper(string(p.Format))).With(use)
}

// Next implements Sequence.
func (s *series) Next(ctx context.Context) (*Frame, error) {
	if s.ahead == 1 && s.Written > 0 {
		runtime.GC() // frees the page before: memory has room for one
	}
	in, err := s.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	f := &Frame{Number: in.Number, Image: in.Image, Delay: in.Delay, About: in.Page}
	if in.Page == nil {
		about := *s.pic
		about.GreyAlpha, about.Subsampled, about.Quantiser, about.Quality = s.GreyAlpha, s.Subsampled, s.Quantiser, 0
		f.About = &about
	}
	return f, nil
}

// Finish implements Sequence.
func (s *series) Finish(f *Frame, enlarged image.Image, by Choice) (Result, error) {
	r := s.finish(f, enlarged, by)
	r.How.Alpha = !s.Opaque
	f.Image, f.About.Image = nil, nil // freed before the result is written
	return r, nil
}

// Writer implements Sequence.
func (s *series) Writer(w io.Writer) (Writer, func(), error) {
	switch s.Plan.Format {
	case imagefile.GIF:
		aside, done, err := s.Sink.Aside()
		if err != nil {
			return nil, nil, err
		}
		g := sequence.NewGIFWriter(w, s.Plays, s.Choice.provenance, aside)
		return writer{func(r Result) error { return g.Put(r.Image, r.Delay) }, g.Close}, done, nil
	case imagefile.TIFF:
		t := imagefile.NewPageWriter(w, s.Plan.Frames)
		return writer{func(r Result) error {
			if !s.Pages && r.Number > 1 {
				m := &r.How.Metadata
				m.EXIF, m.XMP, m.IPTC = nil, nil, nil // only the first page has them
			}
			return t.Put(r.Image, r.How)
		}, t.Close}, func() {}, nil
	}
	var a *sequence.PNGWriter
	return writer{func(r Result) error {
		if a == nil {
			a = sequence.NewPNGWriter(w, s.Plan.Frames, s.Plays, r.How)
		}
		return a.Put(r.Image, r.Delay)
	}, func() error { return a.Close() }}, func() {}, nil
}

// isDeep reports whether pictures of colour model m have 16 bits a sample; false means 8.
func isDeep(m color.Model) bool {
	return m == color.Gray16Model || m == color.RGBA64Model || m == color.NRGBA64Model
}

// pixelBytes returns the bytes in memory of one pixel of colour model m.
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
