package repair

import (
	"cmp"
	"image"
	"math"
	"slices"
	"sync"

	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/flaws/measure"
)

// The levels of a picture of 8 bits are integers, before and after sharpening. So if the right mask is undone, the
// amounts that it had added to samples are nearly integers, apart from rounding. If a wrong mask is undone, or if the
// picture was not sharpened, the amounts are no nearer to integers than to values between. FindUnsharp looks for a mask
// with amounts near integers. (Rounding betrays JPEG files, too: Z. Fan, R. L. de Queiroz, Identification of bitmap
// compression history: JPEG detection and quantizer estimation, IEEE Trans. Image Processing 12 (2003).)
//
// Masks are undone in squares of a picture, by the cosine transform, with the greatest of latticeSides that fits.
var latticeSides = [...]int{64, 48, 32}

// The blurs and the amounts that FindUnsharp tries. A mask between two blurs or two amounts is still found from either.
var (
	unsharpBlurs = []Unsharp{{Around: 4}, {Around: 8}, {Radius: 0.4}, {Radius: 0.5}, {Radius: 0.6}, {Radius: 0.7},
		{Radius: 0.8}, {Radius: 0.9}, {Radius: 1}, {Radius: 1.1}, {Radius: 1.2}, {Radius: 1.35}, {Radius: 1.5},
		{Radius: 1.75}, {Radius: 2}, {Radius: 2.25}, {Radius: 2.5}, {Radius: 3}}
	unsharpAmounts = []float64{0.2, 0.25, 0.32, 0.4, 0.5, 0.6, 0.7, 0.85, 1, 1.2, 1.5, 1.8, 2.2, 2.8, 3.5}
)

// Thresholds of evidence.value. All masks are tried in two squares. If the value of one of the best masks is suspicious
// or more there, and likely or more in four squares, all masks are tried in the four squares, except masks with little
// evidence in the two. The best mask is refined, in four squares and then in twelve, and accepted if its value in
// twelve squares is certain or more.
const (
	suspicious = 18
	likely     = 36
	certain    = 100
)

// leastAmount is the least amount that is undone: less does little harm, and would be found in unsharpened pictures.
const leastAmount = 0.18

// lattice holds the tables for all squares with the same side.
type lattice struct {
	side int
	// cosines is the orthonormal cosine transform of a line as a matrix by rows, and across is its transpose.
	cosines, across []float32
	// edges holds the result of Unsharp.edges for each of unsharpBlurs.
	edges [][]float32
}

var lattices = func() (list [len(latticeSides)]func() *lattice) {
	for i, side := range latticeSides {
		list[i] = sync.OnceValue(func() *lattice { return newLattice(side) })
	}
	return list
}()

// newLattice returns the tables for squares with a side of n samples.
func newLattice(n int) *lattice {
	l := &lattice{side: n, cosines: make([]float32, n*n), across: make([]float32, n*n)}
	for k := range n {
		scale := math.Sqrt(2 / float64(n))
		if k == 0 {
			scale = math.Sqrt(1 / float64(n))
		}
		for x := range n {
			v := float32(scale * elementary.Cos(math.Pi*float64((2*x+1)*k%(4*n))/float64(2*n)))
			l.cosines[k*n+x], l.across[x*n+k] = v, v
		}
	}
	for _, m := range unsharpBlurs {
		l.edges = append(l.edges, l.edgesOf(m))
	}
	return l
}

func (l *lattice) edgesOf(m Unsharp) []float32 { return m.edges(l.side, math.Pi/float64(l.side)) }

// multiply sets dst to aᵀb.
func (l *lattice) multiply(dst, a, b []float32) {
	kernel.Mul32(dst, l.side, a, l.side, b, l.side, l.side, l.side, l.side)
}

// squareMargin is the width, in samples, of the unused border of a square: the filter reaches beyond the edge there.
const squareMargin = 6

// leastLevels is how many different levels a square must have. With fewer levels, as in dithered pictures, a mask adds
// only a few different amounts, which may be near to integers by chance.
const leastLevels = 24

