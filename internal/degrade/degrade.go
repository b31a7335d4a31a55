package degrade

import (
	"math"
	"math/rand/v2"
)

// Plane is brightness in levels of 0..255, row by row. Degradations change it in place.
type Plane struct {
	// W and H are its size.
	W, H int
	// Pix has W·H samples.
	Pix []float32

	spare []float32
}

// Degradation is a degradation of a picture. The zero value only rounds to levels.
type Degradation struct {
	// Blur is the blur before everything else.
	Blur Blur
	// Sharpen is the amount of an unsharp mask with a Gaussian of deviation Radius, in samples; 0: none.
	Sharpen, Radius float64
	// Noise is the standard deviation of noise in levels, at half brightness; 0: none.
	Noise float64
	// Shot is the share, 0 to 1, of the noise's variance that is proportional to brightness, as shot noise is;
	// the rest is the same everywhere.
	Shot float64
	// Grain is the deviation, in samples, of the Gaussian that has blurred the noise, as in the grain of film; 0: the noise
	// of each sample is its own.
	Grain float64
	// Salt is the share of samples that are black or white instead.
	Salt float64
	// Tones is the number of equal steps of brightness, 2 to 255, of a picture whose errors of rounding were diffused, as
	// in dithered GIF files; 0: all 256.
	Tones int
	// Files are the JPEG files that the picture passes through.
	Files []File
	// Order is the order of what follows the blur: a permutation of all kinds of Step; nil: as they are declared.
	Order []Step
}

// Step is a kind of degradation whose place among others varies.
type Step int

// The kinds, in the order in which they are most common.
const (
	Sharpening Step = iota
	Noise           // with salt
	Dithering
	Saving // in files
	steps
)

// Blur is a Gaussian blur. Major and Minor are its standard deviations in samples along the direction Angle, in radians,
// and across it; both 0: none. A motion of the camera has a Minor near 0.
type Blur struct{ Major, Minor, Angle float64 }

// Root returns the symmetric root of the covariance of the blur: its entries for x, for y, and for both, in samples.
// Flips and turns of the picture transform it like a matrix.
func (b Blur) Root() (xx, yy, xy float64) {
	sin, cos := math.Sincos(b.Angle)
	return b.Major*cos*cos + b.Minor*sin*sin, b.Major*sin*sin + b.Minor*cos*cos, (b.Major - b.Minor) * sin * cos
}

// Change is how much a degradation has changed the samples: the standard deviations, in levels, of the changes by noise,
// salt and dithering, and by files.
type Change struct{ Noise, Loss float64 }

// File is a JPEG file.
type File struct {
	// Quality is 1 to 100, as libjpeg counts.
	Quality int
	// X and Y are the position of its first whole block of 8×8, 0 to 7.
	X, Y int
}

// MostBlur is the greatest deviation of the blur that Sample returns.
const MostBlur = 2.5

// MostSharpening is the greatest amount of sharpening that Sample returns.
const MostSharpening = 1.5

// Sample returns a random degradation as real pictures have it. A quarter of them are clean. The others have noise with
// a deviation of at most 25 and files of quality 20 to 98, each in about half of them, blur, sharpening, and rarely
// salt or dithering, weak ones more often than strong ones, and in one of four in any order.
func Sample(rng *rand.Rand) (d Degradation) {
	likely := func(p float64) bool { return rng.Float64() < p }
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	if likely(0.25) {
		return d
	}
	if likely(0.4) {
		d.Blur.Major = between(0.1, 1) * MostBlur * math.Sqrt(rng.Float64())
		if d.Blur.Minor = d.Blur.Major; likely(0.4) {
			d.Blur.Minor *= rng.Float64()
			d.Blur.Angle = between(0, math.Pi)
		}
	}
	if likely(0.25) {
		d.Sharpen, d.Radius = between(0.1, MostSharpening), between(0.5, 1.5)
	}
	if likely(0.45) {
		d.Noise = 25 * math.Pow(rng.Float64(), 1.5)
		if likely(0.4) {
			d.Shot = between(0.3, 1)
		}
		if likely(0.25) {
			d.Grain = between(0.4, 1.2)
		}
	}
	if likely(0.04) {
		d.Salt = between(0.001, 0.02)
	}
	if likely(0.04) {
		d.Tones = 4 + rng.IntN(28)
	}
	if likely(0.5) {
		for {
			f := File{Quality: 98 - int(78*math.Pow(rng.Float64(), 1.3))}
			if likely(0.5) { // otherwise the picture was not cropped after it was saved
				f.X, f.Y = rng.IntN(8), rng.IntN(8)
			}
			if d.Files = append(d.Files, f); len(d.Files) == 2 || !likely(0.25) {
				break
			}
		}
	}
	if likely(0.25) {
		for _, k := range rng.Perm(int(steps)) {
			d.Order = append(d.Order, Step(k))
		}
	}
	return d
}

