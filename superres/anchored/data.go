package anchored

import (
	"context"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"
	"superres/patches/plane"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// data are the training pictures of a cascade, with what its stages have made of
// them so far. They are kept in memory, in 4¼ bytes a pixel at scale 2.
//
// The pictures are in two folds, by turns. A stage is trained on pictures as the
// stages before it restore pictures that they were not trained on, so the regressors
// that restore the pictures of one fold are those learned from the other. Otherwise a
// stage would learn to correct errors that are smaller than those it will meet. The
// reductions of a picture are in its fold.
type data struct {
	opt             Trainer
	progress        training.Progress
	planes          []*trainingPlane
	pixels, largest int64 // of all, of the largest
	group           int   // of the last picture
	filled          int64 // pixels of that group
	digest          training.Digest
}

// trainingPlane is one picture, or a reduction of one.
type trainingPlane struct {
	number         int // from 0
	reduction      int // which; 0 is the picture itself
	fold, group    int
	w, h           int      // of the truth
	truth, current []uint16 // see pack16
	low            []uint8
}

// pack16 rounds a sample to 16 bits, −½..1½ in steps of 1/32,768, which is less than
// a hundredth of a step of a file.
func pack16(v float32) uint16 {
	return uint16(max(0, min(65535, (float64(v)+0.5)*32768+0.5)))
}

func unpack16(l uint16) float32 { return float32(l)/32768 - 0.5 }

// folds is the number of parts of the training pictures.
const folds = 2

// groupPixels is how many pixels of the truth, at least, a group has but the last. A
// group is pictures that follow one another; the equations of its samples are summed apart
// from those of all others. A variable for tests, which have small pictures.
var groupPixels int64 = 1 << 21

// add takes a picture and its reductions.
func (d *data) add(src training.Source, img image.Image, number int) error {
	whole := picture.Split(img).Luma()
	d.digest.Add(whole)
	return d.fill(src, whole, d.list(number, whole.W, whole.H))
}

// list adds a picture of w×h, and its reductions, without their samples.
func (d *data) list(number, w, h int) []*trainingPlane {
	if d.filled >= groupPixels {
		d.group, d.filled = d.group+1, 0
	}
	first, s := len(d.planes), d.opt.Scale
	for i := range len(d.opt.Reductions) + 1 {
		w, h := d.reduced(w, h, i)
		if w, h = w/s*s, h/s*s; w < 3*s || h < 3*s {
			continue // nothing to be learned from it
		}
		d.planes = append(d.planes, &trainingPlane{number: len(d.planes), reduction: i, fold: number % folds, group: d.group, w: w, h: h})
		d.filled += int64(w) * int64(h)
	}
	return d.planes[first:]
}

// reduced returns the size of a reduction of a picture of w×h.
func (d *data) reduced(w, h, reduction int) (int, int) {
	if reduction == 0 {
		return w, h
	}
	r := d.opt.Reductions[reduction-1]
	return int(math.Round(float64(w) * r)), int(math.Round(float64(h) * r))
}

// fill gives the planes of a picture their samples.
func (d *data) fill(src training.Source, whole *plane.Plane, planes []*trainingPlane) error {
	for _, p := range planes {
		truth := whole
		if p.reduction > 0 {
			w, h := d.reduced(whole.W, whole.H, p.reduction)
			truth = picture.Round8(resample.Resize(whole, w, h, resample.Bicubic))
		}
		if err := d.fillPlane(p, truth); err != nil {
			return fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	return nil
}

func (d *data) fillPlane(p *trainingPlane, truth *plane.Plane) error {
	s := d.opt.Scale
	d.pixels += int64(p.w) * int64(p.h)
	d.largest = max(d.largest, int64(p.w)*int64(p.h))
	if need := d.opt.Memory() + d.bytes(); d.opt.MaxMemory > 0 && need > d.opt.MaxMemory {
		return fmt.Errorf("%w: more than %d MiB; use fewer pictures, reductions or atoms, or allow more memory", training.ErrMemory, d.opt.MaxMemory>>20)
	}
	truth = truth.Crop(0, 0, p.w, p.h)
	low := picture.Round8(d.opt.Degradation.Reduce(truth, s))
	if quality := d.opt.jpegQuality(p.number); quality > 0 {
		var err error
		if low, err = throughJPEG(low, quality); err != nil {
			return err
		}
	}
	p.truth, p.low = make([]uint16, len(truth.Pix)), make([]uint8, len(low.Pix))
	for i, v := range truth.Pix {
		p.truth[i] = pack16(v)
	}
	for i, v := range low.Pix {
		p.low[i] = uint8(math.Round(255 * float64(v)))
	}
	p.store(resample.Resize(low, p.w, p.h, resample.Bicubic))
	return nil
}

// jpegQuality is the quality of the n-th picture: spread evenly over the range, each
// far from those before it. It is 0 for no JPEG.
func (o Trainer) jpegQuality(n int) int {
	if o.JPEG[1] == 0 {
		return 0
	}
	const golden = 0.6180339887498949
	_, part := math.Modf(float64(n+1) * golden)
	return o.JPEG[0] + int(part*float64(o.JPEG[1]-o.JPEG[0]+1))
}

// throughJPEG is what a grey JPEG file of a quality keeps of a plane.
func throughJPEG(p *plane.Plane, quality int) (*plane.Plane, error) {
	img, err := resample.ThroughJPEG(picture.Picture{Channels: []*plane.Plane{p}}.Image(), quality)
	if err != nil {
		return nil, err
	}
	return picture.Split(img).Luma(), nil
}

// bytes is what the pictures take, with those that the workers restore.
func (d *data) bytes() int64 {
	return d.pixels*4 + d.pixels/int64(d.opt.Scale*d.opt.Scale) + 30*d.largest*int64(runtime.GOMAXPROCS(0))
}

func (p *trainingPlane) store(current *plane.Plane) {
	p.current = grown(p.current, len(current.Pix))
	for i, v := range current.Pix {
		p.current[i] = pack16(v)
	}
}

// lowPlane and currentPlane return the planes as a model sees them.
func (p *trainingPlane) lowPlane(scale int) *plane.Plane {
	out := plane.New(p.w/scale, p.h/scale)
	for i, v := range p.low {
		out.Pix[i] = picture.Levels[v]
	}
	return out
}

func (p *trainingPlane) currentPlane() *plane.Plane {
	out := plane.New(p.w, p.h)
	for i, v := range p.current {
		out.Pix[i] = unpack16(v)
	}
	return out
}

// advance replaces what the pictures have become by what the stage and the
// back-projection make of it, with the regressors for the pictures of each fold. It
// calls report from many goroutines.
func (d *data) advance(ctx context.Context, a *Stage, with [folds]regressors, back *stage.BackProject, report func(pixels int64)) error {
	errs := make([]error, len(d.planes))
	err := parallel.For(ctx, len(d.planes), 1, func() func(lo, hi int) {
		return func(lo, hi int) {
			p := d.planes[lo]
			low := p.lowPlane(d.opt.Scale)
			current, err := a.apply(ctx, low, p.currentPlane(), with[p.fold], nil)
			if err == nil && back != nil {
				current, err = back.Apply(ctx, low, current, nil)
			}
			if errs[lo] = err; err == nil {
				p.store(current)
			}
			report(int64(p.w) * int64(p.h))
		}
	})
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return err
}

// anchorJob is some rows of cells of one picture.
type job struct {
	plane    *trainingPlane
	grid     grid
	from, to int // rows of cells
	at       int // patches of the jobs before it
}

func (j job) count() int { return (j.to - j.from) * j.grid.cols }

// jobs cuts the pictures of a fold into jobs for the stage, of one row or about
// patchesTogether patches at least.
func (d *data) jobs(a *Stage, fold int) (list []job, count int) {
	for _, p := range d.planes {
		if p.fold != fold {
			continue
		}
		g := a.grid(p.w, p.h)
		rows := max(1, patchesTogether/g.cols)
		for from := 0; from < g.rows; from += rows {
			one := job{plane: p, grid: g, from: from, to: min(from+rows, g.rows), at: count}
			list = append(list, one)
			count += one.count()
		}
	}
	return list, count
}

// anchorCutter cuts the patches and targets of jobs; it is one worker's.
type cutter struct {
	in, target layout
	row        []float32
}

// cut fills the two layouts: patches of the input, blocks of what is missing.
func (c *cutter) cut(j job, input string, scale int) {
	p := j.plane
	c.row = grown(c.row, p.w)
	if input == fromLow {
		w := p.w / scale
		j.grid.cut(&c.in, inTurn, func(y int) []float32 {
			for x, v := range p.low[y*w : (y+1)*w] {
				c.row[x] = picture.Levels[v]
			}
			return c.row[:w]
		}, w, p.h/scale, j.grid.patch, j.grid.step, j.from, j.to)
	} else {
		j.grid.cut(&c.in, inTurn, func(y int) []float32 {
			for x, v := range p.current[y*p.w : (y+1)*p.w] {
				c.row[x] = unpack16(v)
			}
			return c.row
		}, p.w, p.h, j.grid.patch, j.grid.step, j.from, j.to)
	}
	j.grid.cut(&c.target, inTurn, func(y int) []float32 {
		now := p.current[y*p.w : (y+1)*p.w]
		for x, v := range p.truth[y*p.w : (y+1)*p.w] {
			c.row[x] = float32(int(v)-int(now[x])) / 32768
		}
		return c.row
	}, p.w, p.h, j.grid.block, j.grid.cell, j.from, j.to)
}

// open reads all training pictures.
func (d *data) open(ctx context.Context, sources []training.Source) error {
	for i, src := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.progress("reading pictures", i, len(sources))
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		if err := d.add(src, img, i); err != nil {
			return err
		}
	}
	d.progress("reading pictures", len(sources), len(sources))
	return d.checkFolds()
}

// checkFolds refuses pictures that are all in one fold.
func (d *data) checkFolds() error {
	for fold := range folds {
		if !slices.ContainsFunc(d.planes, func(p *trainingPlane) bool { return p.fold == fold }) {
			return fmt.Errorf("anchored: %w: a cascade needs two pictures of %d×%d at least: half of them check the other half", training.ErrPictures, 3*d.opt.Scale, 3*d.opt.Scale)
		}
	}
	return nil
}
