package measure

import (
	"image"
	"math"
	"slices"
	"sync/atomic"

	"superres/internal/parallel"
	"superres/patches/plane"
)

// Regions holds the standard deviation of the noise, in levels, in each of the W×H equal cells of a picture, by rows.
type Regions struct {
	W, H  int
	Noise []float64
}

// Note: 160 photographs were tested at full size, reduced by 2, and saved as JPEG files of quality 90, 60 and 30.
// Varying finds varying noise in only one picture at full size, where noise does vary. With noise of 15 levels added to
// one half it finds varying noise in 123, with 0 to 20 levels from top to bottom in 127, and with 12 in a quarter in
// 74; the other pictures are small, or their detail hides the noise. Half of the noisy cells must have white noise
// beyond doubt; the cells of weaves and lattices have none.
const (
	cellSide, mostCells  = 80, 8   // the least side of a cell in samples; the most cells along a side
	cellSpan             = 128     // the most samples that are measured along a side of a cell
	cellTiles, cellLeast = 160, 30 // the most and the least tiles from which a cell is measured
	seen                 = 2.5     // the least noise of a cell or a tile that counts, in levels
	sure                 = 0.5     // the least ratio of tileStats.fine to rest for noise in a single cell or tile
)

// Varying returns the noise of each region of img, if some regions have much less noise than others, as a page around a
// photograph has. f holds the flaws of img. Varying returns nil if noise is even, almost absent or uncertain, or if img
// is too small for four cells. Noise counts if a sixth of the cells, and three, have it.
func (f Flaws) Varying(img image.Image) *Regions {
	if !f.Somewhere {
		return nil
	}
	b := img.Bounds()
	r := &Regions{W: min(b.Dx()/cellSide, mostCells), H: min(b.Dy()/cellSide, mostCells)}
	if r.W*r.H < 4 {
		return nil
	}
	r.Noise = make([]float64, r.W*r.H)
	white := make([]bool, len(r.Noise))
	cells := make([]*Samples, len(r.Noise))
	parallel.Indices(len(r.Noise), func(i int) {
		x0, x1 := span(b.Min.X, b.Dx(), i%r.W, r.W)
		y0, y1 := span(b.Min.Y, b.Dy(), i/r.W, r.H)
		cells[i] = SamplesOf(Cut(img, image.Rect(x0, y0, x1, y1)))[0]
		r.Noise[i], white[i] = cell(cells[i])
	})
	var noisy []float64
	var suspects []*Samples // the cells of noisy
	for i, v := range r.Noise {
		if white[i] && v >= seen {
			noisy = append(noisy, v)
			suspects = append(suspects, cells[i])
		}
	}
	if len(noisy) < max(3, (len(white)+5)/6) {
		return nil
	}
	var doubtless atomic.Int64 // how many suspects have white noise by the second test, in white.go
	parallel.Indices(len(suspects), func(i int) {
		if c := newCoefficients(suspects[i:i+1], 4, 4, 4); c.white(c[0]) >= leastWhite {
			doubtless.Add(1)
		}
	})
	if 2*int(doubtless.Load()) < len(suspects) {
		return nil
	}
	slices.Sort(noisy)
	quiet, half := 0, noisy[len(noisy)/2]/2
	for i, v := range r.Noise {
		if v <= half {
			white[i] = true // known to be quiet, because the deviation is an upper bound
			quiet++
		}
	}
	if quiet < max(2, len(white)/8) {
		return nil
	}
	r.fill(white)
	return r
}

// span returns the range [lo, hi) of samples to measure in cell i of n: at most cellSpan, in its middle. All cells
// together are the samples [from, from+side).
func span(from, side, i, n int) (lo, hi int) {
	lo, hi = from+side*i/n, from+side*(i+1)/n
	if hi-lo > cellSpan {
		lo = (lo + hi - cellSpan) / 2
		hi = lo + cellSpan
	}
	return lo, hi
}

// cell returns the greatest deviation that noise can have in a cell with the samples p, in levels. white is true if
// noise certainly has that deviation, and false if texture may be part of it or too few tiles could be measured.
func cell(p *Samples) (most float64, white bool) {
	var tiles []tileStats
	all, flat := 0, 0
	p.Spread(2, 2, tile/2, 3, tile, cellTiles, func(x, y int) { // tile reads 2 samples before a tile and 3 after it
		s := p.tile(x, y)
		if all++; s.flat() { // without visible noise
			flat++
		}
		if s.within() && !s.plain { // neither clipped nor a dither
			tiles = append(tiles, s)
		}
	})
	switch {
	case flat > all/8: // paper, or black
		return 0, true
	case len(tiles) < cellLeast:
		return limits.greatest, false // more would be taken for texture
	}
	fine, rest := quietest(tiles)
	return math.Sqrt(fine), fine > float64(sure*rest)
}

// fill lowers the noise of each cell that is not known to the mean noise of the known cells around it, if that is less.
// Then the cell is known, too; fill goes on until all cells are.
func (r *Regions) fill(known []bool) {
	for slices.Contains(known, false) {
		next := slices.Clone(known)
		for i, is := range known {
			if is {
				continue
			}
			sum, count := 0.0, 0
			for y := max(i/r.W-1, 0); y <= min(i/r.W+1, r.H-1); y++ {
				for x := max(i%r.W-1, 0); x <= min(i%r.W+1, r.W-1); x++ {
					if at := y*r.W + x; known[at] {
						sum += r.Noise[at]
						count++
					}
				}
			}
			if count > 0 {
				r.Noise[i] = min(r.Noise[i], sum/float64(count))
				next[i] = true
			}
		}
		known = next
	}
}

// Strengths returns the least and the greatest Strength of the cells of r, and a new plane of r.W×r.H samples, one for
// each cell. A sample is 0 for the least Strength, 1 for the greatest, and in proportion for others.
func (f Flaws) Strengths(r *Regions) (least, greatest float64, share *plane.Plane) {
	at := func(i int) float64 {
		f.Noise = r.Noise[i]
		return f.Strength()
	}
	least, greatest = 1, 0
	for i := range r.Noise {
		least, greatest = min(least, at(i)), max(greatest, at(i))
	}
	share = plane.New(r.W, r.H)
	for i := range r.Noise {
		if greatest > least {
			share.Pix[i] = float32((at(i) - least) / (greatest - least))
		}
	}
	return least, greatest, share
}