// In drawings and regular textures without noise, many samples have the same neighbourhood, and the amounts that any
// mask adds there may be near to integers by chance. So at most measure.MostFlat of all pairs of neighbours in a
// picture may be equal, and at most mostRegular of the contrast of a square may be in a 64th of the frequencies. In
// pictures in which masks were found, the share of equal pairs is at most 0.21, except 0.38 in one (0.42 in grey), and
// the share of contrast at most 0.63. Without the two rules 160 of 360 synthetic weaves, dithers, halftones and
// lattices, and 32 of 900 drawings, were taken for sharpened; with them 10 textures, all hatching, and 2 drawings.
const mostRegular = 0.7

// square is a part of a channel of a picture.
type square struct {
	levels      []float32 // the cosine transform of the levels
	informative []uint16  // indices of the samples that count
}

// newSquare returns the square with the samples of p. Its informative samples lie in inner; there are none if p has few
// levels or is regular.
func (l *lattice) newSquare(p *plane.Plane, inner image.Rectangle) (s square) {
	n := l.side
	s.levels = make([]float32, n*n)
	pix, half := make([]float32, n*n), make([]float32, n*n)
	present, different := [256]bool{}, 0
	for y := range n {
		for x, v := range p.Row(y)[:n] {
			level := uint8(float64(255*v) + 0.5)
			if pix[y*n+x] = float32(level); !present[level] {
				present[level] = true
				different++
			}
		}
	}
	l.multiply(half, pix, l.across)
	l.multiply(s.levels, half, l.across)
	if different < leastLevels || s.isRegular(l.edges[slices.Index(unsharpBlurs, Unsharp{Radius: 1})]) {
		return s
	}
	// Samples near black and white, where values were clipped, are skipped, and so are samples without detail, where a
	// mask adds nothing. Of samples that differ from their neighbours in about the same way, the first counts.
	const side, least = 5, 2 // least: of 4 times the difference, in levels, from the mean of 4 neighbours
	seen := make(map[[side * side]uint8]bool, n*n)
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
	next:
		for x := inner.Min.X; x < inner.Max.X; x++ {
			at := y*n + x
			if d := float32(4*pix[at]) - pix[at-1] - pix[at+1] - pix[at-n] - pix[at+n]; max(d, -d) < least {
				continue
			}
			var around [side * side]uint8
			for i := range around {
				v := pix[(y+i/side-side/2)*n+x+i%side-side/2]
				if v == 0 || v == 255 {
					continue next
				}
				around[i] = uint8((int(v) - int(pix[at]) + 256 + 4) / 8)
			}
			if !seen[around] {
				seen[around] = true
				s.informative = append(s.informative, uint16(at))
			}
		}
	}
	return s
}

// isRegular reports whether the strongest 64th of the frequencies in s.levels has more than mostRegular of the energy.
// Frequencies are first multiplied by edges, the shares of them that a mask adds.
func (s square) isRegular(edges []float32) bool {
	greatest := make([]float32, len(s.levels)/64) // the greatest squares, rising
	all, few := 0.0, 0.0
	for i, v := range s.levels {
		v = float32(v * edges[i])
		if v = float32(v * v); v > greatest[0] {
			at, _ := slices.BinarySearch(greatest, v)
			greatest = slices.Insert(greatest, at, v)[1:]
		}
		all += float64(v)
	}
	for _, v := range greatest {
		few += float64(v)
	}
	return few > mostRegular*all
}

// turnSteps is the number of bins of evidence for each level, and mostAdded the greatest amount, in levels.
const (
	turnSteps = 64
	mostAdded = 9
)

// turn is the contribution of a sample to evidence.value. For each of turnRates it has a vector: its angle, in turns,
// is the rate times the amount that was added to the sample, in levels; its length is the weight of the amount, 0 to
// 1024. A vector is its sine plus 2³² times its cosine, so that one sum adds both. weights is the weight squared, plus
// 2⁴⁰ for a weight above 512. first, second and third are in the order of turnRates.
type turn struct{ first, second, third, weights int64 }

// turnRates are in turns a level. At 1 the vectors of all integers point the same way; the others are for comparison.
var turnRates = [...]float64{1, 0.75, 1.3}

