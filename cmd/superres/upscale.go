package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"superres/internal/imagefile"
	"superres/superres"
)

func upscaleCommand(s *streams) *cli.Command {
	return command(&cli.Command{
		Name: "upscale", Usage: "enlarge picture files", ArgsUsage: "[FLAGS] IN...",
		Description: `   superres upscale photo.jpg                      writes photo_2x.jpg beside it
   superres upscale -s 3 photo.png -o large.png    any scale from 1 to 16
   superres upscale -o large/ photos/ more/*.png   folders and files into one folder
   superres upscale - < in.png > out.png           a pipe
   superres upscale -m bicubic photo.jpg           plain interpolation, for comparison`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `PATH`: a file, a folder, or - for standard output"},
			&cli.StringFlag{Name: "name", Value: "{stem}_{scale}x", Usage: "`TEMPLATE` of output names, of {stem}, {ext} and {scale}; the extension is added"},
			&cli.Float64Flag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "enlarge by `F`, 1 to 16"},
			&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: "photo", Usage: "`NAME|FILE`: see superres models"},
			&cli.StringFlag{Name: "coder", Usage: "code patches with another `SPEC` than the model's: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Usage: "code patches with `S` atoms at most"},
			&cli.IntFlag{Name: "back-projection", Value: -1, Usage: "back-project `N` times; 0: never; -1: as the model says"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "write `FORMAT` (png, jpeg, bmp, tiff); by default that of the input or of -o, and png for standard output"},
			&cli.IntFlag{Name: "quality", Value: 95, Usage: "`Q` of JPEG, 1 to 100"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail, skip or overwrite"},
			&cli.DurationFlag{Name: "timeout", Usage: "refuse inputs that take longer than `T` to decode", Value: 30 * time.Second},
		}, fidelityFlags, commonFlags),
		Action: func(c *cli.Context) error { return upscale(c, s) },
	})
}

// upscaler enlarges the pictures of one call.
type upscaler struct {
	*streams
	model     *superres.Model
	scale     float64
	quality   int
	overwrite bool
	limits    imagefile.Limits
	memory    int64 // bytes
	bar       *progress
	keep      fidelity
}

func upscale(c *cli.Context, s *streams) error {
	memory, err := resources(c)
	if err != nil {
		return err
	}
	u := &upscaler{streams: s, scale: c.Float64("scale"), quality: c.Int("quality"), overwrite: c.String("on-exist") == "overwrite",
		limits: imagefile.Limits{Pixels: c.Int64("max-pixels") * 1e6, Time: c.Duration("timeout")}, memory: memory}
	if !(u.scale >= superres.MinScale && u.scale <= superres.MaxScale) {
		return usage("--scale %g: expected %d to %d", u.scale, superres.MinScale, superres.MaxScale)
	}
	if u.quality < 1 || u.quality > 100 {
		return usage("--quality %d: expected 1 to 100", u.quality)
	}
	if u.limits.Time <= 0 {
		return usage("--timeout %v: expected more than no time", u.limits.Time)
	}
	u.limits.Accept = u.accept
	if n := c.Int("back-projection"); n < -1 {
		return usage("--back-projection %d: expected -1 or more", n)
	}
	if u.bar, err = newProgress(c, s); err != nil {
		return err
	}
	defer u.bar.clear()
	tuning := superres.Tuning{Coder: c.String("coder"), Sparsity: c.Int("sparsity")}
	if n := c.Int("back-projection"); n >= 0 {
		tuning.BackProject = &n
	}
	m, err := openModel(c.String("model"))
	if err != nil {
		return err
	}
	if u.model, err = m.Tune(tuning); err != nil {
		return err
	}
	if u.keep, err = newFidelity(c, u.model); err != nil {
		return err
	}
	u.limits = u.keep.limits(u.limits)
	jobs, skipped, err := plan(c, u.scale)
	if err != nil {
		return err
	}
	if err := u.keep.check(jobs); err != nil {
		return err
	}
	return u.all(c.Context, jobs, skipped)
}

