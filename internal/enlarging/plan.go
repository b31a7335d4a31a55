package enlarging

import (
	"cmp"
	"context"
	"image"
	"io/fs"

	"superres/internal/imagefile"
	"superres/superres"
)

// Job is a file to enlarge, with the destination of the result.
type Job struct {
	Source Source
	Sink   Sink
	// Format is the format of the result: png, jpeg, webp, bmp, tiff, avif, gif or Video.
	Format imagefile.Format
	// Follow lets a file with several pictures keep its own format; false: the result is in Format.
	Follow bool
}

// Plan says how a file is enlarged. It follows from the settings, the header of the file and its first picture, or the
// first frames of an animation. Sizes and memory are filled in first; Watch.Admit then waits until that much memory is
// free; the model is filled in last. A plan that fails keeps the fields filled in until then.
type Plan struct {
	Job
	// Info describes the input file as it was when opened; nil if the input is not a file of the user.
	Info fs.FileInfo
	// Input and Output are the sizes in pixels of the upright picture and its result, the first if there are several.
	Input, Output image.Point
	// Pixels is the number of pixels computed for one result; a pixel that is computed 8 times counts as 8.
	Pixels int64
	// Frames is the number of pictures in the file; for a video, the number that its file states. It is 0 for a still
	// picture and for a video stream of unknown length.
	Frames int
	// Memory is an estimate of the bytes in use at the peak of the work, the program included.
	Memory int64
	// Choice is the model that enlarges the pictures; in a file with pages, it is the model for the first page.
	Choice Choice
	// Warnings list what the file has but the result lacks, each worded to follow the name of the file.
	Warnings []string
	// Written is the number of pictures written so far, for a file with several pictures.
	Written int
	// Earlier is how many of the pictures written come from an earlier run, which this run continues.
	Earlier int
	// Report says how the enlargement went; for several pictures, it has the lowest LRPSNR. nil: nothing was enlarged.
	Report *superres.Report

	text string
}

// String describes the input, its flaws, the model and the memory needed; "" before the model is chosen.
func (p *Plan) String() string { return p.text }

// kind is a kind of input that is recognised by its first bytes, magic.
type kind struct {
	magic  string
	format imagefile.Format // format of the results for this kind of input
	open   func(ctx context.Context, r *run) (Sequence, error)
}

// kinds lists all kinds of input other than pictures. A file that matches none goes to package imagefile.
var kinds = []kind{{videoMagic, Video, openVideo}}

// Video is the format of video streams, both as input and as output.
const Video = "y4m"

// FormatOf returns the format of the result if the first bytes of s decide it, as for video. It returns "" for
// pictures, and also if s cannot be opened; Enlarge will report the error.
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

// Inspect returns the plan for job, a file, without enlarging it. It reads the header, and whole pictures if the choice
// of the model depends on them. Like Enlarge, it calls admit before it takes memory for the pictures.
func (e *Enlarger) Inspect(ctx context.Context, job Job, admit func(*Plan) error) (*Plan, error) {
	r := newRun(e, job, Watch{Admit: admit})
	defer r.close()
	err := r.prepare(ctx)
	return r.Plan, cmp.Or(r.refusal, err)
}

// Enlarge works out the plan for job, a file, carries it out and returns it; after an error, what was filled in until
// then, never nil. Errors wrap a class of package safefile, usage.ErrSettings, superres.ErrModel, or the error of ctx.
func (e *Enlarger) Enlarge(ctx context.Context, job Job, watch Watch) (p *Plan, err error) {
	ctx, clock := newClock(ctx, e.WholeTime)
	r := newRun(e, job, watch)
	r.start = clock.start
	defer func() {
		r.close()
		err = cmp.Or(r.refusal, clock.end(err, job.Source.Name()))
	}()
	if err = r.prepare(ctx); err == nil {
		err = r.deliver(ctx)
	}
	return r.Plan, err
}

// Watch holds the functions that Enlarge calls while it works.
type Watch struct {
	// Admit is called before the memory for p is taken. It may block. An error refuses p, and Enlarge returns it.
	Admit func(p *Plan) error
	// Progress is never called twice at the same time. share is the share of the work that is done, 0 to 1, or 0 if
	// unknown. written is the number of pictures written, for a file with several pictures, else 0.
	Progress func(p *Plan, written int, share float64)
}
