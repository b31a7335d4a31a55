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
)

// run is the work on one file: it works out the plan and, for Enlarge, carries it out. A Sequence embeds it.
type run struct {
	*Enlarger
	*Plan
	watch           Watch
	start           func() // begins the time limit; nil: only the plan is wanted, so only what the plan needs is read
	refusal         error  // the error of Watch.Admit; nil: the plan was not refused
	content         *Content
	seq             Sequence
	read            []made[*Frame] // the first pictures, read in advance to choose the model
	panorama        bool           // true: the metadata say that the left and right edges of the picture meet
	together, ahead int            // how many pictures are enlarged at the same time; how many may be in memory
}

func newRun(e *Enlarger, job Job, watch Watch) *run {
	return &run{Enlarger: e, Plan: &Plan{Job: job}, watch: watch, together: 1, ahead: 1}
}

// errEnough stops decoding a picture after its header, if the plan needs no more.
var errEnough = errors.New("enough")

// prepare opens the source, works out the plan and reads the first pictures. The functions that open pictures call
// Watch.Admit once the memory is known but not yet taken, then start, unless the file is a video: there each frame has
// the time limit.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.content, err = r.Source.Open(); err != nil {
		return err
	}
	r.Info = r.content.Info
	open := openPicture
	for _, k := range kinds {
		if k.format == r.Format {
			open = k.open
		}
	}
	switch r.seq, err = open(ctx, r); {
	case errors.Is(err, errEnough): // the settings decide the model, so no frame is needed
		r.Choice, err = r.choose(ctx, nil, 0)
	case err == nil:
		if r.Choice, err = r.seq.Choose(ctx); err == nil {
			r.text = r.seq.Describe()
		}
	}
	if r.Earlier > 0 { // the earlier run has enlarged the frames read in advance; only an error after them is kept
		r.read = slices.DeleteFunc(r.read, func(m made[*Frame]) bool { return m.err == nil })
	}
	return err
}

// admit asks Watch.Admit to accept the plan, before its memory is taken. It may block.
func (r *run) admit(ctx context.Context) error {
	if r.refusal = r.watch.Admit(r.Plan); r.refusal != nil {
		return r.refusal
	}
	return ctx.Err()
}

func (r *run) close() {
	if r.content != nil {
		r.content.Close()
	}
}

// fill reads the first count frames of s in advance, or fewer if an error comes first. It returns the error only if
// no frame could be read; else next returns it after the frames.
func (r *run) fill(ctx context.Context, s Sequence, count int) error {
	for len(r.read) < count {
		var m made[*Frame]
		if m.frame, m.err = s.Next(ctx); m.err != nil && len(r.read) == 0 {
			return m.err
		}
		if r.read = append(r.read, m); m.err != nil {
			break
		}
	}
	return nil
}

// next returns the next frame, first those read in advance. If an error followed them, later calls return that error.
func (r *run) next(ctx context.Context) (*Frame, error) {
	if len(r.read) == 0 {
		return r.seq.Next(ctx)
	}
	m := r.read[0]
	if m.err == nil {
		r.read = r.read[1:]
	}
	return m.frame, m.err
}

// deliver enlarges the pictures of the file and writes them to the sink in order.
func (r *run) deliver(ctx context.Context) error {
	defer shareProcessors(r.together)()
	var failure error // an error other than from writing, before the sink adds text to it
	err := r.Sink.Deliver(r.Plan, func(w io.Writer) error {
		to, done, err := r.seq.Writer(safefile.Interruptible(ctx, w))
		if err != nil {
			return err
		}
		defer done()
		var wrote error // the error from writing
		write := func(part Result) error {
			r.warn(part)
			wrote = to.Put(part)
			return wrote
		}
		next := func() (*Frame, error) { return r.next(ctx) }
		enlarge := func(ctx context.Context, _ int, f *Frame) (Result, error) { return r.seq.Result(ctx, f) }
		err = mapInOrder(ctx, next, r.together, r.ahead, enlarge, func(result Result) error {
			if err := result.put(write); err != nil { // as a whole or in strips
				return cmp.Or(wrote, err)
			}
			r.warn(result)
			r.addReport(result.report)
			if r.seq.Noun() != "" { // one of several pictures; a still picture reports its progress itself
				r.Written++
				r.watch.Progress(r.Plan, r.Written, r.seq.Share(r.Written))
			}
			return nil
		})
		switch {
		case err == nil:
			return to.Close()
		case wrote == nil:
			failure = err
		}
		return err
	})
	if failure != nil {
		return r.unfinished(ctx, failure)
	}
	return err
}

// unfinished returns err. If the file is a video and ctx has not ended, it adds how many frames before err are written.
func (r *run) unfinished(ctx context.Context, err error) error {
	if r.Format != Video || ctx.Err() != nil {
		return err
	}
	_, piped := r.Sink.(Pipe)
	switch {
	case !piped || r.Written == 0: // other sinks keep all frames or none
		return fmt.Errorf("%w; nothing is written", err)
	case r.Written == 1:
		return fmt.Errorf("%w; the frame before it is written", err)
	}
	return fmt.Errorf("%w; the %d frames before it are written", err, r.Written)
}