// turns holds the turn of each amount that can be added to a sample, from −mostAdded on in steps of 1/turnSteps. The
// weights rise and fall over more than a level each, so that the vectors of a smooth distribution cancel out.
var turns = func() (list [2 * mostAdded * turnSteps]turn) {
	rise := func(v, from, to float64) float64 {
		t := min(max((v-from)/(to-from), 0), 1)
		return t - elementary.Sin(2*math.Pi*t)/(2*math.Pi)
	}
	for i := range list {
		v := float64(float64(i)/turnSteps) - mostAdded
		weight := 1024 * rise(math.Abs(v), 0.3, 2.8) * rise(-math.Abs(v), -mostAdded, -5)
		t := &list[i]
		for k, vector := range [...]*int64{&t.first, &t.second, &t.third} {
			angle := 2 * math.Pi * turnRates[k] * v
			cos, sin := math.Round(weight*elementary.Cos(angle)), math.Round(weight*elementary.Sin(angle))
			*vector = int64(cos)<<32 + int64(sin)
		}
		if t.weights = int64(weight * weight); weight > 512 {
			t.weights += 1 << 40
		}
	}
	return list
}()

// evidence counts samples by the amount that a mask added: bin i for the amount of turns[i], the last for all others.
type evidence [1 << 11]uint32

// value returns how near the amounts in e are to integers: a χ² with four degrees of freedom at the rate of 1 turn a
// level, less the greater of the same sums at the other two turnRates, which a steep distribution raises as well; 0 if
// few samples have great weights. Positive and negative amounts, which may be rounded differently, are summed
// separately.
func (e *evidence) value() float64 {
	const few = 100
	var values [len(turnRates)]float64
	count := int64(0)
	for _, from := range [...]int{0, len(turns) / 2} {
		var all turn
		for i, n := range e[from : from+len(turns)/2] {
			t, n := &turns[from+i], int64(n)
			all.first += n * t.first
			all.second += n * t.second
			all.third += n * t.third
			all.weights += n * t.weights
		}
		square := all.weights & (1<<40 - 1) // the sum of squared weights; above it is the count of great weights
		if count += all.weights >> 40; square == 0 {
			continue
		}
		for k, v := range [...]int64{all.first, all.second, all.third} {
			cos, sin := float64((v-int64(int32(v)))>>32), float64(int32(v)) // the halves of a vector: see turn
			length := float64(cos*cos) + float64(sin*sin)
			values[k] += 2 * length / float64(square)
		}
	}
	if count < few {
		return 0
	}
	return values[0] - max(values[1], values[2])
}

// works holds memory for lattice.addEvidence, enough for squares of the greatest side.
var works = sync.Pool{New: func() any { return new([3][64 * 64]float32) }}

// addEvidence undoes the mask of edges and amount in squares, and counts in e what it had added to informative samples.
func (l *lattice) addEvidence(squares []square, edges []float32, amount float32, e *evidence) {
	w := works.Get().(*[3][64 * 64]float32)
	defer works.Put(w)
	var steps, zeros, levels, ones [kernel.Lanes]float32
	for i := range ones {
		steps[i], levels[i], ones[i] = turnSteps*amount, 1./turnSteps, 1
	}
	n, rows := l.side, kernel.PadTo(l.side-2*squareMargin, kernel.Rows32) // rows that have informative samples
	gains, added, half := w[0][:n*n], w[1][:n*n], w[2][:n*n]
	kernel.ScaleFloats(gains, edges, steps[:], zeros[:])
	kernel.ScaleFloats(half, gains, levels[:], ones[:])
	kernel.DivideFloats(gains, gains, half) // turnSteps·a/(1 + a), a = amount·edges: what the mask added, in bins of e
	for _, s := range squares {
		kernel.MultiplyFloats(added, gains, s.levels)
		l.multiply(half, added, l.cosines)
		kernel.Mul32(added[squareMargin*n:], n, half[squareMargin:], n, l.cosines, n, rows, n, n)
		for _, i := range s.informative {
			at := int64(uint32(int32(added[i] + (mostAdded*turnSteps + 0.5))))
			// The last bin for an amount without a turn. A branch would often be predicted wrongly.
			e[(at|(int64(len(turns)-1)-at)>>63)&int64(len(e)-1)]++
		}
	}
}

// candidate is a mask and its evidence.value.
type candidate struct {
	mask  Unsharp
	value float64
}

