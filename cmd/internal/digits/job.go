package digits

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// job is the work of one call of the command; inspect creates it.
type job struct {
	opt    Options
	engine *engine
	bar    *console.Progress

	total, count int         // the number of images in the file, and the number of images chosen
	size, out    image.Point // the sizes in pixels of each image and each result
	batch        int         // number of images in memory at once

	scores scores
	sheet  *sheet // nil if no sheet is drawn
}

// path returns the path of the image's PNG file: FOLDER/INDEX_LABEL.png, or FOLDER/INDEX.png without a label. Zeros
// before the index make it as long as the last index in the file, and at least 5 digits.
func (j *job) path(index, label int) string {
	name := fmt.Sprintf("%0*d", max(5, len(strconv.Itoa(j.total-1))), index)
	if label != mnist.NoLabel {
		name += "_" + strconv.Itoa(label)
	}
	return filepath.Join(j.opt.Folder, name+".png")
}

// run processes the images and writes the results to the folder or the file in j.opt, if there is one. (For a folder,
// process writes a PNG file for each image, so that stream has nothing to write.)
func (j *job) run(ctx context.Context) error {
	switch folder, file := j.opt.Folder, j.opt.File; {
	case folder != "":
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return safefile.Unwritable(folder, err)
		}
		// Remove, if possible, temporary files that a killed run has left an hour ago, or on this machine at any time.
		_, _ = safefile.RemoveLeftovers(folder, time.Hour)
	case file != "":
		_, _ = safefile.RemoveLeftovers(filepath.Dir(file), time.Hour)
		return j.writeFile(ctx, file)
	}
	_, err := j.stream(ctx, func(*image.Gray) error { return nil })
	return err
}

// writeFile processes the images and writes the results to the IDX file called name, compressed if name ends in .gz.
func (j *job) writeFile(ctx context.Context, name string) error {
	var failure error // not from writing; WriteAtomicMode would make it an error of the output
	err := safefile.WriteAtomicMode(j.opt.most, name, j.opt.Overwrite, func(w io.Writer) error {
		end := func() error { return nil }
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(w)
			w, end = z, z.Close
		}
		out, err := mnist.NewImageWriter(w, j.count, j.out.X, j.out.Y)
		if err != nil {
			return err
		}
		if err, failure = j.stream(ctx, out.Write); err != nil {
			return err
		}
		return errors.Join(failure, out.Close(), end())
	})
	if failure != nil {
		return failure
	}
	return err
}

// stream processes the chosen images in batches, each on all processors, and calls write with each result, in the order
// of the file. writing is an error from write, and failure any other error.
func (j *job) stream(ctx context.Context, write func(*image.Gray) error) (writing, failure error) {
	pair, err := mnist.OpenPair(j.opt.Images, j.opt.Labels)
	if err != nil {
		return nil, console.Fail(console.ExitInput, err)
	}
	defer pair.Close()
	taken, _, err := j.opt.Choice.Among(j.opt.Images, pair.Count())
	if err != nil {
		return nil, err
	}
	done := 0
	batch := make([]digit, 0, min(j.batch, j.count))
	for item, err := range pair.All() {
		if err != nil {
			return nil, console.Fail(console.ExitInput, err)
		}
		if taken(item.Index) {
			batch = append(batch, digit{index: item.Index, label: item.Label, truth: j.copied(item.Image)})
		}
		if len(batch) < cap(batch) && done+len(batch) < j.count || len(batch) == 0 {
			continue // the batch is neither full nor the last one
		}
		if err := j.process(ctx, batch); err != nil {
			return nil, err
		}
		for _, x := range batch {
			if x.failure != nil {
				return nil, x.failure
			}
			if err := write(x.result); err != nil {
				return err, nil
			}
			j.scores.add(x)
			j.sheet.add(x)
		}
		done += len(batch)
		j.bar.Set("restoring", float64(done)/float64(j.count))
		if batch = batch[:0]; done == j.count {
			return nil, nil
		}
	}
	return nil, console.Failf(console.ExitInput, "%s: changed while it was read", j.opt.Images)
}