// IsClean reports whether the degradation does nothing but round.
func (d Degradation) IsClean() bool {
	return d.Blur == Blur{} && d.Sharpen == 0 && d.Noise == 0 && d.Salt == 0 && d.Tones == 0 && len(d.Files) == 0
}

// usual is the order of a Degradation without Order.
var usual = []Step{Sharpening, Noise, Dithering, Saving}

// Apply degrades a picture, rounds it to levels, and returns how much it has changed it.
func (d Degradation) Apply(rng *rand.Rand, p *Plane) Change {
	d.Blur.apply(p)
	p.round()
	var noise, loss float64 // mean squares
	order := d.Order
	if order == nil {
		order = usual
	}
	for _, step := range order {
		before := append([]float32(nil), p.Pix...)
		switch step {
		case Sharpening:
			if d.Sharpen > 0 {
				p.blend(d.Radius, -d.Sharpen)
				p.round()
			}
		case Noise:
			d.addNoise(rng, p)
			p.round()
			noise += meanSquare(p.Pix, before)
		case Dithering:
			if d.Tones > 0 {
				p.dither(d.Tones)
				noise += meanSquare(p.Pix, before)
			}
		case Saving:
			for _, f := range d.Files {
				f.pass(p)
			}
			loss += meanSquare(p.Pix, before)
		}
	}
	return Change{math.Sqrt(noise), math.Sqrt(loss)}
}

// meanSquare returns the mean of the squares of the differences between a and b.
func meanSquare(a, b []float32) float64 {
	sum := 0.0
	for i, v := range a {
		e := float64(v - b[i])
		sum += e * e
	}
	return sum / float64(len(a))
}

// addNoise adds normal noise with a standard deviation of d.Noise at half brightness, and salt.
func (d Degradation) addNoise(rng *rand.Rand, p *Plane) {
	if d.Noise > 0 {
		grain := &Plane{W: p.W, H: p.H, Pix: make([]float32, len(p.Pix))}
		for i := range grain.Pix {
			grain.Pix[i] = float32(rng.NormFloat64())
		}
		scale := d.Noise
		if d.Grain > 0 {
			grain.blend(d.Grain, 1)
			scale /= math.Sqrt(meanSquare(grain.Pix, make([]float32, len(p.Pix))))
		}
		for i, v := range p.Pix {
			variance := 1 - d.Shot + d.Shot*float64(v)/127.5
			p.Pix[i] = v + float32(scale*math.Sqrt(variance))*grain.Pix[i]
		}
	}
	if d.Salt > 0 {
		for i := range p.Pix {
			if rng.Float64() < d.Salt {
				p.Pix[i] = float32(255 * rng.IntN(2))
			}
		}
	}
}

// dither rounds every sample to one of some equal steps from black to white, and passes its error on to its neighbours
// (R. Floyd, L. Steinberg: An adaptive algorithm for spatial grey scale, Proc. SID 17, 1976).
func (p *Plane) dither(tones int) {
	unit := 255 / float32(tones-1)
	for y := range p.H {
		for x := range p.W {
			at := &p.Pix[y*p.W+x]
			v := *at
			*at = roundLevel(unit * float32(math.Round(float64(min(max(v, 0), 255)/unit))))
			pass := func(dx, dy int, share float32) {
				if x+dx >= 0 && x+dx < p.W && y+dy < p.H {
					p.Pix[(y+dy)*p.W+x+dx] += share * (v - *at)
				}
			}
			pass(1, 0, 7./16)
			pass(-1, 1, 3./16)
			pass(0, 1, 5./16)
			pass(1, 1, 1./16)
		}
	}
}

