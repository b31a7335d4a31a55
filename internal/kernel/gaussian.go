package kernel

import "cmp"

// A layer of 3×3 taps needs still fewer products if tiles of 4×4 outputs are computed together, at the points 0, ±1, ±i
// and ∞: Winograd's F(4×4,3×3) over the Gaussian integers, after L. Meng, J. Brothers: Efficient Winograd convolution
// via integer arithmetic, arXiv:1901.01965. The complex product at i takes three real products and covers −i too. So
// with 7 products along each side, where v comes from the 6 samples d and w from the taps g,
//
//	v = (d₀−d₄, d₁+d₂+d₃+d₄, d₂+d₄−d₁−d₃, α−β, α+β, β, d₅−d₁), α = d₄−d₂, β = d₁−d₃
//	w = (g₀, g₀+g₁+g₂, g₀−g₁+g₂, g₀−g₂, −g₁, g₀+g₁−g₂, g₂),
//
// four times the outputs follow from m = v∘w:
//
//	4m₀ + m₁+m₂ + 2(m₃+m₅), m₁−m₂ + 2(m₄+m₅), m₁+m₂ − 2(m₃+m₅), m₁−m₂ − 2(m₄+m₅) + 4m₆.
//
// These are 49 products for 16 outputs, where F(2×2,3×3) takes 64. All numbers are integers, and sixteen times a sum
// must fit into 32 bits, so that the result has the same bits as the result of Convolve. v may be 16 times as large as
// a sample and must fit into 16 bits: 12 tiles together use F(2×2,3×3) if a sample is above gaussianInput, as happens
// to a tenth of the tiles in photographs.

const (
	maxGaussianInput = 1<<11 - 1 // largest sample: v, 16 times as large, fits into 16 bits
	maxGaussianSum   = 1<<27 - 1 // largest sum with bias: 16 times as large, it fits into 32 bits

	spreadSide    = 7                        // the number of products along a side of a tile
	gaussianTiles = 12                       // the number of tiles that are computed together
	gaussianWide  = tileSide * gaussianTiles // the number of outputs in a row of these tiles
)

// spreadInts returns v, as defined above, for the 6 samples d.
func spreadInts[T int16 | int32](d [6]T) [spreadSide]T {
	a, b := d[4]-d[2], d[1]-d[3]
	return [...]T{d[0] - d[4], d[1] + d[2] + d[3] + d[4], d[2] + d[4] - d[1] - d[3], a - b, a + b, b, d[5] - d[1]}
}

// spreadIntTaps returns w, as defined above, for three taps, each a pair: see unpaired.
func spreadIntTaps(a, b, c int64) [spreadSide]int64 {
	return [...]int64{a, a + b + c, a - b + c, a - c, -b, a + b - c, c}
}

// hasGaussian reports whether the tier in use has assembly for tiles of 4×4 outputs.
func hasGaussian() bool { return Tier() == "avx2" || Tier() == "avxvnni" }

// prepareGaussian computes the weights of ConvolveFourRows, if the tier uses them and they fit into 16 bits; otherwise
// f.gaussian is nil. magnitudes holds for each output the sum of its weights' magnitudes, at most MaxWinogradSum.
func (f *Filter) prepareGaussian(magnitudes []int64) {
	channels := PadTo(f.usedChannels(), Lanes)
	if f.gaussian = nil; channels > f.Step || !hasGaussian() {
		return
	}
	size := channels / 2 * f.Outputs
	words := make([]int32, spreadSide*spreadSide*size)
	if f.eachTaps(channels, func(i, _, lane int, taps *[3][3]int64) bool {
		var columns [3][spreadSide]int64
		for x := range columns {
			columns[x] = spreadIntTaps(taps[0][x], taps[1][x], taps[2][x])
		}
		at := (lane/Lanes*channels/2+i/2)*Lanes + lane%Lanes // in the order of Weights, with one run
		for y := range spreadSide {
			for _, pair := range spreadIntTaps(columns[0][y], columns[1][y], columns[2][y]) {
				word, ok := wordOf(pair)
				if !ok {
					return false
				}
				words[at] = word
				at += size // to the words of the next of the 49 products
			}
		}
		return true
	}) {
		f.gaussian, f.magnitudes = words, magnitudes
	}
}

