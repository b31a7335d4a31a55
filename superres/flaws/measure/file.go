package measure

import (
	"image"
	"math"
	"slices"

	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/quantiser"
)

// mostBlocks is about the greatest number of blocks of 8×8 samples that are read.
const mostBlocks = 1200

// estimateFile estimates the quality of the JPEG file that changed a picture most, 0 if none is found, and the standard
// deviation of that change. grid is the result of findGrid for parts. known is the quality of the file that the picture
// was read from, or 0 if that was no JPEG file. An earlier JPEG file may have changed the picture more.
func estimateFile(parts []*Samples, grid image.Point, known int) (quality int, loss float64) {
	c, quality := findQuality(parts, grid.X, grid.Y, false) // findGrid has shown where blocks begin
	if quality != 0 {
		loss = c.loss(quality)
	}
	// The blocks of the last file begin at (0, 0), unless the picture was cropped since.
	if grid != (image.Point{}) {
		switch {
		case quality == 0:
			if c, quality = findQuality(parts, 0, 0, true); quality != 0 {
				loss = c.loss(quality)
			}
		case known != 0:
			c = newCoefficients(parts, 0, 0, 8) // for the loss by the last file, below
		}
	}
	if known == 0 {
		return quality, loss
	}
	if last := c.loss(known); last > loss {
		return known, last
	}
	return quality, loss
}

// findQuality returns the coefficients of blocks of parts, the first of which begin at (x, y), and the JPEG quality
// that explains the coefficients, or 0 if none does. inDoubt is true if nothing else shows that blocks begin there.
func findQuality(parts []*Samples, x, y int, inDoubt bool) (c *coefficients, quality int) {
	c = newCoefficients(parts, x, y, 8)
	quality, isSure := c.quality()
	if quality != 0 && (inDoubt || !isSure) {
		// Patterns that repeat every four samples look like a file, but equally so if blocks begin four samples further
		// on. Drawings of a few squares look like a file, too, and have many equal neighbours.
		half := newCoefficients(parts, (x+4)%8, (y+4)%8, 8).sizes()
		_, evidence := judgeNearness(func(i int) nearness { return nearTo(half[i], stepOf(telling[i], quality)) })
		if evidence >= leastEvidence/2 || equalShare(parts) > MostFlat {
			return c, 0
		}
	}
	return c, quality
}

// MostFlat is the greatest share of equal neighbours in a photograph. With more, quantised values prove nothing.
const MostFlat = 0.45

// equalShare returns the share of the samples of parts that are as bright as the sample before.
func equalShare(parts []*Samples) float64 {
	equal, all := 0, 0
	for _, p := range parts {
		for i := 1; i < len(p.Pix); i++ {
			if p.Pix[i] == p.Pix[i-1] {
				equal++
			}
		}
		all += len(p.Pix)
	}
	return float64(equal) / float64(max(all, 1))
}

// findGrid returns the offset of the first whole JPEG block of 8×8 samples, 0 to 7 in each direction: third differences
// of samples are greatest across the edges of blocks. It reads about 250,000 samples of the picture.
func findGrid(parts []*Samples) image.Point {
	var across, down steps
	for _, p := range parts {
		every := max(1, p.W*p.H*p.Parts/250_000)
		for v := 0; v < p.H; v += every {
			row := p.Pix[v*p.W:][:p.W]
			for u := 2; u < min(2+8, p.W-1); u++ {
				across.add(u, row[u-2:], 1, 8) // differences of the samples u − 2 to u + 1
			}
		}
		for v := 2; v+1 < p.H; v++ {
			down.add(v, p.Pix[(v-2)*p.W:][:4*p.W], p.W, every)
		}
	}
	return image.Pt(across.greatest(), down.greatest())
}

// steps holds, for each position modulo 8 of the third of four samples, the sum of |third difference|, and the count.
type steps struct{ sum, count [8]int64 }

// add adds magnitudes of third differences, each of four entries of samples that lie stride apart, to s for position
// at. It takes the differences that begin at the first entry, and at one in `every` entries from there on.
func (s *steps) add(at int, samples []int32, stride, every int) {
	const far = 12 * Unit // a larger difference is an edge of the picture
	last := samples[3*stride:]
	first, second, third := samples[:len(last)], samples[stride:][:len(last)], samples[2*stride:][:len(last)]
	sum := int64(0)
	for i := uint(0); i < uint(len(last)); i += uint(every) { // unsigned, so that no index must be checked
		d := first[i] - last[i] + 3*(third[i]-second[i])
		sum += int64(min(max(d, -d), far))
	}
	s.sum[at%8] += sum
	s.count[at%8] += int64((len(last) + every - 1) / every)
}

// greatest returns the position, 0 to 7, at which third differences are greatest in the mean.
func (s *steps) greatest() (at int) {
	most := int64(-1)
	for k, v := range s.sum {
		if mean := v * 256 / max(s.count[k], 1); mean > most { // 256: so that division rounds little
			at, most = k, mean
		}
	}
	return at
}

