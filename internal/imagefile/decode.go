package imagefile

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"time"

	"superres/internal/safefile"
)

// read decodes data, a file of format f, within the limits, which must all be
// set. Its errors are faults without a name, context errors, or the decoder's.
//
// Note: the order is the safety. The size comes from the header alone; only
// when it is acceptable, and the file holds one picture of a bounded number of
// scans, does anything allocate pixels.
func (f *format) read(ctx context.Context, data []byte, lim Limits) (image.Image, error) {
	var cfg image.Config
	var img image.Image
	err := guarded(ctx, data, lim.Time, func(in source) (err error) {
		cfg, err = f.config(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := lim.checkSize(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	if lim.Accept != nil {
		if err := lim.Accept(cfg); err != nil {
			return nil, &safefile.Fault{Class: safefile.ErrLimit, Cause: err, Reason: err.Error()}
		}
	}
	if f.inspect != nil {
		if err := f.inspect(data, lim); err != nil {
			return nil, err
		}
	}
	err = guarded(ctx, data, lim.Time, func(in source) (err error) {
		img, err = f.decode(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	// A decoder may return another size than it announced, even none at all.
	if got, want := img.Bounds(), image.Rect(0, 0, cfg.Width, cfg.Height); got != want {
		return nil, fmt.Errorf("its pixels are %v, its header says %v", got, want)
	}
	return img, nil
}

// timeOver is the fault of a picture that is not decoded within d.
func timeOver(d time.Duration) error {
	return &safefile.Fault{Class: safefile.ErrLimit, Cause: context.DeadlineExceeded, Remedy: safefile.MoreTime,
		Reason: fmt.Sprintf("takes longer to decode than the limit of %v", d)}
}

// guarded runs one step of a decoder of data, which may take that long. A panic
// becomes an error, and so does a context that is done at the end: decoders reword
// or lose the error of their reader, so only the context itself tells.
//
// Note: this holds for decoders because they stay in this goroutine; and no
// one can recover from running out of memory, hence the limits.
func guarded(ctx context.Context, data []byte, limit time.Duration, step func(source) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeOver(limit))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder failed: %v", p)
		}
		if done := ctx.Err(); done != nil {
			err = done
			if own, ok := context.Cause(ctx).(*safefile.Fault); ok {
				err = own // our limit, not the caller's
			}
		}
	}()
	return step(source{ctx, bytes.NewReader(data)})
}

// source is what a decoder reads: bytes that are no longer given once the
// context is done.
//
// Note: ReadAt matters. Without it the TIFF decoder copies its reader into
// memory first and works on the copy, where no clock reaches it, and a small
// file can have the same megabyte unpacked for each of a million tiles.
type source struct {
	ctx  context.Context
	data *bytes.Reader
}

// stepBytes bounds one Read. It is small because a few hundred bytes are
// several scans of a hostile JPEG, each of which can touch every pixel.
const stepBytes = 256

func (s source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.data.Read(p[:min(len(p), stepBytes)])
}

func (s source) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.data.ReadAt(p, off)
}

// explain turns an error of read into one line about the named file of the
// format with the given title.
func explain(err error, name, title string) error {
	if err, ok := safefile.Named(err, name); ok {
		return err
	}
	if err, ok := safefile.Stopped(err, name); ok {
		return err
	}
	f := &safefile.Fault{Name: name, Class: safefile.ErrInput, Cause: err}
	what, kind := complaint(err)
	switch kind {
	case incomplete:
		f.Reason = fmt.Sprintf("damaged %s: %s (is the file complete?)", title, what)
	case unsupported:
		advice := "save it as PNG first"
		if title == "PNG" {
			advice = "save it again as a plain PNG"
		}
		f.Reason = fmt.Sprintf("%s with an unsupported feature (%s); %s", title, what, advice)
	default:
		f.Reason = fmt.Sprintf("damaged %s: %s; copy or export it again", title, what)
	}
	return f
}
