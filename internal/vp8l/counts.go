package vp8l

import (
	"math"
	"math/bits"

	"superres/internal/elementary"
)

// The alphabets of a group of prefix codes. The symbols of the green alphabet are the 256 values of green, then the
// lengths of copies, then the indices in the colour cache.
const (
	ofGreen = iota
	ofRed
	ofBlue
	ofAlpha
	ofDistance
	alphabets

	values       = 256
	lengths      = 24
	distances    = 40
	cacheSymbols = values + lengths // the first symbol for an index in the colour cache
)

// counts says how often each symbol of each alphabet is used.
type counts [alphabets][]uint32

// newCounts returns counts of 0 for all symbols. The colour cache has 2^cacheBits colours; 0: no cache.
func newCounts(cacheBits int) *counts {
	green := cacheSymbols // values of green, then lengths of copies
	if cacheBits > 0 {
		green += 1 << cacheBits
	}
	return &counts{make([]uint32, green), make([]uint32, values), make([]uint32, values), make([]uint32, values),
		make([]uint32, distances)} // green, red, blue, alpha, distances
}

// sumOf adds b to a and returns a, or returns b if a is nil. nil stands for no counts.
func sumOf(a, b *counts) *counts {
	if a == nil {
		return b
	}
	if b != nil {
		for i, list := range b {
			for symbol, n := range list {
				a[i][symbol] += n
			}
		}
	}
	return a
}

// clone returns a copy of c, or nil if c is nil.
func (c *counts) clone() *counts {
	if c == nil {
		return nil
	}
	copied := new(counts)
	for i, list := range c {
		copied[i] = append([]uint32(nil), list...)
	}
	return copied
}

// add counts the symbols that encode t. The green alphabet also has the lengths of copies and places in the cache.
func (c *counts) add(t token) {
	switch {
	case t&isCopy != 0:
		length, _, _ := prefixOf(t.length())
		distance, _, _ := prefixOf(int(uint32(t))) // its code is the lower half of t
		c[ofGreen][values+length]++
		c[ofDistance][distance]++
	case t&isCache != 0:
		c[ofGreen][cacheSymbols+int(uint32(t))]++
	default:
		c[ofGreen][t>>8&0xff]++
		c[ofRed][t>>16&0xff]++
		c[ofBlue][t&0xff]++
		c[ofAlpha][t>>24&0xff]++
	}
}

// extraBits returns how many extra bits follow the counted symbols of lengths and distances, in total.
func (c *counts) extraBits() (n int64) {
	for symbol, count := range c[ofGreen][values:cacheSymbols] { // the lengths of copies
		n += int64(count) * int64(extraBits(symbol))
	}
	for symbol, count := range c[ofDistance] {
		n += int64(count) * int64(extraBits(symbol))
	}
	return n
}

// estimate returns about how many bits the counted symbols, with their extra bits, and the prefix codes take: the
// entropy of each alphabet times the number of its symbols, plus perSymbol bits for each symbol used.
func (c *counts) estimate() float64 {
	n := float64(c.extraBits())
	for _, list := range c {
		total, used := 0.0, 0
		for _, count := range list {
			if count > 0 {
				total += float64(count)
				used++
				n -= float64(float64(count) * elementary.Log2(float64(count)))
			}
		}
		if total > 0 {
			const perSymbol = 5 // about how many bits store the length of a code
			n += float64(total*elementary.Log2(total)) + float64(perSymbol*float64(used))
		}
	}
	return n
}

// classes is the number of classes of tiles. The mean magnitude of the residuals in a tile decides its class.
const classes = 16

// classify sets the group of each tile of the band, which chooses its prefix codes, to its class, 0 to classes−1.
// The class rises by two where the mean magnitude of the residuals doubles, and by one at 1.5 times a power of two.
func (b *band) classify() {
	w := b.pic.Width
	for ty := b.y0; ty < b.y1; ty += tileSide {
		for tx := 0; tx < w; tx += tileSide {
			sum, n := uint64(0), 0
			for y := ty; y < min(ty+tileSide, b.y1); y++ {
				row := b.residuals[(y-b.y0)*w:][tx:min(tx+tileSide, w)]
				for _, v := range row {
					sum += uint64(magnitude(v))
				}
				n += len(row)
			}
			mean := 4 * sum / uint64(n) // in quarters
			class := 2 * bits.Len64(mean)
			if length := bits.Len64(mean); length > 1 && mean>>(length-2)&1 == 0 { // the second highest bit
				class--
			}
			b.groups[b.tile(tx, ty)] = uint8(min(class, classes-1))
		}
	}
}

