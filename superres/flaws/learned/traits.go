package learned

import (
	"image"
	"math/bits"
	"slices"

	"superres/internal/parallel"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// The traits of a picture are numbers from which perceptrons estimate what was done to the picture, and which model
// suits it. All traits are integers, in steps of 1/256 of their unit.
//
// The traits are computed from squares of traitSide×traitSide samples all over the picture:
//
//   - the energy of 21 groups of frequencies in blocks of 8×8 samples, as base-2 logarithms: for each group the values
//     below which 5, 25, 60, 90 and 98 % of the blocks lie (flat and busy blocks tell noise, blur, sharpening apart);
//   - the correlation of a high-pass filter's result with itself at 14 distances (grain, interpolation, sharpening);
//   - the energy of differences over one sample relative to differences over three, in four directions (motion blur);
//   - how far edges overshoot, and how steep they are, across and down;
//   - the mean profile of gentle and of steep edges, half a sample from their middle to three and a half;
//   - the shares of lone samples (salt) and of samples at black and white, and the number of levels (dithering);
//   - how much third differences depend on the position in a grid of eight (JPEG);
//   - how many samples there are, since few samples tell little;
//   - four results of package measure: Noise, Likely, Loss and Quality;
//   - the gains that the corrector computes from all traits above;
//   - the answers of a Softener.
const (
	traitSide    = 32
	traitMargin  = 7 // samples around a square that are read too
	traitStep    = 16
	traitSquares = 96 // at most

	// leastTraitSide is the least side of a picture that has traits.
	leastTraitSide = traitSide + 2*traitMargin

	traitOne = repair.Octave
)

// traitQuantiles are the shares of blocks, in percent.
var traitQuantiles = [...]int{5, 25, 60, 90, 98}

// traitLags are the distances for correlations, across and down.
var traitLags = [...][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}, {2, 2}, {2, -2}, {2, 1}, {1, 2}, {2, -1},
	{1, -2}, {3, 0}, {0, 3}}

