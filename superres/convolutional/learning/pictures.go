package learning

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"superres/internal/drawings"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/training"
)

// pictures are what is learned from, in memory: of every picture and every reduction of it
// the low-resolution samples, two bytes each, and what their bicubic enlargement lacks of the
// truth, two bytes a pixel.
type pictures struct {
	opt    Trainer
	list   []pair
	places []int64 // samples of list[:i+1] that a target can begin at
	pixels int64
	fixed  int64 // bytes that learning takes besides
	digest training.Digest
}

// pair is one picture, or a reduction of one.
type pair struct {
	w, h int      // of low
	low  []uint16 // lumaSteps from black to white
	lack []int16  // in steps of 1/lackSteps

	truth []uint8 // where pictures are damaged; else nil
}

const (
	lumaSteps   = 255 * sampleSteps
	sampleSteps = 256 // from a level of 8 bits to the next
	lackSteps   = 16384
)

// read reads all pictures.
func (d *pictures) read(ctx context.Context, sources []training.Source, progress training.Progress) error {
	d.fixed = d.opt.Memory()
	for i, src := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress("reading pictures", i, len(sources))
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		if err := d.add(ctx, img, i); err != nil {
			return fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	progress("reading pictures", len(sources), len(sources))
	if len(d.list) == 0 {
		return fmt.Errorf("convolutional: %w: none of %d pictures has %d×%d pixels", training.ErrPictures, len(sources), d.opt.Patch*d.opt.Scale, d.opt.Patch*d.opt.Scale)
	}
	return nil
}

// add takes a picture and its reductions, as far as a target fits in.
func (d *pictures) add(ctx context.Context, img image.Image, number int) error {
	whole := picture.Split(img).Channels
	d.digest.Add(luma(whole))
	for _, r := range append([]float64{1}, d.opt.Reductions...) {
		w, h := int(math.Round(float64(whole[0].W)*r)), int(math.Round(float64(whole[0].H)*r))
		if min(w, h)/d.opt.Scale < d.opt.Patch {
			continue
		}
		truth := each(whole, func(p *plane.Plane) *plane.Plane {
			if r != 1 {
				p = picture.Round8(resample.Resize(p, w, h, resample.Bicubic))
			}
			return p.Crop(0, 0, w-w%d.opt.Scale, h-h%d.opt.Scale)
		})
		if err := d.addPlane(ctx, truth, number); err != nil {
			return err
		}
	}
	return nil
}

// each does something to all channels.
func each(channels []*plane.Plane, do func(*plane.Plane) *plane.Plane) (done []*plane.Plane) {
	for _, p := range channels {
		done = append(done, do(p))
	}
	return done
}

func luma(channels []*plane.Plane) *plane.Plane {
	return picture.Picture{Channels: channels}.Luma()
}

// reduced reduces the channels of a picture, each to 8 bits, as files have them.
func (o Trainer) reduced(channels []*plane.Plane, by resample.Degradation) []*plane.Plane {
	return each(channels, func(p *plane.Plane) *plane.Plane { return picture.Round8(by.Reduce(p, o.Scale)) })
}

func (d *pictures) addPlane(ctx context.Context, truth []*plane.Plane, number int) error {
	d.pixels += int64(len(truth[0].Pix))
	if need := d.fixed + d.bytes(); d.opt.MaxMemory > 0 && need > d.opt.MaxMemory {
		return fmt.Errorf("%w: more than %d MiB; use fewer pictures or reductions, or allow more memory", training.ErrMemory, d.opt.MaxMemory>>20)
	}
	one, err := d.opt.plane(ctx, truth, d.opt.Degradation, d.opt.quality(len(d.list), number))
	if err != nil {
		return err
	}
	d.list, d.places = append(d.list, one), withPlaces(d.places, one.w, one.h, d.opt.Patch)
	return nil
}

// plane reduces the channels of a picture, and passes their brightness through a JPEG file of a
// quality if there is one.
func (o Trainer) plane(ctx context.Context, channels []*plane.Plane, by resample.Degradation, quality int) (pair, error) {
	truth := luma(channels)
	low := luma(o.reduced(channels, by))
	if o.JPEG[1] > 0 {
		img, err := resample.ThroughJPEG(picture.Picture{Channels: []*plane.Plane{low}}.Image(), quality)
		if err != nil {
			return pair{}, err
		}
		low = picture.Split(img).Luma()
	}
	one := pair{w: low.W, h: low.H, low: make([]uint16, len(low.Pix)), lack: make([]int16, len(truth.Pix))}
	for i, v := range low.Pix {
		one.low[i] = uint16(math.Round(lumaSteps * float64(v)))
	}
	if o.Damage {
		one.truth = make([]uint8, len(truth.Pix))
		for i, v := range truth.Pix {
			one.truth[i] = uint8(math.Round(255 * float64(v)))
		}
	}
	base := resample.Resize(low, truth.W, truth.H, resample.Bicubic)
	target, err := o.taught(ctx, low, base, truth)
	if err != nil {
		return pair{}, err
	}
	for i, v := range target.Pix {
		one.lack[i] = int16(math.Round(lackSteps * max(-1.99, min(1.99, float64(v-base.Pix[i])))))
	}
	return one, nil
}

// quality is that of the JPEG file that the n-th plane, of a picture, passes through: spread
// evenly over the range, each far from those before it.
func (o Trainer) quality(n, picture int) int {
	const golden = 0.6180339887498949
	_, part := math.Modf(float64(n+picture+1) * golden)
	return o.JPEG[0] + int(part*float64(o.JPEG[1]-o.JPEG[0]+1))
}

// bytes is what the pictures take.
func (d *pictures) bytes() int64 {
	each := int64(2)
	if d.opt.Damage {
		each++
	}
	return d.pixels*each + 2*d.pixels/int64(d.opt.Scale*d.opt.Scale)
}

// patch is what one part of a step learns from.
type patch struct {
	from   *pair
	x, y   int // where the target begins, in samples of low
	drawn  bool
	damage *rand.Rand // nil: it is as it is
	symmetry
}

// symmetry is what is done to a patch, which changes nothing of what is to be learned.
type symmetry struct {
	turned, flipX, flipY, negative bool
}

// symmetric draws a symmetry; each is as likely.
func symmetric(rng *rand.Rand, o Trainer) (s symmetry) {
	bits := rng.Uint32()
	if o.Symmetries == training.NoSymmetries {
		return s
	}
	s = symmetry{turned: bits&1 != 0, flipX: bits&2 != 0, flipY: bits&4 != 0, negative: bits&8 != 0}
	s.negative = s.negative && !o.Damage // noise grows with brightness, not with darkness
	return s
}

// draw draws one: of two places in all pictures, each as likely as every other, that which
// lacks more, because much of most pictures has little to learn from; or a drawing. Each of
// the symmetries is as likely. What is drawn depends on the step and the number of the patch
// alone.
func (d *pictures) draw(step, number int) (patch, error) {
	rng := rand.New(rand.NewPCG(d.opt.Seed, uint64(step)<<16|uint64(number)))
	var p patch
	if rng.Float64() < d.opt.Drawings {
		var err error
		if p, err = d.opt.drawing(rng); err != nil {
			return p, err
		}
	} else {
		p = d.place(rng)
		if other := d.place(rng); other.lacking(d.opt) > p.lacking(d.opt) {
			p = other
		}
	}
	p.symmetry = symmetric(rng, d.opt)
	if d.opt.Damage {
		p.damage = rng
	}
	return p, nil
}

// drawing draws a drawing, as large as the window. What programs draw small is like the mean
// of blocks of what they draw large, and has none of the ringing of a bicubic reduction; so
// it is mostly that, and always for pixel art.
func (o Trainer) drawing(rng *rand.Rand) (patch, error) {
	margin := o.Depth + 3
	side := (o.Patch + 2*margin) * o.Scale
	d := drawings.Draw(rng, side, side, o.Scale)
	by := o.Degradation
	if d.Squares || rng.IntN(3) > 0 {
		by = resample.Box
	}
	o.Teachers = nil // they may ring beside it
	from, err := o.plane(context.Background(), picture.Split(d.Image).Channels, by, o.quality(rng.IntN(100), 0))
	return patch{from: &from, x: margin, y: margin, drawn: true}, err
}

// place draws a place in all pictures.
func (d *pictures) place(rng *rand.Rand) patch {
	i, x, y := pick(rng, d.places, func(i int) int { return d.list[i].w - d.opt.Patch + 1 })
	return patch{from: &d.list[i], x: x, y: y}
}

// withPlaces appends to places, see pick, those of a picture of w×h that a square can begin at.
func withPlaces(places []int64, w, h, side int) []int64 {
	before := int64(0)
	if len(places) > 0 {
		before = places[len(places)-1]
	}
	return append(places, before+int64(w-side+1)*int64(h-side+1))
}

// pick draws one of some places: places[i] are those of the first pictures to number i, of
// which cols(i) are in a row.
func pick(rng *rand.Rand, places []int64, cols func(i int) int) (i, x, y int) {
	place := rng.Int64N(places[len(places)-1])
	for place >= places[i] {
		i++
	}
	if i > 0 {
		place -= places[i-1]
	}
	row := int64(cols(i))
	return i, int(place % row), int(place / row)
}

// fill implements lessons.
func (d *pictures) fill(w *worker, step, number int) (drawn bool, err error) {
	p, err := d.draw(step, number)
	if err == nil {
		p.fillBoth(w, d.opt.Scale)
	}
	return p.drawn, err
}

// sum implements lessons.
func (d *pictures) sum() string { return d.digest.String() }

// fillBoth sets what a worker learns from to the patch, with its damage if it has some.
func (p patch) fillBoth(w *worker, scale int) {
	reach := (w.sides[0] - w.side) / 2
	if w.level = 0; p.damage != nil {
		w.level = p.fillDamaged(w.input, w.target, w.side, reach, scale)
	} else {
		p.fill(w.input, w.target, w.side, reach, scale)
	}
}

// lacking is the sum of what is lacking in a third of the rows of the target.
func (p patch) lacking(o Trainer) (sum int) {
	side, row := o.Patch*o.Scale, p.from.w*o.Scale
	for y := 0; y < side; y += 3 {
		for _, v := range p.from.lack[(p.y*o.Scale+y)*row+p.x*o.Scale:][:side] {
			sum += max(int(v), -int(v))
		}
	}
	return sum
}

// fill sets window to the samples of low around the target, margin of them on each side,
// those of the edge repeated, and target to what is lacking, scale² of each sample together.
func (p patch) fill(window, target []float32, side, margin, scale int) {
	n := side + 2*margin
	for v := range n {
		for u := range n {
			x, y := p.place(u, v, n)
			x, y = min(max(p.x-margin+x, 0), p.from.w-1), min(max(p.y-margin+y, 0), p.from.h-1)
			level := p.from.low[y*p.from.w+x]
			if p.negative {
				level = lumaSteps - level
			}
			window[v*n+u] = float32(level) / lumaSteps
		}
	}
	unit := float32(1) / lackSteps
	if p.negative {
		unit = -unit
	}
	n = side * scale
	for v := range n {
		to := target[v/scale*side*scale*scale+v%scale*scale:]
		for u := range n {
			x, y := p.place(u, v, n)
			to[u/scale*scale*scale+u%scale] = unit * float32(p.from.lack[(p.y*scale+y)*p.from.w*scale+p.x*scale+x])
		}
	}
}

// place is where what comes to (u, v) of a square of n×n is before it is flipped and turned.
func (p symmetry) place(u, v, n int) (x, y int) {
	if p.turned {
		u, v = v, u
	}
	if p.flipX {
		u = n - 1 - u
	}
	if p.flipY {
		v = n - 1 - v
	}
	return u, v
}