// copied returns a copy of img, an image from the file, transposed if opt.Transposed.
func (j *job) copied(img *image.Gray) *image.Gray {
	if !j.opt.Transposed {
		own := *img
		own.Pix = slices.Clone(img.Pix)
		return &own
	}
	out := image.NewGray(image.Rectangle{Max: j.size})
	for y := range j.size.Y {
		for x := range j.size.X {
			out.SetGray(x, y, img.GrayAt(y, x))
		}
	}
	return out
}

// process restores and scores the digits of batch in place, on all processors. If the output is a folder, it writes the
// PNG files. A digit that fails has the error in its field failure. The error that process returns is from ctx.
func (j *job) process(ctx context.Context, batch []digit) error {
	restore := func(x *digit) {
		name := fmt.Sprintf("%s: image %d", j.opt.Images, x.index)
		x.failure = console.Picture(name, func() error { return j.engine.process(ctx, x) })
		if x.failure == nil && j.opt.Folder != "" {
			file := j.path(x.index, x.label)
			x.failure = safefile.WriteAtomicMode(j.opt.most, file, j.opt.Overwrite, func(w io.Writer) error {
				return imagefile.Encode(w, x.result, "png", imagefile.EncodeOptions{})
			})
		}
	}
	const grain = 4 // images that a worker takes at a time
	return parallel.For(ctx, len(batch), grain, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := range batch[lo:hi] {
				restore(&batch[lo+i])
			}
		}
	})
}

// digit is one image from the file, with its reduced image, its result and its errors.
type digit struct {
	index, label int         // label may be mnist.NoLabel
	truth        *image.Gray // the image in the file
	low, result  *image.Gray
	errors       []float64 // one for each of engine.columns, NaN if undefined
	failure      error
}

// engine reduces, restores and scores images. It is safe for concurrent use.
type engine struct {
	model       *superres.Model
	scale       int
	degradation resample.Degradation
	plain       []*superres.Model // interpolations to score for comparison with the model
	columns     []string          // the names of the models in plain and, last, of model
}

// newEngine returns an engine for the model named in opt, which also scores nearest and bicubic. If opt does not set
// them, the scale is the model's, but at least 2, and the degradation the model's, or box for a plain interpolation.
func newEngine(ctx context.Context, opt Options) (*engine, error) {
	m, err := models.Open(ctx, opt.Model)
	if err != nil {
		return nil, err
	}
	e := &engine{model: m, degradation: opt.Degradation}
	if e.scale = max(2, m.Scale); opt.Scale != nil {
		e.scale = *opt.Scale
	}
	if e.degradation == "" {
		e.degradation = resample.Box
		if !m.IsPlain() {
			e.degradation = m.Degradation
		}
	}
	for _, name := range []string{"nearest", "bicubic"} {
		if name == opt.Model {
			continue
		}
		m, err := models.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		e.columns, e.plain = append(e.columns, name), append(e.plain, m)
	}
	e.columns = append(e.columns, opt.Model)
	return e, e.degradation.Check()
}

// process reduces, restores and scores x.truth. It sets x.low, x.result and x.errors, in the order of e.columns.
func (e *engine) process(ctx context.Context, x *digit) error {
	low, err := score.Reduce(x.truth, e.scale, e.degradation)
	if err != nil {
		return err
	}
	x.low = low.(*image.Gray)
	opt := superres.Options{Scale: float64(e.scale)}
	result, err := e.model.Upscale(ctx, x.low, opt)
	if err != nil {
		return err
	}
	x.result = result.(*image.Gray) // the result of a grey image is grey
	for _, m := range e.plain {
		img, err := m.Upscale(ctx, x.low, opt)
		if err != nil {
			return err
		}
		if err := e.score(x, img); err != nil {
			return err
		}
	}
	return e.score(x, x.result)
}

// score appends to x.errors the error of restored, compared with x.truth.
func (e *engine) score(x *digit, restored image.Image) error {
	v, err := score.NormalisedError(x.truth, restored, e.scale)
	x.errors = append(x.errors, v)
	return err
}
