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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// job is one run of superres mnist.
type job struct {
	images, labels string // files; labels may be ""
	choice         pictures.Choice
	model          *superres.Model
	name           string            // of the model
	columns        []string          // what is scored: the plain interpolations and the model
	plain          []*superres.Model // of all columns but the last
	scale          int
	degradation    resample.Degradation
	enlarge        bool // rather than restore
	file, folder   string
	sheet          string
	sheetCount     int
	overwrite      bool
	bar            *console.Progress

	total, count        int // images of the file, and those chosen
	width, height       int
	outWidth, outHeight int
	together            int // images in work
	official            [2]string
	scores              digitScores
	drawn               []digit // the first ones, for the sheet
}

// digit is one image in work.
type digit struct {
	index, label int
	truth, low   *image.Gray
	result       *image.Gray
	errors       []float64 // one a column; NaN: not defined
	failure      error
}

// inspect reads the files to their ends before anything is made, so that nothing is
// made of damaged ones, and looks for the names of the outputs in a folder.
func (d *job) inspect(ctx context.Context, pixels, memory int64) error {
	pair, err := mnist.OpenPair(d.images, d.labels)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	defer pair.Close()
	d.total, d.width, d.height = pair.Count(), pair.Width(), pair.Height()
	if int64(d.width)*int64(d.height) > pixels {
		return console.Fail(console.ExitLimit, fmt.Errorf("%s: images of %dx%d have more than %d megapixels; use --max-pixels", d.images, d.width, d.height, pixels/1e6))
	}
	taken, count, err := d.choice.Among(d.images, d.total)
	if err != nil {
		return err
	}
	if d.count = count; count == 0 {
		return console.Fail(console.ExitInput, fmt.Errorf("%s: no image is left to work on; check --index, --skip-index and --limit", d.images))
	}
	d.sheetCount = min(d.sheetCount, count)
	if err := d.fits(runtime.GOMAXPROCS(0), memory); err != nil {
		return err
	}
	for item, err := range pair.All() {
		if err != nil {
			return console.Fail(console.ExitInput, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if item.Index%1024 == 0 {
			d.bar.Set("checking", float64(item.Index)/float64(d.total))
		}
		if taken(item.Index) && d.folder != "" {
			if err := d.free("-o", d.path(item.Index, item.Label)); err != nil {
				return err
			}
		}
	}
	return nil
}

// verify compares the files with MNIST's own and returns the warnings.
func (d *job) verify() (warnings []string) {
	for i, name := range []string{d.images, d.labels} {
		if name == "" {
			continue
		}
		var err error
		if d.official[i], err = mnist.Verify(name); err != nil {
			warnings = append(warnings, console.Message(err)+"; other data have files of these names, and their scores are not MNIST's")
		}
	}
	return warnings
}

// path is the PNG file of an image.
func (d *job) path(index, label int) string {
	name := fmt.Sprintf("%0*d", max(5, len(strconv.Itoa(d.total-1))), index)
	if label != mnist.NoLabel {
		name += "_" + strconv.Itoa(label)
	}
	return filepath.Join(d.folder, name+".png")
}

// all does the work and writes the results.
func (d *job) all(ctx context.Context) error {
	switch {
	case d.folder != "":
		if err := os.MkdirAll(d.folder, 0o777); err != nil {
			return safefile.Unwritable(d.folder, err)
		}
		// What a killed run left, if anything; not to be able to is no error.
		_, _ = safefile.Sweep(d.folder, time.Hour)
	case d.file != "":
		_, _ = safefile.Sweep(filepath.Dir(d.file), time.Hour)
		var failure error // of anything but the writing
		err := safefile.WriteAtomic(d.file, d.overwrite, func(w io.Writer) error {
			end := func() error { return nil }
			if strings.HasSuffix(d.file, ".gz") {
				z := gzip.NewWriter(w)
				w, end = z, z.Close
			}
			out, err := mnist.NewImageWriter(w, d.count, d.outWidth, d.outHeight)
			if err != nil {
				return err
			}
			if err, failure = d.stream(ctx, out.Write); err != nil {
				return err
			}
			return errors.Join(failure, out.Close(), end())
		})
		if failure != nil {
			return failure
		}
		return err
	}
	_, err := d.stream(ctx, func(*image.Gray) error { return nil })
	return err
}

// stream works on the chosen images, some hundred at a time by all processors, and
// hands the results to write in the order of the file. It returns the error of write
// and any other.
func (d *job) stream(ctx context.Context, write func(*image.Gray) error) (writing, other error) {
	pair, err := mnist.OpenPair(d.images, d.labels)
	if err != nil {
		return nil, console.Fail(console.ExitInput, err)
	}
	defer pair.Close()
	taken, _, err := d.choice.Among(d.images, pair.Count())
	if err != nil {
		return nil, err
	}
	done := 0
	batch := make([]digit, 0, min(d.together, d.count))
	for item, err := range pair.All() {
		if err != nil {
			return nil, console.Fail(console.ExitInput, err)
		}
		if taken(item.Index) {
			own := *item.Image
			own.Pix = slices.Clone(item.Image.Pix)
			batch = append(batch, digit{index: item.Index, label: item.Label, truth: &own})
		}
		if len(batch) < cap(batch) && done+len(batch) < d.count || len(batch) == 0 {
			continue
		}
		if err := d.work(ctx, batch); err != nil {
			return nil, err
		}
		for _, x := range batch {
			if x.failure != nil {
				return nil, x.failure
			}
			if err := write(x.result); err != nil {
				return err, nil
			}
			d.scores.add(x)
			if d.sheet != "" && len(d.drawn) < d.sheetCount {
				d.drawn = append(d.drawn, x)
			}
		}
		done += len(batch)
		d.bar.Set("restoring", float64(done)/float64(d.count))
		if batch = batch[:0]; done == d.count {
			return nil, nil
		}
	}
	return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: changed while it was read", d.images))
}

// work completes the digits of a batch, each by one worker.
func (d *job) work(ctx context.Context, batch []digit) error {
	return parallel.For(ctx, len(batch), 4, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := range batch[lo:hi] {
				x := &batch[lo+i]
				if x.failure = d.one(ctx, x); x.failure == nil && d.folder != "" {
					x.failure = safefile.WriteAtomic(d.path(x.index, x.label), d.overwrite, func(w io.Writer) error {
						return imagefile.Encode(w, x.result, "png", imagefile.EncodeOptions{})
					})
				}
			}
		}
	})
}

// one reduces, restores and scores a digit.
func (d *job) one(ctx context.Context, x *digit) error {
	x.low = x.truth
	if !d.enlarge {
		low, err := score.Reduce(x.truth, d.scale, d.degradation)
		if err != nil {
			return err
		}
		x.low = low.(*image.Gray)
	}
	opt := superres.Options{Scale: float64(d.scale)}
	result, err := d.model.Upscale(ctx, x.low, opt)
	if err != nil {
		return err
	}
	x.result = result.(*image.Gray) // grey stays grey
	if d.enlarge {
		return nil
	}
	score := func(img image.Image) error {
		v, err := score.NormalisedError(x.truth, img, d.scale)
		x.errors = append(x.errors, v)
		return err
	}
	for _, m := range d.plain {
		img, err := m.Upscale(ctx, x.low, opt)
		if err != nil {
			return err
		}
		if err := score(img); err != nil {
			return err
		}
	}
	return score(x.result)
}
