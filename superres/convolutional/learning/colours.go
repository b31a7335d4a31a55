package learning

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"superres/internal/chroma"
	"superres/internal/degrade"
	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/internal/synthetic"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/flaws"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// Colour is trained after brightness, on whole pictures after the trained stage has enlarged their brightness; the
// stage does not change. There are two networks: a network for pictures with chroma of full resolution, and a network
// for files with subsampled chroma, as nearly all JPEG and WebP files have. A single network for both loses over 1 dB.
//
// The options for colour. 3 layers in the chain are better than 1 or 2, by 0.1 dB in Cb and Cr. With 32 channels in
// place of the 16 chosen, at several times the cost, they had 0.3 dB more on the pictures of open-valid and nothing on
// T91. 80,000 steps in place of 6,000 or 3,000 bring RGB 0.02 to 0.1 dB in clean pictures and 0.1 to 0.26 dB in JPEG
// files, which hold colour at half the resolution; a chain of one layer gains nothing. Training also on pictures
// reduced by 0.6 costs 0.2 dB on T91; preferring patches with larger residuals gains nothing.
//
// A network for brightness that looks at colour is no better after a short training, nor is a network for red, green
// and blue. Trained long from random weights, with red and blue as further outputs of half the weight, it gains 0.03 to
// 0.13 dB on pictures in colour and loses 0.02 to 0.04 dB on grey pictures. photo at ×4 is such a network.
const (
	colours        = 2 // R−Y and B−Y
	colourChannels = 16
	colourPatch    = 32
	colourBatch    = 8
	colourRate     = 0.004
	colourDecay    = 0.03
)

// cleanQualities and robustQualities are the ranges of JPEG quality of the pictures from which the network for
// subsampled chroma of a clean and of a robust model learns. For a robust model noise is added to the share
// subsampledNoisy of these pictures, and to the share allNoisy of the pictures for the other network. Few JPEG files
// are noisy, and training on noise costs accuracy in the other files. Synthetic drawings, as two or three of ten
// pictures, lower the squared error at thin strokes by a fifth, and cost up to 0.04 dB elsewhere.
var (
	cleanQualities  = [2]int{88, 100}
	robustQualities = [2]int{30, 100}
)

const (
	allNoisy        = 0.6
	subsampledNoisy = 0.1
)

// forColour returns the options for colour. The chain has a layer for each kernel.Lanes channels of the network for
// brightness, or a quarter of its depth if that is more.
func (t Trainer) forColour() Trainer {
	t.Depth, t.Skip, t.Margin = max(t.Channels/kernel.Lanes, t.Depth/4), 0, mostMargin
	t.Channels, t.Patch, t.Batch = colourChannels, colourPatch, colourBatch
	t.Steps, t.Interval, t.LearningRate, t.Decay = t.ColourSteps, t.ColourSteps, colourRate, colourDecay
	t.SeesColour = false // networks for colour see the colour that they enlarge anyway
	return t
}

// trainColour trains the two networks for colour and returns their stages, or nil twice if no picture has colour.
// subsampled is for files with subsampled chroma.
func (s *session) trainColour(
	ctx context.Context, bright *convolutional.Stage,
) (colour, subsampled stage.Colour, err error) {
	c := *s
	c.Trainer = s.forColour()
	var made [2]stage.Colour
	for i := range made {
		d := &colourPictures{session: &c, stage: bright, subsampled: i == 1}
		if err := d.read(ctx); err != nil || len(d.list) == 0 {
			return nil, nil, err
		}
		s.record.DataSHA256 = d.digest()
		if made[i], err = d.train(ctx); err != nil {
			return nil, nil, err
		}
		s.record.Trainer = cmp.Or(s.record.Trainer, c.record.Trainer) // if brightness was not trained
	}
	return made[0], made[1], nil
}

// train trains one network for colour and returns it rounded to a stage.
func (d *colourPictures) train(ctx context.Context) (stage.Colour, error) {
	const phase = "learning colour"
	a := d.architecture()
	a.Colour = true
	l := newLearner(d.Trainer, convolutional.NewNetwork(a), 0)
	for l.done < d.Steps {
		d.progress(phase, l.done, d.Steps)
		if err := l.step(ctx, d); err != nil {
			return nil, err
		}
	}
	d.progress(phase, d.Steps, d.Steps)
	if _, err := l.report(ctx, &validation{}); err != nil { // fetches the state, and fails if it has diverged
		return nil, err
	}
	d.record.Trainer = l.trainer
	return convolutional.NewColour(l.network())
}