// traitWays are the directions of differences.
var traitWays = [...][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

const (
	profileSamples  = 4
	frequencyGroups = 7 * 3
	TraitCount      = frequencyGroups*len(traitQuantiles) + len(traitLags) + len(traitWays) + 2*3 + 2*profileSamples +
		3 + 2*2 + 1 + 4 + repair.Bands + softenerTraits
)

// traitSums holds the sums over squares from which traits are computed.
type traitSums struct {
	blocks    [frequencyGroups][]int64 // for each block, the mean energy of the group
	high      [len(traitLags) + 1]int64
	near, far [len(traitWays)]int64
	edges     [2]struct{ over, steep, count int64 }
	profiles  [2]struct {
		sums  [profileSamples]int64
		count int64
	}
	lone    int64
	clipped int64
	levels  [256]bool
	third   [2][8]int64
	thirds  [2][8]int64 // the numbers of samples in third
	count   int64
}

// traits returns the traits of a picture from its sums s and its measured flaws f, without gains of the corrector and
// answers of a softener. It sorts s.blocks.
func (s *traitSums) traits(f measure.Flaws) []int32 {
	out := make([]int32, 0, TraitCount)
	parallel.Indices(len(s.blocks), func(i int) { slices.Sort(s.blocks[i]) })
	for _, energies := range s.blocks {
		for _, q := range traitQuantiles {
			out = append(out, logarithm(energies[min(len(energies)*q/100, len(energies)-1)]+1)/4)
		}
	}
	for _, v := range s.high[1:] {
		out = append(out, ratio(v, s.high[0]+1))
	}
	for i, v := range s.near {
		out = append(out, logarithm(v+measure.Unit*measure.Unit)-logarithm(s.far[i]+measure.Unit*measure.Unit))
	}
	for _, e := range s.edges {
		out = append(out, logarithm(e.count+1)/8, ratio(e.over, 256*(e.count+3)), ratio(e.steep, 256*(e.count+3)))
	}
	for _, e := range s.profiles {
		for _, v := range e.sums {
			out = append(out, ratio(v, 256*(e.count+3)))
		}
	}
	levels := int64(0)
	for _, is := range s.levels {
		if is {
			levels++
		}
	}
	out = append(out, logarithm(ratio64(s.lone, 1000, s.count)+13)/4, logarithm(levels)/4,
		logarithm(ratio64(s.clipped, 100, s.count)+26)/4)
	for axis := range 2 {
		var means []int64
		for k, v := range s.third[axis] {
			means = append(means, 16*v/max(s.thirds[axis][k], 1)+6)
		}
		slices.Sort(means)
		for _, k := range []int{7, 6} {
			out = append(out, logarithm(means[k])-logarithm(means[3]))
		}
	}
	out = append(out, logarithm(s.count))
	return append(out, int32(f.Noise*traitOne/measure.Worst), int32(f.Likely*traitOne/measure.Worst),
		int32(f.Loss*traitOne/8), int32(f.Quality*traitOne/100))
}

// square is a square of a picture. Its first sample is the sample (x, y) of Samples.
type square struct {
	*measure.Samples
	x, y int
}

// squares returns squares all over img. parts holds the brightness of the parts of img. In a picture with transparency,
// colours around replace hidden colours in each square, so that no square depends on another.
func squares(img image.Image, parts []*measure.Samples) (list []square) {
	shown := measure.ListParts(img.Bounds())
	for i, p := range parts {
		p.Spread(traitMargin, traitMargin, traitStep, traitMargin, traitSide, traitSquares, func(u, v int) {
			if p.IsOpaque {
				list = append(list, square{p, u, v})
				return
			}
			around := image.Rect(0, 0, traitSide, traitSide).Inset(-traitMargin).Add(shown[i].Min).Add(image.Pt(u, v))
			list = append(list, square{measure.SamplesOf(measure.Cut(img, around))[0], traitMargin, traitMargin})
		})
	}
	return list
}

// Traits returns the traits of img that the corrector takes, without gains and answers of a softener; nil if img is too
// small. parts holds the brightness of the parts of img, and f the flaws of img.
func Traits(img image.Image, parts []*measure.Samples, f measure.Flaws) []int32 {
	if b := img.Bounds(); min(b.Dx(), b.Dy()) < leastTraitSide {
		return nil
	}
	return sumTraits(squares(img, parts)).traits(f)
}

// sumTraits returns the sums over all given squares.
func sumTraits(squares []square) *traitSums {
	sums := new(traitSums)
	const together = 8 // squares
	groups := make([]traitSums, (len(squares)+together-1)/together)
	parallel.Indices(len(groups), func(i int) {
		for _, q := range squares[i*together : min((i+1)*together, len(squares))] {
			groups[i].add(q.Samples, q.x, q.y)
		}
	})
	for i := range groups {
		sums.join(&groups[i])
	}
	return sums
}

// join adds the sums in other to s.
func (s *traitSums) join(other *traitSums) {
	addAll := func(to, v []int64) {
		for i := range to {
			to[i] += v[i]
		}
	}
	for i, list := range other.blocks {
		s.blocks[i] = append(s.blocks[i], list...)
	}
	addAll(s.high[:], other.high[:])
	addAll(s.near[:], other.near[:])
	addAll(s.far[:], other.far[:])
	for i := range 2 {
		e, p := &s.edges[i], &s.profiles[i]
		e.over, e.steep, e.count = e.over+other.edges[i].over, e.steep+other.edges[i].steep,
			e.count+other.edges[i].count
		addAll(p.sums[:], other.profiles[i].sums[:])
		p.count += other.profiles[i].count
		addAll(s.third[i][:], other.third[i][:])
		addAll(s.thirds[i][:], other.thirds[i][:])
	}
	for i, is := range other.levels {
		s.levels[i] = s.levels[i] || is
	}
	s.lone, s.clipped, s.count = s.lone+other.lone, s.clipped+other.clipped, s.count+other.count
}

// logarithm returns the base-2 logarithm of v ≥ 1, interpolated linearly between powers of two, in steps of 1/256.
func logarithm[T int32 | int64](v T) int32 {
	n := bits.Len64(uint64(v)) - 1
	return int32(traitOne*n) + int32((uint64(v)<<(63-n)>>55)&(traitOne-1))
}

// ratio returns a/b in steps of 1/256.
func ratio(a, b int64) int32 { return int32(traitOne * a / b) }

// ratio64 returns times·a/b in steps of 1/256.
func ratio64(a, times, b int64) int64 { return traitOne * times * a / b }

// add adds to s the sums over the square of p with the first sample (x0, y0).
func (s *traitSums) add(p *measure.Samples, x0, y0 int) {
	s.count += traitSide * traitSide
	for y := y0; y < y0+traitSide; y += 8 {
		for x := x0; x < x0+traitSide; x += 8 {
			s.addBlock(p, x, y)
		}
	}
	s.addHigh(p, x0, y0)
	for y := y0; y < y0+traitSide; y++ {
		for x := x0; x < x0+traitSide; x++ {
			at := y*p.W + x
			s.addDifferences(p, at)
			s.addLevels(p, at)
			s.addEdge(p, at, 0, 1)
			s.addEdge(p, at, 1, p.W)
			s.addThird(p, at, 0, 1, x)
			s.addThird(p, at, 1, p.W, y)
		}
	}
}

// transform8 is the orthonormal cosine transform of 8 samples, one frequency a row, in steps of 1/1024.
var transform8 = [8][8]int64{
	{362, 362, 362, 362, 362, 362, 362, 362},
	{502, 426, 284, 100, -100, -284, -426, -502},
	{473, 196, -196, -473, -473, -196, 196, 473},
	{426, -100, -502, -284, 284, 502, 100, -426},
	{362, -362, -362, 362, 362, -362, -362, 362},
	{284, -502, 100, 426, -426, -100, 502, -284},
	{196, -473, 473, -196, -196, 473, -473, 196},
	{100, -284, 426, -502, 502, -426, 284, -100},
}

// groups holds the group of each frequency of a block, −1 for the mean, and groupSizes the number of frequencies in
// each group. A group is a third of one of seven rings of frequencies: mostly across, mostly down, or between.
var groups, groupSizes = func() (of [8][8]int, sizes [frequencyGroups]int64) {
	for u := range of {
		for v := range of[u] {
			group := 3*max(u, v) - 1
			if u > 2*v {
				group -= 2
			} else if v > 2*u {
				group--
			}
			if of[u][v] = group; group >= 0 {
				sizes[group]++
			}
		}
	}
	return of, sizes
}()

// addBlock appends the mean energy of each group of frequencies in the block at (x, y) to s.blocks.
func (s *traitSums) addBlock(p *measure.Samples, x, y int) {
	var across [8][8]int64 // for each row, the frequencies across
	for j := range 8 {
		row := p.Pix[(y+j)*p.W+x:][:8]
		folded := [2][4]int64{} // cosines of even frequencies are symmetric, the others antisymmetric
		for i, v := range row[:4] {
			folded[0][i], folded[1][i] = int64(v+row[7-i]), int64(v-row[7-i])
		}
		for u, c := range transform8 {
			f := &folded[u%2]
			across[j][u] = (c[0]*f[0] + c[1]*f[1] + c[2]*f[2] + c[3]*f[3]) >> 5
		}
	}
	var energies [frequencyGroups]int64
	for u := range 8 {
		folded := [2][4]int64{}
		for j := range 4 {
			above, below := across[j][u], across[7-j][u]
			folded[0][j], folded[1][j] = above+below, above-below
		}
		for v, c := range transform8 {
			if g := groups[u][v]; g >= 0 {
				f := &folded[v%2]
				sum := (c[0]*f[0] + c[1]*f[1] + c[2]*f[2] + c[3]*f[3]) >> 13 // in steps of 1/16 level
				energies[g] += sum * sum
			}
		}
	}
	for g, e := range energies {
		s.blocks[g] = append(s.blocks[g], e/groupSizes[g])
	}
}

// addHigh adds to s.high the products of two results of a high-pass filter, at distance 0 and at the distances
// traitLags. The results are limited, so that no single edge outweighs all others.
func (s *traitSums) addHigh(p *measure.Samples, x0, y0 int) {
	const reach, most = 3, 60 * measure.Unit
	const side = traitSide + 2*reach
	var high [side * side]int32
	for y := range side {
		for x := range side {
			at := (y0-reach+y)*p.W + x0 - reach + x
			v := 4*p.Pix[at] - p.Pix[at-1] - p.Pix[at+1] - p.Pix[at-p.W] - p.Pix[at+p.W]
			high[y*side+x] = min(max(v, -most), most)
		}
	}
	for i := range s.high {
		lag := [2]int{}
		if i > 0 {
			lag = traitLags[i-1]
		}
		sum := int32(0) // at most traitSide²·most²
		for y := reach; y < reach+traitSide; y++ {
			row, other := high[y*side+reach:][:traitSide], high[(y+lag[1])*side+reach+lag[0]:][:traitSide]
			for x, v := range row {
				sum += v * other[x]
			}
		}
		s.high[i] += int64(sum)
	}
}

// addDifferences adds the squares of differences over one sample to s.near, and over three samples to s.far.
func (s *traitSums) addDifferences(p *measure.Samples, at int) {
	for i, way := range traitWays {
		step := way[1]*p.W + way[0]
		near, far := int64(p.Pix[at]-p.Pix[at+step]), int64(p.Pix[at-step]-p.Pix[at+2*step])
		s.near[i] += near * near
		s.far[i] += far * far
	}
}

// addLevels notes the level of the sample at index at, and counts the sample if it is black or white, or lone.
func (s *traitSums) addLevels(p *measure.Samples, at int) {
	v := p.Pix[at]
	s.levels[min((v+measure.Unit/2)/measure.Unit, 255)] = true
	if v == 0 || v == 255*measure.Unit {
		s.clipped++
	}
	least, most := int32(255*measure.Unit), int32(0)
	for _, row := range [3]int{at - p.W, at, at + p.W} {
		for i := row - 1; i <= row+1; i++ {
			if i != at {
				least, most = min(least, p.Pix[i]), max(most, p.Pix[i])
			}
		}
	}
	if v > most+30*measure.Unit || v < least-30*measure.Unit {
		s.lone++
	}
}

// addEdge adds the edge between a sample and the next, step entries on, to s.profiles and, if it is steep, to s.edges.
// It adds nothing unless the edge is high and steep enough, and no less steep than the differences before and after it.
func (s *traitSums) addEdge(p *measure.Samples, at, axis, step int) {
	rise := p.Pix[at+step] - p.Pix[at]
	size := max(rise, -rise)
	before, after := p.Pix[at]-p.Pix[at-step], p.Pix[at+2*step]-p.Pix[at+step]
	if size < 8*measure.Unit || size < max(after, -after) || size <= max(before, -before) {
		return
	}
	sign := int32(1)
	if rise < 0 {
		sign = -1
	}
	low, high := sign*p.Pix[at-5*step], sign*p.Pix[at+6*step]
	if high-low < 30*measure.Unit {
		return
	}
	steep := 0
	if size >= 25*measure.Unit {
		steep = 1
	}
	profile := &s.profiles[steep]
	profile.count++
	for k := range profileSamples {
		before, after := sign*p.Pix[at-k*step], sign*p.Pix[at+(1+k)*step]
		profile.sums[k] += 256 * int64(min(max(after-before, low-high), 2*(high-low))) / int64(high-low)
	}
	if steep == 0 {
		return
	}
	most, least := sign*p.Pix[at+step], sign*p.Pix[at]
	for k := 2; k <= 4; k++ {
		most, least = max(most, sign*p.Pix[at+k*step]), min(least, sign*p.Pix[at+(1-k)*step])
	}
	e := &s.edges[axis]
	e.count++
	e.over += 256 * int64(most-high+low-least) / int64(high-low)
	e.steep += 256 * int64(size) / int64(high-low)
}

// addThird adds the magnitude of a third difference, along axis, to the sum for its position modulo 8.
func (s *traitSums) addThird(p *measure.Samples, at, axis, step, place int) {
	v := p.Pix[at-2*step] - 3*p.Pix[at-step] + 3*p.Pix[at] - p.Pix[at+step]
	s.third[axis][place%8] += int64(min(max(v, -v), 12*measure.Unit))
	s.thirds[axis][place%8]++
}

// WithSaid returns a new slice: the traits t, then the gains of the corrector for t, then said.Traits.
func WithSaid(t []int32, said Softening) []int32 {
	gains, _, _ := corrector().gains(t)
	return slices.Concat(t, gains[:], said.Traits)
}
