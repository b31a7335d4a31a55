package measure

import (
	"math"
	"math/bits"
	"slices"
)

// Statistics are taken of tiles of tile×tile samples, about maxTiles at most, spread over the picture.
const (
	tile     = 8
	maxTiles = 4000
)

// noiseLimits are the limits that tell noise from fine texture.
type noiseLimits struct {
	// texture is the share of the variance of coarser detail that is subtracted from the noise, as fine detail.
	texture float64
	// whiteness is the least ratio of tileStats.fine to tileStats.rest for noise; noise alone has 1.25.
	whiteness float64
	// greatest is the deviation, in levels, above which noise is taken for texture.
	greatest float64
	// fewest is the least number of tiles for an estimate.
	fewest int
}

// limits are the constants in use. Note: 37 photographs (Set5, open-valid, Kodak) were reduced by 2 and used clean and
// with normal noise of 3 to 24 levels in red, green and blue, together with 36 synthetic textures (weave, halftone and
// the like). The table has the number of pictures in which noise is found, and the mean error of the estimates, if a
// limit is changed. go test ./superres/flaws/measure -run MeasureNoiseLimits -measure -v measures it again:
//
//	                textures  clean  noise 3   6         12        24
//	as it is        20        12     30, 5 %   35, 6 %   37, 7 %   37, 7 %
//	texture 0       20        12     30, 7 %   35, 6 %   37, 5 %   37, 6 %
//	texture 0.12    20        12     30, 6 %   35, 8 %   37, 9 %   37, 8 %
//	whiteness 0.09  22        23     35, 12 %  37, 7 %   37, 7 %   37, 7 %
//	whiteness 0.25  19        7      30, 6 %   34, 5 %   37, 7 %   37, 7 %
//	whiteness 0.36  19        4      28, 5 %   32, 7 %   35, 7 %   37, 7 %
//	fewest 30       24        12     30, 5 %   35, 6 %   37, 7 %   37, 7 %
//
// With greatest at 20 and fewest at 500 the numbers are about the same. confirmNoise then rejects clean pictures and
// textures among the pictures in which noise is found.
var limits = noiseLimits{texture: 0.06, whiteness: 0.18, greatest: 40, fewest: 120}

// tileStats are the statistics of a tile. Both variances are in levels², scaled so that white noise keeps its variance.
type tileStats struct {
	fine  float64 // the variance of the filter (1 −2 1)⊗(1 −2 1)/6
	rest  float64 // the variance of differences between 6 samples on one side of a sample and 6 on the other
	mean  float64 // in levels
	plain bool    // the tile has too few different values for noise: it is a dither or a pattern
}

// within reports whether the tile is far enough from black and white for its noise not to be clipped.
func (s tileStats) within() bool { return s.mean > 6 && s.mean < 249 }

// flat reports whether the tile has no visible noise.
func (s tileStats) flat() bool { return s.fine < 0.02 }

// estimateNoise estimates the standard deviation of white noise, in levels, from the tiles of parts with little other
// variation; 0 means none. J. Immerkær, Fast noise variance estimation, Computer Vision and Image Understanding 64
// (1996), doi:10.1006/cviu.1996.0060, separates noise from the picture by the filter of tileStats.fine. Here only the
// tiles in which the picture varies least are used, in each quarter of the range of brightness, because noise may
// depend on brightness. Other variation in the tiles counts against noise.
//
// somewhere reports whether some tiles have noise, even if the picture as a whole is taken to have none.
func estimateNoise(parts []*Samples, limits noiseLimits) (deviation float64, somewhere bool) {
	var tiles []tileStats
	all, still, flat, noisy := 0, 0, 0, 0 // still: tiles without noise where noise would show
	for _, p := range parts {
		step := tile
		if p.W*p.H*p.Parts < smallPicture {
			step /= 2 // a small picture has few tiles
		}
		p.Spread(2, 2, step, 3, tile, maxTiles, func(x, y int) {
			s := p.tile(x, y)
			if s.within() && !s.plain {
				tiles = append(tiles, s)
				if s.fine >= seen*seen && s.fine > float64(sure*s.rest) {
					noisy++
				}
			}
			all++
			if s.flat() {
				flat++
				if s.within() {
					still++
				}
			}
		})
	}
	somewhere = noisy > all/32
	// A page is mostly flat. The white of the paper may hide the noise of photographs on it.
	if len(tiles) < limits.fewest || still > all/30 || flat > all/3 {
		return 0, somewhere
	}
	sortBy(tiles, func(s tileStats) uint64 { return math.Float64bits(s.mean) })
	var found, most []float64
	n := len(tiles)
	quarters := min(max(n/200, 1), 4)
	for i := range quarters {
		fine, rest := quietest(tiles[i*n/quarters : (i+1)*n/quarters])
		if most = append(most, fine); fine > float64(limits.whiteness*rest) {
			detail := max(0, rest-float64(0.8*fine)) // of noise alone, rest is fine/1.25: see whiteness
			found = append(found, max(0, fine-float64(limits.texture*detail)))
		}
	}
	if len(found) == 0 {
		return 0, somewhere
	}
	// Noise varies with brightness, but less than fine detail does: a page of text is quiet except at its letters. So
	// the noise found in a quarter of the tiles counts at most as twice the variance of the second quietest quarter.
	slices.Sort(most)
	bound := 2 * most[min(1, len(most)-1)]
	sum := 0.0
	for _, v := range found {
		sum += min(v, bound)
	}
	if deviation = math.Sqrt(sum / float64(len(found))); deviation >= limits.greatest {
		deviation = 0
	}
	return deviation, somewhere
}

