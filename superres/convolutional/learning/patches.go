package learning

import (
	"context"
	"math/rand/v2"

	"superres/internal/picture"
	"superres/internal/synthetic"
	"superres/superres/resample"
	"superres/superres/training"
)

// patch is a square of a picture that one worker learns from.
type patch struct {
	from      *pair
	x, y      int // top left corner of the target, in low-resolution samples
	synthetic bool
	isGrey    bool       // a network that sees colour gets this patch without it
	degrade   *rand.Rand // random numbers for a robust model's degradation; else nil
	symmetry
}

// greyShare is the share of patches that are shown without colour to a network that sees colour. Some pictures are
// grey, and others have colour at half the resolution, which is not given to the network, as it would lose 0.2 dB.
// Learning to use such colour costs too much: it halves the gain from colour at full resolution.
const greyShare = 0.15

// fill implements dataset.
func (d *pictures) fill(w *worker, step, number int) (synthetic bool, err error) {
	p, err := d.sample(step, number)
	if err == nil {
		p.fill(w, d.Scale)
	}
	return p.synthetic, err
}

// sample returns the patch with the given number in a step. It is either synthetic or, of two patches at random
// positions, the patch with the larger residual, as large parts of most pictures teach little: see Defaults.
func (d *pictures) sample(step, number int) (patch, error) {
	rng := rand.New(rand.NewPCG(d.Seed, uint64(step)<<16|uint64(number)))
	var p patch
	if rng.Float64() < d.Synthetic {
		var err error
		if p, err = d.synthesise(rng); err != nil {
			return p, err
		}
	} else {
		p = d.cut(rng)
		if other := d.cut(rng); other.magnitude(d.Patch, d.Scale) > p.magnitude(d.Patch, d.Scale) {
			p = other
		}
	}
	p.symmetry = d.sampleSymmetry(rng)
	if d.SeesColour {
		p.isGrey = rng.Float64() < greyShare || p.from.colour[0] == nil
	}
	if d.Robust {
		p.degrade = rng // for fill, which degrades the patch at random
	}
	return p, nil
}

// cut returns a patch at a random position, each position in each picture being equally likely.
func (d *pictures) cut(rng *rand.Rand) patch {
	i, x, y := d.positions.sample(rng, func(i int) int { return d.list[i].w - d.Patch + 1 })
	return patch{from: &d.list[i], x: x, y: y}
}

// magnitude returns the sum of |residual|, in integer steps, over every third row of the target: enough to compare.
func (p patch) magnitude(side, scale int) (sum int) {
	n, row := side*scale, p.from.w*scale
	for y := 0; y < n; y += 3 {
		for _, v := range p.from.residual[(p.y*scale+y)*row+p.x*scale:][:n] {
			sum += max(int(v), -int(v))
		}
	}
	return sum
}

// synthesise returns a patch of a new synthetic picture that is hardly larger than the window, since large pictures
// take long to render: pictures as large as the reach of 24 layers would take a fifth of the time of a training in
// which one patch in ten is synthetic. Small graphics that programs render look like block means of large graphics,
// without the ringing of a bicubic reduction, so most synthetic pictures, and all pixel art, are reduced to block
// means. Teachers are not used, as they may ring at the edges.
func (s *session) synthesise(rng *rand.Rand) (patch, error) {
	const least = 8
	margin := max(least, min(s.architecture().Reach(), s.Margin+2)) // at least the margin of the window
	side := (s.Patch + 2*margin) * s.Scale
	d := synthetic.Sample(rng, side, side, s.Scale)
	by := s.Degradation
	if d.IsPixelArt || rng.IntN(3) > 0 {
		by = resample.Box
	}
	rng.IntN(100) // sampled and not used, so that recorded commands still get the same patches
	from, err := s.makePair(context.Background(), picture.Split(d.Image).Channels, by, nil)
	return patch{from: &from, x: margin, y: margin, synthetic: true}, err
}

// fill sets the input, the target and the levels of w from p, which it degrades for a robust model.
func (p patch) fill(w *worker, scale int) {
	margin := (w.sides[0] - w.side) / 2
	if w.levels = (levels{}); p.degrade != nil {
		w.levels = p.fillDegraded(w.input, w.target, w.side, margin, scale, w.shapes[0].in)
	} else {
		p.fillClean(w.input, w.target, w.side, margin, scale, w.shapes[0].in)
	}
}