// FindUnsharp returns the unsharp mask with which img was sharpened when it had 8 bits a sample. parts are the parts of
// img that are examined. The result is zero if no mask is found, and for a picture of 16 bits, with transparency, or
// with less than 32 samples along a side. A picture that was saved as a JPEG file after the mask no longer shows it.
func FindUnsharp(img image.Image, parts []measure.Area) Unsharp {
	b := img.Bounds()
	i := slices.IndexFunc(latticeSides[:], func(n int) bool { return min(b.Dx(), b.Dy()) >= n })
	isHidden := func(p measure.Area) bool { return p.Alpha != nil }
	_, isLossy := img.(*image.YCbCr)
	if i < 0 || isLossy || picture.IsDeep(img) || slices.ContainsFunc(parts, isHidden) {
		return Unsharp{}
	}
	l := lattices[i]()
	places := listPlaces(img, parts, l.side)
	if isFlat(places) {
		return Unsharp{}
	}
	few, some, all := l.takeSquares(places, 2), l.takeSquares(places, 4), l.takeSquares(places, 12)
	isLikely := func(c candidate) bool { return l.valueOf(some(), c.mask) >= likely }
	inFew := l.tryMasks(few(), nil)
	if !slices.ContainsFunc(inFew.peaks(), isLikely) {
		return Unsharp{}
	}
	var best candidate
	for _, c := range l.tryMasks(some(), inFew).peaks() {
		c = l.refine(some(), c, 0.08, 0.04)
		if c.value = l.valueOf(all(), c.mask); c.value > best.value {
			best = c
		}
	}
	if best.value >= certain/2 {
		best = l.refine(all(), best, 0.04, 0.02)
	}
	if best.value < certain || best.mask.Amount < leastAmount || !picture.IsOpaque(img) ||
		measure.EstimatePalette(parts) > 0 {
		return Unsharp{}
	}
	return best.mask
}

// takeSquares returns a function that computes squares in its first call and returns them in every call: squares of the
// green channel of each place, then of the other channels that differ from green. Together they have at most as many
// samples as count squares of the greatest side.
func (l *lattice) takeSquares(places []place, count int) func() []square {
	cut := func(p place, channel int) *plane.Plane {
		return p.Channels[channel%len(p.Channels)].Crop(p.at.X, p.at.Y, l.side, l.side)
	}
	return sync.OnceValue(func() (list []square) {
		count := count * latticeSides[0] * latticeSides[0] / (l.side * l.side)
		for channel := range places[0].Channels {
			for _, p := range places[:min(len(places), count-len(list))] {
				c, green := cut(p, greenOf(p.Area)+channel), cut(p, greenOf(p.Area))
				if channel == 0 || !slices.Equal(c.Pix, green.Pix) {
					list = append(list, l.newSquare(c, p.inner))
				}
			}
		}
		return list
	})
}

// greenOf returns the index of the green channel of p, or of its only channel.
func greenOf(p measure.Area) int { return len(p.Channels) / 2 }

// place is a square of an Area, lattice.side samples a side from corner at on, in which a mask is looked for. Only
// samples in inner, a part of it, may be informative: evidence for newSquare. detail, from countDetail, ranks places.
type place struct {
	measure.Area
	at     image.Point
	inner  image.Rectangle
	detail int
}

// listPlaces returns at most 25 places of img, squares of side×side samples, enough to cover a small picture, sorted by
// falling detail. Their inner rectangles do not overlap. parts are the parts of img that are examined.
func listPlaces(img image.Image, parts []measure.Area, side int) (list []place) {
	type segment struct{ at, lo, hi int }
	cut := func(length int) (list []segment) {
		const most, margin = 5, squareMargin
		each := side - 2*margin
		count := min((length-2*margin+each-1)/each, most)
		done := 0
		for i := range count {
			at := i * (length - side) / max(count-1, 1)
			list = append(list, segment{at, max(margin, done-at), side - margin})
			done = at + side - margin
		}
		return list
	}
	b := img.Bounds()
	for _, y := range cut(b.Dy()) {
		for _, x := range cut(b.Dx()) {
			p := place{Area: parts[0], at: image.Pt(x.at, y.at), inner: image.Rect(x.lo, y.lo, x.hi, y.hi)}
			if len(parts) > 1 { // parts[0] is not all of img
				p.Area, p.at = measure.Cut(img, image.Rect(0, 0, side, side).Add(p.at).Add(b.Min)), image.Point{}
			}
			p.detail = countDetail(p.Channels[greenOf(p.Area)], p.inner.Add(p.at))
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b place) int { return b.detail - a.detail })
	return list
}

