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
	traitMargin  = 7  // samples around a square that are read too
	traitStep    = 16 // distance of neighbouring squares, which overlap
	traitSquares = 96 // about the greatest number of squares in a picture

	// leastTraitSide is the least side of a picture that has traits.
	leastTraitSide = traitSide + 2*traitMargin

	traitOne = repair.Octave
)

// traitQuantiles are the shares of blocks, in percent, that lie below the values of a group.
var traitQuantiles = [...]int{5, 25, 60, 90, 98}

// traitLags are the distances for correlations, across and down; the first is for the energy of the filter's result.
var traitLags = [...][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}, {2, 2}, {2, -2}, {2, 1}, {1, 2},
	{2, -1}, {1, -2}, {3, 0}, {0, 3}}

// traitWays are the directions of differences, across and down.
var traitWays = [...][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

const (
	profileSamples  = 4
	frequencyGroups = 7 * 3 // seven rings in three directions: see groups
	// TraitCount is the number of all traits: a term for each item of the list above.
	TraitCount = frequencyGroups*len(traitQuantiles) + len(traitLags) - 1 + len(traitWays) + 2*3 +
		2*profileSamples + 3 + 2*2 + 1 + 4 + repair.Bands + softenerTraits
)

// traitSums holds the sums over squares from which traits are computed.
type traitSums struct {
	blocks    [][frequencyGroups]int32              // for each block, the traits of the mean energies of the groups
	high      [len(traitLags)]int64                 // see addHigh
	near, far [len(traitWays)]int64                 // see addDifferences
	edges     [2]struct{ over, steep, count int64 } // across and down, for steep edges: see addEdge
	profiles  [2]struct {                           // of gentle and of steep edges
		sums  [profileSamples]int64
		count int64
	}
	lone    int64       // samples far from all eight neighbours
	clipped int64       // black or white samples
	levels  [256]int64  // 1 for each level of a sample
	third   [2][8]int64 // by position in a square modulo 8; each position has an eighth of all samples
	count   int64       // samples in all squares
}

// traits returns the traits of a picture from its sums s and its measured flaws f, without gains of the corrector and
// answers of a softener. Numbers such as 3, 6 and 13 are added so that few or weak cases change a trait little.
func (s *traitSums) traits(f measure.Flaws) []int32 {
	out := make([]int32, 0, TraitCount)
	for g := range frequencyGroups {
		var counts [8 * traitOne]int // of each trait
		for i := range s.blocks {
			counts[s.blocks[i][g]]++
		}
		trait, count := 0, counts[0] // count is the number of blocks up to trait
		for _, q := range traitQuantiles {
			for ; count <= len(s.blocks)*q/100; count += counts[trait] {
				trait++
			}
			out = append(out, int32(trait))
		}
	}
	for _, v := range s.high[1:] {
		out = append(out, ratio(v, s.high[0]+1))
	}
	for i, v := range s.near { // relative to s.far
		out = append(out, logarithm(v+measure.Unit*measure.Unit)-logarithm(s.far[i]+measure.Unit*measure.Unit))
	}
	for _, e := range s.edges { // their number, and the means of overshoot and of steepness
		out = append(out, logarithm(e.count+1)/8, ratio(e.over, 256*(e.count+3)), ratio(e.steep, 256*(e.count+3)))
	}
	for _, e := range s.profiles {
		for _, v := range e.sums {
			out = append(out, ratio(v, 256*(e.count+3)))
		}
	}
	levels := int64(0) // below: lone samples in 1000, levels, clipped samples in 100
	for _, n := range s.levels {
		levels += n
	}
	out = append(out, logarithm(ratio64(s.lone, 1000, s.count)+13)/4, logarithm(levels)/4,
		logarithm(ratio64(s.clipped, 100, s.count)+26)/4)
	for _, means := range s.third { // the two greatest relative to the median
		for i, v := range means {
			means[i] = 16*v/(s.count/8) + 6
		}
		slices.Sort(means[:])
		out = append(out, logarithm(means[7])-logarithm(means[3]), logarithm(means[6])-logarithm(means[3]))
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

// row returns the samples in row y of q or, with shift, those that lie shift entries of Pix further on.
func (q square) row(y, shift int) *[traitSide]int32 {
	return (*[traitSide]int32)(q.Pix[(q.y+y)*q.W+q.x+shift:])
}

// squares returns squares all over img. parts holds the brightness of the parts of img. In a picture with transparency,
// colours around replace hidden colours in each square, so that no square depends on another.
func squares(img image.Image, parts []*measure.Samples) (list []square) {
	places := measure.ListParts(img.Bounds()) // of parts
	for i, p := range parts {
		p.Spread(traitMargin, traitMargin, traitStep, traitMargin, traitSide, traitSquares, func(u, v int) {
			if p.IsOpaque {
				list = append(list, square{p, u, v})
				return
			}
			around := image.Rect(0, 0, traitSide, traitSide).Inset(-traitMargin).Add(places[i].Min).Add(image.Pt(u, v))
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
	s := &traitSums{count: int64(len(squares)) * traitSide * traitSide}
	kinds := [...]func(square){s.addEdges, s.addBlocks, s.addDifferences, s.addHigh, s.addThirds, s.addLevels}
	parallel.Indices(len(kinds), func(i int) {
		for _, q := range squares {
			kinds[i](q)
		}
	})
	return s
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

// cosines returns the orthonormal cosine transform of the 8 samples v, in steps of 1/1024.
func cosines(v *[8]int32) [8]int32 {
	a, b, c, d := v[0]+v[7], v[1]+v[6], v[2]+v[5], v[3]+v[4] // even frequencies are symmetric
	e, f, g, h := v[0]-v[7], v[1]-v[6], v[2]-v[5], v[3]-v[4] // odd ones antisymmetric
	return [8]int32{
		362 * (a + d + b + c), 502*e + 426*f + 284*g + 100*h, 473*(a-d) + 196*(b-c), 426*e - 100*f - 502*g - 284*h,
		362 * (a + d - b - c), 284*e - 502*f + 100*g + 426*h, 196*(a-d) - 473*(b-c), 100*e - 284*f + 426*g - 502*h,
	}
}

// groups holds the group of each frequency of a block, −1 for the mean, and groupSizes the number of frequencies in
// each group. A group is a third of one of seven rings of frequencies: mostly across, mostly down, or between.
var groups, groupSizes = func() (of [8][8]int, sizes [frequencyGroups]int32) {
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

// addBlocks appends to s.blocks, for each block of 8×8 samples in q, the trait of each group of frequencies: a quarter
// of the base-2 logarithm of the mean square of the group's coefficients in the cosine transform of the block.
func (s *traitSums) addBlocks(q square) {
	for i := range traitSide / 8 * traitSide / 8 {
		var across [8][8]int32 // for each frequency across, the rows
		for j := range 8 {
			row := q.row(i/(traitSide/8)*8+j, i%(traitSide/8)*8)[:8]
			for u, sum := range cosines((*[8]int32)(row)) {
				across[u][j] = sum >> 5 // so that the sums of the next transform fit into int32
			}
		}
		var energies [frequencyGroups]int32 // at most 2²⁹ together
		for u := range across {
			for v, sum := range cosines(&across[u]) {
				if g := groups[u][v]; g >= 0 { // not the mean of the block
					sum >>= 13 // in steps of 1/16 level
					energies[g] += sum * sum
				}
			}
		}
		for g, size := range groupSizes {
			energies[g] = logarithm(energies[g]/size+1) / 4
		}
		s.blocks = append(s.blocks, energies)
	}
}

// addHigh adds to s.high, for each distance in traitLags, the products of the results of a high-pass filter at all
// pairs of samples so far apart. The results are limited, so that no single edge outweighs all others.
func (s *traitSums) addHigh(q square) {
	const reach, most = 3, 60 * measure.Unit
	const side = traitSide + 2*reach
	var high [side * side]int64 // each result plus 2³² times the next in its row: one multiplication makes two products
	for y := range side {
		at := (q.y-reach+y)*q.W + q.x - reach
		row, around := high[y*side:][:side], q.Pix[at-1:][:side+2]
		above, below := q.Pix[at-q.W:][:side], q.Pix[at+q.W:][:side]
		next := int64(0)
		for x := side - 1; x >= 0; x-- {
			v := 4*around[x+1] - around[x] - around[x+2] - above[x] - below[x]
			v = min(max(v, -most), most)
			row[x], next = int64(v)+next<<32, int64(v)
		}
	}
	var sums [6][2]int64 // for 2 rows above to 3 below, at 0 and 1 columns to the right, and at 2 and 3
	for y := reach; y < reach+traitSide; y++ {
		row := high[y*side+reach:][:traitSide]
		for i := range sums {
			other := high[(y-2+i)*side+reach:][:traitSide+2]
			near, far := int64(0), int64(0)
			for x, v := range row {
				v = int64(int32(v))  // the result itself
				near += v * other[x] // the lower half is the product with column x, the upper one with x + 1
				far += v * other[x+2]
			}
			sums[i][0] += near
			sums[i][1] += far
		}
	}
	for i, lag := range traitLags {
		sum := sums[lag[1]+2][lag[0]/2] // two halves of 32 bits, each at most traitSide²·most²
		s.high[i] += [2]int64{int64(int32(sum)), (sum + 1<<31) >> 32}[lag[0]%2]
	}
}

// addDifferences adds to s.near and s.far, in each direction of traitWays, the squares of differences between a sample
// and the next, and between the sample before and the one after these two.
func (s *traitSums) addDifferences(q square) {
	for i, way := range traitWays {
		step := way[1]*q.W + way[0]
		near, far := int32(0), int32(0) // at most traitSide²·(255·measure.Unit)²
		for y := range traitSide {
			a, b, c, d := q.row(y, -step), q.row(y, 0), q.row(y, step), q.row(y, 2*step)
			for x := range a {
				n, f := b[x]-c[x], a[x]-d[x]
				near += n * n
				far += f * f
			}
		}
		s.near[i] += int64(near)
		s.far[i] += int64(far)
	}
}

// addLevels notes the levels of all samples, and counts those that are black or white, and lone ones: more than 30
// levels brighter, or darker, than all eight neighbours.
func (s *traitSums) addLevels(q square) {
	const far = 30 * measure.Unit
	for y := range traitSide {
		before, row, after := q.row(y, -1), q.row(y, 0), q.row(y, 1)
		for x, v := range row {
			s.levels[uint8(uint32(v+measure.Unit/2)/measure.Unit)] = 1
			if v == 0 || v == 255*measure.Unit {
				s.clipped++
			}
			least, most := min(before[x], after[x]), max(before[x], after[x])
			if v <= most+far && v >= least-far {
				continue
			}
			for _, step := range [2]int{-q.W, q.W} {
				next := q.row(y, step+x-1)[:3]
				least, most = min(least, slices.Min(next)), max(most, slices.Max(next))
			}
			if v > most+far || v < least-far {
				s.lone++
			}
		}
	}
}

// addEdges calls addEdge for the edges between a sample and the next, across and down, of 8 levels or more that are
// steeper than the difference before them, and no less steep than the one after.
func (s *traitSums) addEdges(q square) {
	for axis, step := range [2]int{1, q.W} {
		for y := range traitSide {
			a, b, c, d := q.row(y, -step), q.row(y, 0), q.row(y, step), q.row(y, 2*step)
			found := uint32(0) // a bit for each sample, the lowest for the first
			for x := range a {
				before, rise, after := b[x]-a[x], c[x]-b[x], d[x]-c[x]
				least := max(8*measure.Unit-1, after-1, -after-1, before, -before)
				found = found>>1 | uint32(least-max(rise, -rise))&(1<<31) // the sign: the edge is steeper than least
			}
			for ; found != 0; found &= found - 1 {
				s.addEdge(q.Pix, (q.y+y)*q.W+q.x+bits.TrailingZeros32(found), axis, step)
			}
		}
	}
}

// addEdge adds the edge between the sample at and the next, step entries on, to s.profiles (the differences between
// samples k before and k after it, relative to the edge) and, if the two differ by 25 levels or more, to s.edges[axis].
// It adds nothing if the samples five before and five after them differ by less than 30.
func (s *traitSums) addEdge(pix []int32, at, axis, step int) {
	if pix[at+step] < pix[at] {
		at, step = at+step, -step // seen from the other side, the edge rises
	}
	size, low, high := pix[at+step]-pix[at], pix[at-5*step], pix[at+6*step]
	if high-low < 30*measure.Unit {
		return
	}
	steep := min(size/(25*measure.Unit), 1)
	profile := &s.profiles[steep]
	profile.count++
	for k := range profileSamples {
		rise := pix[at+(1+k)*step] - pix[at-k*step]
		profile.sums[k] += int64(256 * min(max(rise, low-high), 2*(high-low)) / (high - low)) // −256 to 512
	}
	if steep == 0 {
		return
	}
	most, least := pix[at+step], pix[at]
	for k := 2; k <= 4; k++ {
		most, least = max(most, pix[at+k*step]), min(least, pix[at+(1-k)*step])
	}
	e := &s.edges[axis]
	e.count++
	e.over += int64(256 * (most - high + low - least) / (high - low)) // the overshoot on both sides
	e.steep += int64(256 * size / (high - low))
}

// addThirds adds the magnitudes of third differences, across and down, to the sums for their positions modulo 8, which
// mean the same in all squares, as these lie multiples of 8 samples apart.
func (s *traitSums) addThirds(q square) {
	for axis, step := range [2]int{1, q.W} {
		for y := range traitSide {
			a, b, c, d := q.row(y, -2*step), q.row(y, -step), q.row(y, 0), q.row(y, step)
			var sums [8]int32
			for x := range a {
				v := a[x] - d[x] + 3*(c[x]-b[x])
				sums[x%8] += min(max(v, -v), 12*measure.Unit)
			}
			for x, v := range sums {
				place := [2]int{x, y}[axis]
				s.third[axis][place%8] += int64(v)
			}
		}
	}
}

// WithSaid returns all traits in a new slice: t from Traits, the gains of the corrector for t, and said.Traits.
func WithSaid(t []int32, said Softening) []int32 {
	gains, _, _ := corrector().gains(t)
	return slices.Concat(t, gains[:], said.Traits)
}