// eachToken calls use with each token of the band, and with the group of the tile in which the token begins.
func (b *band) eachToken(use func(t token, group uint8)) {
	w, x, y := b.pic.Width, 0, b.y0
	for _, t := range b.tokens {
		use(t, b.groups[b.tile(x, y)])
		for x += t.length(); x >= w; x -= w {
			y++
		}
	}
}

// count counts the symbols of the band's tokens in b.counts, separately for each group of tiles with common codes.
func (b *band) count() {
	b.eachToken(func(t token, group uint8) {
		c := b.counts[group]
		if c == nil {
			c = newCounts(b.method.cacheBits)
			b.counts[group] = c
		}
		c.add(t)
	})
}

// method says which tools of the format a picture uses.
type method struct {
	subtractGreen, predict, references bool
	cacheBits                          int // the colour cache has 2^cacheBits colours; 0: no cache
}

// chooseMethod returns the method that needs about the fewest bits for rows sampled from the picture: one third and
// two thirds of the way down, or all rows of a low picture. It tries the transforms with and without references, and
// then sizes of the colour cache with the best of these.
func (s *Stream) chooseMethod() method {
	const most = 1 << 15 // about how many pixels a part of the sample has
	rows := max(most/s.pic.Width/tileSide, 1) * tileSide
	var parts []int // the first row of each part
	switch n := tilesIn(s.pic.Height); {
	case s.pic.Height <= 2*rows:
		for y := 0; y < s.pic.Height; y += rows {
			parts = append(parts, y)
		}
	default:
		parts = []int{n / 3 * tileSide, n * 2 / 3 * tileSide}
	}
	cost := func(m method) float64 {
		s.method = m // the bands use it
		var sum *counts
		for _, y := range parts {
			b := s.bandOf(y, min(y+rows, s.pic.Height))
			b.choosePredictors()
			b.predict()
			b.tokenise(m)
			b.count()
			sum = sumOf(sum, b.counts[0]) // all tiles are still in group 0
			b.release()
		}
		return sum.estimate()
	}
	var best method
	least := math.Inf(1)
	try := func(m method, handicap float64) { // m is taken if its cost times handicap is the least
		if c := cost(m); c*handicap < least {
			best, least = m, c
		}
	}
	for _, predict := range []bool{true, false} {
		for _, subtract := range []bool{true, false} {
			try(method{predict: predict, subtractGreen: subtract}, 1)
			try(method{predict: predict, subtractGreen: subtract, references: true}, 1.01) // slow: must save 1 %
		}
	}
	for _, cacheBits := range []int{4, 7, mostCacheBits} {
		m := best
		m.cacheBits = cacheBits
		try(m, 1)
	}
	return best
}

// makeCodes merges neighbouring classes of tiles while that does not make the stream longer, by its estimate. It
// replaces classes in s.groups by merged classes, and adds the prefix codes of each to s.codes, and the length of
// all symbols to s.length. all holds the counts for each class; nil: no tokens begin in its tiles.
func (s *Stream) makeCodes(all *[classes]*counts) {
	var list []*counts
	var costs []float64
	var group [classes]uint8
	for i, c := range all {
		if c == nil {
			c = newCounts(s.method.cacheBits)
		}
		list, costs = append(list, c), append(costs, c.estimate())
		group[i] = uint8(i)
	}
	for len(list) > 1 {
		best, gain := -1, 0.0
		var joined *counts
		for i := range len(list) - 1 {
			sum := sumOf(list[i].clone(), list[i+1])
			if g := costs[i] + costs[i+1] - sum.estimate(); g >= gain {
				best, gain, joined = i, g, sum
			}
		}
		if best < 0 {
			break
		}
		list[best], costs[best] = joined, joined.estimate()
		list = append(list[:best+1], list[best+2:]...)
		costs = append(costs[:best+1], costs[best+2:]...)
		for i := range group {
			if int(group[i]) > best {
				group[i]--
			}
		}
	}
	for i, class := range s.groups {
		s.groups[i] = group[class]
	}
	for _, c := range list {
		codes := newCodes(c)
		s.codes = append(s.codes, codes)
		s.length += c.extraBits() + codes.bitsFor(c)
	}
}
