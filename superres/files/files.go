// Package files enlarges picture files, from bytes to bytes: decoding under limits, the choice of a model, metadata,
// transparency, animations and pages, encoding. It writes the same bytes as the program superres. For pictures that
// have been decoded already there is package superres.
//
// Files may be damaged or hostile: sizes are checked before memory is taken, and Limits bound pixels, memory and time.
package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
)

// The classes of errors, for errors.Is. An error about a model wraps superres.ErrModel, and errors of a writer or of a
// context are wrapped as they are.
var (
	// ErrInput: the file is damaged, incomplete or no picture that can be read.
	ErrInput = safefile.ErrInput
	// ErrOutput: the result cannot be written as a file of its format.
	ErrOutput = safefile.ErrOutput
	// ErrLimit: the picture would take more pixels, memory, bytes or time than Limits allow.
	ErrLimit = safefile.ErrLimit
	// ErrOptions: the options are out of their ranges, contradict each other, or do not suit the file.
	ErrOptions = usage.ErrSettings
)

// Enlarger enlarges picture files, all with the same options. It may be used concurrently.
type Enlarger struct {
	enlarger *enlarging.Enlarger
	opt      Options
}

// New returns an Enlarger with the options opt, and opens its model, which takes some milliseconds; embedded models are
// read once in a program. It fails with ErrOptions or superres.ErrModel.
func New(opt Options) (*Enlarger, error) {
	settings, err := opt.settings()
	if err != nil {
		return nil, err
	}
	e, err := enlarging.New(settings)
	if err != nil {
		return nil, err
	}
	return &Enlarger{e, opt}, nil
}

// Result describes a result.
type Result struct {
	// Format is the format of the file: png, jpeg, webp, bmp, tiff, avif or gif.
	Format string
	// InputWidth and InputHeight are the size of the upright picture, Width and Height the size of the result, in
	// pixels; in a file with pages, of the first page.
	InputWidth, InputHeight, Width, Height int
	// Pictures is the number of pictures of an animation or of a file with pages, else 1.
	Pictures int
	// Model is the name of the model that enlarged the picture, in a file with pages the first page.
	Model string
	// Warnings say what the result has lost from the file. Each is worded to follow the name of the file.
	Warnings []string
}

// MIMEType returns the media type of the result, such as image/png.
func (r Result) MIMEType() string { return imagefile.Format(r.Format).MIMEType() }

// Watch holds the functions that UpscaleAt calls while it works. Each function may be nil.
type Watch struct {
	// Admit is called once, when the size of the picture is known and before memory is allocated for it. It may block.
	// If it returns an error, the picture is refused with that error.
	Admit func(Need) error
	// Progress is called with the share of the work that is complete, 0 to 1, and never concurrently.
	Progress func(share float64)
}

// Need is an estimate of the resources that a picture takes.
type Need struct {
	// Memory is the memory of the work, in bytes, including the program and the model.
	Memory int64
	// Pixels is the number of pixels that must be computed for one result. Pixels computed twice count twice.
	Pixels int64
	// Width and Height are the size of the result, in pixels; in a file with pages, of the first page.
	Width, Height int
}

// Upscale reads a picture file from r to its end, at most 256 MiB, and writes the file of the enlarged picture to w.
// After an error, the bytes written so far are useless. When ctx ends, Upscale returns ctx.Err() soon, but does not
// interrupt a Read or Write that blocks.
func (e *Enlarger) Upscale(ctx context.Context, w io.Writer, r io.Reader) (Result, error) {
	data, err := io.ReadAll(io.LimitReader(r, imagefile.MaxBytes+1))
	if err != nil {
		return Result{}, fmt.Errorf("the picture cannot be read: %w", err)
	}
	return e.UpscaleAt(ctx, w, bytes.NewReader(data), int64(len(data)), Watch{})
}

// UpscaleAt is Upscale for a file of size bytes in r, which must not change. It reads no further in a file that it can
// refuse by its header. watch may refuse it as well, by its size, and is told of the progress.
func (e *Enlarger) UpscaleAt(ctx context.Context, w io.Writer, r io.ReaderAt, size int64, watch Watch) (Result, error) {
	var p *enlarging.Plan
	end := func() {} // ends the task that Admit begins, and with it this picture's share of the processors
	defer func() { end() }()
	err := parallel.Caught(func() error {
		job, err := e.job(w, r, size)
		if err != nil {
			return err
		}
		p, err = e.enlarger.Enlarge(ctx, job, enlarging.Watch{
			Admit: func(p *enlarging.Plan) error {
				if watch.Admit != nil {
					need := Need{Memory: p.Memory, Pixels: p.Pixels, Width: p.Output.X, Height: p.Output.Y}
					if err := watch.Admit(need); err != nil {
						return err
					}
				}
				end = parallel.Task()
				return nil
			},
			Progress: func(_ *enlarging.Plan, _ int, share float64) {
				if watch.Progress != nil {
					watch.Progress(share)
				}
			},
		})
		return err
	})
	if caught, is := errors.AsType[*parallel.Panic](err); is {
		err = &safefile.Fault{Name: title, Class: ErrInput, Cause: caught,
			Reason: fmt.Sprintf("a fault of superres, not of the file: %v; please report it with the file",
				caught.Value)}
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Format: string(p.Format), InputWidth: p.Input.X, InputHeight: p.Input.Y, Width: p.Output.X,
		Height: p.Output.Y, Pictures: max(p.Frames, 1), Model: p.Choice.Name(), Warnings: p.Warnings}, nil
}

// title is the name of the file in messages.
const title = "picture"

// job returns the job of enlarging the file of size bytes in r to w, with the format of the result: the format of the
// options or, if they name none, of the file, but png for formats that results do not follow. It fails for one picture
// in a format for animations alone, and for 16 bits in a format without them.
func (e *Enlarger) job(w io.Writer, r io.ReaderAt, size int64) (enlarging.Job, error) {
	job := enlarging.Job{
		Source: &enlarging.Body{Title: title, Bytes: r, Size: size},
		Sink:   enlarging.Response{Name: "result", To: w},
		Format: imagefile.Format(strings.ToLower(e.opt.Format)), Follow: e.opt.Format == "",
	}
	switch {
	case job.Follow:
		format, _, err := imagefile.IdentifyAt(r, title) // unreadable files are refused later, when they are opened
		if err != nil {
			return job, err
		}
		if job.Format = format; !format.IsFollowed() {
			job.Format = imagefile.PNG
		}
	case job.Format.OnlyAnimates() && !imagefile.HoldsSeveralAt(r, size):
		return job, usage.Errorf("format %s: it is written for animations alone, and this is one picture", job.Format)
	}
	if e.opt.Depth == 16 && !job.Format.CanDeep() {
		return job, usage.Errorf("depth 16: %s has 8 bits a sample; png and tiff have 16", job.Format.Title())
	}
	return job, nil
}

// Model returns the model that enlarges the pictures, at the effort and with the Denoise of the options, for pictures
// that have been decoded already. That model chooses a model for each picture if the options leave the choice open.
func (e *Enlarger) Model() (*superres.Model, error) { return e.enlarger.Chooser() }
