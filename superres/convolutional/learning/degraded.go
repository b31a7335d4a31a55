package learning

import (
	"math/rand/v2"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/elementary"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
)

// Patches of a robust model are reduced in one of several ways and then degraded as package degrade describes. Their
// strength, an input of the network, is the standard deviation of noise and compression in levels, divided by
// worstNoise, at most 1. Blur and sharpening do not count; the network must recognise them itself.
const worstNoise = 25

// degradedMargin is how many samples around the window are degraded, too, so that it lies in whole JPEG blocks.
const degradedMargin = 8

// fillDegraded reduces and degrades the patch at random, and fills window and target from the result as fillClean does.
// It returns the strength of the degradation, and the trust, the likelihood that kind became ownReduction.
func (p patch) fillDegraded(window, target []float32, side, margin, scale, inputs int) (out levels) {
	reach := margin + degradedMargin
	x0, y0 := max(p.x-reach, 0), max(p.y-reach, 0)
	x1, y1 := min(p.x+side+reach, p.from.w), min(p.y+side+reach, p.from.h)
	degradation := degrade.Sample(p.degrade)
	kind := p.sampleReduction(degradation.IsClean())
	out[convolutional.Trust] = sampleTrust(p.degrade)
	if p.degrade.Float32() < out[convolutional.Trust] {
		degradation.Blur, degradation.Sharpen, kind = 0, 0, ownReduction
	}
	rgb := p.reduce(kind, x0, y0, x1, y1, scale) // or brightness alone
	if len(rgb) == 3 && p.isGrey {
		rgb = []*degrade.Plane{degrade.Brightness([3]*degrade.Plane(rgb))}
	}
	part, deviation := rgb[0], 0.0 // brightness
	if len(rgb) == 1 {
		deviation = degradation.Apply(p.degrade, part)
	} else {
		deviation = degradation.ApplyColour(p.degrade, [3]*degrade.Plane(rgb))
		part = degrade.Brightness([3]*degrade.Plane(rgb))
	}
	if deviation > 0 {
		// In use the strength will be an estimate, so a random error is added to it here.
		out[convolutional.Strength] = float32(min(deviation/worstNoise*elementary.Exp(0.15*p.degrade.NormFloat64()), 1))
	}
	n := side + 2*margin
	for v := range n {
		for u := range n {
			x, y := p.source(u, v, n)
			x, y = min(max(p.x-margin+x, 0), p.from.w-1), min(max(p.y-margin+y, 0), p.from.h-1)
			at, to := (y-y0)*part.W+x-x0, window[(v*n+u)*inputs:][:inputs]
			clear(to)
			to[inputs-1] = part.Pix[at] / 255
			for k := range inputs - 1 {
				if len(rgb) == 3 {
					to[k] = (rgb[2*k].Pix[at] - part.Pix[at]) / (2 * 255)
				}
			}
		}
	}
	pixels, each := scale*scale, len(target)/(side*side)
	for k := range each / pixels {
		from := part
		truth := p.from.trueBrightness
		if k > 0 && len(rgb) == 3 {
			from = rgb[2*(k-1)] // red or blue
			truth = func(i int) float32 { return picture.Levels[p.from.truth[2*(k-1)][i]] }
		}
		p.fillDegradedTarget(target[k*pixels:], side, scale, each, from, x0, y0, truth)
	}
	return out
}

// sampleTrust returns a random trust. The trust is the probability that the patch is then reduced in the trainer's own
// way, and neither blurred nor sharpened. So the network learns the best result at each trust.
//
// For photo-real at ×2, a trust of 1 in place of 0 is worth 0.1 to 0.3 dB of brightness on pictures with noise or JPEG
// compression that were reduced cleanly, and costs 1.1 dB on sharpened pictures. With a trust of 0 in only a quarter of
// the patches, sharpened pictures without noise lost 0.4 dB.
func sampleTrust(rng *rand.Rand) float32 {
	switch kind := rng.Float32(); {
	case kind < 0.5: // half of the patches, since damaged ones are harder to learn
		return 0
	case kind < 0.65:
		return 1
	}
	return rng.Float32()
}

// fillDegradedTarget sets the first scale² values of each sample in target to the truth less the interpolation of
// part. each is the number of values of a sample. part holds degraded samples, in levels, from (x0, y0) of the
// picture on; truth returns pixel i of the picture, 0 to 1.
func (p patch) fillDegradedTarget(target []float32, side, scale, each int, part *degrade.Plane, x0, y0 int,
	truth func(i int) float32) {
	const around = 3 // more than the reach of the interpolation
	bx, by := max(p.x-around, x0), max(p.y-around, y0)
	low := plane.New(min(p.x+side+around, x0+part.W)-bx, min(p.y+side+around, y0+part.H)-by)
	for y := range low.H {
		for x := range low.W {
			low.Row(y)[x] = part.Pix[(by+y-y0)*part.W+bx+x-x0] / 255
		}
	}
	base := resample.Resize(low, low.W*scale, low.H*scale, resample.Bicubic)
	for v := range side * scale {
		to := target[v/scale*side*each+v%scale*scale:]
		for u := range side * scale {
			x, y := p.source(u, v, side*scale)
			i := (p.y*scale+y)*p.from.w*scale + p.x*scale + x
			to[u/scale*each+u%scale] = truth(i) - base.Row((p.y-by)*scale + y)[(p.x-bx)*scale+x]
		}
	}
}

