package enlarging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"strings"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/picture"
)

// Watch has the functions that Enlarge calls to tell how far a plan is.
type Watch struct {
	// Admit is called before the memory of the plan is taken. It may wait, and refuses the plan by ending the
	// context.
	Admit func(p *Plan)
	// Progress is called with the share that is done, 0 to 1, from one goroutine at a time; of a file of several
	// pictures, with the number of those written, and else with 0. A share of 0 is one that nobody knows.
	Progress func(p *Plan, written int, share float64)
}

// Enlarge works out the plan for a file and runs it. The plan is never nil, but what failed before it was worked out
// is missing. Errors are those of the exit codes of package console, or that of ctx.
func (e *Enlarger) Enlarge(ctx context.Context, job Job, watch Watch) (p *Plan, err error) {
	ctx, clock := newClock(ctx, e.WholeTime)
	p = &Plan{Job: job, Enlarger: e}
	defer func() {
		p.close()
		err = clock.end(err, job.Source.Name())
	}()
	err = p.prepare(ctx, watch.Admit, clock.start)
	if err == nil {
		err = p.run(ctx, watch.Progress)
	}
	return p, err
}

// run enlarges the pictures and writes them, in their order.
func (p *Plan) run(ctx context.Context, progress func(p *Plan, written int, share float64)) error {
	defer workers(p.together)()
	var failure error // of anything but the writing
	err := p.Sink.Deliver(p, parted(&failure, func(w io.Writer) error {
		to, done, err := p.seq.Writer(console.Interruptible(ctx, w))
		if err != nil {
			return writing{err}
		}
		defer done()
		next := func() (*Frame, error) { return p.seq.Next(ctx) }
		enlarge := func(ctx context.Context, _ int, f *Frame) (Result, error) {
			return p.enlarge(ctx, f, func(share float64) { progress(p, 0, share) })
		}
		err = mapInOrder(ctx, next, p.together, p.ahead, enlarge, func(r Result) error {
			if err := p.put(to, r); err != nil || p.noun == "" {
				return err
			}
			p.Written++
			progress(p, p.Written, p.share(p.Written))
			return nil
		})
		if err == nil {
			err = asWriting(to.Close())
		}
		return err
	}))
	if failure != nil {
		return p.unfinished(ctx, failure)
	}
	return err
}

// unfinished says of an error in a stream what has become of the frames before.
func (p *Plan) unfinished(ctx context.Context, err error) error {
	if !p.endless || ctx.Err() != nil {
		return err
	}
	_, piped := p.Sink.(Pipe)
	switch {
	case !piped:
		return fmt.Errorf("%w; nothing is written", err)
	case p.Written == 1:
		return fmt.Errorf("%w; the frame before it is written", err)
	}
	return fmt.Errorf("%w; the %d frames before it are written", err, p.Written)
}

// put writes a result, and keeps its warnings.
func (p *Plan) put(to Writer, r Result) error {
	if r.strips == nil {
		p.warn(r)
		return asWriting(to.Put(r))
	}
	err := r.strips(func(strip Result) error {
		p.warn(strip)
		return asWriting(to.Put(strip))
	})
	p.warn(r)
	return err
}

// warn keeps the warnings of a result, of each kind the first.
func (p *Plan) warn(r Result) {
	for _, text := range r.Warnings {
		known := false
		for _, before := range p.Warnings {
			known = known || strings.HasSuffix(before, text)
		}
		if known {
			continue
		}
		if p.own {
			text = fmt.Sprintf("page %d: %s", r.Number, text)
		}
		p.Warnings = append(p.Warnings, text)
	}
}

// enlarge enlarges a frame. progress is called with the share that is done of a still picture.
func (p *Plan) enlarge(ctx context.Context, f *Frame, progress func(share float64)) (r Result, err error) {
	name := p.Source.Name()
	if p.noun != "" {
		name = fmt.Sprintf("%s: %s %d", name, p.noun, f.Number)
	}
	if p.endless {
		limited, clock := newClock(ctx, p.WholeTime)
		ctx = limited
		clock.start()
		defer func() { err = clock.end(err, name) }()
	}
	by := p.Choice
	if p.own {
		if by, err = p.Enlarger.choose(ctx, f, false); err != nil {
			return r, err
		}
	}
	opt := p.Size
	if opt.Depth = p.Keep.Depth; p.Format.OnlyAnimates() {
		opt.Depth = 8
	}
	opt.Chroma, opt.Mix = f.Chroma, by.mix
	opt.Subsampled = f.About.Subsampled || by.Found != nil && by.Found.Subsampled
	img := f.Image
	var region part
	if p.single {
		opt.Progress = progress
		if text := by.unfit(img); text != "" {
			defer func() { r.Warnings = append(r.Warnings, text) }()
		}
		if p.inStrips(p.Output.X, p.Output.Y) && by.model.Streams(img) {
			r.strips = func(put func(Result) error) error {
				err := by.model.Stream(ctx, img, opt, func(strip image.Image) error {
					r := p.finish(f, strip, by)
					r.isStrip = true
					return put(r)
				})
				return named(err, name)
			}
			return r, nil
		}
		if !p.Region.Empty() {
			whole, err := p.resultSize(p.Input)
			if err == nil {
				region, err = p.partOf(by.model, p.Input, whole, picture.IsOpaque(img))
			}
			if err != nil {
				return r, named(err, name)
			}
			img, opt = region.cut(img, opt)
		}
	}
	enlarged, err := by.model.Upscale(ctx, img, opt)
	if err != nil {
		return r, named(err, name)
	}
	if p.single && !p.Region.Empty() {
		enlarged = region.kept(enlarged)
	}
	return p.seq.Finish(f, enlarged, by)
}

// finish makes of the enlargement of a picture what the format of the plan can have, and says how it is to be
// written, and what is lost.
func (p *Plan) finish(f *Frame, enlarged image.Image, by Choice) Result {
	pic, grey := f.About, f.About.GreyAlpha
	if !p.Format.CanAlpha() {
		enlarged = onWhite(enlarged)
		if grey {
			flat := image.NewGray(enlarged.Bounds())
			draw.Draw(flat, flat.Rect, enlarged, enlarged.Bounds().Min, draw.Src)
			enlarged, grey = flat, false
		}
	}
	isGrey := grey && p.Format.CanGreyAlpha()
	switch enlarged.(type) {
	case *image.Gray, *image.Gray16:
		isGrey = true
	}
	_, lost := pic.Metadata.For(string(p.Format), isGrey)
	return Result{
		Number: f.Number, Delay: f.Delay, Image: enlarged,
		How: imagefile.EncodeOptions{Quality: p.Quality, Metadata: pic.Metadata, Software: by.provenance,
			GreyAlpha: grey},
		Warnings: append(pic.Warnings[:len(pic.Warnings):len(pic.Warnings)], lost...),
	}
}

// onWhite puts a picture with transparency on a white ground, for formats that have none.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), color.White), img, 1)
}

// named puts a name before an error of the enlarging.
func named(err error, name string) error {
	if _, is := errors.AsType[writing](err); is || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// writing is an error of the writing, among those of what is written while it is made.
type writing struct{ error }

func (e writing) Unwrap() error { return e.error }

// asWriting marks an error as one of the writing.
func asWriting(err error) error {
	if err == nil {
		return nil
	}
	return writing{err}
}

// parted is write for a Sink, which words errors of the writing: any other is kept in failure.
func parted(failure *error, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		err := write(w)
		if e, ok := errors.AsType[writing](err); ok {
			return e.error
		}
		*failure = err
		return err
	}
}
