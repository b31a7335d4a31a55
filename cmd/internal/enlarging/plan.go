package enlarging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
)

// Job is a file to enlarge.
type Job struct {
	Source Source
	Sink   Sink
	// Format is that of the result: png, jpeg, bmp, tiff, gif or pictures.Video.
	Format imagefile.Format
	// Follow has a file of several pictures keep its own format, whatever Format says.
	Follow bool
}

// Plan is what becomes of a file, worked out once from its header, its first pictures and the settings. It is known
// step by step: Admit sees sizes and memory, and a plan that fails has what was known by then.
type Plan struct {
	Job
	// Input and Output are the sizes of the upright picture, the first of several, and of the result.
	Input, Output image.Point
	// Frames is the number of pictures in the file: 0 for a still picture, and for a stream whose end nobody knows.
	Frames int
	// Memory is an estimate of the bytes that it takes, together with the program.
	Memory int64
	// Choice is what enlarges the pictures; of pages, the first.
	Choice Choice
	// Warnings are what the result lacks of the file, each fit to follow its name.
	Warnings []string
	// Written is the number of pictures that have been written, of a file of several.
	Written int

	*Enlarger
	content *Content
	admit   func() error // is called before memory is taken, and may wait
	start   func()       // begins the time limit
	trial   bool         // no more is read than the plan needs

	seq    lookahead
	title  string      // what the input is: "JPEG of quality 80"
	first  string      // put before the size: "the first "
	scope  string      // put behind the choice: " for all"
	noun   string      // what messages call a picture: "page"; empty: the file is one
	own    bool        // each picture has a choice of its own
	moves  bool        // the pictures show the same, one after the other
	single bool        // it is one picture: noise may vary over it, and a region be made of it
	worked image.Point // size of what is made: the result, or what a region is cut out of

	// Video: its frames are written one by one into a pipe, and the time limit is for each. share tells how much of
	// the file some frames are; 0: nobody knows.
	endless bool
	share   func(frames int) float64

	together, ahead int // pictures in work at a time, and those in work, read or waiting to be written
}

// kind is a kind of input that is told by what it begins with.
type kind struct {
	magic  string
	format imagefile.Format // of its results
	open   func(ctx context.Context, p *Plan) error
}

// kinds are those kinds. What none of them matches is a file for package imagefile.
var kinds = []kind{{videoMagic, pictures.Video, openVideo}}

// FormatOf returns the format of what becomes of a source, where its first bytes tell it: of video. It is empty for
// pictures, and for what cannot be opened, as its enlarging will say.
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

// Inspect works out the plan for a file. It reads the header, and whole pictures where what is found in them decides
// what enlarges them; then it calls admit before it takes the memory.
func (e *Enlarger) Inspect(ctx context.Context, job Job, admit func(*Plan)) (*Plan, error) {
	p := &Plan{Job: job, Enlarger: e, trial: true}
	defer p.close()
	return p, p.prepare(ctx, admit, func() {})
}

// errEnough ends the reading of a picture of which the header is enough.
var errEnough = errors.New("enough")

