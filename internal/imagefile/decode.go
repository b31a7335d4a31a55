package imagefile

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"time"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// read returns the picture in file, within the limits lim, all of which must be set. Its errors are faults without a
// file name, errors of ctx, or errors of the decoder. name stands for the file in errors from reading it.
//
// Note: the order of the steps makes it safe. The size of the picture, and the memory for the file and its metadata,
// are computed from the headers, reading a few bytes at a time. Only if size and memory are acceptable is the file read
// into memory. Only if it then contains one picture, with a bounded number of scans, is memory for pixels allocated.
func (f *codec) read(ctx context.Context, file *input, name string, lim Limits) (*Picture, error) {
	var cfg image.Config
	var size Size
	var about metadata.Outline
	several, scratch := false, int64(0)
	c := &clock{limit: lim.Time, left: lim.Time}
	err := c.runTimed(ctx, file, func(src *source) (err error) {
		if cfg, err = f.header(src, lim); err == nil {
			size, err = lim.CheckSize(int64(cfg.Width), int64(cfg.Height))
		}
		if err == nil {
			about = metadata.Look(string(f.format), src)
			if lim.Upright {
				about.Orientation = 1
			}
			if f.decoderBytes != nil {
				scratch = f.decoderBytes(src)
			}
			several = lim.Several != nil && !lim.FirstFrame && f.several != nil && f.several(src)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if several && lim.Several != nil {
		lim.Several(f.format)
	}
	held := file.held + scratch
	if !lim.Strip {
		held += about.Bytes
	}
	if err := lim.accept(cfg, about.Orientation, held); err != nil {
		return nil, err
	}
	pic := &Picture{Format: f.format}
	if !lim.Strip {
		err = c.runTimed(ctx, file, func(src *source) error {
			pic.Metadata, pic.Warnings = metadata.Read(string(f.format), src)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := file.load(ctx, name); err != nil {
		return nil, err
	}
	if several {
		pic.File = file.data
		return pic, nil
	}
	if err := c.runTimed(ctx, file, func(src *source) error { return f.pixels(src, size, lim, pic) }); err != nil {
		return nil, err
	}
	if f.greyPalette && about.Colours != "RGB " {
		pic.Image = greyFromPalette(pic.Image)
	}
	if _, ok := pic.Image.(*image.CMYK); ok {
		pic.Warnings = append(pic.Warnings, plainInks)
	}
	pic.Image = Upright(pic.Image, about.Orientation)
	lim.Time = max(c.left, 1) // what remains of the time; 0 would mean the default
	return pic, pic.turnGainMap(ctx, about.Orientation, lim)
}

// plainInks is the warning for a picture in CMYK, the colours of inks.
const plainInks = "its CMYK colours become RGB by plain arithmetic"

// header returns the size and the colour model of the picture that f.decode would return for src. It reads the short
// file from f.start, if there is one, else src from its beginning.
func (f *codec) header(src *source, lim Limits) (image.Config, error) {
	if f.start != nil {
		if start, err := f.start(src, lim); err != nil {
			return image.Config{}, err
		} else if start != nil {
			return f.config(bytes.NewReader(start))
		}
	}
	beginning := *src
	beginning.at = 0
	return f.config(&beginning)
}

// pixels decodes src, a file in memory, into pic.Image, and sets the other fields of pic that follow from the file. It
// fails if the file no longer states the size that was checked before.
func (f *codec) pixels(src *source, size Size, lim Limits, pic *Picture) (err error) {
	if lim.FirstFrame && f.first != nil {
		src = src.withData(f.first(src))
	}
	now, err := f.header(src, lim)
	if err != nil {
		return err
	}
	if w, h := size.Sides(); now.Width != w || now.Height != h { // the checks were for another header
		return refuse(safefile.ErrInput, "has changed while it was read; try again")
	}
	if err := f.checkSingle(src, lim); err != nil {
		return err
	}
	if f.inspect != nil {
		if err := f.inspect(src); err != nil {
			return err
		}
	}
	pixels := src
	if f.prepare != nil {
		pixels = f.prepare(src)
	}
	img, err := f.decode(pixels, size, lim)
	if err != nil {
		return err
	}
	pic.Warnings = append(pic.Warnings, pixels.warnings...)
	// A decoder may return another size than the header gives, or even an empty picture.
	if got, want := img.Bounds(), size.Bounds(); got != want {
		return fmt.Errorf("its pixels are %v, its header says %v", got, want)
	}
	pic.Image = img
	if f.describe != nil {
		f.describe(pixels, pic)
	}
	return nil
}

// clock measures the time that decoding one picture takes: limit is the time allowed, left the time that remains.
type clock struct{ limit, left time.Duration }

// timeout returns the error for a picture that takes longer to decode than c.limit.
func (c *clock) timeout() error {
	return &safefile.Fault{Class: safefile.ErrLimit, Cause: context.DeadlineExceeded, Remedy: safefile.MoreTime,
		Reason: fmt.Sprintf("takes longer to decode than the limit of %g s", c.limit.Seconds())}
}

// runTimed calls step with a source of the file, and subtracts the time used from c.left. Once c.left has passed or ctx
// has ended, the source fails, and runTimed returns the error from timeout or ctx instead of the error from step, since
// decoders reword or lose the errors of their readers.
func (c *clock) runTimed(ctx context.Context, in *input, step func(*source) error) (err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, c.left, c.timeout())
	defer cancel()
	defer func() {
		c.left -= time.Since(began)
		if done := ctx.Err(); done != nil {
			err = done
			if own, ok := context.Cause(ctx).(*safefile.Fault); ok {
				err = own // the limit of c, not of the caller
			}
		}
	}()
	return step(&source{ctx: ctx, file: in, size: in.size, data: in.data, still: in.still})
}

// source is the file that decoders and readers of metadata read. Reading fails once ctx has ended.
type source struct {
	ctx  context.Context
	file io.ReaderAt
	size int64
	data []byte // all bytes of the file; nil: the file is on a disk
	at   int64  // the offset of the next Read

	still    func() (*metadata.Still, error)
	warnings []string    // faults of the pixels: see Picture.Warnings
	gains    image.Image // see Picture.gains
}

// withData returns a source that reads data instead of the file of s, with the same context.
func (s *source) withData(data []byte) *source {
	in := inMemory(data)
	return &source{ctx: s.ctx, file: in, size: in.size, data: data, still: in.still}
}

func (s *source) Size() int64 { return s.size }

// Still returns what the boxes of the file say about the picture. metadata.Read calls it.
func (s *source) Still() (*metadata.Still, error) { return s.still() }

// stepBytes is the most bytes that one Read returns, so that ctx is checked often: few bytes can decode to many pixels.
const stepBytes = 256

// Read reads the next bytes, at most stepBytes.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.ReadAt(p[:min(len(p), stepBytes)], s.at)
	s.at += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt reads the file like any io.ReaderAt, but fails once the context has ended.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	n, err := s.file.ReadAt(p[:min(int64(len(p)), s.size-off)], off)
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// explain returns err, an error from read, as a safefile.Fault that names the file and the title of its format. To a
// fault it only adds the name of the file. If a context has ended, it returns the error of the context.
func explain(err error, name, title string) error {
	if err, ok := safefile.Named(err, name); ok {
		return err
	}
	if err, ok := safefile.Stopped(err, name); ok {
		return err
	}
	f := &safefile.Fault{Name: name, Class: safefile.ErrInput, Cause: err}
	what, kind := classifyError(err)
	switch kind {
	case incomplete:
		f.Reason = fmt.Sprintf("damaged %s: %s (is the file complete?)", title, what)
	case unsupported:
		advice := "save it as PNG first"
		if title == "PNG" {
			advice = "save it again as a plain PNG"
		}
		f.Reason = fmt.Sprintf("%s with an unsupported feature (%s); %s", title, what, advice)
	case named:
		f.Reason = fmt.Sprintf("%s with %s, which cannot be read; save it as PNG first", title, what)
	default:
		f.Reason = fmt.Sprintf("damaged %s: %s; copy or export it again", title, what)
	}
	return f
}
