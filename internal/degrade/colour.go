package degrade

import (
	"math"
	"math/rand/v2"

	"superres/internal/chroma"
	"superres/internal/picture"
	"superres/internal/quantiser"
)

// ApplyColour is Apply for red, green and blue, of the same size. It returns the deviation of brightness,
// and as large as where Apply degrades brightness. A random part of the noise is the same in all three, as grain and
// the processing in a camera make it; the rest is each one's own. Four files in five keep colour at half the
// resolution. Salt is black or white, and each of the three is dithered alone.
func (d Degradation) ApplyColour(rng *rand.Rand, rgb [3]*Plane) (deviation float64) {
	for _, p := range rgb {
		d.reshape(p)
	}
	if d.IsClean() {
		return 0
	}
	before := Brightness(rgb)
	if d.Noise > 0 {
		d.addColourNoise(rng, rgb)
	}
	d.addSalt(rng, rgb[:]...)
	d.dither(rgb[:]...)
	for _, f := range d.Files {
		f.passColour(rgb, rng.IntN(5) > 0)
	}
	return distance(Brightness(rgb).Pix, before.Pix)
}

// Brightness returns the brightness of red, green and blue, not rounded to levels.
func Brightness(rgb [3]*Plane) *Plane {
	out := &Plane{W: rgb[0].W, H: rgb[0].H, Pix: make([]float32, len(rgb[0].Pix))}
	for i, red := range rgb[0].Pix {
		out.Pix[i] = float32(picture.WeightR*red) + float32(picture.WeightG*rgb[1].Pix[i]) +
			float32(picture.WeightB*rgb[2].Pix[i])
	}
	return out
}

// addColourNoise adds noise to red, green and blue, so that the deviation of brightness is d.Noise where all three are
// at half of white.
func (d Degradation) addColourNoise(rng *rand.Rand, rgb [3]*Plane) {
	const squares = picture.WeightR*picture.WeightR + picture.WeightG*picture.WeightG + picture.WeightB*picture.WeightB
	part := rng.Float64() // of the variance of brightness, from noise that is each one's own
	own, common := math.Sqrt(part/squares), math.Sqrt(1-part)
	shared := d.sampleNoise(rng, rgb[0].W, rgb[0].H)
	for _, p := range rgb {
		noise := d.sampleNoise(rng, p.W, p.H)
		for i, v := range p.Pix {
			both := float32(common*float64(shared[i])) + float32(own*float64(noise[i]))
			p.Pix[i] = roundLevel(v + float32(float32(d.deviation(v))*both))
		}
	}
}

// passColour passes red, green and blue through a JPEG file, in which colour is at half the resolution or at all of it.
func (f File) passColour(rgb [3]*Plane, half bool) {
	y := Brightness(rgb)
	var blueRed [2]*Plane // Cb and Cr, around 128, as in files
	scales := [2]float32{0.5 / (1 - picture.WeightB), 0.5 / (1 - picture.WeightR)}
	for k := range blueRed {
		c := &Plane{W: y.W, H: y.H, Pix: make([]float32, len(y.Pix))}
		for i, v := range rgb[2-2*k].Pix {
			c.Pix[i] = 128 + float32(scales[k]*(v-y.Pix[i]))
		}
		if half {
			small := c.halve()
			File{f.Quality, f.X / 2, f.Y / 2}.passBlocks(small, &quantiser.Colour)
			small.double(c)
		} else {
			f.passBlocks(c, &quantiser.Colour)
		}
		blueRed[k] = c
	}
	y.round()
	f.passBlocks(y, &quantiser.Brightness)
	for i, v := range y.Pix {
		blue, red := (blueRed[0].Pix[i]-128)/scales[0], (blueRed[1].Pix[i]-128)/scales[1]
		rgb[0].Pix[i], rgb[2].Pix[i] = roundLevel(v+red), roundLevel(v+blue)
		rgb[1].Pix[i] = roundLevel(v + picture.Green(red, blue))
	}
}

// halve returns the means of p over 2×2 samples; at the right and lower edge samples are repeated.
func (p *Plane) halve() *Plane {
	out := &Plane{W: (p.W + 1) / 2, H: (p.H + 1) / 2}
	for y := range out.H {
		upper, lower := p.Pix[2*y*p.W:][:p.W], p.Pix[min(2*y+1, p.H-1)*p.W:][:p.W]
		for x := range out.W {
			left, right := 2*x, min(2*x+1, p.W-1)
			out.Pix = append(out.Pix, (upper[left]+upper[right]+lower[left]+lower[right])/4)
		}
	}
	return out
}

// double sets to to p at twice the resolution, interpolated as libjpeg does it: each sample has three quarters of the
// nearest of p, in both directions, and a quarter of the next.
func (p *Plane) double(to *Plane) {
	for y := range to.H {
		nearest, other := chroma.Neighbours(y, p.H)
		near, next := p.Pix[nearest*p.W:][:p.W], p.Pix[other*p.W:][:p.W]
		for x := range to.W {
			a, b := chroma.Neighbours(x, p.W)
			to.Pix[y*to.W+x] = (float32(9*near[a]) + float32(3*(near[b]+next[a])) + next[b]) / 16
		}
	}
}