// addReport adds latest, a picture's report or nil, to r.Report. Of several, only the least agreement, LRPSNR, is kept.
func (r *run) addReport(latest *superres.Report) {
	switch {
	case latest == nil:
	case r.Report == nil:
		r.Report = latest
	default:
		r.Report = &superres.Report{LRPSNR: min(r.Report.LRPSNR, latest.LRPSNR)}
	}
}

// warn adds the warnings of result to r.Warnings, each text only once: for the first picture that it is true of.
func (r *run) warn(result Result) {
	for _, text := range result.Warnings {
		known := func(before string) bool { return strings.HasSuffix(before, text) } // "page 3: " may come first
		if !slices.ContainsFunc(r.Warnings, known) {
			r.Warnings = append(r.Warnings, result.where+text)
		}
	}
}

// Choose is the method for a Sequence that enlarges all its pictures with the model chosen for the first.
func (r *run) Choose(ctx context.Context) (Choice, error) {
	return r.choose(ctx, r.read[0].frame, 0)
}

// Share is the method for a Sequence of unknown length: the share of its pictures is unknown, so 0.
func (r *run) Share(int) float64 { return 0 }

// Result is the method for a Sequence that needs nothing but the model r.Choice to enlarge a picture.
func (r *run) Result(ctx context.Context, f *Frame) (Result, error) {
	return r.resultBy(ctx, f, r.Choice)
}

// resultBy returns the result to write for frame f, enlarged with the model in choice.
func (r *run) resultBy(ctx context.Context, f *Frame, choice Choice) (Result, error) {
	opt := r.options(f, choice)
	enlarged, err := choice.Model.Upscale(ctx, f.Image, opt)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", r.nameOf(f), err)
	}
	result, err := r.seq.Finish(f, enlarged, choice)
	result.report = opt.Report
	return result, err
}

// nameOf returns a name for messages: the source and, if it has several pictures, the number of frame f.
func (r *run) nameOf(f *Frame) string {
	if noun := r.seq.Noun(); noun != "" {
		return fmt.Sprintf("%s: %s %d", r.Source.Name(), noun, f.Number)
	}
	return r.Source.Name()
}

// size returns r.Size, with WrapX also set if the picture is a panorama.
func (r *run) size() superres.Options {
	opt := r.Size
	opt.WrapX = opt.WrapX || r.panorama
	return opt
}

// options returns the options for enlarging frame f with the model in choice, with a new Report.
func (r *run) options(f *Frame, choice Choice) superres.Options {
	opt := r.size()
	if opt.Depth = r.Keep.Depth; r.Format.OnlyAnimates() { // GIF
		opt.Depth = 8
	}
	opt.Chroma, opt.Subsampled, opt.Report = f.Chroma, f.About.Subsampled, new(superres.Report)
	return choice.Apply(opt, r.Output)
}

// finish returns enlarged, the picture computed from f with the model of choice c, as a result that r.Format can
// hold. The background colour, white by default, replaces transparency if the format has none or r.alpha is "none". z
// says how to adapt the metadata of f. The warnings of the result list the metadata that are lost.
func (r *run) finish(f *Frame, enlarged image.Image, c Choice, z metadata.Resizing) Result {
	pic, grey := f.About, f.About.GreyAlpha
	if !r.Format.CanAlpha() || r.alpha == "none" {
		enlarged = on(enlarged, cmp.Or(r.background, color.NRGBA{255, 255, 255, 255}))
		if grey { // grey with transparency becomes plain grey
			flat := image.NewGray(enlarged.Bounds())
			draw.Draw(flat, flat.Rect, enlarged, enlarged.Bounds().Min, draw.Src)
			enlarged, grey = flat, false
		}
	}
	isGrey := grey && r.Format.CanGreyAlpha() || picture.IsGrey(enlarged)
	kept, cut := pic.Metadata.Resized(z)
	_, lost := kept.For(string(r.Format), isGrey)
	return Result{
		Number: f.Number, Delay: f.Delay, Image: enlarged,
		How:      imagefile.EncodeOptions{Quality: r.Quality, Metadata: kept, Software: c.provenance, GreyAlpha: grey},
		Warnings: slices.Concat(pic.Warnings, cut, lost),
	}
}

// on returns img laid over a background, without transparency. An opaque img is returned unchanged.
func on(img image.Image, background color.NRGBA) image.Image {
	if picture.IsOpaque(img) {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), background), img, 1)
}

// chooseMoving returns the model for all frames, chosen from the first two.
func (r *run) chooseMoving(ctx context.Context) (Choice, error) {
	var second *Frame // nil: the file has only one frame
	if len(r.read) > 1 {
		second = r.read[1].frame
	}
	return r.Enlarger.chooseMoving(ctx, r.read[0].frame, second)
}