// apply blurs a picture. Edge samples are repeated.
func (b Blur) apply(p *Plane) {
	if b.Major == 0 && b.Minor == 0 {
		return
	}
	if b.Major == b.Minor {
		p.blend(b.Major, 1)
		return
	}
	// Each of two blurs along a line leaves the other direction as it is.
	sin, cos := math.Sincos(b.Angle)
	p.blurAlong(b.Major, cos, sin)
	p.blurAlong(b.Minor, -sin, cos)
}

// blurAlong blurs a picture along the direction (dx, dy) by a Gaussian. Between samples it interpolates linearly, which
// blurs a little, too.
func (p *Plane) blurAlong(sigma, dx, dy float64) {
	if sigma == 0 {
		return
	}
	taps := gaussian(sigma)
	reach := len(taps) / 2
	out := p.memory()
	clear(out)
	for k, t := range taps {
		x, y := float64(k-reach)*dx, float64(k-reach)*dy
		left, top := math.Floor(x), math.Floor(y)
		u, v := float32(x-left), float32(y-top)
		for j, down := range [2]float32{1 - v, v} {
			for i, across := range [2]float32{1 - u, u} {
				if weight := t * down * across; weight != 0 {
					p.addMoved(out, int(left)+i, int(top)+j, weight)
				}
			}
		}
	}
	copy(p.Pix, out)
}

// addMoved adds to out the samples dx to the right of each, and dy below, times a weight.
func (p *Plane) addMoved(out []float32, dx, dy int, weight float32) {
	for y := range p.H {
		row, to := p.Pix[min(max(y+dy, 0), p.H-1)*p.W:][:p.W], out[y*p.W:(y+1)*p.W]
		for x := range to {
			to[x] += weight * row[min(max(x+dx, 0), p.W-1)]
		}
	}
}

// gaussian returns the taps of a Gaussian with a given deviation in samples, of sum 1.
func gaussian(sigma float64) []float32 {
	reach := int(math.Ceil(3 * sigma))
	taps := make([]float32, 2*reach+1)
	sum := 0.0
	for i := range taps {
		sum += math.Exp(-float64((i-reach)*(i-reach)) / (2 * sigma * sigma))
	}
	for i := range taps {
		taps[i] = float32(math.Exp(-float64((i-reach)*(i-reach))/(2*sigma*sigma)) / sum)
	}
	return taps
}

// memory returns memory for as many samples as p has, with any values.
func (p *Plane) memory() []float32 {
	if len(p.spare) < len(p.Pix) {
		p.spare = make([]float32, len(p.Pix))
	}
	return p.spare[:len(p.Pix)]
}

// round rounds every sample to a level.
func (p *Plane) round() {
	for i, v := range p.Pix {
		p.Pix[i] = roundLevel(v)
	}
}

// roundLevel returns the level, 0..255, nearest to v.
func roundLevel(v float32) float32 { return float32(math.Round(float64(min(max(v, 0), 255)))) }

// blend adds to each sample a share of its difference to the plane blurred by a Gaussian: a share of 1 blurs, a
// negative one sharpens. Edge samples are repeated.
func (p *Plane) blend(sigma, share float64) {
	taps := gaussian(sigma)
	reach := len(taps) / 2
	across := p.memory()
	for y := range p.H {
		row, to := p.Pix[y*p.W:(y+1)*p.W], across[y*p.W:(y+1)*p.W]
		for x := range to {
			to[x] = 0
			for i, t := range taps {
				to[x] += t * row[min(max(x+i-reach, 0), p.W-1)]
			}
		}
	}
	for y := range p.H {
		to := p.Pix[y*p.W : (y+1)*p.W]
		for x, v := range to {
			soft := float32(0)
			for i, t := range taps {
				soft += t * across[min(max(y+i-reach, 0), p.H-1)*p.W+x]
			}
			to[x] = v + float32(share)*(soft-v)
		}
	}
}