// coefficients are the cosine coefficients of blocks of 8×8 samples: for each of the 64 frequencies, by rows, a slice
// with one entry for each block, in units of 1/256 of a level.
type coefficients [64][]int32

// newCoefficients returns the coefficients of blocks of the samples in parts, at positions as for transform.
func newCoefficients(parts []*Samples, x0, y0, step int) *coefficients {
	return transform(parts, x0, y0, step, func(part, at int) [8]int32 { return [8]int32(parts[part].Pix[at:]) })
}

// transform returns the coefficients of about mostBlocks blocks of 8×8 values. The first block of each part is at (x0,
// y0), the next are step samples apart. read returns a row of eight values, from index at in parts[part].Pix on.
func transform(parts []*Samples, x0, y0, step int, read func(part, at int) [8]int32) *coefficients {
	c, b := new(coefficients), new(blocks)
	most := mostBlocks + len(parts) // Spread rounds up in each part
	memory := make([]int32, len(c)*most)
	for i := range c {
		c[i] = memory[i*most:][:0:most]
	}
	for i, p := range parts {
		p.Spread(x0, y0, step, 0, 8, mostBlocks, func(x, y int) {
			for v := range 8 {
				for u, value := range read(i, (y+v)*p.W+x) {
					b.samples[(8*u+v)*together+b.count] = float64(value)
				}
			}
			if b.count++; b.count == together {
				c.add(b)
			}
		})
	}
	c.add(b) // the last ones, fewer than together
	return c
}

// blocks holds count blocks, and memory for their transform: sample x of row y of all blocks is at (8·x+y)·together.
// All numbers are integers below 2⁵³, and so exact.
type blocks struct {
	count          int
	samples, along [8 * 8 * together]float64 // along: transformed along rows, in the same order
}

// together is how many blocks are transformed at once.
const together = 16

// add appends the coefficients of the blocks in b, and empties b.
func (c *coefficients) add(b *blocks) {
	const n = 8 * together
	kernel.Mul(b.along[:], n, cosines[:], 8, b.samples[:], n, 8, 8, n) // sums over x, for all rows of all blocks
	for u := range 8 {                                                 // sums over y, for each frequency across
		kernel.Mul(b.samples[u*n:], together, cosines[:], 8, b.along[u*n:], together, 8, 8, together)
	}
	for i, list := range c {
		c[i] = slices.Grow(list, b.count)[:len(list)+b.count]
		for k, v := range b.samples[(i%8*8+i/8)*together:][:b.count] { // c is by rows of frequencies, b by columns
			c[i][len(list)+k] = scaled(int64(v))
		}
	}
	b.count = 0
}

// scaled returns a coefficient, in units of 1/(2²⁴·Unit) of a level, in the units of coefficients.
func scaled(v int64) int32 { return int32((v + 1<<17) >> 18) }

// cosines is the orthonormal cosine transform of eight samples, one column for each frequency, in units of 2⁻¹².
var cosines = func() (list [64]float64) {
	for k := range 8 {
		scale := 0.5
		if k == 0 {
			scale = math.Sqrt(1. / 8)
		}
		for x := range 8 {
			list[8*x+k] = math.Round(4096 * scale * elementary.Cos(math.Pi*float64((2*x+1)*k)/16))
		}
	}
	return list
}()

// telling lists the frequencies that are examined, because their coefficients are often not 0.
var telling = [...]int{1, 8, 9, 2, 16, 10, 17, 3, 24, 18}

// leastEvidence is the evidence from which coefficients may come from a file. 83 pictures in colour of general-dev,
// open-valid and T91 were reduced by 2. Saved as JPEG files of qualities 60, 75 and 90, all have more than 8.4;
// sharpened and saved with quality 85, all but one have more than 8.8. Without JPEG, clean or with 16 kinds of damage,
// they have at most 3.9, but repeating textures up to 10. With a score of 0.3, only 81, 77, 65 and 57 were found.
const leastEvidence = 8