// quietest returns the medians of fine and rest over the eighth of the tiles with the least rest. It reorders tiles.
func quietest(tiles []tileStats) (fine, rest float64) {
	sortBy(tiles, func(s tileStats) uint64 { return math.Float64bits(s.rest) })
	tiles = tiles[:max(4, len(tiles)/8)]
	rest = tiles[len(tiles)/2].rest
	sortBy(tiles, func(s tileStats) uint64 { return math.Float64bits(s.fine) })
	return tiles[len(tiles)/2].fine, rest
}

// sortBy sorts list by key, and keeps the order of elements with the same key. It sorts by each byte of the keys, from
// the lowest to the highest, in a fraction of the time of comparisons.
func sortBy[T any](list []T, key func(T) uint64) {
	from, to, varying := list, make([]T, len(list)), uint64(0)
	keys, next := make([]uint64, len(list)), make([]uint64, len(list))
	for i, v := range list {
		keys[i] = key(v)
		varying |= keys[i] ^ keys[0]
	}
	for shift := 0; varying>>shift > 0; shift += 8 {
		if varying>>shift&255 == 0 {
			continue
		}
		var at [257]int
		for _, k := range keys {
			at[k>>shift&255+1]++
		}
		for i := range 256 {
			at[i+1] += at[i]
		}
		for i, k := range keys {
			place := &at[k>>shift&255]
			to[*place], next[*place] = from[i], k
			*place++
		}
		from, to, keys, next = to, from, next, keys
	}
	copy(list, from)
}

// tile returns the statistics of the tile at (x, y). p must have two samples before the tile and three after it.
func (p *Samples) tile(x, y int) tileStats {
	var fine, rest, sum int64
	row := func(y int) *[tile + 4]int32 { return (*[tile + 4]int32)(p.Pix[y*p.W+x-2:]) }
	for v := y; v < y+tile; v++ {
		first, above, middle, below, last := row(v-2), row(v-1), row(v), row(v+1), row(v+2)
		var cross, mean, rise [tile + 4]int32 // for each column
		for u, v := range middle {
			cross[u], mean[u] = above[u]-2*v+below[u], above[u]+v+below[u]
			rise[u] = below[u] + last[u] - above[u] - first[u]
		}
		for u := 2; u < tile+2; u++ {
			d := int64(cross[u-1] - 2*cross[u] + cross[u+1])
			fine += d * d
			gx := int64(mean[u+1] + mean[u+2] - mean[u-1] - mean[u-2]) // 2×3 samples at the right less 2×3 at the left
			gy := int64(rise[u-1] + rise[u] + rise[u+1])               // 3×2 samples below less 3×2 above
			rest += gx*gx + gy*gy
			sum += int64(middle[u])
		}
	}
	const n = tile * tile
	s := tileStats{fine: float64(fine) / (n * 36 * Unit * Unit), rest: float64(rest) / (n * 24 * Unit * Unit),
		mean: float64(sum) / (n * Unit), plain: true}
	var seen [4]uint64 // a bit for each level of 8 bits
	for v := y; v < y+tile && s.plain; v++ {
		for _, v := range row(v)[2:][:tile] {
			seen[v/Unit>>6] |= 1 << (v / Unit & 63)
		}
		values := 0
		for _, v := range seen {
			values += bits.OnesCount64(v)
		}
		s.plain = float64(values) < min(20, 1+math.Sqrt(s.fine)) // too few for so much variation
	}
	return s
}

// Quiet returns how quiet the quietest places of a picture are, in levels: one in a hundred of its squares of 5×5
// samples has a smaller standard deviation. Noise that is the same everywhere is hardly stronger. list holds the parts
// of the picture. Squares near black and white, where noise is clipped, do not count; if none does, it is +Inf.
func Quiet(list []*Samples) float64 {
	const side, count, most = 5, 5 * 5, 10_000
	var squares []int64 // the variances, in units of 1/(count·Unit)² of a squared level
	for _, p := range list {
		p.Spread(0, 0, 1, 0, side, most, func(x, y int) {
			var sum, squared int64
			for v := y; v < y+side; v++ {
				for _, s := range p.Pix[v*p.W+x:][:side] {
					sum += int64(s)
					squared += int64(s) * int64(s)
				}
			}
			if 16*count*Unit < sum && sum < 239*count*Unit {
				squares = append(squares, count*squared-sum*sum)
			}
		})
	}
	if len(squares) == 0 {
		return math.Inf(1)
	}
	slices.Sort(squares)
	return math.Sqrt(float64(squares[len(squares)/100])) / (count * Unit)
}
