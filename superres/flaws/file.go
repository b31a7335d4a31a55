package flaws

import (
	"math"

	"superres/internal/quantiser"
)

// mostBlocks is about the number of blocks of 8×8 samples that are read.
const mostBlocks = 1200

// estimateFile estimates the quality of the JPEG file that changed a picture most, and the deviation of that change.
// known is the quality of the last file, or 0 where it was no JPEG; a file before it may have changed the picture more.
// A quality of 0 says that no file is found.
func estimateFile(parts []*samples, known int) (quality int, loss float64) {
	x, y := findGrid(parts)
	c := newCoefficients(parts, x, y, 8)
	if quality = c.quality(); quality != 0 {
		loss = c.loss(quality)
	}
	if known == 0 {
		return quality, loss
	}
	if x != 0 || y != 0 { // the grid of the last file is that of the picture
		c = newCoefficients(parts, 0, 0, 8)
	}
	if last := c.loss(known); last > loss {
		return known, last
	}
	return quality, loss
}

// findGrid returns the offset of the first block of 8×8, 0 to 7 in each direction: across the edges of blocks the third
// differences of samples are larger.
func findGrid(parts []*samples) (x, y int) {
	var across, down steps
	for _, p := range parts {
		every := max(1, p.w*p.h*p.parts/250_000)
		for v := 0; v < p.h; v += every {
			across.add(p.pix[v*p.w:], p.w, 1)
		}
		for u := 0; u < p.w; u += every {
			down.add(p.pix[u:], p.h, p.w)
		}
	}
	return across.greatest(), down.greatest()
}

// steps has sums of the magnitudes of third differences, by their position modulo 8.
type steps struct{ sum, count [8]int64 }

// add adds those of n samples that lie stride apart.
func (s *steps) add(line []int32, n, stride int) {
	const far = 12 * unit // a larger one is an edge of the picture
	for u := 2; u+1 < n; u++ {
		d := line[(u-2)*stride] - 3*line[(u-1)*stride] + 3*line[u*stride] - line[(u+1)*stride]
		s.sum[u%8] += int64(min(max(d, -d), far))
		s.count[u%8]++
	}
}

// greatest returns the position with the greatest mean.
func (s *steps) greatest() (at int) {
	most := int64(-1)
	for k, v := range s.sum {
		if mean := v * 256 / max(s.count[k], 1); mean > most {
			at, most = k, mean
		}
	}
	return at
}

// coefficients are those of the cosine transforms of blocks: for each of the 64 frequencies, by rows,
// one a block, in steps of 1/256 of a level.
type coefficients [64][]int32

// newCoefficients transforms blocks of a picture that lie step samples apart from (x0, y0) on.
func newCoefficients(parts []*samples, x0, y0, step int) *coefficients {
	c := new(coefficients)
	for _, p := range parts {
		p.spread(x0, y0, step, 0, 8, mostBlocks, func(x, y int) {
			var block [64]int64
			for i := range block {
				block[i] = int64(p.pix[(y+i/8)*p.w+x+i%8])
			}
			c.add(&block)
		})
	}
	return c
}

// add transforms a block.
func (c *coefficients) add(block *[64]int64) {
	var half, whole [64]int64
	for i := range 8 {
		for k, w := range cosines[8*i : 8*i+8] {
			for j := range 8 {
				half[8*i+j] += w * block[8*k+j]
			}
		}
	}
	for i := range 8 {
		for j := range 8 {
			for k, w := range cosines[8*j : 8*j+8] {
				whole[8*i+j] += half[8*i+k] * w
			}
		}
	}
	for i, v := range whole {
		c[i] = append(c[i], int32((v+1<<17)>>18)) // of 2²⁴·unit, which leaves 2⁸
	}
}

// cosines is the orthonormal cosine transform of eight samples, a row for a frequency, in steps of 2⁻¹².
var cosines = func() (list [64]int64) {
	for k := range 8 {
		scale := 0.5
		if k == 0 {
			scale = math.Sqrt(1. / 8)
		}
		for x := range 8 {
			list[8*k+x] = int64(math.Round(4096 * scale * math.Cos(math.Pi*float64((2*x+1)*k)/16)))
		}
	}
	return list
}()

// telling are the frequencies whose coefficients are often not 0.
var telling = [...]int{1, 8, 9, 2, 16, 10, 17, 3, 24, 18}

// quality returns the JPEG quality whose quantiser steps the coefficients are multiples of: on the
// mean, those that are not 0 are nearer to multiples than chance would have them. 0: there is none.
func (c *coefficients) quality() (best int) {
	const lowest, highest = 20, 97
	const enough, nearly = 0.3, 0.9
	var scores [highest + 1]float64
	most := 0.0
	for q := lowest; q <= highest; q++ {
		scores[q] = c.keep(q)
		most = max(most, scores[q])
	}
	if most < enough {
		return 0
	}
	// Multiples of a step are multiples of its fractions as well, so of the qualities with about the
	// best score the one with the greatest steps counts.
	for best = lowest; scores[best] < nearly*most; {
		best++
	}
	for range 3 {
		if best < highest && scores[best+1] > scores[best] {
			best++
		}
	}
	return best
}

// keep returns how well the coefficients are multiples of the steps of a quality: 1 if all are, 0 by
// chance, and 0 where too few different ones are left to say.
func (c *coefficients) keep(quality int) float64 {
	const few = 60
	off, count := int64(0), int64(0)
	different := map[[2]int32]bool{}
	for _, k := range telling {
		step := int32(quantiser.Scale(quantiser.Brightness[k], quality)) << 8
		if step < 3<<8 { // rounding hides it
			continue
		}
		for _, v := range c[k] {
			v = max(v, -v)
			if 2*v <= step {
				continue
			}
			r := v % step
			off += int64(min(r, step-r)) << 12 / int64(step) // of whole steps; 1/4 by chance
			count++
			if len(different) < few {
				different[[2]int32{int32(k), v >> 5}] = true
			}
		}
	}
	if len(different) < few {
		return 0
	}
	return 1 - float64(off)/float64(count<<10)
}

// loss estimates the standard deviation of the change by a file of a quality: of coefficients that
// are not 0 by their rounding, of the others by what they may have been, if coefficients have a
// Laplace distribution, given the share that is not 0.
func (c *coefficients) loss(quality int) float64 {
	sum := 0.0
	for k, list := range c {
		if len(list) == 0 {
			return 0
		}
		step := float64(quantiser.Scale(quantiser.Brightness[k], quality))
		some := 0
		for _, v := range list {
			if 2*math.Abs(float64(v)) > 256*step {
				some++
			}
		}
		share := float64(some) / float64(len(list))
		// The mean square of what becomes 0, of that of rounding: between 1 and 6/ln²share, nearly share^(5/16).
		root := math.Sqrt(math.Sqrt(share))
		small := root * math.Sqrt(math.Sqrt(root))
		sum += float64(step * step / 12 * (share + float64((1-share)*small)))
	}
	return math.Sqrt(sum / 64)
}
