package upscale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/superres"
)

// enlarger enlarges the pictures of one call. It is safe for concurrent use.
type enlarger struct {
	opt     Options
	engines engines
	past    resumption
	streams *console.Streams
}

// limits are those of the reading of a picture.
func (e enlarger) limits() imagefile.Limits {
	return imagefile.Limits{Pixels: e.opt.Limits.Pixels, Time: e.opt.DecodeTime, FirstFrame: e.opt.Keep.FirstFrame, Strip: e.opt.Keep.Strip}
}

// demand is the memory that pictures of one kind take: shared are the bytes that are taken
// however many of them are in work at a time, each those of one.
type demand struct{ shared, each int64 }

// of is what a number of pictures take that are in work together.
func (d demand) of(together int) int64 { return d.shared + int64(together)*d.each }

// most is how many at least one, and at most as many as there are processors, have room in the
// memory that there is.
func (d demand) most(memory int64) int {
	return max(1, min(runtime.GOMAXPROCS(0), int((memory-d.shared)/max(d.each, 1))))
}

// measure returns the size of the enlargement of a picture, and what it takes, in
// bytes, with what its file and its metadata take; it refuses what is too much.
func (e enlarger) measure(j job, cfg image.Config, held int64) (w, h int, need int64, err error) {
	w, h, d, err := e.measureEach(j, cfg, held, 0)
	return w, h, d.of(1), err
}

// measureEach is measure for a picture of which several may be in work at a time. held are the
// bytes that are held besides however many they are, eachHeld those for each.
func (e enlarger) measureEach(j job, cfg image.Config, held, eachHeld int64) (w, h int, d demand, err error) {
	w, h, err = e.engines.first.model.ResultSize(cfg.Width, cfg.Height, e.opt.Size)
	if err != nil {
		return 0, 0, d, console.Fail(console.ExitUsage, err)
	}
	advice := "a smaller --scale"
	if e.opt.Size.Scale == 0 {
		advice = "a smaller size"
	}
	part := cfg
	if !e.opt.Region.Empty() {
		of, err := e.opt.partOf(e.engines.first.model, image.Pt(cfg.Width, cfg.Height), image.Pt(w, h), !mayHide(cfg.ColorModel))
		if err != nil {
			return 0, 0, d, err
		}
		held += int64(cfg.Width) * int64(cfg.Height) * pixelBytes
		w, h, part.Width, part.Height = of.size.X, of.size.Y, of.from.Dx(), of.from.Dy()
	}
	const most = 400 // megapixels
	if int64(w)*int64(h) > most*1e6 {
		return 0, 0, d, fmt.Errorf("output %dx%d is more than %d megapixels; use %s", w, h, most, advice)
	}
	d.shared, d.each = e.engines.first.model.MemoryEach(deepened(e.opt.Keep, part), w, h, e.opt.Size, e.inStrips(j, w, h))
	d.shared += superres.WithGarbage(held)
	if e.engines.wary != nil {
		d.shared += judgesBytes
	}
	d.each += superres.WithGarbage(eachHeld)
	if need := d.of(1); need > e.opt.Limits.Memory {
		return 0, 0, d, fmt.Errorf("output %dx%d needs %s, the limit is %s; use --max-memory or %s",
			w, h, console.Bytes(need), console.Bytes(e.opt.Limits.Memory), advice)
	}
	return w, h, d, nil
}

// judgesBytes is what the two models take that tell pictures which were sharpened.
const judgesBytes = 9 << 20

// pixelBytes is what a pixel of a picture takes at most of which a region is enlarged.
const pixelBytes = 8

// mostWhole is how many pixels a result has at most that is made as a whole: one in strips is
// written while it is made.
const mostWhole = 64e6

// inStrips tells whether a result of w×h is to be made and written in strips, so that it
// never is in memory as a whole.
func (e enlarger) inStrips(j job, w, h int) bool {
	return e.opt.Region.Empty() && j.format.CanStream() && (float64(w)*float64(h) > mostWhole || e.opt.Size.BandRows > 0)
}

