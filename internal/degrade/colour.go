package degrade

import (
	"math"
	"math/rand/v2"

	"superres/internal/chroma"
	"superres/internal/picture"
	"superres/internal/quantiser"
)

// ApplyColour degrades planes of red, green and blue, of equal size, as Apply degrades one plane. It returns the RMS
// change of brightness by noise, salt, dither and files. In mid grey, the noise of brightness is as strong as in Apply.
// A random share of its variance comes from noise common to the three planes, as with grain and with processing in a
// camera; the rest is independent in each plane. Salt is the same in all planes, and each plane is dithered on its own.
// Four JPEG files in five halve the resolution of chroma.
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

// Brightness returns the BT.601 brightness of red, green and blue, in levels of 0..255, unrounded.
func Brightness(rgb [3]*Plane) *Plane {
	out := &Plane{W: rgb[0].W, H: rgb[0].H, Pix: make([]float32, len(rgb[0].Pix))}
	for i, red := range rgb[0].Pix {
		out.Pix[i] = float32(picture.WeightR*red) + float32(picture.WeightG*rgb[1].Pix[i]) +
			float32(picture.WeightB*rgb[2].Pix[i])
	}
	return out
}

// addColourNoise adds noise to red, green and blue: in mid grey, the brightness gets the standard deviation d.Noise.
func (d Degradation) addColourNoise(rng *rand.Rand, rgb [3]*Plane) {
	const squares = picture.WeightR*picture.WeightR + picture.WeightG*picture.WeightG + picture.WeightB*picture.WeightB
	part := rng.Float64()                                     // share of independent noise in the variance
	own, common := math.Sqrt(part/squares), math.Sqrt(1-part) // factors of both kinds of noise, of deviation 1
	shared := d.sampleNoise(rng, rgb[0].W, rgb[0].H)
	for _, p := range rgb {
		noise := d.sampleNoise(rng, p.W, p.H)
		for i, v := range p.Pix {
			both := float32(common*float64(shared[i])) + float32(own*float64(noise[i]))
			p.Pix[i] = roundLevel(v + float32(float32(d.deviation(v))*both))
		}
	}
}

// passColour changes red, green and blue as a JPEG file does in which they are saved and opened again. isHalved: the
// file has chroma at half the resolution, with blocks that begin at half of X and Y, rounded down.
func (f File) passColour(rgb [3]*Plane, isHalved bool) {
	y := Brightness(rgb)
	var blueRed [2]*Plane                                                          // Cb and Cr, around 128, as in files
	scales := [2]float32{0.5 / (1 - picture.WeightB), 0.5 / (1 - picture.WeightR)} // Cb/(B−Y) and Cr/(R−Y)
	for k := range blueRed {
		c := &Plane{W: y.W, H: y.H, Pix: make([]float32, len(y.Pix))}
		for i, v := range rgb[2-2*k].Pix { // blue, then red
			c.Pix[i] = 128 + float32(scales[k]*(v-y.Pix[i]))
		}
		if isHalved {
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

// halve returns the means of p over squares of 2×2 samples. If a side is odd, the last column or row is repeated.
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

// double writes p, enlarged to twice the resolution, to out. It interpolates as libjpeg does: in each direction, a
// sample is three quarters of the nearest sample of p and a quarter of the next.
func (p *Plane) double(out *Plane) {
	for y := range out.H {
		nearest, other := chroma.Neighbours(y, p.H)
		near, next := p.Pix[nearest*p.W:][:p.W], p.Pix[other*p.W:][:p.W]
		for x := range out.W {
			a, b := chroma.Neighbours(x, p.W)
			out.Pix[y*out.W+x] = (float32(9*near[a]) + float32(3*(near[b]+next[a])) + next[b]) / 16
		}
	}
}