// quality returns the JPEG quality, lowest to highest, with about the best score of judgeNearness: coefficients other
// than 0 are nearer to multiples of its quantiser steps than they would be by chance. It returns 0 if neither the score
// is so high that nothing but a file explains it, which isSure reports, nor any evidence is leastEvidence or more.
func (c *coefficients) quality() (best int, isSure bool) {
	const lowest, highest = 20, 97
	const nearly, sure = 0.9, 0.3
	var scores, evidence [highest + 1]float64
	var near [len(telling)][highest + 1]nearness
	sizes := c.sizes()
	parallel.Indices(len(telling), func(i int) {
		for q := lowest; q <= highest; q++ {
			step := stepOf(telling[i], q)
			if q > lowest && step == stepOf(telling[i], q-1) { // as neighbouring qualities often have
				near[i][q] = near[i][q-1]
			} else {
				near[i][q] = nearTo(sizes[i], step)
			}
		}
	})
	for q := lowest; q <= highest; q++ {
		scores[q], evidence[q] = judgeNearness(func(i int) nearness { return near[i][q] })
	}
	most := slices.Max(scores[:])
	if isSure = most >= sure; !isSure && slices.Max(evidence[:]) < leastEvidence {
		return 0, false
	}
	// Multiples of a step are also multiples of the fractions of that step. So, of the qualities with nearly the best
	// score, the one with the greatest steps, which is the lowest, is taken, or up to three higher while scores rise.
	for best = lowest; scores[best] < nearly*most; {
		best++
	}
	for range 3 {
		if best < highest && scores[best+1] > scores[best] {
			best++
		}
	}
	return best, isSure
}

type sizes [len(telling)][]uint32

// sizes returns the magnitudes of the coefficients of each of the telling frequencies, sorted, the greatest last.
func (c *coefficients) sizes() (all sizes) {
	for i, k := range telling {
		for _, v := range c[k] {
			all[i] = append(all[i], uint32(max(v, -v)))
		}
		sortBy(all[i], func(v uint32) uint64 { return uint64(v) })
	}
	return all
}

// stepOf returns the quantiser step of frequency k at a quality, in the units of coefficients.
func stepOf(k, quality int) uint32 {
	return uint32(quantiser.Scale(quantiser.Brightness[k], quality)) << 8
}

// nearness is how near the coefficients of a frequency are to multiples of a quantiser step: off is the sum of their
// distances to the nearest multiple, in units of 1/2¹² of a step; count is the number of coefficients that do not
// become 0, and different is about how many different values they have.
type nearness struct {
	off              uint64
	count, different int
}

// nearTo returns the nearness of sorted coefficients to multiples of step, or zero if the step is too small to tell.
func nearTo(sorted []uint32, step uint32) (near nearness) {
	if step < 3<<8 { // rounding to levels hides so small a step
		return near
	}
	// v·inverse, shifted right, is v divided by step: coefficients are below 2²⁰, and steps below 2¹⁶.
	const shift = 44
	inverse := (uint64(1)<<shift)/uint64(step) + 1
	zero, _ := slices.BinarySearch(sorted, step/2+1) // how many become 0
	last, different := uint32(0), 0
	for _, v := range sorted[zero:] {
		r := v - uint32(uint64(v)*inverse>>shift)*step
		near.off += uint64(min(r, step-r)<<12) * inverse >> shift
		if v>>5 != last { // differs by about an eighth of a level or more
			different++
		}
		last = v >> 5
	}
	near.count, near.different = len(sorted)-zero, different
	return near
}

// judgeNearness returns how near all coefficients are to multiples of their quantiser steps; of returns the nearness of
// a frequency, by its index in telling. score is 1 if all are multiples, about 0 by chance, and 0 if few coefficients
// differ. evidence is the same in standard deviations of what chance would give, at most 4 for each frequency.
func judgeNearness(of func(i int) nearness) (score, evidence float64) {
	const few, most = 60, 4
	var all nearness
	frequencies := 0
	for i := range telling {
		n := of(i)
		if n.count > 0 {
			// By chance, distances are uniform up to ½ step: their mean is ¼, 1<<10 in off, their deviation 1/√3 of it.
			evidence += min((1-float64(n.off)/float64(n.count<<10))*math.Sqrt(3*float64(n.count)), most)
			frequencies++
		}
		all = nearness{all.off + n.off, all.count + n.count, all.different + n.different}
	}
	if all.different < few {
		return 0, 0
	}
	return 1 - float64(all.off)/float64(all.count<<10), evidence / math.Sqrt(float64(frequencies))
}

// loss estimates, in levels, the standard deviation of the change that a JPEG file of the given quality made.
// Coefficients other than 0 have changed by rounding to quantiser steps. The change of the coefficients that became 0
// follows from the share of the coefficients other than 0, if the coefficients have a Laplace distribution.
func (c *coefficients) loss(quality int) float64 {
	sum := 0.0
	for k, list := range c {
		if len(list) == 0 {
			return 0
		}
		step := float64(quantiser.Scale(quantiser.Brightness[k], quality))
		some := 0
		for _, v := range list {
			if 2*math.Abs(float64(v)) > 256*step { // is not rounded to 0
				some++
			}
		}
		share := float64(some) / float64(len(list))
		// In units of step²/12, the mean square of the coefficients that became 0 falls from 1, as for the others, to
		// 6/ln²share for small shares of the others: nearly share^(5/16).
		root := math.Sqrt(math.Sqrt(share))
		small := root * math.Sqrt(math.Sqrt(root))
		sum += float64(step * step / 12 * (share + float64((1-share)*small)))
	}
	return math.Sqrt(sum / 64)
}