// colourPictures is the dataset for colour.
type colourPictures struct {
	*session
	stage      *convolutional.Stage // enlarges brightness
	subsampled bool                 // pictures have subsampled chroma
	list       []colourPair
	positions  positions
	pixels     int64 // of all pictures at full resolution
	hash       training.Digest
}

// colourPair holds a picture's low-resolution colour, its enlarged brightness, and the residual of its enlarged colour.
type colourPair struct {
	w, h      int              // size of low
	low       [colours][]int16 // in steps of 1/lowSteps
	luma      []uint16         // 0..65535
	residual  [colours][]int16 // in steps of 1/residualSteps
	strength  float32          // estimated strength of the picture's degradation
	synthetic bool
}

const lowSteps = 1 << 14 // steps from 0 to 1

// colourPixelBytes is the memory of a pixel in a colourPair. colourPlaneBytes allows for planes while one is computed.
const (
	colourPixelBytes = 2 + 2*colours
	colourPlaneBytes = 256 << 20
)

// digest implements dataset.
func (d *colourPictures) digest() string { return d.hash.String() }

// read adds to d all pictures that have colour, and then synthetic pictures with d.Synthetic times as many pixels.
// Two thirds of the synthetic pictures, and all pixel art, are reduced to block means.
func (d *colourPictures) read(ctx context.Context) error {
	err := training.Read(ctx, d.sources, "enlarging pictures", d.progress, func(i int, img image.Image) error {
		p := picture.Split(img)
		d.hash.Add(p.Luma())
		return d.add(ctx, p, d.Degradation, i, false) // false: not synthetic
	})
	if err != nil {
		return err
	}
	const side = 480 // of a synthetic picture, in pixels
	count := int(math.Round(d.Synthetic * float64(d.pixels) / (side * side)))
	for i := range count {
		img := synthetic.Sample(rand.New(rand.NewPCG(d.Seed, 1<<61|uint64(i))), side, side, d.Scale)
		by := d.Degradation
		if img.IsPixelArt || i%3 > 0 { // see synthesise
			by = resample.Box
		}
		if err := d.add(ctx, picture.Split(img.Image), by, i, true); err != nil {
			return err
		}
	}
	return nil
}

// add adds truth to the pictures, unless it is grey or smaller than a patch. by is the degradation that reduces truth,
// and number the seed for degrade, which degrades it further. d.stage, for brightness, then enlarges its brightness.
func (d *colourPictures) add(ctx context.Context, truth picture.Picture, by resample.Degradation, number int,
	synthetic bool) error {
	scale := d.Scale
	w, h := truth.Channels[0].W/scale, truth.Channels[0].H/scale
	if len(truth.Channels) < 3 || min(w, h) < d.Patch {
		return nil
	}
	d.pixels += int64(w*h) * int64(scale*scale)
	if need := colourPixelBytes*d.pixels + colourPlaneBytes; d.MaxMemory > 0 && need > d.MaxMemory {
		return fmt.Errorf("%w: more than %d MiB; use fewer pictures, or allow more memory", training.ErrMemory,
			d.MaxMemory>>20)
	}
	truth.Channels = convert(truth.Channels,
		func(p *plane.Plane) *plane.Plane { return p.Crop(0, 0, w*scale, h*scale) })
	small, quality, err := d.degrade(picture.Picture{Channels: d.reduce(truth.Channels, by)}.Image(), number)
	if err != nil {
		return err
	}
	p := colourPair{w: w, h: h, luma: make([]uint16, w*h*scale*scale), synthetic: synthetic}
	var enlarge stage.Stage = d.stage
	if d.Robust {
		strength := flaws.Measure(small, quality).Strength()
		p.strength = float32(strength)
		if enlarge, err = d.stage.Tune(stage.Tuning{Strength: strength, Trust: 1}); err != nil {
			return err
		}
	}
	low := picture.Split(small)
	lowLuma := low.Luma()
	lowColours := differences(low.Channels, lowLuma)
	var work *stage.Work
	if !d.subsampled {
		work = work.WithColour(lowColours)
	}
	high, err := enlarge.Apply(ctx, lowLuma, resample.Resize(lowLuma, w*scale, h*scale, resample.Bicubic), work)
	if err != nil {
		return err
	}
	for i, v := range high.Pix {
		p.luma[i] = uint16(math.Round(0xffff * float64(v)))
	}
	for k, trueColour := range differences(truth.Channels, truth.Luma()) {
		base := resample.Resize(lowColours[k], w*scale, h*scale, resample.Bicubic)
		residual := subtract(trueColour, base)
		p.low[k], p.residual[k] = quantise(lowColours[k], lowSteps), quantise(residual, residualSteps)
	}
	d.list = append(d.list, p)
	d.positions.add(w, h, d.Patch)
	return nil
}

