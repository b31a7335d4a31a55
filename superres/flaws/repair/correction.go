package repair

import (
	"image"
	"math"
	"sort"

	"superres/internal/elementary"
	"superres/internal/picture"
	"superres/superres/flaws/measure"
)

// Correction is a filter that brings a blurred or sharpened picture near to a reduction by the bicubic kernel, which
// models expect (S. Abu Hussein, T. Tirer, R. Giryes, Correction filter for single image super-resolution, CVPR 2020).
// It holds the base-2 logarithms, in steps of 1/256, of the gains at frequencies of 1/16, 2/16, … 8/16 cycles a sample,
// in all directions; the last gain holds for higher frequencies, too. The zero value changes nothing.
type Correction [Bands]int32

// Bands is the number of gains of a Correction, and Octave the logarithm of a gain of 2.
const (
	Bands  = 8
	Octave = 256
)

// IsNone reports whether c changes nothing.
func (c Correction) IsNone() bool { return c == Correction{} }

// middle is the index of the gain at a frequency of 1/4.
const middle = Bands/2 - 1

// Blur returns the deviation, in pixels, of the Gaussian blur that c undoes, from its gain at a frequency of 1/4, or 0.
func (c Correction) Blur() float64 {
	// A Gaussian blur of deviation s multiplies frequency f by exp(−2π²s²f²).
	return math.Sqrt(math.Ln2 * max(0, float64(c[middle])/Octave) * 8 / (math.Pi * math.Pi))
}

// Sharpening returns the greatest factor by which the sharpening that c undoes had raised a frequency; 0: none undone.
func (c Correction) Sharpening() float64 {
	least := int32(0)
	for _, v := range c {
		least = min(least, v)
	}
	if least == 0 {
		return 0
	}
	return elementary.Exp2(float64(-least) / Octave)
}

// Partly returns the correction that makes the given share, 0 to 1, of the change that c makes.
func (c Correction) Partly(share float64) Correction {
	const whole = 1 << 10
	part := int64(float64(share*whole) + 0.5)
	for i, v := range c {
		c[i] = LogarithmOf(One + (PowerOfTwo(int64(v))-One)*part/whole)
	}
	return c
}

// LogarithmOf returns the greatest v, −MostGain to MostGain, for which PowerOfTwo(v) is at most gain.
func LogarithmOf(gain int64) int32 {
	return int32(sort.Search(2*MostGain, func(v int) bool { return PowerOfTwo(int64(v+1-MostGain)) > gain }) - MostGain)
}

// Limited returns c with its gains limited for a picture with the flaws f, as large gains would raise noise more than
// detail. Let R be the inverse of a gain, and e be NoiseWeight times the variance of noise and loss, in levels², times
// (2·frequency)². The limited gain is (R + e)/(R² + e): 1/R without noise, and near 1 if there is almost only noise.
func (c Correction) Limited(f measure.Flaws) Correction {
	noise := float64(f.Noise*f.Noise) + float64(f.Loss*f.Loss)
	if noise == 0 {
		return c
	}
	for i, v := range c {
		r := PowerOfTwo(-int64(v)) // in steps of 1/One, like e
		e := int64(float64(noise*NoiseWeight*One)) * int64((i+1)*(i+1)) / (Bands * Bands)
		c[i] = LogarithmOf((r + e) * One / max(r*r/One+e, 1))
	}
	return c
}

// NoiseWeight is e of Limited at a frequency of 1/2 for noise of a deviation of one level.
const NoiseWeight = 0.02

// gain returns the gain of c, in steps of 2⁻²⁰, at a frequency in steps of 1/256 of the distance between two bands.
func (c Correction) gain(frequency int) int64 {
	below, part := frequency/256, int32(frequency%256)
	at := func(i int) int32 { // band 0 is the mean, which is kept
		if i == 0 {
			return 0
		}
		return c[min(i, Bands)-1]
	}
	return PowerOfTwo(int64(at(below) + (at(below+1)-at(below))*part/256))
}

// taps returns the filter with the gains of c.
func (c Correction) taps() taps {
	return newTaps(reach, grid, func(u, v int) int64 {
		return c.gain(int(math.Sqrt(float64(u*u+v*v)) * 256 * 16 / grid)) // bands lie 1/16 apart, u and v 1/grid
	})
}

// NoiseGain returns the factor by which c multiplies the standard deviation of white noise.
func (c Correction) NoiseGain() float64 {
	sum := int64(0)
	for y, row := range c.taps() {
		for x, v := range row {
			sum += countOf(x, y) * v * v // all taps equal to this one by symmetry
		}
	}
	return math.Sqrt(float64(sum)) / (1 << tapBits)
}

// Apply returns a corrected copy of img, which must be opaque. The filter changes the brightness, and each change of
// brightness is added to red, green and blue alike.
func (c Correction) Apply(img image.Image) image.Image {
	t := c.taps()
	return repaint(img, func(out *picture.Canvas, lo, hi int) { t.filter(out, img, lo, hi, brightness) })
}

// MostGain is the greatest logarithm of a gain, 12 octaves.
const MostGain = 12 * Octave

// One stands for 1 in the results of PowerOfTwo.
const One = 1 << 20

// PowerOfTwo returns 2 to the power of v/256, in steps of 1/One = 2⁻²⁰, for v < 10,000, to within 0.3 %. It
// approximates 2ᵖ, where p is the fractional part of v/256, by 1 + p·(0.657 + 0.344·p).
func PowerOfTwo(v int64) int64 {
	whole, part := v>>8, v&255
	if whole < -20 {
		return 0
	}
	power := One + part*(43_056+88*part)/16
	if whole < 0 {
		return power >> -whole
	}
	return power << whole
}
