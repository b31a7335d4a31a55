package learning

import (
	"math"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Patches of a robust model are reduced in one of several ways and then degraded as package degrade describes.
// Their strength, an input of the network, is the standard deviation of noise and compression in levels of 255,
// divided by worstNoise. Blur and sharpening do not count; the network must recognise these itself.
const worstNoise = 25

// degradedMargin is the number of samples around the window that are degraded with it, so that the window lies
// in whole blocks of JPEG files.
const degradedMargin = 8

// fillDegraded does what fillClean does after a random degradation, and returns its strength, 0..1.
func (p patch) fillDegraded(window, target []float32, side, margin, scale int) (strength float32) {
	reach := margin + degradedMargin
	x0, y0 := max(p.x-reach, 0), max(p.y-reach, 0)
	x1, y1 := min(p.x+side+reach, p.from.w), min(p.y+side+reach, p.from.h)
	part := &degrade.Plane{W: x1 - x0, H: y1 - y0, Pix: make([]float32, (x1-x0)*(y1-y0))}
	degradation := degrade.Sample(p.degrade)
	p.reduce(part, x0, y0, scale, degradation.IsClean())
	if deviation := degradation.Apply(p.degrade, part) / worstNoise; deviation > 0 {
		// At enlarging the strength is an estimate, so noise is added to it here.
		strength = float32(min(deviation*math.Exp(0.15*p.degrade.NormFloat64()), 1))
	}
	n := side + 2*margin
	for v := range n {
		for u := range n {
			x, y := p.source(u, v, n)
			x, y = min(max(p.x-margin+x, 0), p.from.w-1), min(max(p.y-margin+y, 0), p.from.h-1)
			window[v*n+u] = part.Pix[(y-y0)*part.W+x-x0] / 255
		}
	}
	const around = 3 // more than the reach of the interpolation
	bx, by := max(p.x-around, x0), max(p.y-around, y0)
	low := plane.New(min(p.x+side+around, x1)-bx, min(p.y+side+around, y1)-by)
	for y := range low.H {
		for x := range low.W {
			low.Row(y)[x] = part.Pix[(by+y-y0)*part.W+bx+x-x0] / 255
		}
	}
	base := resample.Resize(low, low.W*scale, low.H*scale, resample.Bicubic)
	for v := range side * scale {
		to := target[v/scale*side*scale*scale+v%scale*scale:]
		for u := range side * scale {
			x, y := p.source(u, v, side*scale)
			truth := picture.Levels[p.from.truth[(p.y*scale+y)*p.from.w*scale+p.x*scale+x]]
			to[u/scale*scale*scale+u%scale] = truth - base.Row((p.y-by)*scale + y)[(p.x-bx)*scale+x]
		}
	}
	return strength
}

// reduce sets part to samples of the picture from (x0, y0) on, in levels of 255, reduced as various programs
// do: most often by the bicubic kernel, else by the mean of a block or of its middle, linearly, or by Lanczos.
// A clean patch, without noise and compression, is often reduced without antialiasing.
func (p patch) reduce(part *degrade.Plane, x0, y0, scale int, clean bool) {
	kind := p.degrade.IntN(10)
	if clean && p.degrade.IntN(4) == 0 {
		kind = aliasing
	} else if kind >= aliasing {
		for y := range part.H {
			for x := range part.W {
				part.Pix[y*part.W+x] = float32(p.from.low[(y0+y)*p.from.w+x0+x]) / sampleSteps
			}
		}
		return
	}
	taps := reductions[kind](scale)
	first := (scale - len(taps)) / 2 // the pixel of sample 0's first tap; len(taps)−scale is even
	w, h := p.from.w*scale, p.from.h*scale
	across := make([]float32, part.W*(part.H*scale+len(taps)))
	top := y0*scale + first
	for i := range len(across) / part.W {
		row := p.from.truth[min(max(top+i, 0), h-1)*w:][:w]
		for x := range part.W {
			sum := float32(0)
			for k, t := range taps {
				sum += t * float32(row[min(max((x0+x)*scale+first+k, 0), w-1)])
			}
			across[i*part.W+x] = sum
		}
	}
	for y := range part.H {
		for x := range part.W {
			sum := float32(0)
			for k, t := range taps {
				sum += t * across[(y*scale+k)*part.W+x]
			}
			part.Pix[y*part.W+x] = sum
		}
	}
}

// aliasing is the index in reductions of the reduction without antialiasing, the last one.
const aliasing = 4

// reductions return the taps by which a scale is reduced in one dimension, for all reductions other than the
// trainer's own.
var reductions = [aliasing + 1]func(scale int) []float32{
	func(s int) []float32 { return taps(s, s, imaging.Box) },
	func(s int) []float32 { return taps(s, 2-s%2, imaging.Box) },
	func(s int) []float32 { return taps(s, 2*s, imaging.Linear) },
	func(s int) []float32 { return taps(s, 6*s, imaging.Lanczos) },
	// Interpolation between the pixels at the middle of the block.
	func(s int) []float32 {
		narrow := func(x float64) float64 { return imaging.Lanczos.Kernel(x * float64(s)) }
		return taps(s, 6-s%2, imaging.ResampleFilter{Kernel: narrow})
	},
}

// taps returns the values of a filter at n taps that are symmetric around the middle of a block of scale
// pixels, normalised to a sum of 1; n is increased by one where it is odd and scale even, or the reverse. The
// filter's unit of length is the block.
func taps(scale, n int, filter imaging.ResampleFilter) []float32 {
	if (n-scale)%2 != 0 {
		n++
	}
	list, sum := make([]float32, n), 0.0
	for i := range list {
		sum += filter.Kernel((float64(i) - float64(n-1)/2) / float64(scale))
	}
	for i := range list {
		list[i] = float32(filter.Kernel((float64(i)-float64(n-1)/2)/float64(scale)) / sum)
	}
	return list
}