// gaussianInput returns the largest magnitude that tiles of 4×4 outputs allow in samples: at most maxGaussianInput,
// and such that no bias plus an output's magnitudes of weights times samples exceeds maxGaussianSum. It is 0 if
// there are no such tiles, or if a bias alone is too large.
func (f *Filter) gaussianInput() int32 {
	if !hasGaussian() || f.gaussian == nil {
		return 0
	}
	most := int32(maxGaussianInput)
	for o, b := range f.Bias[:f.Outputs] {
		most = max(min(most, (maxGaussianSum-max(b, -b))/int32(max(f.magnitudes[o], 1))), 0)
	}
	return most
}

// gaussianWork is the memory for tiles by F(4×4,3×3) over the Gaussian integers, see above. columns holds spreadSide
// rows: v along columns. places holds one of them, transformed along rows too, sums its products, summed over channels,
// and gathered these transformed back along rows. pairs holds rows of results as transformOutput takes them.
type gaussianWork struct {
	columns, places       []int16
	sums, gathered, pairs []int32
	zero                  [MaxOutputs]int32 // the bias of the sums that get none
	seen                  [Lanes]int16      // see spreadColumns
}

// ConvolveFourRows convolves six rows, from src[rows[i]] on, to four rows of samples, from dst[to[i]] on. It adds the
// rows from skip[skipTo[i]] on unless skip is nil. It takes tiles of 4×4 outputs for gaussianWide samples at a time,
// but ConvolveTwoRows where a sample is above gaussianInput, for at most tileSamples at the end, and in short rows.
func ConvolveFourRows(dst []int16, to [4]int, src []int16, rows []int, samples int, f *Filter, skip []int16,
	skipTo [4]int, work *Winograd) {
	byTwoRows := func(first, samples int) {
		for k := 0; k < 4; k += 2 {
			var at [4]int
			for j, r := range rows[k : k+4] {
				at[j] = r + first*f.Step
			}
			step, skipStep := f.outputStep(), cmp.Or(f.SkipStep, f.Outputs)
			ConvolveTwoRows(dst, [2]int{to[k] + first*step, to[k+1] + first*step}, src, at[:], samples, f, skip,
				[2]int{skipTo[k] + first*skipStep, skipTo[k+1] + first*skipStep}, work)
		}
	}
	if len(rows) != 6 {
		panic("kernel: four rows of samples are made of six")
	}
	most := f.gaussianInput()
	if most == 0 || samples < gaussianWide {
		byTwoRows(0, samples)
		return
	}
	for k := 0; k < 4; k += 2 {
		f.checkTwoRows(dst, [2]int(to[k:]), src, rows[k:k+4], samples, skip, [2]int(skipTo[k:]))
	}
	isPrepared := false
	for first := 0; first < samples; first += gaussianWide {
		if samples-first <= tileSamples {
			byTwoRows(samples-tileSamples, tileSamples)
			return
		}
		first := min(first, samples-gaussianWide)
		if !work.spreadColumns(src[first*f.Step:], rows, f, most) {
			byTwoRows(first, gaussianWide)
			isPrepared = false // byTwoRows has prepared it for its own tiles
			continue
		}
		if !isPrepared {
			work.prepare(f, 16)
			work.limits = f.limits(skip != nil)
			isPrepared = true
		}
		work.convolveGaussian(dst, to, first, f, skip, skipTo)
	}
}

// spreadColumns sets w.gaussian.columns to the samples transformed along columns, enough for gaussianWide outputs.
// It returns false if a sample has a magnitude above most. The magnitudes are collected in seen, one for each lane.
func (w *Winograd) spreadColumns(src []int16, rows []int, f *Filter, most int32) bool {
	g, channels := &w.gaussian, f.gaussianChannels()
	line := (gaussianWide + 2) * channels
	g.columns = resize(g.columns, spreadSide*line)
	clear(g.seen[:])
	if channels == f.Step { // no entries between samples: transform the row as one sample
		spreadShorts(g.columns, line, 0, src, rows, 0, line, 1, g.seen[:])
	} else {
		spreadShorts(g.columns, line, channels, src, rows, f.Step, channels, gaussianWide+2, g.seen[:])
	}
	for _, v := range g.seen {
		if int32(uint16(v)) > most {
			return false
		}
	}
	return true
}

