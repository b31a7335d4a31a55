package upscale

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/internal/y4m"
)

// areFrames tells whether the input is a stream of frames, by what it begins with. Such a
// stream is enlarged alone.
func areFrames(opt Options, s *console.Streams) (bool, error) {
	for _, name := range opt.Inputs {
		switch alone := len(opt.Inputs) == 1; {
		case name == "-":
			if !alone || opt.DryRun || opt.Resume {
				break // refused, and not to be waited for
			}
			in := bufio.NewReader(s.In)
			s.In = in
			if head, _ := in.Peek(len(y4m.Magic)); string(head) == y4m.Magic {
				return true, nil
			}
		case !alone && !pictures.IsNamedVideo(name):
		default:
			f, _, err := safefile.OpenRegular(name)
			if err != nil {
				break // its opening as a picture will tell
			}
			head := make([]byte, len(y4m.Magic))
			_, err = io.ReadFull(f, head)
			f.Close()
			if err != nil || string(head) != y4m.Magic {
				break
			}
			if !alone {
				return false, console.Usage("%s is a stream of frames, which is enlarged alone; give each stream a call of its own", name)
			}
			return true, nil
		}
	}
	return false, nil
}

// nameOf is the name of an input for messages.
func nameOf(j job) string {
	if j.Path == "-" {
		return "standard input"
	}
	return j.Path
}

// named gives an error the name of an input.
func named(err error, name string) error {
	if fault, ok := safefile.Named(err, name); ok {
		return fault
	}
	return err
}

// openFrames opens a stream and reads its header; size is that of the file, 0 for a pipe.
func (e enlarger) openFrames(j job) (in *y4m.Reader, size int64, done func(), err error) {
	r, done := e.streams.In, func() {}
	if j.Path != "-" {
		f, bytes, err := safefile.OpenRegular(j.Path)
		if err != nil {
			return nil, 0, nil, err
		}
		r, size, done = f, bytes, func() { f.Close() }
	}
	if in, err = y4m.NewReader(r, e.limits()); err != nil {
		done()
		return nil, 0, nil, named(err, nameOf(j))
	}
	return in, size, done, nil
}

// measureFrames returns the header of what becomes of a stream, and what one frame takes, in
// bytes, as measure does; it refuses what is too much.
func (e enlarger) measureFrames(j job, in y4m.Header) (to y4m.Header, need int64, err error) {
	cfg := image.Config{ColorModel: color.GrayModel, Width: in.Width, Height: in.Height}
	if in.Depth > 8 {
		cfg.ColorModel = color.Gray16Model
	}
	w, h, err := e.engines.first.model.ResultSize(in.Width, in.Height, e.opt.Size)
	if err != nil {
		return to, 0, console.Fail(console.ExitUsage, err)
	}
	// The frame, the result and its copy that is written, one that waits, and while colour is
	// enlarged a plane of each.
	to = in.Sized(w, h)
	held := 2*in.FrameBytes() + 3*to.FrameBytes()
	if to.Planes() > 1 {
		w, h := to.Plane(1)
		held += 3 * 4 * int64(w) * int64(h)
	}
	if _, _, need, err = e.measure(j, cfg, held); err != nil {
		return to, 0, console.Fail(console.ExitLimit, fmt.Errorf("%s: %w", nameOf(j), err))
	}
	return to, need, nil
}

