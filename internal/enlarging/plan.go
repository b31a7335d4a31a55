package enlarging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"runtime"

	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/flaws"
)

// Job is a file to enlarge, and where its result goes.
type Job struct {
	Source Source
	Sink   Sink
	// Format is the format of the result: png, jpeg, webp, bmp, tiff, gif or pictures.Video.
	Format imagefile.Format
	// Follow lets a file of several pictures keep its own format, whatever Format says; false: Format is for all.
	Follow bool
}

// Plan says how a file is enlarged, worked out once from its header, its first pictures and the settings. Its fields
// are filled step by step: sizes and memory before admit is called, the choice of model last. A plan that fails keeps
// what was known by then.
type Plan struct {
	Job
	// Input and Output are the sizes in pixels of the upright picture, or the first of several, and of its result.
	Input, Output image.Point
	// Frames is the number of pictures in the file, of video as far as the file tells; 0 for a still picture, and for a
	// stream of video, whose length is not known.
	Frames int
	// Memory is an estimate of the bytes that the work takes at its peak, those of the program included.
	Memory int64
	// Choice is the model that enlarges the pictures; for pages, which each have their own, that of the first.
	Choice Choice
	// Warnings list what the result lacks of the file, each worded to follow the name of the file.
	Warnings []string
	// Written is the number of pictures written so far, for a file of several.
	Written int
	// Earlier is how many of the pictures written are of an earlier run, which this one continues.
	Earlier int
	// Report says how the enlargement went: of several pictures, the least LRPSNR and all counts together. nil: nothing
	// was enlarged yet.
	Report *superres.Report

	*Enlarger
	content *Content
	admit   func() error // called before the memory is taken; it may block
	refusal error        // the error of Watch.Admit; nil: the plan was not refused
	start   func()       // begins the time limit
	trial   bool         // only the plan is wanted: no more of the file is read than it needs

	seq    lookahead
	title  string      // the kind of the input: "JPEG of quality 80"
	first  string      // text before the size: "the first "
	scope  string      // text after the choice: " for all"
	noun   string      // what messages call one picture: "page"; empty: the file is one picture
	own    bool        // each picture has a choice of its own; false: all share Choice
	moves  bool        // the pictures are frames of one scene; false: they are independent
	single bool        // one picture: its noise may vary, and a region may be cut out
	worked image.Point // size that is computed: the result's, or what the region is cut from

	// Video: frames are written one by one into a pipe, and the time limit is for each. share returns the share of the
	// file, 0 to 1, that a number of frames make up, or 0 if that is not known.
	endless bool
	share   func(frames int) float64

	together, ahead int // pictures enlarged at a time, and pictures in memory at a time
}

// kind is a kind of input that is recognised by its first bytes, magic.
type kind struct {
	magic  string
	format imagefile.Format // format of the results for this kind of input
	open   func(ctx context.Context, p *Plan) error
}

// kinds lists them all. A file that matches none goes to package imagefile.
var kinds = []kind{{videoMagic, Video, openVideo}}

// Video is the format of video streams, both as input and as output.
const Video = "y4m"

// FormatOf returns the format of the result if the first bytes of s decide it, as for video. It returns "" for other
// pictures, and if s cannot be opened, an error that Enlarge will report.
func FormatOf(s Source) imagefile.Format {
	in, err := s.Open()
	if err != nil {
		return ""
	}
	defer in.Close()
	for _, k := range kinds {
		if in.StartsWith(k.magic) {
			return k.format
		}
	}
	return ""
}

// Inspect returns the plan for a file without enlarging it. It reads the header, and whole pictures if the choice of
// model depends on them; it calls admit, as Enlarge does, before it takes the memory for these.
func (e *Enlarger) Inspect(ctx context.Context, job Job, admit func(*Plan) error) (*Plan, error) {
	p := &Plan{Job: job, Enlarger: e, trial: true}
	defer p.close()
	err := p.prepare(ctx, admit, func() {})
	return p, cmp.Or(p.refusal, err)
}

// errEnough stops the decoding of a picture once its header has told all that the plan needs.
var errEnough = errors.New("enough")

// prepare opens the source and works out the plan. It calls admit once the memory is known but not yet taken, then
// start, when the time limit of a picture begins.
func (p *Plan) prepare(ctx context.Context, admit func(*Plan) error, start func()) (err error) {
	p.together, p.ahead, p.start = 1, 1, start
	p.admit = func() error {
		if p.refusal = admit(p); p.refusal != nil {
			return p.refusal
		}
		return ctx.Err()
	}
	if p.content, err = p.Source.Open(); err != nil {
		return err
	}
	open := openPicture
	for _, k := range kinds {
		if k.format == p.Format {
			open = k.open
		}
	}
	if err = open(ctx, p); err == nil || errors.Is(err, errEnough) {
		err = p.choose(ctx)
	}
	if p.Earlier > 0 {
		p.seq.drop()
	}
	return err
}

// InputInfo describes the input file as it was when it was opened; nil if it is not a file of the user.
func (p *Plan) InputInfo() fs.FileInfo { return p.content.Info }

func (p *Plan) close() {
	if p.content != nil {
		p.content.Close()
	}
}

// choose sets p.Choice from the pictures that were read ahead.
func (p *Plan) choose(ctx context.Context) (err error) {
	var first *Frame // nil: the choice needs no picture
	if len(p.seq.read) > 0 {
		first = p.seq.read[0].frame
	}
	switch {
	case p.moves:
		p.Choice, err = p.chooseMoving(ctx, first, p.seq.second())
	case p.single:
		mostCopies := 1
		if p.Region.Empty() {
			mostCopies = superres.MostCopies(p.Input, p.Output)
		}
		p.Choice, err = p.Enlarger.choose(ctx, first, mostCopies, flaws.StepCopies, flaws.StepSoftening)
	default:
		p.Choice, err = p.Enlarger.choose(ctx, first, 0, flaws.StepMeasure, flaws.StepMeasure)
	}
	if p.single && p.Choice.Picture != nil {
		// The picture that was read is released: it need not stay in memory beside the one that is enlarged.
		first.Image, first.About.Image = p.Choice.Picture, nil
	}
	p.Choice.Picture = nil
	return err
}

