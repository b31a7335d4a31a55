package enlarging

import (
	"cmp"
	"context"
	"image"
	"io/fs"

	"superres/internal/imagefile"
	"superres/superres"
)

// Job is a file to enlarge, and where its result goes.
type Job struct {
	Source Source
	Sink   Sink
	// Format is the format of the result: png, jpeg, webp, bmp, tiff, gif or Video.
	Format imagefile.Format
	// Follow lets a file of several pictures keep its own format, whatever Format says; false: Format is for all.
	Follow bool
}

// Plan says how a file is enlarged, worked out once from its header, its first pictures and the settings. Its fields
// are filled step by step: sizes and memory before Watch.Admit is called, the choice of model last. A plan that fails
// keeps what was known by then.
type Plan struct {
	Job
	// Info describes the input file as it was when it was opened; nil if it is not a file of the user.
	Info fs.FileInfo
	// Input and Output are the sizes in pixels of the upright picture, or the first of several, and of its result.
	Input, Output image.Point
	// Pixels is the number of pixels that are computed for one result, each as often as it is computed.
	Pixels int64
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

	text string
}

// String describes the input, its flaws, the model that enlarges it and how much memory that takes; "" before the
// model is chosen.
func (p *Plan) String() string { return p.text }

// kind is a kind of input that is recognised by its first bytes, magic.
type kind struct {
	magic  string
	format imagefile.Format // format of the results for this kind of input
	open   func(ctx context.Context, r *run) (Sequence, error)
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
	r := newRun(e, job, Watch{Admit: admit})
	defer r.close()
	err := r.prepare(ctx)
	return r.Plan, cmp.Or(r.refusal, err)
}

// Enlarge works out the plan for a file, runs it and returns it. The plan is never nil; after an error it holds what
// was known by then. Errors wrap one of the classes of package safefile, usage.ErrSettings or superres.ErrModel, or are
// the error of ctx.
func (e *Enlarger) Enlarge(ctx context.Context, job Job, watch Watch) (*Plan, error) {
	ctx, clock := newClock(ctx, e.WholeTime)
	r := newRun(e, job, watch)
	r.start = clock.start
	defer r.close()
	err := r.prepare(ctx)
	if err == nil {
		err = r.deliver(ctx)
	}
	return r.Plan, cmp.Or(r.refusal, clock.end(err, job.Source.Name()))
}

// Watch has the functions that Enlarge calls while it works.
type Watch struct {
	// Admit is called before the memory of p is taken. It may block, and refuses p by an error, which Enlarge returns.
	Admit func(p *Plan) error
	// Progress is called by one goroutine at a time with the share of the work that is done, 0 to 1, or 0 if it is not
	// known. written is the number of pictures written, for a file of several, else 0.
	Progress func(p *Plan, written int, share float64)
}
