package digits

import (
	"cmp"
	"context"
	"image"
	"os"
	"runtime"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres"
)

// inspect returns the job to run. It reads the input files to their ends, so that damage is found before any output is
// written, and fails if a PNG file to write exists and must not be overwritten: run has checked the other outputs.
func inspect(ctx context.Context, opt Options, e *engine, bar *console.Progress) (*job, error) {
	pair, err := mnist.OpenPair(opt.Images, opt.Labels)
	if err != nil {
		return nil, console.Fail(console.ExitInput, err)
	}
	defer pair.Close()
	j := &job{opt: opt, engine: e, bar: bar, total: pair.Count(), size: image.Pt(pair.Width(), pair.Height())}
	if opt.Transposed {
		j.size = image.Pt(j.size.Y, j.size.X)
	}
	if pixels := cmp.Or(opt.Limits.Pixels, imagefile.DefaultPixels); int64(j.size.X)*int64(j.size.Y) > pixels {
		return nil, console.Failf(console.ExitLimit, "%s: images of %d×%d have more than %d megapixels; use "+
			"--max-pixels", opt.Images, j.size.X, j.size.Y, pixels/1e6)
	}
	taken, count, err := opt.Choice.Among(opt.Images, j.total)
	if err != nil {
		return nil, err
	}
	if j.count = count; count == 0 {
		return nil, console.Failf(console.ExitInput, "%s: no image is left to work on; check --index, --skip-index "+
			"and --limit", opt.Images)
	}
	if err := j.fit(runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	for item, err := range pair.All() {
		if err != nil {
			return nil, console.Fail(console.ExitInput, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if item.Index%1024 == 0 {
			bar.Set("checking", float64(item.Index)/float64(j.total))
		}
		if opt.Folder != "" && taken(item.Index) {
			if err := opt.checkFree(j.path(item.Index, item.Label)); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// fit sets the size of the results (j.out), the number of pictures in a batch (j.batch) and, if a sheet is requested,
// the empty sheet (j.sheet). It fails if images are smaller than the scale, if the given number of workers needs more
// memory than the limit, or if the sheet has too many pixels.
func (j *job) fit(workers int) error {
	name, e, in := j.opt.Images, j.engine, j.size
	if in.X < e.scale || in.Y < e.scale {
		return console.Failf(console.ExitInput, "%s: images of %d×%d cannot be reduced by %d; use a smaller --scale",
			name, in.X, in.Y, e.scale)
	}
	in = in.Div(e.scale)
	var err error
	if j.out.X, j.out.Y, err = e.model.Size(in.X, in.Y, float64(e.scale)); err != nil {
		return err
	}
	pixels := int64(j.out.X) * int64(j.out.Y)
	j.batch = int(min(max(1<<23/pixels, 1), 256)) // results of 8 million pixels together, but 1 to 256 of them
	// Small images take less than the model's estimate, which counts buffers for large ones: at most 400 bytes a pixel.
	imageBytes := min(e.model.Memory(image.Config{Width: in.X, Height: in.Y}, j.out.X, j.out.Y, superres.Options{}),
		400*pixels)
	// The program itself, an image for each worker, and the batch: truth, reduced, result, and room for garbage.
	need := 32<<20 + int64(min(workers, j.batch))*imageBytes + 6*pixels*int64(j.batch)
	if limit := j.opt.Limits.Memory; need > limit {
		return console.Failf(console.ExitLimit, "%s: images of %d×%d need %s, the limit is %s; use --max-memory or "+
			"a smaller -j", name, j.size.X, j.size.Y, console.Bytes(need), console.Bytes(limit))
	}
	if j.opt.Sheet == "" {
		return nil
	}
	j.sheet = &sheet{out: j.out, count: min(j.opt.SheetCount, j.count)}
	if all := int64(len(sheetRows)*j.sheet.count) * pixels; all > mostSheetPixels {
		return console.Failf(console.ExitLimit, "%s: the pictures of the sheet would have %.0f megapixels, the "+
			"limit is %d; use a smaller --sheet-count, or no --sheet", j.opt.Sheet, float64(all)/1e6,
			mostSheetPixels/1_000_000)
	}
	return nil
}

// checkFree returns an error if the output file called name exists and is an input or must not be overwritten.
func (opt *Options) checkFree(name string) error {
	if _, err := os.Lstat(name); err != nil {
		return nil // the file does not exist; writing reports any other error
	}
	for _, in := range []string{opt.Images, opt.Labels} {
		if in != "" && safefile.SameFile(in, name) {
			return console.Failf(console.ExitOutput, "%s: -o would write over the input; use another name", name)
		}
	}
	if !opt.Overwrite {
		return console.Failf(console.ExitOutput, "%s exists; use --on-exist overwrite or another -o", name)
	}
	return nil
}

// verify returns, for the file of images and the file of labels, the name of the MNIST file with the same content, or
// "". It also returns a warning for each file that has the name of an MNIST file but other content.
func (opt *Options) verify() (official [2]string, warnings []string) {
	for i, name := range []string{opt.Images, opt.Labels} {
		if name == "" {
			continue
		}
		var err error
		if official[i], _, err = mnist.Verify(name); err != nil {
			warnings = append(warnings, console.Message(err)+"; other data have files of these names, and their "+
				"scores are not MNIST's")
		}
	}
	return official, warnings
}