// String describes the input, its flaws, the model that enlarges it and how much memory that takes.
func (p *Plan) String() string {
	text := fmt.Sprintf("%s, %s%d×%d, %v%s, about %s", p.title, p.first, p.Input.X, p.Input.Y, p.Choice, p.scope,
		usage.Bytes(p.Memory))
	if p.moves {
		text += fmt.Sprintf(" for %d at a time", p.together)
	}
	return text
}

// Pixels returns the number of pixels that are computed for one result, each as often as it is computed.
func (p *Plan) Pixels() int64 {
	return int64(p.clean.model.Orientations()) * int64(p.worked.X) * int64(p.worked.Y)
}

// limits returns the limits for reading a picture.
func (s Settings) limits() imagefile.Limits {
	return imagefile.Limits{Pixels: s.Limits.Pixels, Time: s.DecodeTime, FirstFrame: s.Keep.FirstFrame,
		Strip: s.Keep.Strip}
}

// demand is the memory in bytes that enlarging several pictures of one kind takes: shared, however many are in work at
// a time, and each for every one of them.
type demand struct{ shared, each int64 }

// of returns the bytes for together pictures in work at a time.
func (d demand) of(together int) int64 { return d.shared + int64(together)*d.each }

// most returns how many pictures can be in work at a time within memory bytes: at least 1, at most one per processor.
func (d demand) most(memory int64) int {
	return max(1, min(runtime.GOMAXPROCS(0), int((memory-d.shared)/max(d.each, 1))))
}

// robustBytes is the memory of the robust model, which may be mixed with the one for clean pictures.
const robustBytes = 9 << 20

// regionPixelBytes is the most bytes that a pixel takes of the whole picture of which a region is enlarged.
const regionPixelBytes = 8

// measure returns the size of the enlargement of a picture with header cfg, or, for a region, of the part that the
// region is cut from, and the memory d for it. shared and each are the bytes of its reader and writer, in all and for
// every picture in work. strips says that the result may be written while it is made. It refuses sizes and memory
// beyond the limits; p.Memory then holds the memory that would be needed.
func (p *Plan) measure(cfg image.Config, strips bool, shared, each int64) (size image.Point, d demand, err error) {
	model := p.clean.model
	w, h, err := model.ResultSize(cfg.Width, cfg.Height, p.Size)
	if err != nil {
		return size, d, err
	}
	if w == cfg.Width && h == cfg.Height && p.choosing != nil { // the model for clean pictures does nothing
		restoring, err := p.robust()
		if err != nil {
			return size, d, err
		}
		model = restoring.model
	}
	worked := cfg
	if !p.Region.Empty() {
		of, err := p.partOf(model.Reach, image.Pt(cfg.Width, cfg.Height), !mayHide(cfg.ColorModel))
		if err != nil {
			return size, d, err
		}
		shared += int64(cfg.Width) * int64(cfg.Height) * regionPixelBytes
		w, h, worked.Width, worked.Height = of.size.X, of.size.Y, of.from.Dx(), of.from.Dy()
	}
	const mostResult = 4000e6 // pixels: what is meant to be so large is rarer than a scale that is mistyped
	if most := cmp.Or(p.Limits.Result, mostResult); int64(w)*int64(h) > most {
		return size, d, p.tooLarge(safefile.ErrLimit, SmallerScale, SmallerSize,
			"output %d×%d is more than %d megapixels", w, h, most/1e6)
	}
	d.shared, d.each = model.MemoryEach(p.Keep.deepened(worked), w, h, p.Size, strips && p.inStrips(w, h))
	d.shared += superres.WithGarbage(shared + p.Format.EncoderBytes(w))
	if p.choosing != nil {
		d.shared += robustBytes
	}
	d.each += superres.WithGarbage(each)
	if p.Map != nil {
		d.each += superres.WithGarbage(superres.BoundsBytes * int64(w) * int64(h))
	}
	if need := d.of(1); need > p.Limits.Memory {
		p.Memory = need
		return size, d, p.tooLarge(safefile.ErrLimit, MoreMemoryOrSmallerScale, MoreMemoryOrSmallerSize,
			"output %d×%d needs %s, the limit is %s", w, h, usage.Bytes(need), usage.Bytes(p.Limits.Memory))
	}
	return image.Pt(w, h), d, nil
}

// tooLarge returns a fault about a result that is too large, with the remedy scale or, if the size of the result was
// given, size.
func (p *Plan) tooLarge(class error, scale, size safefile.Remedy, format string, args ...any) error {
	if p.Size.Scale == 0 {
		scale = size
	}
	return safefile.Refuse(class, "", format, args...).With(scale)
}

// resultSize returns the size in pixels of the enlargement of a whole picture of size in. It fails with a usage error.
func (p *Plan) resultSize(in image.Point) (out image.Point, err error) {
	out.X, out.Y, err = p.clean.model.ResultSize(in.X, in.Y, p.Size)
	return out, err
}

// inStrips reports whether a result of w×h is made and written in strips; false means that it is whole in memory.
func (p *Plan) inStrips(w, h int) bool {
	const mostWhole = 64e6 // pixels of the largest result that is made whole
	return p.Region.Empty() && p.Map == nil && p.Format.CanStream() &&
		(float64(w)*float64(h) > mostWhole || p.Size.BandRows > 0)
}