// video enlarges the stream that is job i and notes in out what one does; admit is as there.
func (w *work) video(ctx context.Context, i int, out *outcome, admit func(bytes int64)) error {
	j := w.jobs[i]
	var info fs.FileInfo // of the input before it is read
	if j.Path != "-" {
		info, _ = os.Stat(j.Path)
	}
	in, size, done, err := w.openFrames(j)
	if err != nil {
		return err
	}
	defer done()
	to, need, err := w.measureFrames(j, in.Header)
	if err != nil {
		return err
	}
	together := min(runtime.GOMAXPROCS(0), int(w.opt.Limits.Memory/need))
	admit(int64(together) * need)
	for range together - 1 { // the first is that of the stream
		defer parallel.Task()()
	}
	start, err := readAhead(in)
	if err != nil {
		return named(err, nameOf(j))
	}
	f := newFrames(w.enlarger, in.Header, to, nameOf(j))
	if f.by, err = w.engines.ofFrames(ctx, start); err != nil {
		return err
	}
	out.from, out.to, out.by, out.need = image.Pt(in.Width, in.Height), image.Pt(to.Width, to.Height), f.by, int64(together)*need
	out.about = fmt.Sprintf("Y4M, %s of %d bits, %dx%d, %v for all frames, about %s for %d at a time", in.Layout.Name, in.Depth, in.Width, in.Height, f.by, console.Bytes(out.need), together)

	began, each := time.Now(), float64(in.FrameBytes()+int64(len("FRAME\n")))
	write := func(to *y4m.Writer) error {
		return f.all(ctx, start.next, together, func(frame *y4m.Frame) error {
			if err := asWriting(to.Put(frame)); err != nil {
				return err
			}
			out.frames++
			share := 0.0
			if size > 0 {
				share = min(float64(out.frames)*each/float64(size), 1)
			}
			w.told.frame(i, out.frames, out.to, time.Since(began).Seconds(), share)
			return nil
		})
	}
	return w.deliverFrames(ctx, j, info, f, write, out)
}

// deliverFrames puts what write writes where the job says: a file whole or not at all, and
// frame after frame into a pipe, which ends with a whole one.
func (w *work) deliverFrames(ctx context.Context, j job, info fs.FileInfo, f *frames, write func(*y4m.Writer) error, out *outcome) error {
	var failure error // of anything but the writing
	into := parted(&failure, func(to io.Writer) error {
		stream, err := y4m.NewWriter(to, f.to)
		if err == nil {
			err = write(stream)
		}
		return err
	})
	var err error
	told := "nothing is written"
	if j.output != "-" {
		err = w.deliver(j, info, into)
	} else {
		err = into(w.streams.Out)
		if told = fmt.Sprintf("the %d frames before it are written", out.frames); out.frames == 1 {
			told = "the frame before it is written"
		}
	}
	if failure != nil && ctx.Err() == nil {
		return fmt.Errorf("%w; %s", failure, told)
	}
	return err
}

// lookAtFrames is look for a stream.
func (e enlarger) lookAtFrames(ctx context.Context, j job, ev *pictureEvent) (by choice, err error) {
	in, _, done, err := e.openFrames(j)
	if err != nil {
		return by, err
	}
	defer done()
	to, need, err := e.measureFrames(j, in.Header)
	if err != nil {
		return by, err
	}
	ev.InputWidth, ev.InputHeight, ev.Width, ev.Height = in.Width, in.Height, to.Width, to.Height
	ev.Memory = need * min(int64(runtime.GOMAXPROCS(0)), e.opt.Limits.Memory/need)
	start, err := readAhead(in)
	if err != nil {
		return by, named(err, nameOf(j))
	}
	by, err = e.engines.ofFrames(ctx, start)
	ev.chosen(by)
	return by, err
}

// frame tells that frame n of the stream that is job i has been written: seconds after the
// first was begun, and by the share of all of them, 0 where nobody knows how many there are.
func (a *account) frame(i, n int, to image.Point, seconds, share float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j := a.jobs[i]
	a.events.frame(frameEvent{Event: "frame", Input: paths.Name(j.Path), Output: paths.Name(j.output), Frame: n, Width: to.X, Height: to.Y, Seconds: seconds})
	const what = "enlarging"
	if share == 0 {
		a.bar.Spin(what)
	} else {
		a.pace.set(i, share)
		a.bar.Set(what, a.pace.share())
	}
	a.bar.Describe(fmt.Sprintf("frame %d, %.2f a second", n, float64(n)/seconds))
}