// trueBrightness returns the brightness, 0 to 1, of pixel i of p.truth.
func (p *pair) trueBrightness(i int) float32 {
	if len(p.truth) == 1 {
		return picture.Levels[p.truth[0][i]]
	}
	return float32(picture.WeightR*picture.Levels[p.truth[0][i]]) +
		float32(picture.WeightG*picture.Levels[p.truth[1][i]]) + float32(picture.WeightB*picture.Levels[p.truth[2][i]])
}

// sampleReduction returns a random way to reduce a patch: ownReduction, the way of the pair itself, in 6 of 10
// cases, else one of the 4 in reductions before aliasing, each in one. A clean patch, without noise and compression,
// is instead reduced without antialiasing in a quarter of all cases.
func (p patch) sampleReduction(clean bool) int {
	kind := p.degrade.IntN(10) // always drawn, so that a seed keeps its patches
	if clean {
		switch p.degrade.IntN(16) {
		case 0, 1:
			return aliasing
		case 2:
			return everyFirst
		case 3:
			return everyMiddle
		}
	}
	if kind >= aliasing {
		return ownReduction
	}
	return kind
}

// ownReduction stands for the reduction with which the samples of a pair were computed.
const ownReduction = -1

// reduce returns the samples from (x0, y0) to (x1, y1), in levels (0 to 255), of brightness or of red, green and blue.
// kind is a result of sampleReduction.
func (p patch) reduce(kind, x0, y0, x1, y1, scale int) (channels []*degrade.Plane) {
	for range p.from.truth {
		part := &degrade.Plane{W: x1 - x0, H: y1 - y0, Pix: make([]float32, (x1-x0)*(y1-y0))}
		channels = append(channels, part)
	}
	if kind != ownReduction {
		for k, part := range channels {
			p.reduceBy(reductions[kind](scale), part, p.from.truth[k], x0, y0, scale)
		}
		return channels
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			i, at := (y-y0)*(x1-x0)+x-x0, y*p.from.w+x
			luma := float32(p.from.low[at]) / sampleSteps
			if len(channels) == 1 {
				channels[0].Pix[i] = luma
				continue
			}
			const unit = float32(255) / lowSteps
			red, blue := unit*float32(p.from.colour[0][at]), unit*float32(p.from.colour[1][at])
			channels[0].Pix[i], channels[2].Pix[i] = luma+red, luma+blue
			channels[1].Pix[i] = luma + picture.Green(red, blue)
		}
	}
	return channels
}

// reduceBy reduces truth, the pixels of a channel, by scale with the same taps in both directions, and sets part to
// the reduced samples from (x0, y0) on, 0 to 255 as in truth.
func (p patch) reduceBy(taps []float32, part *degrade.Plane, truth []uint8, x0, y0, scale int) {
	first := (scale - len(taps)) / 2 // the pixel of sample 0's first tap; len(taps)−scale is even
	w, h := p.from.w*scale, p.from.h*scale
	across := make([]float32, part.W*(part.H*scale+len(taps)))
	top := y0*scale + first
	for i := range len(across) / part.W {
		row := truth[min(max(top+i, 0), h-1)*w:][:w]
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

// Indices of the last elements of reductions, which have no antialiasing: interpolation at the middle of a block, and
// picking one pixel of a block, the first as OpenCV does or the middle one as Pillow does. A picked pixel lies up to
// half a block off its place, which a picture does not show; the network learns to be careful there.
const (
	aliasing = 4 + iota
	everyFirst
	everyMiddle
	everyReduction
)

// reductions return the taps that reduce a picture by scale in one dimension, for all ways but the trainer's own.
var reductions = [everyReduction]func(scale int) []float32{
	func(s int) []float32 { return taps(s, s, imaging.Box) },
	func(s int) []float32 { return taps(s, 2-s%2, imaging.Box) },
	func(s int) []float32 { return taps(s, 2*s, imaging.Linear) },
	func(s int) []float32 { return taps(s, 6*s, imaging.Lanczos) },
	// Interpolation between the pixels at the middle of the block.
	func(s int) []float32 {
		narrow := func(x float64) float64 { return imaging.Lanczos.Kernel(x * float64(s)) }
		return taps(s, 6-s%2, imaging.ResampleFilter{Kernel: narrow})
	},
	func(s int) []float32 { return single(s, 0) },
	func(s int) []float32 { return single(s, s/2) },
}

// single returns the taps that pick the given pixel of a block of scale pixels.
func single(scale, pixel int) []float32 {
	list := make([]float32, scale)
	list[pixel] = 1
	return list
}

// taps returns the values of a filter, normalised to a sum of 1, at n taps that are symmetric around the middle of a
// block of scale pixels; at n+1 taps if only one of n and scale is odd. The filter counts lengths in blocks.
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
