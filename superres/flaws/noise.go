package flaws

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A tile is what is looked at as one, of tile×tile samples; mostTiles are looked at.
const (
	tile      = 8
	mostTiles = 4000
	fewest    = 120 // with fewer there is no telling
)

// tileStats are the statistics of a tile, as variances in levels².
type tileStats struct {
	fine  float64 // of what the filter (1 −2 1)⊗(1 −2 1)/6 finds: that of white noise
	rest  float64 // of differences of means of 6 samples: as large, of white noise
	mean  float64
	plain bool // too few values to be noise: a dither, a pattern
}

// within tells whether noise is not cut off in the tile.
func (s tileStats) within() bool { return s.mean > 6 && s.mean < 249 }

// flat tells whether the tile has no noise that could be seen.
func (s tileStats) flat() bool { return s.fine < 0.02 }

// estimateNoise estimates the deviation of white noise, if there is some, from the tiles of little else: J. Immerkær,
// Fast noise variance estimation, Computer Vision and Image Understanding 64 (1996),
// doi:10.1006/cviu.1996.0060, tells noise from the picture by the filter; here the tiles
// where the picture varies least are chosen in each quarter of brightness, because noise may
// depend on that, and what they vary by besides counts against it.
//
// somewhere tells whether there are tiles of noise at all, though it may not be everywhere.
func estimateNoise(parts []*samples) (deviation float64, somewhere bool) {
	var tiles []tileStats
	all, still, flat := 0, 0, 0 // still: without noise where there would be some
	noisy := 0
	for _, p := range parts {
		step := tile
		if p.w*p.h*p.parts < smallPicture {
			step /= 2 // a small picture has few
		}
		p.spread(2, 2, step, 3, tile, mostTiles, func(x, y int) {
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
	// A page is flat for the most part, of white that may hide noise in photographs.
	if len(tiles) < fewest || still > all/30 || flat > all/3 {
		return 0, somewhere
	}
	slices.SortStableFunc(tiles, func(a, b tileStats) int { return cmp.Compare(a.mean, b.mean) })
	var found, most []float64
	n := len(tiles)
	quarters := min(max(n/200, 1), 4)
	for i := range quarters {
		fine, rest := quietest(tiles[i*n/quarters : (i+1)*n/quarters])
		if most = append(most, fine); fine > float64(whiteness*rest) {
			detail := max(0, rest-float64(0.8*fine))
			found = append(found, max(0, fine-float64(texture*detail)))
		}
	}
	if len(found) == 0 {
		return 0, somewhere
	}
	// Noise varies with brightness, but not by as much as fine detail does: a page is quiet but
	// for its letters.
	slices.Sort(most)
	limit := 2 * most[min(1, len(most)-1)]
	sum := 0.0
	for _, v := range found {
		sum += min(v, limit)
	}
	if deviation = math.Sqrt(sum / float64(len(found))); deviation >= greatest {
		deviation = 0
	}
	return deviation, somewhere
}

// quietest returns what the tiles vary by that vary least: noise, if it is white, and detail.
func quietest(tiles []tileStats) (fine, rest float64) {
	slices.SortStableFunc(tiles, func(a, b tileStats) int { return cmp.Compare(a.rest, b.rest) })
	tiles = tiles[:max(4, len(tiles)/8)]
	rest = tiles[len(tiles)/2].rest
	slices.SortStableFunc(tiles, func(a, b tileStats) int { return cmp.Compare(a.fine, b.fine) })
	return tiles[len(tiles)/2].fine, rest
}

// Measured on clean pictures, those of fine texture too, which mistake less for noise the more
// whiteness is asked for, and on the same with noise, which is found in fewer.
const (
	texture   = 0.06 // of what varies besides is as fine as noise
	greatest  = 40   // levels; more is texture
	whiteness = 0.18 // is least of noise among all that varies; it is 1.25 of noise alone
)

// tile measures the tile at (x, y), which has two samples before it and three after it.
func (p *samples) tile(x, y int) tileStats {
	var fine, rest, sum int64
	var seen [4]uint64 // the levels of 8 bits
	for v := y; v < y+tile; v++ {
		rows := [5][]int32{}
		for k := range rows {
			rows[k] = p.pix[(v+k-2)*p.w+x-2:][:tile+4]
		}
		for u := 2; u < tile+2; u++ {
			cross := func(row []int32) int32 { return row[u-1] - 2*row[u] + row[u+1] }
			d := int64(cross(rows[1]) - 2*cross(rows[2]) + cross(rows[3]))
			fine += d * d
			gx, gy := int32(0), int32(0)
			for k := 1; k <= 3; k++ {
				gx += rows[k][u+1] + rows[k][u+2] - rows[k][u-1] - rows[k][u-2]
				gy += rows[3][u+k-2] + rows[4][u+k-2] - rows[1][u+k-2] - rows[0][u+k-2]
			}
			rest += int64(gx)*int64(gx) + int64(gy)*int64(gy)
			sum += int64(rows[2][u])
			level := rows[2][u] / unit
			seen[level>>6] |= 1 << (level & 63)
		}
	}
	const n = tile * tile
	s := tileStats{fine: float64(fine) / (n * 36 * unit * unit), rest: float64(rest) / (n * 24 * unit * unit), mean: float64(sum) / (n * unit)}
	values := 0
	for _, v := range seen {
		values += bits.OnesCount64(v)
	}
	s.plain = float64(values) < min(20, 1+math.Sqrt(s.fine))
	return s
}