// isFlat reports whether more than measure.MostFlat of all pairs of neighbours in places are equal.
func isFlat(places []place) bool {
	var equal, pairs int64
	for _, p := range places {
		e, n := measure.CountEqual(p.Channels, p.inner.Add(p.at))
		equal, pairs = equal+e, pairs+n
	}
	return float64(equal) > measure.MostFlat*float64(pairs)
}

// countDetail counts samples in every second row of inner that differ by 1 to 6 levels from the mean of 4 neighbours.
func countDetail(p *plane.Plane, inner image.Rectangle) (count int) {
	const least, most = 1. / 255, 6. / 255
	for y := inner.Min.Y; y < inner.Max.Y; y += 2 {
		above, row, below := p.Row(y-1), p.Row(y), p.Row(y+1)
		for x := inner.Min.X; x < inner.Max.X; x++ {
			d := row[x] - float32((above[x]+below[x]+row[x-1]+row[x+1])/4)
			if d = max(d, -d); d > least && d < most {
				count++
			}
		}
	}
	return count
}

// values holds evidence.value for each mask: a row for each of unsharpBlurs, a column for each of unsharpAmounts.
type values [][]float64

// tryMasks returns evidence.value from squares for each mask, by blur and then by amount. If before, an earlier
// result, is not nil, masks with a value there of less than a third of its greatest are skipped, and get 0.
func (l *lattice) tryMasks(squares []square, before values) values {
	least := 0.0
	for _, row := range before {
		least = max(least, slices.Max(row)/3)
	}
	all := make(values, len(unsharpBlurs))
	parallel.Indices(len(unsharpBlurs), func(i int) {
		all[i] = make([]float64, len(unsharpAmounts))
		for j, amount := range unsharpAmounts {
			if before != nil && before[i][j] < least {
				continue
			}
			var e evidence
			l.addEvidence(squares, l.edges[i], float32(amount), &e)
			all[i][j] = e.value()
		}
	})
	return all
}

// peaks returns at most three masks, the likeliest first. Their values are at least suspicious, at least half of the
// greatest, and not below the values for neighbouring blurs and amounts.
func (values values) peaks() (list []candidate) {
	for i, row := range values {
		for j, v := range row {
			isPeak := v >= suspicious
			for y := max(i-1, 0); y < min(i+2, len(values)); y++ {
				for x := max(j-1, 0); x < min(j+2, len(row)); x++ {
					isPeak = isPeak && values[y][x] <= v
				}
			}
			if isPeak {
				mask := unsharpBlurs[i]
				mask.Amount = unsharpAmounts[j]
				list = append(list, candidate{mask, v})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.value, a.value) })
	const most = 3
	list = list[:min(len(list), most)]
	return slices.DeleteFunc(list, func(c candidate) bool { return c.value < list[0].value/2 })
}

// valueOf returns evidence.value for m, over all squares together.
func (l *lattice) valueOf(squares []square, m Unsharp) float64 {
	edges := l.edgesOf(m)
	each := make([]evidence, len(squares))
	parallel.Indices(len(squares), func(i int) {
		l.addEvidence(squares[i:i+1], edges, float32(m.Amount), &each[i])
	})
	all := &each[0]
	for _, e := range each[1:] {
		for i, n := range e {
			all[i] += n
		}
	}
	return all.value()
}

// refine returns a mask near the mask best that has more evidence in squares, or best itself. It changes radius and
// amount in relative steps, which are halved from the first size down to the last.
func (l *lattice) refine(squares []square, best candidate, first, last float64) candidate {
	for step := first; step >= last; step /= 2 {
		for range 3 {
			was := best
			for _, d := range [][2]float64{{0, 1}, {0, -1}, {0.5, 0}, {-0.5, 0}, {0.5, -1}, {-0.5, 1}} {
				m := was.mask // d: the changes of radius and amount, in steps
				if m.Radius == 0 && d[0] != 0 {
					continue
				}
				m.Radius *= 1 + float64(d[0]*step)
				m.Amount *= 1 + float64(d[1]*step)
				if v := l.valueOf(squares, m); v > best.value {
					best = candidate{m, v}
				}
			}
			if best == was {
				break
			}
		}
	}
	return best
}