// fillClean sets window to the low-resolution samples of the target and of a margin on each side, with edge samples
// repeated. inputs is the number of values of a sample; the last is brightness. fillClean sets target to the residual:
// the scale² pixels of each sample side by side, brightness before red and blue, if target has room.
func (p patch) fillClean(window, target []float32, side, margin, scale, inputs int) {
	n := side + 2*margin
	for v := range n {
		for u := range n {
			x, y := p.source(u, v, n)
			x, y = min(max(p.x-margin+x, 0), p.from.w-1), min(max(p.y-margin+y, 0), p.from.h-1)
			at := y*p.from.w + x
			sample, sign := p.from.low[at], float32(1)
			if p.negative {
				sample, sign = lumaSteps-sample, -1
			}
			to := window[(v*n+u)*inputs:][:inputs]
			to[inputs-1] = float32(sample) / lumaSteps
			for k := range inputs - 1 {
				if to[k] = 0; !p.isGrey {
					to[k] = sign * float32(p.from.colour[k][at]) / (2 * lowSteps)
				}
			}
		}
	}
	pixels := scale * scale
	each := len(target) / (side * side)
	for k := range each / pixels {
		from := p.from.residual
		if k > 0 && !p.isGrey { // in grey, red and blue lack what brightness lacks
			from = p.from.redBlue[k-1]
		}
		fillTarget(target[k*pixels:], side, scale, each, from, p.from.w, p.x, p.y, p.symmetry)
	}
}

// fillTarget sets the first scale² values of each sample in target to the residual of the patch at (x, y), in
// samples, after symmetry s was applied. side is the side of the patch in samples, each the number of values of a
// sample in target, and w the width in samples of the picture that residual belongs to.
func fillTarget(target []float32, side, scale, each int, residual []int16, w, x, y int, s symmetry) {
	unit := float32(1) / residualSteps
	if s.negative {
		unit = -unit
	}
	n := side * scale
	index := func(u, v int) int { // the index in residual of the pixel that moves to (u, v)
		a, b := s.source(u, v, n)
		return (y*scale+b)*w*scale + x*scale + a
	}
	across := index(1, 0) - index(0, 0) // from a pixel to its right neighbour
	for v := range n {
		at := index(0, v)
		for u := range side {
			to := target[(v/scale*side+u)*each+v%scale*scale:][:scale]
			for k := range to {
				to[k] = unit * float32(residual[at])
				at += across
			}
		}
	}
}

// symmetry is an operation on a patch: a transposition, then flips along x and y; negative swaps black and white.
type symmetry struct {
	transposed, flipX, flipY, negative bool
}

// sampleSymmetry returns a random symmetry, all equally likely, or none with training.NoSymmetries. Patches of a
// robust model are not made negative, because noise grows with brightness.
func (s *session) sampleSymmetry(rng *rand.Rand) symmetry {
	bits := rng.Uint32()
	if s.Symmetries == training.NoSymmetries {
		return symmetry{}
	}
	return symmetry{transposed: bits&1 != 0, flipX: bits&2 != 0, flipY: bits&4 != 0, negative: bits&8 != 0 && !s.Robust}
}

// source returns the position of the sample of an n×n square that the symmetry moves to (u, v).
func (s symmetry) source(u, v, n int) (x, y int) {
	if s.transposed {
		u, v = v, u
	}
	if s.flipX {
		u = n - 1 - u
	}
	if s.flipY {
		v = n - 1 - v
	}
	return u, v
}

// positions holds, for each picture i, the number of positions for patches in the pictures 0..i together.
type positions []int64

// add appends the entry for a picture of w×h samples and patches of side×side samples.
func (p *positions) add(w, h, side int) {
	before := int64(0)
	if len(*p) > 0 {
		before = (*p)[len(*p)-1]
	}
	*p = append(*p, before+int64(w-side+1)*int64(h-side+1))
}

// sample returns a random position: the index of its picture, and its coordinates there. All positions are equally
// likely: p[i] counts them in the pictures 0..i. columns must return the number of positions in a row of picture i.
func (p positions) sample(rng *rand.Rand, columns func(i int) int) (i, x, y int) {
	position := rng.Int64N(p[len(p)-1])
	for position >= p[i] {
		i++
	}
	if i > 0 {
		position -= p[i-1]
	}
	row := int64(columns(i))
	return i, int(position % row), int(position / row)
}
