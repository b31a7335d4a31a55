package learning

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"superres/internal/chroma"
	"superres/internal/degrade"
	"superres/internal/drawings"
	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/flaws"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// Colour is learned after brightness, which it does not change, of whole pictures that the
// stage has enlarged. There are two networks: one for pictures whose colour is as sharp as
// their brightness, and one for those out of files that keep it at half the resolution, as
// nearly all JPEG and WebP files do. One network for both loses more than a decibel in each.

// What colour is learned with. For photo, PSNR of Cb and Cr over Lanczos on Set5, open-valid and
// T91, and of RGB over bicubic colour on T91:
//
//	layers in the chain, steps    Set5   open-valid   T91    RGB
//	1, 1500                       0.37   0.84                0.143
//	2, 1500                       0.40   0.91                0.148
//	2, 4000                       0.41   1.05         0.76   0.152
//	3, 3000                       0.49   1.16         0.78   0.154
//	3, 6000                       0.51   1.25         0.74   0.156
//
// 3 of 32 channels, of eight times the products, had 0.3 dB more on open-valid and none on T91.
// Learning from pictures reduced by 0.6 as well costs 0.2 dB on T91, and patches that lack more
// gain nothing.
const (
	colours        = 2 // R−Y and B−Y
	colourChannels = 16
	colourPatch    = 32
	colourBatch    = 8
	colourRate     = 0.004
	colourDecay    = 0.03
)

// Qualities of JPEG files that colour at half the resolution comes out of, without damage and
// with it.
var (
	fineQualities = [2]int{88, 100}
	allQualities  = [2]int{30, 98}
)

// colourTrainer has the options that colour is learned with, of those that defaults has
// checked.
func (o Trainer) colourTrainer() Trainer {
	o.Channels, o.Depth, o.Patch, o.Batch = colourChannels, o.colourDepth(), colourPatch, colourBatch
	o.Steps, o.Interval, o.Rate, o.Decay = o.ColourSteps, o.ColourSteps, colourRate, colourDecay
	return o
}

// colourDepth is how many layers are in the chain, of those that defaults has checked: beside a
// network of brightness that takes longer there may be more.
func (o Trainer) colourDepth() int { return o.Channels / kernel.Lanes }

// learnColour learns the two networks of colour for a stage, or returns nil twice where no
// picture has any. subsampled is for colour at half the resolution.
func (o Trainer) learnColour(ctx context.Context, s *convolutional.Stage, sources []training.Source, progress training.Progress, record *training.Record) (colour, subsampled stage.Colour, err error) {
	c := o.colourTrainer()
	var made [2]stage.Colour
	for i := range made {
		d := &shades{opt: c, stage: s, halved: i == 1}
		if err := d.read(ctx, sources, progress); err != nil || len(d.list) == 0 {
			return nil, nil, err
		}
		record.DataSHA256 = d.sum()
		if made[i], err = c.colourOf(ctx, d, progress); err != nil {
			return nil, nil, err
		}
	}
	return made[0], made[1], nil
}

// colourOf learns one network.
func (o Trainer) colourOf(ctx context.Context, d *shades, progress training.Progress) (stage.Colour, error) {
	l := newLearner(o, convolutional.NewNetwork(convolutional.Architecture{Scale: o.Scale, Channels: o.Channels, Depth: o.Depth, Colour: true, Strength: o.Damage}), 0)
	for l.done < o.Steps {
		progress("learning colour", l.done, o.Steps)
		if err := l.step(ctx, d); err != nil {
			return nil, err
		}
	}
	progress("learning colour", o.Steps, o.Steps)
	if _, err := l.report(ctx, &checks{}); err != nil {
		return nil, err
	}
	return convolutional.NewColour(l.network())
}

// shades are pictures whose colour is learned from.
type shades struct {
	opt    Trainer
	stage  *convolutional.Stage
	halved bool
	list   []shade
	places []int64 // samples of list[:i+1] that a target can begin at
	pixels int64
	digest training.Digest
}

