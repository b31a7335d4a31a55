package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/disintegration/imaging"
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
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `PATH`: a file, a folder, or - for standard output"},
			&cli.StringFlag{Name: "name", Value: "{stem}_{scale}x", Usage: "`TEMPLATE` of output names, of {stem}, {ext} and {scale}; the extension is added"},
			&cli.Float64Flag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "enlarge by `F`, 1 to 16"},
			&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: "photo", Usage: "`NAME|FILE`: see superres models"},
			&cli.StringFlag{Name: "coder", Usage: "code patches with another `SPEC` than the model's: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Usage: "code patches with `S` atoms at most"},
			&cli.IntFlag{Name: "back-projection", Value: -1, Usage: "back-project `N` times; 0: never; -1: as the model says"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "write `FORMAT` (png, jpeg, bmp, tiff); by default that of the input or of -o"},
			&cli.IntFlag{Name: "quality", Value: 95, Usage: "`Q` of JPEG, 1 to 100"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail, skip or overwrite"},
			&cli.Int64Flag{Name: "max-pixels", Usage: "refuse inputs of more than `N` megapixels", Value: 50},
			&cli.Int64Flag{Name: "max-memory", Usage: "refuse pictures that need more than `N` MiB", Value: 2048},
			&cli.DurationFlag{Name: "timeout", Usage: "refuse inputs that take longer than `T` to decode", Value: 30 * time.Second},
		}, quietFlags...),
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
}

func upscale(c *cli.Context, s *streams) error {
	useProcessors(c)
	u := &upscaler{streams: s, scale: c.Float64("scale"), quality: c.Int("quality"), overwrite: c.String("on-exist") == "overwrite",
		limits: imagefile.Limits{Pixels: c.Int64("max-pixels") * 1e6, Time: c.Duration("timeout")}, memory: c.Int64("max-memory") << 20}
	if !(u.scale >= superres.MinScale && u.scale <= superres.MaxScale) {
		return usage("--scale %g: expected %d to %d", u.scale, superres.MinScale, superres.MaxScale)
	}
	if u.quality < 1 || u.quality > 100 {
		return usage("--quality %d: expected 1 to 100", u.quality)
	}
	if u.limits.Pixels < 1 || u.memory < 1 || u.limits.Time <= 0 {
		return usage("--max-pixels, --max-memory and --timeout must be more than 0")
	}
	var err error
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
	jobs, skipped, err := plan(c, u.scale)
	if err != nil {
		return err
	}
	return u.all(c.Context, jobs, skipped)
}

// useProcessors applies --jobs.
func useProcessors(c *cli.Context) {
	if n := c.Int("jobs"); n > 0 {
		runtime.GOMAXPROCS(n)
	}
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
			if len(jobs) > 1 {
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
	b := pic.Image.Bounds()
	w, h, err := u.model.Size(b.Dx(), b.Dy(), u.scale)
	if err != nil {
		return none, err
	}
	const outputLimit = 400_000_000
	if need := u.model.Memory(pic.Image, w, h); need > u.memory || int64(w)*int64(h) > outputLimit {
		return none, codedError{fmt.Errorf("%s: output %dx%d needs %.1f GiB, the limit is %.1f GiB and %d megapixels; use --max-memory or a smaller --scale",
			j.path, w, h, float64(need)/(1<<30), float64(u.memory)/(1<<30), outputLimit/1_000_000), exitLimit}
	}
	out, err := u.model.Upscale(ctx, pic.Image, superres.Options{Scale: u.scale, Progress: report})
	if err != nil {
		return none, fmt.Errorf("%s: %w", j.path, err)
	}
	if j.format == "jpeg" {
		out = onWhite(out)
	}
	write := func(w io.Writer) error {
		return imagefile.Encode(w, out, j.format, imagefile.EncodeOptions{Quality: u.quality})
	}
	if j.output == "-" {
		// The whole file first: a pipe gets all of it or nothing.
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return none, fmt.Errorf("standard output: %w", err)
		}
		if _, err := u.out.Write(buf.Bytes()); err != nil {
			return none, codedError{fmt.Errorf("standard output: %w", err), exitOutput}
		}
		return out.Bounds(), nil
	}
	if err := os.MkdirAll(filepath.Dir(j.output), 0o777); err != nil {
		return none, codedError{err, exitOutput}
	}
	err = imagefile.WriteAtomic(j.output, u.overwrite, func(w io.Writer) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return write(w)
	})
	return out.Bounds(), err
}

// onWhite puts a picture with transparency on a white ground, for formats that
// have none.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), color.White), img, 1)
}