// prepare opens the source and works out the plan. It calls admit before it takes memory, and start when that is known
// and the time for a picture begins.
func (p *Plan) prepare(ctx context.Context, admit func(*Plan), start func()) (err error) {
	p.together, p.ahead, p.start = 1, 1, start
	p.admit = func() error {
		admit(p)
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
	return err
}

// close frees what the plan has taken.
func (p *Plan) close() {
	if p.content != nil {
		p.content.Close()
	}
}

// choose chooses what enlarges the pictures, by those that were read.
func (p *Plan) choose(ctx context.Context) (err error) {
	var first *Frame // nil: the choice needs none
	if len(p.seq.read) > 0 {
		first = p.seq.read[0].frame
	}
	if p.moves {
		p.Choice, err = p.chooseMoving(ctx, first, p.seq.second())
	} else {
		p.Choice, err = p.Enlarger.choose(ctx, first, p.single)
	}
	return err
}

// String describes the input, what was found in it, what enlarges it and how much memory that takes.
func (p *Plan) String() string {
	text := fmt.Sprintf("%s, %s%dx%d, %v%s, about %s", p.title, p.first, p.Input.X, p.Input.Y, p.Choice, p.scope,
		console.Bytes(p.Memory))
	if p.moves {
		text += fmt.Sprintf(" for %d at a time", p.together)
	}
	return text
}

// Pixels is the number of pixels that are made for the result, each as often as it is made.
func (p *Plan) Pixels() int64 {
	times := int64(1)
	if p.Effort == "max" {
		times = 8
	}
	return times * int64(p.worked.X) * int64(p.worked.Y)
}

// limits are those of the reading of a picture.
func (p *Plan) limits() imagefile.Limits {
	return imagefile.Limits{Pixels: p.Limits.Pixels, Time: p.DecodeTime, FirstFrame: p.Keep.FirstFrame,
		Strip: p.Keep.Strip}
}

// demand is the memory that pictures of one kind take: shared are the bytes that are taken however many of them are
// in work at a time, each those of one.
type demand struct{ shared, each int64 }

// of is what some pictures take that are in work together.
func (d demand) of(together int) int64 { return d.shared + int64(together)*d.each }

// most is how many, at least one and at most as many as there are processors, fit into the memory that there is.
func (d demand) most(memory int64) int {
	return max(1, min(runtime.GOMAXPROCS(0), int((memory-d.shared)/max(d.each, 1))))
}

// judgesBytes is what the two models take that tell pictures which were sharpened.
const judgesBytes = 9 << 20

// regionPixelBytes is what a pixel takes at most of a picture of which a region is enlarged.
const regionPixelBytes = 8

// measure returns the size of the enlargement of a picture with a header, and the memory that it takes beside
// what its reader and its writer hold: shared bytes, and each for every picture in work. It refuses what is too
// much, and leaves in p.Memory what a picture needs for which there is too little memory. With strips the
// result is written while it is made. Of a region, size is that of what it is cut out of.
func (p *Plan) measure(cfg image.Config, strips bool, shared, each int64) (size image.Point, d demand, err error) {
	model := p.clean.model
	w, h, err := model.ResultSize(cfg.Width, cfg.Height, p.Size)
	if err != nil {
		return size, d, console.Fail(console.ExitUsage, err)
	}
	advice := "a smaller --scale"
	if p.Size.Scale == 0 {
		advice = "a smaller size"
	}
	worked := cfg
	if !p.Region.Empty() {
		of, err := p.partOf(model, image.Pt(cfg.Width, cfg.Height), image.Pt(w, h), !mayHide(cfg.ColorModel))
		if err != nil {
			return size, d, err
		}
		shared += int64(cfg.Width) * int64(cfg.Height) * regionPixelBytes
		w, h, worked.Width, worked.Height = of.size.X, of.size.Y, of.from.Dx(), of.from.Dy()
	}
	const most = 400 // megapixels
	if int64(w)*int64(h) > most*1e6 {
		return size, d, fmt.Errorf("output %dx%d is more than %d megapixels; use %s", w, h, most, advice)
	}
	d.shared, d.each = model.MemoryEach(p.Keep.deepened(worked), w, h, p.Size, strips && p.inStrips(w, h))
	d.shared += superres.WithGarbage(shared)
	if p.robustJudge != nil {
		d.shared += judgesBytes
	}
	d.each += superres.WithGarbage(each)
	if need := d.of(1); need > p.Limits.Memory {
		p.Memory = need
		return size, d, fmt.Errorf("output %dx%d needs %s, the limit is %s; use --max-memory or %s",
			w, h, console.Bytes(need), console.Bytes(p.Limits.Memory), advice)
	}
	return image.Pt(w, h), d, nil
}

// resultSize is the size of the enlargement of a whole picture.
func (p *Plan) resultSize(in image.Point) (out image.Point, err error) {
	if out.X, out.Y, err = p.clean.model.ResultSize(in.X, in.Y, p.Size); err != nil {
		err = console.Fail(console.ExitUsage, err)
	}
	return out, err
}

// inStrips tells whether a result of w×h is to be made and written in strips, so that it never is in memory as a
// whole.
func (p *Plan) inStrips(w, h int) bool {
	const mostWhole = 64e6 // pixels of one that is made as a whole
	return p.Region.Empty() && p.Format.CanStream() && (float64(w)*float64(h) > mostWhole || p.Size.BandRows > 0)
}
