package enlarging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"slices"
	"strings"

	"github.com/disintegration/imaging"

	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/flaws"
)

// Watch has the functions that Enlarge calls while it works.
type Watch struct {
	// Admit is called before the memory of p is taken. It may block, and refuses p by an error, which Enlarge returns.
	Admit func(p *Plan) error
	// Progress is called by one goroutine at a time with the share of the work that is done, 0 to 1, or 0 if it is not
	// known. written is the number of pictures written, for a file of several, else 0.
	Progress func(p *Plan, written int, share float64)
}

// Enlarge works out the plan for a file, runs it and returns it. The plan is never nil; after an error it holds what
// was known by then. Errors wrap one of the classes of package
// safefile, usage.ErrSettings or superres.ErrModel, or are the error of ctx.
func (e *Enlarger) Enlarge(ctx context.Context, job Job, watch Watch) (p *Plan, err error) {
	ctx, clock := newClock(ctx, e.WholeTime)
	p = &Plan{Job: job, Enlarger: e}
	defer func() {
		p.close()
		err = cmp.Or(p.refusal, clock.end(err, job.Source.Name()))
	}()
	err = p.prepare(ctx, watch.Admit, clock.start)
	if err == nil {
		err = p.run(ctx, watch.Progress)
	}
	return p, err
}

// run enlarges the pictures and writes them in order.
func (p *Plan) run(ctx context.Context, progress func(p *Plan, written int, share float64)) error {
	defer workers(p.together)()
	var failure error // any error but one of writing
	err := p.Sink.Deliver(p, parted(&failure, func(w io.Writer) error {
		to, done, err := p.seq.Writer(safefile.Interruptible(ctx, w))
		if err != nil {
			return writing{err}
		}
		defer done()
		next := func() (*Frame, error) { return p.seq.Next(ctx) }
		enlarge := func(ctx context.Context, _ int, f *Frame) (Result, error) {
			return p.enlarge(ctx, f, func(share float64) { progress(p, 0, share) })
		}
		err = mapInOrder(ctx, next, p.together, p.ahead, enlarge, func(r Result) error {
			if err := p.put(to, r); err != nil {
				return err
			}
			p.addReport(r.report)
			if p.noun == "" {
				return nil
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

// unfinished adds to err, if it is from a video, what has become of the frames before; else it returns err as it is.
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

// put writes the result r, whole or strip by strip, and keeps its warnings.
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

// addReport adds r, the report on one picture, to p.Report; nil adds nothing.
func (p *Plan) addReport(r *superres.Report) {
	switch {
	case r == nil:
	case p.Report == nil:
		p.Report = r
	default:
		p.Report = &superres.Report{LRPSNR: min(p.Report.LRPSNR, r.LRPSNR), Clipped: p.Report.Clipped + r.Clipped,
			Values: p.Report.Values + r.Values}
	}
}

// warn keeps the warnings of r in p.Warnings, each text once.
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

// enlarge returns frame f enlarged. For a still picture, progress is called with the share done, 0 to 1.
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
		if by, err = p.Enlarger.choose(ctx, f, 0, flaws.StepMeasure, flaws.StepMeasure); err != nil {
			return r, err
		}
	}
	opt := p.Size
	if opt.Depth = p.Keep.Depth; p.Format.OnlyAnimates() {
		opt.Depth = 8
	}
	opt.Chroma, opt.Subsampled, opt.Report = f.Chroma, f.About.Subsampled, new(superres.Report)
	opt = by.Apply(opt, p.Output)
	img := f.Image
	var region part
	if p.single {
		opt.Progress = progress
		if text := by.unfit(img); text != "" {
			defer func() { r.Warnings = append(r.Warnings, text) }()
		}
		if p.inStrips(p.Output.X, p.Output.Y) && by.Model.Streams(img) {
			r.report = opt.Report // which is complete when strips returns
			r.strips = func(put func(Result) error) error {
				err := by.Model.Stream(ctx, img, opt, func(strip image.Image) error {
					r := p.finish(f, strip, by)
					r.isStrip = true
					return put(r)
				})
				return named(err, name)
			}
			return r, nil
		}
		if !p.Region.Empty() {
			reach := by.Reach
			if p.Map != nil {
				reach = func(inW, inH, w, h int) int { return by.Reach(inW, inH, w, h) + superres.BoundsReach }
			}
			if region, err = p.partOf(reach, p.Input, picture.IsOpaque(img)); err != nil {
				return r, named(err, name)
			}
			img, opt = region.cut(img, opt)
		}
	}
	enlarged, err := by.Model.Upscale(ctx, img, opt)
	if err != nil {
		return r, named(err, name)
	}
	var sure image.Image
	if p.Map != nil {
		sure = superres.BoundsMap(superres.Bounds(img, enlarged, by.Choice))
	}
	if p.single && !p.Region.Empty() {
		if enlarged = region.crop(enlarged); sure != nil {
			sure = region.crop(sure)
		}
	}
	if sure != nil {
		if err := p.Map(sure); err != nil {
			return r, err
		}
	}
	r, err = p.seq.Finish(f, enlarged, by)
	r.report = opt.Report
	return r, err
}

// finish returns enlarged, the enlargement of f by the model by, as a result that p.Format can hold: on white if the
// format has no transparency. The warnings of the result list the metadata that is lost.
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
	kept, cut := pic.Metadata.Resized(p.resizing(f, enlarged.Bounds().Size()))
	_, lost := kept.For(string(p.Format), isGrey)
	return Result{
		Number: f.Number, Delay: f.Delay, Image: enlarged,
		How:      imagefile.EncodeOptions{Quality: p.Quality, Metadata: kept, Software: by.provenance, GreyAlpha: grey},
		Warnings: slices.Concat(pic.Warnings, cut, lost),
	}
}

// resizing returns how the result for f lies in the picture of the file. enlarged is the size of the enlargement of f,
// which of a single picture may be a part of the result.
func (p *Plan) resizing(f *Frame, enlarged image.Point) metadata.Resizing {
	if !p.single {
		return metadata.Resizing{From: f.Image.Bounds().Size(), To: enlarged}
	}
	z := metadata.Resizing{From: p.Input, To: p.Output}
	if whole, err := p.resultSize(p.Input); err == nil && !p.Region.Empty() {
		z.To = whole
		at := image.Pt(p.Region.Min.X*whole.X/p.Input.X, p.Region.Min.Y*whole.Y/p.Input.Y)
		z.Part = image.Rectangle{Min: at, Max: at.Add(p.Output)}
	}
	return z
}

// onWhite returns img on a white background, for formats without transparency. An opaque img is returned as it is.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), color.White), img, 1)
}

// named returns err with name put before it, unless it is nil or an error of writing.
func named(err error, name string) error {
	if _, is := errors.AsType[writing](err); is || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// writing marks an error of writing the output, to tell it from errors of the enlarging, which happen in between.
type writing struct{ error }

func (e writing) Unwrap() error { return e.error }

// asWriting returns err marked as an error of writing; nil stays nil.
func asWriting(err error) error {
	if err == nil {
		return nil
	}
	return writing{err}
}

// parted returns write for use by a Sink, which adds its own text to errors. It unmarks errors of writing; any other
// error is also stored in *failure.
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