// shade is one picture.
type shade struct {
	w, h  int // of low
	low   [colours][]int16
	luma  []uint16         // enlarged
	lack  [colours][]int16 // in steps of 1/lackSteps
	level float32
	drawn bool
}

// lowSteps is how many steps there are from colour 0 to 1.
const lowSteps = 1 << 14

// sum implements lessons.
func (d *shades) sum() string { return d.digest.String() }

// read reads all pictures that have colour.
func (d *shades) read(ctx context.Context, sources []training.Source, progress training.Progress) error {
	for i, src := range sources {
		progress("enlarging pictures", i, len(sources))
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		whole := picture.Split(img)
		d.digest.Add(whole.Luma())
		if err := d.add(ctx, whole, d.opt.Degradation, i); err != nil {
			return fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	progress("enlarging pictures", len(sources), len(sources))
	return d.draw(ctx)
}

// draw adds drawings, as the share of them says that there are to be.
func (d *shades) draw(ctx context.Context) error {
	const side = 480
	count := int(math.Round(d.opt.Drawings * float64(d.pixels) / (side * side)))
	for i := range count {
		img := drawings.Draw(rand.New(rand.NewPCG(d.opt.Seed, 1<<61|uint64(i))), side, side, d.opt.Scale)
		by := d.opt.Degradation
		if img.Squares || i%3 > 0 { // see Trainer.drawing
			by = resample.Box
		}
		before := len(d.list)
		if err := d.add(ctx, picture.Split(img.Image), by, i); err != nil {
			return err
		}
		for k := range d.list[before:] {
			d.list[before+k].drawn = true
		}
	}
	return nil
}

// bytesOfPixel are those of a shade, and of the planes that it is made of, for a while.
const bytesOfPixel = 2 + 2*colours

// add takes a picture, unless it is grey or too small.
func (d *shades) add(ctx context.Context, whole picture.Picture, by resample.Degradation, number int) error {
	s := d.opt.Scale
	w, h := whole.Channels[0].W/s, whole.Channels[0].H/s
	if len(whole.Channels) < 3 || min(w, h) < d.opt.Patch {
		return nil
	}
	d.pixels += int64(w*h) * int64(s*s)
	if need := bytesOfPixel*d.pixels + colourMemory; d.opt.MaxMemory > 0 && need > d.opt.MaxMemory {
		return fmt.Errorf("%w: more than %d MiB; use fewer pictures, or allow more memory", training.ErrMemory, d.opt.MaxMemory>>20)
	}
	whole.Channels = each(whole.Channels, func(p *plane.Plane) *plane.Plane { return p.Crop(0, 0, w*s, h*s) })
	low := picture.Picture{Channels: d.opt.reduced(whole.Channels, by)}
	small, quality, err := d.damaged(low.Image(), number)
	if err != nil {
		return err
	}
	low = picture.Split(small)
	one := shade{w: w, h: h, luma: make([]uint16, w*h*s*s)}
	var enlarge stage.Stage = d.stage
	if d.opt.Damage {
		level := flaws.Measure(small, quality).Level()
		one.level = float32(level)
		if enlarge, err = d.stage.Tune(stage.Tuning{Level: level}); err != nil {
			return err
		}
	}
	luma := low.Luma()
	high, err := enlarge.Apply(ctx, luma, resample.Resize(luma, w*s, h*s, resample.Bicubic), nil)
	if err != nil {
		return err
	}
	for i, v := range high.Pix {
		one.luma[i] = uint16(math.Round(0xffff * float64(v)))
	}
	truth := whole.Luma()
	for k, channel := range [colours]int{0, 2} {
		shown := more(low.Channels[channel], luma)
		lack := more(more(whole.Channels[channel], truth), resample.Resize(shown, w*s, h*s, resample.Bicubic))
		one.low[k], one.lack[k] = steps(shown, lowSteps), steps(lack, lackSteps)
	}
	d.list, d.places = append(d.list, one), withPlaces(d.places, w, h, d.opt.Patch)
	return nil
}

// colourMemory is what is held beside shades.
const colourMemory = 256 << 20

// damaged returns a picture as one finds it: with noise where damage is asked for, and out of
// a JPEG file, of a quality, where its colour is to be halved.
func (d *shades) damaged(img image.Image, number int) (out image.Image, quality int, err error) {
	rng := rand.New(rand.NewPCG(d.opt.Seed, 1<<62|uint64(number)))
	if d.opt.Damage && rng.Float64() < 0.6 {
		img = degrade.WithNoise(img, worstDamage*math.Pow(rng.Float64(), 1.5), rng.Uint64())
	}
	if !d.halved {
		return img, 0, nil
	}
	among := fineQualities
	if d.opt.Damage {
		among = allQualities
	}
	quality = among[0] + rng.IntN(among[1]-among[0]+1)
	if img, err = resample.ThroughJPEG(img, quality); err != nil {
		return nil, 0, err
	}
	return chroma.Smooth(img), quality, nil
}

// more is what one plane is more than another.
func more(a, b *plane.Plane) *plane.Plane {
	out := plane.New(a.W, a.H)
	for i, v := range a.Pix {
		out.Pix[i] = v - b.Pix[i]
	}
	return out
}

// steps are the samples of a plane, of a magnitude below 2, in steps of which 1 has so many.
func steps(p *plane.Plane, of float64) []int16 {
	list := make([]int16, len(p.Pix))
	for i, v := range p.Pix {
		list[i] = int16(math.Round(of * float64(min(max(v, -1.99), 1.99))))
	}
	return list
}

// fill implements lessons: a place in all pictures, each as likely as every other, in each of
// the symmetries.
func (d *shades) fill(w *worker, step, number int) (drawn bool, err error) {
	rng := rand.New(rand.NewPCG(d.opt.Seed, uint64(step)<<16|uint64(number)))
	i, x, y := pick(rng, d.places, func(i int) int { return d.list[i].w - d.opt.Patch + 1 })
	p := symmetric(rng, d.opt)
	one := &d.list[i]
	w.level = one.level
	one.fill(w, d.opt.Scale, x, y, p)
	return one.drawn, nil
}

// fill sets what a worker learns from to a target that begins at (x0, y0) of low.
func (c *shade) fill(w *worker, scale, x0, y0 int, p symmetry) {
	n := w.sides[0]
	margin, inputs := (n-w.side)/2, colours+scale*scale
	sign, offset := float32(1), float32(0)
	if p.negative {
		sign, offset = -1, 1
	}
	for v := range n {
		for u := range n {
			x, y := p.place(u, v, n)
			at := min(max(y0-margin+y, 0), c.h-1)*c.w + min(max(x0-margin+x, 0), c.w-1)
			to := w.input[(v*n+u)*inputs:]
			to[0], to[1] = sign*float32(c.low[0][at])/(2*lowSteps), sign*float32(c.low[1][at])/(2*lowSteps)
		}
	}
	for v := range n * scale {
		for u := range n * scale {
			x, y := p.place(u, v, n*scale)
			col, row := min(max(x0-margin+x/scale, 0), c.w-1)*scale+x%scale, min(max(y0-margin+y/scale, 0), c.h-1)*scale+y%scale
			w.input[(v/scale*n+u/scale)*inputs+colours+v%scale*scale+u%scale] = offset + sign*float32(c.luma[row*c.w*scale+col])/0xffff
		}
	}
	n = w.side * scale
	for v := range n {
		for u := range n {
			x, y := p.place(u, v, n)
			at := (y0*scale+y)*c.w*scale + x0*scale + x
			to := w.target[(v/scale*w.side+u/scale)*colours*scale*scale+v%scale*scale+u%scale:]
			to[0], to[scale*scale] = sign*float32(c.lack[0][at])/lackSteps, sign*float32(c.lack[1][at])/lackSteps
		}
	}
}