// degrade returns img degraded like a real file: a robust model gets some pictures with noise, and a network for
// subsampled chroma gets JPEG files. quality is the quality of the JPEG file, 0 if there is none. number is the seed.
func (d *colourPictures) degrade(img image.Image, number int) (out image.Image, quality int, err error) {
	rng := rand.New(rand.NewPCG(d.Seed, 1<<62|uint64(number)))
	noisy := allNoisy
	if d.subsampled {
		noisy = subsampledNoisy
	}
	if d.Robust && rng.Float64() < noisy {
		img = degrade.WithNoise(img, worstNoise*elementary.Pow(rng.Float64(), 1.5), rng.Uint64())
	}
	if !d.subsampled {
		return img, 0, nil
	}
	among := cleanQualities
	if d.Robust {
		among = robustQualities
	}
	quality = among[0] + rng.IntN(among[1]-among[0]+1)
	if img, err = resample.ThroughJPEG(img, quality); err != nil {
		return nil, 0, err
	}
	return chroma.Smooth(img), quality, nil // enlarges chroma, as on reading a file
}

// fill implements dataset. The patch is at a random position in a random picture, all positions being equally
// likely, and has a random symmetry. The random numbers follow from the seed, step and number alone.
func (d *colourPictures) fill(w *worker, step, number int) (synthetic bool, err error) {
	rng := rand.New(rand.NewPCG(d.Seed, uint64(step)<<16|uint64(number)))
	i, x, y := d.positions.sample(rng, func(i int) int { return d.list[i].w - d.Patch + 1 })
	p := &d.list[i]
	w.levels = levels{convolutional.Strength: p.strength}
	p.fill(w, d.Scale, x, y, d.sampleSymmetry(rng))
	return p.synthetic, nil
}

// fill sets the input and the target of w to the patch at low-resolution sample (x0, y0), moved by symmetry s. An input
// sample has half its two colour differences, then its scale² pixels of brightness. Edge samples are repeated.
func (c *colourPair) fill(w *worker, scale, x0, y0 int, s symmetry) {
	n := w.sides[0]
	margin, inputs := (n-w.side)/2, colours+scale*scale
	sign, offset := float32(1), float32(0)
	if s.negative {
		sign, offset = -1, 1
	}
	for v := range n {
		for u := range n {
			x, y := s.source(u, v, n)
			at := min(max(y0-margin+y, 0), c.h-1)*c.w + min(max(x0-margin+x, 0), c.w-1)
			to := w.input[(v*n+u)*inputs:]
			to[0], to[1] = sign*float32(c.low[0][at])/(2*lowSteps), sign*float32(c.low[1][at])/(2*lowSteps)
		}
	}
	for v := range n * scale {
		for u := range n * scale {
			x, y := s.source(u, v, n*scale)
			col := min(max(x0-margin+x/scale, 0), c.w-1)*scale + x%scale
			row := min(max(y0-margin+y/scale, 0), c.h-1)*scale + y%scale
			to := w.input[(v/scale*n+u/scale)*inputs+colours:]
			to[v%scale*scale+u%scale] = offset + sign*float32(c.luma[row*c.w*scale+col])/0xffff
		}
	}
	pixels := scale * scale
	for k, residual := range c.residual {
		fillTarget(w.target[k*pixels:], w.side, scale, colours*pixels, residual, c.w, x0, y0, s)
	}
}
