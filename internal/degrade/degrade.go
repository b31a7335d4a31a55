package degrade

import (
	"cmp"
	"image"
	"math"
	"math/rand/v2"

	"github.com/disintegration/imaging"

	"superres/internal/elementary"
)

// Plane is a plane of samples, such as brightness, in levels of 0..255, row by row. Degradations change it in place.
type Plane struct {
	// W and H are the width and height in samples.
	W, H int
	// Pix has W·H samples.
	Pix []float32

	spare []float32 // memory for blend
}

// Degradation is a degradation of a picture. The zero value only rounds to levels.
type Degradation struct {
	// Blur is the standard deviation of a Gaussian blur, in samples; 0: none.
	Blur float64
	// Sharpen is the amount of an unsharp mask; 0: none. Radius is the deviation of its Gaussian in samples; 0 means 1.
	Sharpen, Radius float64
	// Noise is the standard deviation of the noise, in levels, where brightness is 127.5; 0: no noise.
	Noise float64
	// Shot, 0 to 1, is how much of the variance of the noise is shot noise where brightness is 127.5. That part of the
	// variance is proportional to brightness; the rest, Noise²·(1 − Shot), is the same everywhere.
	Shot float64
	// Grain is the standard deviation, in samples, of the Gaussian that blurs the noise, as in film grain; 0: none. The
	// blurred noise is amplified, so that it has the deviation Noise again.
	Grain float64
	// Salt is the share of pixels that become black or white, with equal chances.
	Salt float64
	// Tones is the number of equally spaced levels, 2 to 255, for error diffusion, as in dithered GIFs; 0: all 256.
	Tones int
	// Files are the JPEG files in which the picture is saved and opened again, one after another.
	Files []File
}

// File describes how a picture is saved as a JPEG file.
type File struct {
	// Quality is the quality of libjpeg, 1 to 100.
	Quality int
	// X and Y are the position in the picture of the first whole block of 8×8, 0 to 7.
	X, Y int
}

// Sample returns a random degradation, as real pictures have. 12% are blurred. Half have noise, with a deviation of at
// most 25 that is small more often than large; a fifth of these have grain, and 40% shot noise. 4% have salt, 4% are
// dithered, and 55% pass through one file or, one in five of them, two, of quality 30 to 98. Of the clean ones (see
// IsClean) 40% are sharpened, and 20% of the others, as cameras do before they save.
func Sample(rng *rand.Rand) (d Degradation) {
	likely := func(p float64) bool { return rng.Float64() < p }
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	if likely(0.12) {
		d.Blur = between(0.2, 0.7)
	}
	if likely(0.5) {
		d.Noise = 25 * elementary.Pow(rng.Float64(), 1.5)
		if likely(0.2) {
			d.Grain = between(0.4, 1.1)
		}
		if likely(0.4) {
			d.Shot = between(0.3, 1)
		}
	}
	switch {
	case likely(0.04):
		d.Salt = between(0.001, 0.02)
	case likely(0.04):
		d.Tones = 4 + rng.IntN(28)
	}
	if likely(0.55) {
		for {
			f := File{Quality: 30 + rng.IntN(69)}
			if likely(0.5) { // otherwise the picture was not cropped since it was saved
				f.X, f.Y = rng.IntN(8), rng.IntN(8)
			}
			if d.Files = append(d.Files, f); len(d.Files) == 2 || !likely(0.2) {
				break
			}
		}
	}
	sharpened := 0.2
	if d.IsClean() {
		sharpened = 0.4
	}
	if likely(sharpened) {
		d.Sharpen = between(0.2, 1.5)
	}
	return d
}

// IsClean reports whether d has no noise, salt, dither or files: at most blur and sharpening.
func (d Degradation) IsClean() bool {
	return d.Noise == 0 && d.Salt == 0 && d.Tones == 0 && len(d.Files) == 0
}

// Apply degrades p and rounds it to levels. It returns the RMS change, in levels, due to noise, salt, dither and files.
func (d Degradation) Apply(rng *rand.Rand, p *Plane) (deviation float64) {
	d.reshape(p)
	if d.IsClean() {
		return 0
	}
	before := append([]float32(nil), p.Pix...)
	if d.Noise > 0 {
		d.addNoise(rng, p)
		p.round()
	}
	d.addSalt(rng, p)
	d.dither(p)
	for _, f := range d.Files {
		f.pass(p)
	}
	return distance(p.Pix, before)
}