// accept refuses a picture, by its header, whose enlargement takes too much.
func (u *upscaler) accept(cfg image.Config) error {
	w, h, err := u.model.Size(cfg.Width, cfg.Height, u.scale)
	if err != nil {
		return err
	}
	const most = 400 // megapixels
	if int64(w)*int64(h) > most*1e6 {
		return fmt.Errorf("output %dx%d is more than %d megapixels; use a smaller --scale", w, h, most)
	}
	if need := u.model.Memory(u.keep.deepened(cfg), w, h); need > u.memory {
		return fmt.Errorf("output %dx%d needs %s, the limit is %s; use --max-memory or a smaller --scale", w, h, gib(need), gib(u.memory))
	}
	return nil
}

// gib words a number of bytes.
func gib(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// all enlarges one picture after the other; one that fails does not end the rest.
func (u *upscaler) all(ctx context.Context, jobs []job, skipped int) error {
	swept := map[string]bool{}
	failed := 0
	var last error
	for i, j := range jobs {
		if dir := filepath.Dir(j.output); j.output != "-" && !swept[dir] {
			swept[dir] = true
			// What a killed run left, if anything; not to be able to is no error.
			_, _ = imagefile.Sweep(dir, time.Hour)
		}
		began := time.Now()
		b, err := u.one(ctx, j, func(share float64) {
			u.bar.set("enlarging", (float64(i)+share)/float64(len(jobs)))
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed, last = failed+1, err
			if len(jobs)+skipped > 1 {
				u.bar.warn(err)
			}
			continue
		}
		u.bar.line("%s: %dx%d in %.2f s", j.output, b.Dx(), b.Dy(), time.Since(began).Seconds())
	}
	switch {
	case failed == 0:
		return nil
	case len(jobs) == 1 && skipped == 0:
		return last
	case failed < len(jobs) || skipped > 0:
		return codedError{fmt.Errorf("%d of %d pictures failed, %d are done", failed, len(jobs)+skipped, len(jobs)+skipped-failed), exitSome}
	}
	return codedError{fmt.Errorf("all %d pictures failed", failed), exitNone}
}

// one enlarges one picture and returns the bounds of the result.
func (u *upscaler) one(ctx context.Context, j job, report func(float64)) (image.Rectangle, error) {
	none := image.Rectangle{}
	var pic *imagefile.Picture
	var err error
	if j.path == "-" {
		pic, err = imagefile.Decode(ctx, u.in, "standard input", u.limits)
	} else {
		pic, err = imagefile.Open(ctx, j.path, u.limits)
	}
	if err != nil {
		return none, err
	}
	out, err := u.model.Upscale(ctx, pic.Image, superres.Options{Scale: u.scale, Depth: u.keep.depth, Progress: report})
	if err != nil {
		return none, fmt.Errorf("%s: %w", j.path, err)
	}
	out, how, warnings := u.keep.finish(pic, out, j.format, u.quality)
	u.note(j.path, warnings)
	write := func(w io.Writer) error {
		return imagefile.Encode(interruptible{ctx, w}, out, j.format, how)
	}
	if j.output == "-" {
		// The whole file first: a pipe gets all of it or nothing.
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return none, fmt.Errorf("standard output: %w", err)
		}
		_, err := u.out.Write(buf.Bytes())
		return out.Bounds(), err
	}
	dir := filepath.Dir(j.output)
	if j.root != "" {
		if link, is := throughLink(j.root, dir); is {
			return none, codedError{fmt.Errorf("%s is a link out of %s; nothing is written through it", link, j.root), exitOutput}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return none, imagefile.Unwritable(dir, err)
	}
	return out.Bounds(), imagefile.WriteAtomic(j.output, u.overwrite, write)
}

// note says what an output has not got of its input.
func (u *upscaler) note(path string, warnings []string) {
	if u.keep.quiet {
		return
	}
	for _, text := range warnings {
		u.bar.pause()
		fmt.Fprintln(u.err, "superres:", imagefile.OneLine(path+": "+text))
	}
}

// interruptible is a writer that fails once its context ends.
type interruptible struct {
	context.Context
	io.Writer
}

func (w interruptible) Write(p []byte) (int, error) {
	if err := w.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