// convolveGaussian computes the outputs of gaussianWide samples from sample first on. For each of the 7 rows of
// w.gaussian.columns it transforms tiles along rows, sums products over the channels, and transforms the sums back.
// Then it transforms these back along columns, scales and clips them, and adds skip.
func (w *Winograd) convolveGaussian(dst []int16, to [4]int, first int, f *Filter, skip []int16, skipTo [4]int) {
	const n = gaussianTiles
	g, channels, outputs := &w.gaussian, f.gaussianChannels(), f.Outputs
	line, stride, sumStride := (gaussianWide+2)*channels, paddedStride(n*channels, 2), paddedStride(n*outputs, 4)
	row := paddedStride(gaussianWide*outputs, 4)
	g.places, g.sums = resize(g.places, spreadSide*stride), resize(g.sums, spreadSide*sumStride)
	g.gathered, g.pairs = resize(g.gathered, spreadSide*row), resize(g.pairs, 16*sumStride)
	size, c, o := channels/2*outputs, channels, outputs
	for y := range spreadSide {
		spreadShorts(g.places, stride, c, g.columns[y*line:], []int{0, c, 2 * c, 3 * c, 4 * c, 5 * c}, 4*c, c, n,
			g.seen[:])
		for x := range spreadSide {
			bias := g.zero[:o]
			if y == 1 && x == 1 { // the sum that counts once in all outputs
				bias = w.bias[:o]
			}
			sumTiles(g.sums[x*sumStride:], n, g.places[x*stride:], oneRun[:], c, c/2,
				f.gaussian[(y*spreadSide+x)*size:], bias)
		}
		gatherInts(g.gathered[y*row:], []int{0, o, 2 * o, 3 * o}, 4*o, g.sums, sumStride, o, o, n)
	}
	skipStep := cmp.Or(f.SkipStep, outputs)
	if skip == nil {
		skip, skipStep, skipTo = noSkip[:], 0, [4]int{}
	}
	// transformOutput makes two columns from four. With zeros as the second and third, it scales the first and last.
	for _, from := range [2]int{0, 8} {
		clear(g.pairs[(from+2)*sumStride : (from+6)*sumStride])
	}
	for part := range 2 {
		for x := range 2 {
			at := 6 * x * sumStride
			gatherInts(g.pairs, []int{at, at + sumStride, at + 8*sumStride, at + 9*sumStride}, o,
				g.gathered[(2*n*part+x)*o:], row, 2*o, o, n)
		}
		at := first + 2*n*part
		for k := 0; k < 4; k += 2 {
			transformOutput(dst[to[k]+at*f.outputStep():], to[k+1]-to[k], g.pairs[4*k*sumStride:], sumStride, n, o,
				w.positive[:], w.negative[:], w.limits[:], skip[skipTo[k]+at*skipStep:], skipTo[k+1]-skipTo[k],
				skipStep, f.outputStep())
		}
	}
}

// gaussianChannels returns the number of channels of a sample for which the weights were computed.
func (f *Filter) gaussianChannels() int {
	return 2 * len(f.gaussian) / (spreadSide * spreadSide * f.Outputs)
}

// spreadShortsGeneric computes the 7 results of spreadInts from 6 samples, at the offsets rows of src, for n groups of
// k entries, and stores them dstGap apart. Entry i%16 of seen, unsigned, collects the largest magnitude of entries i.
func spreadShortsGeneric(dst []int16, dstGap, dstStep int, src []int16, rows []int, srcStep, k, n int, seen []int16) {
	for g := range n {
		for i := range k {
			var d [6]int16
			for j, at := range rows {
				d[j] = src[at+g*srcStep+i]
				seen[i%Lanes] = int16(max(uint16(seen[i%Lanes]), uint16(max(d[j], -d[j]))))
			}
			for j, v := range spreadInts(d) {
				dst[j*dstGap+g*dstStep+i] = v
			}
		}
	}
}

// sumTilesGeneric sets dst to the sums of Convolve, without scaling.
func sumTilesGeneric(dst []int32, samples int, src []int16, rows []int, step, words int, weights, bias []int32) {
	eachSums(samples, src, rows, step, words, weights, bias, func(first int, sums []int32) {
		copy(dst[first*len(bias):], sums)
	})
}

// gatherIntsGeneric computes four times the 4 outputs of F(4×4,3×3) along one direction from 7 sums m that lie srcGap
// apart, as the top of this file says, for n groups of k entries each, and stores them at the offsets rows.
func gatherIntsGeneric(dst []int32, rows []int, dstStep int, src []int32, srcGap, srcStep, k, n int) {
	for g := range n {
		for i := range k {
			var m [spreadSide]int32
			for j := range m {
				m[j] = src[j*srcGap+g*srcStep+i]
			}
			s, t, u, v := m[1]+m[2], m[1]-m[2], 2*(m[3]+m[5]), 2*(m[4]+m[5])
			for j, sum := range [...]int32{s + u + 4*m[0], t + v, s - u, t - v + 4*m[6]} {
				dst[rows[j]+g*dstStep+i] = sum
			}
		}
	}
}