// one enlarges one picture and notes in out its sizes and warnings. It calls admit with
// the bytes that it takes before it takes them, and waits for that; the time it may
// take begins then.
func (e enlarger) one(ctx context.Context, j job, out *outcome, admit func(bytes int64), report func(float64)) (err error) {
	ctx, clock := newClock(ctx, e.opt.WholeTime)
	defer func() { err = clock.end(err, j.Path) }()
	limits := e.limits()
	if j.Path == "-" { // to be read before its size is known, so it has all memory to itself
		const twice = 2 // while it is put together
		limits.Bytes = min(imagefile.MaxBytes, e.opt.Limits.Memory*8/11/twice)
		admit(e.opt.Limits.Memory)
	}
	several, together := imagefile.Format(""), 1 // the kind of a file of several pictures, and how many are in work
	fileHeld := int64(0)       // bytes of that file, with its metadata
	limits.Several = func(kind imagefile.Format) { several = kind }
	limits.Accept = func(cfg image.Config, held int64) (err error) {
		if several != "" {
			fileHeld = held
			out.to.X, out.to.Y, out.need, together, err = e.measureSeveral(j, several, cfg, held)
		} else {
			out.to.X, out.to.Y, out.need, err = e.measure(j, cfg, held)
		}
		if err == nil {
			if j.Path != "-" {
				admit(out.need)
			}
			clock.start()
		}
		return err
	}
	var info fs.FileInfo // of the input before it is read
	if j.asked == nil && j.Path != "-" {
		info, _ = os.Stat(j.Path)
	}
	pic, err := e.open(ctx, j, limits)
	if err != nil {
		return err
	}
	if several != "" {
		return e.several(ctx, j, info, pic, fileHeld, together, out)
	}
	out.from = pic.Image.Bounds().Size()
	by, err := e.engines.ofOne(ctx, pic)
	if err != nil {
		return err
	}
	opt := e.opt.Size
	opt.Depth, opt.Progress, opt.Mix = e.opt.Keep.Depth, report, by.mix
	opt.Subsampled = pic.Subsampled || by.found != nil && by.found.Subsampled
	out.by, out.about = by, about(pic, by, out.need)
	if out.to.X, out.to.Y, err = by.model.ResultSize(out.from.X, out.from.Y, opt); err != nil {
		return console.Fail(console.ExitUsage, err)
	}
	defer func() {
		if text := unfit(by, pic.Image); err == nil && text != "" {
			out.warnings = append(out.warnings, text)
		}
	}()
	if e.inStrips(j, out.to.X, out.to.Y) && by.model.Streams(pic.Image) {
		return e.stream(ctx, j, info, pic, by, opt, out)
	}
	result, err := e.enlarge(ctx, by, pic.Image, opt, out)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Path, err)
	}
	result, how, warnings := finish(e.opt.Keep, pic, result, j.format, e.opt.Quality, by.software)
	out.warnings = warnings
	return e.deliver(j, info, func(w io.Writer) error {
		return imagefile.Encode(console.Interruptible(ctx, w), result, j.format, how)
	})
}

// enlarge enlarges a picture, or the region that is asked for, whose size it notes in out.
func (e enlarger) enlarge(ctx context.Context, by choice, img image.Image, opt superres.Options, out *outcome) (image.Image, error) {
	if e.opt.Region.Empty() {
		return by.model.Upscale(ctx, img, opt)
	}
	part, err := e.opt.partOf(by.model, out.from, out.to, picture.IsOpaque(img))
	if err != nil {
		return nil, err
	}
	img, opt = part.cut(img, opt)
	result, err := by.model.Upscale(ctx, img, opt)
	if err != nil {
		return nil, err
	}
	out.to = part.keep.Size()
	return part.kept(result), nil
}

// open reads the picture of a job.
func (e enlarger) open(ctx context.Context, j job, limits imagefile.Limits) (*imagefile.Picture, error) {
	switch {
	case j.asked != nil:
		return imagefile.OpenAt(ctx, j.asked.body, j.asked.size, j.Path, limits)
	case j.Path == "-":
		return imagefile.Decode(ctx, e.streams.In, "standard input", limits)
	}
	return imagefile.Open(ctx, j.Path, limits)
}

// stream enlarges a picture and writes it while it is made.
func (e enlarger) stream(ctx context.Context, j job, info fs.FileInfo, pic *imagefile.Picture, by choice, opt superres.Options, out *outcome) error {
	var failure error // of anything but the writing
	err := e.deliver(j, info, parted(&failure, func(w io.Writer) error {
		var file *imagefile.Stream
		err := by.model.Stream(ctx, pic.Image, opt, func(strip image.Image) error {
			strip, how, warnings := finish(e.opt.Keep, pic, strip, j.format, e.opt.Quality, by.software)
			if file == nil {
				out.warnings = warnings
				file = imagefile.NewStream(console.Interruptible(ctx, w), out.to.X, out.to.Y, j.format, how)
			}
			return asWriting(file.Put(strip))
		})
		if err == nil {
			err = asWriting(file.Close())
		}
		return err
	}))
	if failure != nil {
		return fmt.Errorf("%s: %w", j.Path, failure)
	}
	return err
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

// parted is into for deliver, which words errors of the writing: any other is noted in failure.
func parted(failure *error, into func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		err := into(w)
		if e, ok := errors.AsType[writing](err); ok {
			return e.error
		}
		*failure = err
		return err
	}
}

// deliver puts what write writes where the job says. info is that of the input before
// it was read.
func (e enlarger) deliver(j job, info fs.FileInfo, write func(io.Writer) error) error {
	if j.asked != nil {
		return j.asked.deliver(j.output, write)
	}
	if j.output == "-" {
		// The whole file first: a pipe gets all of it or nothing.
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		_, err := e.streams.Out.Write(buf.Bytes())
		return err
	}
	dir := filepath.Dir(j.output)
	if link, is := paths.ThroughLink(j.root, dir); is {
		return console.Fail(console.ExitOutput, fmt.Errorf("%s is a link out of %s; nothing is written through it", link, j.root))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return safefile.Unwritable(dir, err)
	}
	err := e.past.Keep(j.file(), info, e.opt.OnExist == "overwrite", write)
	if errors.Is(err, fs.ErrExist) { // though it did not when the outputs were looked at
		return console.Fail(console.ExitOutput, fmt.Errorf("%s has been made by another program since this one began; "+
			"if that is another superres in %s, wait for it, or use another -o", j.output, filepath.Clean(j.root)))
	}
	return err
}