// addSalt makes a random share d.Salt of the pixels black or white, with equal samples in all planes.
func (d Degradation) addSalt(rng *rand.Rand, planes ...*Plane) {
	if d.Salt == 0 {
		return
	}
	for i := range planes[0].Pix {
		if rng.Float64() < d.Salt {
			v := float32(255 * rng.IntN(2))
			for _, p := range planes {
				p.Pix[i] = v
			}
		}
	}
}

// dither rounds each plane to d.Tones levels by error diffusion, or does nothing if d.Tones is 0.
func (d Degradation) dither(planes ...*Plane) {
	if d.Tones == 0 {
		return
	}
	for _, p := range planes {
		p.dither(d.Tones)
	}
}

// reshape blurs p, if d.Blur is set, sharpens it, if d.Sharpen is set, and rounds it to levels.
func (d Degradation) reshape(p *Plane) {
	if d.Blur > 0 {
		p.blend(d.Blur, 1)
	}
	if d.Sharpen > 0 {
		p.blend(cmp.Or(d.Radius, 1), -d.Sharpen)
	}
	p.round()
}

// distance returns the root mean square of the differences a[i] − b[i].
func distance(a, b []float32) float64 {
	sum := 0.0
	for i, v := range a {
		e := float64(v - b[i])
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(a)))
}

// addNoise adds normal noise to p. Its standard deviation is d.Noise at half brightness: see deviation.
func (d Degradation) addNoise(rng *rand.Rand, p *Plane) {
	noise := d.sampleNoise(rng, p.W, p.H)
	for i, v := range p.Pix {
		p.Pix[i] = v + float32(float32(d.deviation(v))*noise[i])
	}
}

// deviation returns the standard deviation of noise at brightness v, in levels.
func (d Degradation) deviation(v float32) float64 {
	return d.Noise * math.Sqrt(1-d.Shot+d.Shot*float64(v)/127.5)
}

// sampleNoise returns normal noise of w×h samples with a standard deviation of 1, also where d.Grain blurs it.
func (d Degradation) sampleNoise(rng *rand.Rand, w, h int) []float32 {
	noise := &Plane{W: w, H: h, Pix: make([]float32, w*h)}
	for i := range noise.Pix {
		noise.Pix[i] = float32(rng.NormFloat64())
	}
	if d.Grain == 0 {
		return noise.Pix
	}
	noise.blend(d.Grain, 1)
	square := 0.0
	for _, v := range noise.Pix {
		square += float64(v) * float64(v)
	}
	scale := float32(1 / math.Sqrt(square/float64(len(noise.Pix))))
	for i := range noise.Pix {
		noise.Pix[i] *= scale
	}
	return noise.Pix
}

// dither rounds p to tones evenly spaced levels, row by row, and spreads each rounding error over the next sample and
// three below (R. Floyd, L. Steinberg: An adaptive algorithm for spatial grey scale, Proc. SID 17, 1976).
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

// round rounds every sample to a level.
func (p *Plane) round() {
	for i, v := range p.Pix {
		p.Pix[i] = roundLevel(v)
	}
}

// roundLevel returns the level, 0..255, nearest to v.
func roundLevel(v float32) float32 { return float32(math.Round(float64(min(max(v, 0), 255)))) }

// blend adds share·(G∗p − p) to p, where G is a Gaussian with a standard deviation of sigma samples, cut off at three
// deviations: a share of 1 blurs, a negative share sharpens. Edge samples are repeated.
func (p *Plane) blend(sigma, share float64) {
	reach := int(math.Ceil(3 * sigma))
	taps := make([]float32, 2*reach+1)
	sum := 0.0
	for i := range taps {
		sum += elementary.Exp(-float64((i-reach)*(i-reach)) / (2 * sigma * sigma))
	}
	for i := range taps {
		taps[i] = float32(elementary.Exp(-float64((i-reach)*(i-reach))/(2*sigma*sigma)) / sum)
	}
	if len(p.spare) < len(p.Pix) {
		p.spare = make([]float32, len(p.Pix))
	}
	across := p.spare[:len(p.Pix)]
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

// WithNoise returns a copy of a picture, in 8 bits, with independent normal noise in each colour of each pixel, of
// standard deviation deviation in levels of 0..255. Alpha stays. The same seed gives the same noise.
func WithNoise(img image.Image, deviation float64, seed uint64) *image.NRGBA {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := imaging.Clone(img)
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = uint8(roundLevel(float32(float64(out.Pix[i]) + float64(deviation*rng.NormFloat64()))))
		}
	}
	return out
}
