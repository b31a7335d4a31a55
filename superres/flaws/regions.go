package flaws

import (
	"image"
	"math"
	"slices"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// Regions are how noise varies over a picture: its deviation in each of W×H equal cells, row
// by row, in levels of 255.
type Regions struct {
	W, H  int
	Noise []float64
}

// Note: of 160 photographs, reduced by 2, as they were, or through JPEG files of quality 90, 60
// and 30, none is taken for one of noise that varies, and at full size one, which it is in.
// With noise of 15 levels in one half 123 are, with 0 to 20 from top to bottom 127, and with 12
// in a quarter 74; the others are small, or of detail that hides it. Half of the cells of noise
// must have white noise without doubt, which no weave or lattice has.
const (
	cellSide, mostCells  = 80, 8 // samples of a side of a cell, at least, and how many along one
	cellSpan             = 128   // samples of a side that are looked at
	cellTiles, cellLeast = 160, 30
	seen                 = 2.5 // levels of noise that are worth looking at
	sure                 = 0.5 // is least of noise among all that varies, where one cell must tell
)

// Varying looks at whether noise is another in some parts of a picture, which Measure found the
// flaws of, than in others, as where a photograph stands on a page, or the corners are
// brightened. It returns nil where that cannot be told, and where there is next to no noise, or
// the same everywhere.
func (f Flaws) Varying(img image.Image) *Regions {
	if !f.somewhere {
		return nil
	}
	b := img.Bounds()
	r := &Regions{W: min(b.Dx()/cellSide, mostCells), H: min(b.Dy()/cellSide, mostCells)}
	if r.W*r.H < 4 {
		return nil
	}
	r.Noise = make([]float64, r.W*r.H)
	white := make([]bool, len(r.Noise))
	cells := make([]*samples, len(r.Noise))
	parallel.Rows(len(r.Noise), func(i int) {
		x0, x1 := span(b.Min.X, b.Dx(), i%r.W, r.W)
		y0, y1 := span(b.Min.Y, b.Dy(), i/r.W, r.H)
		cells[i] = newSamples(picture.Split(imaging.Crop(img, image.Rect(x0, y0, x1, y1))).Luma(), 1)
		r.Noise[i], white[i] = cell(cells[i])
	})
	var noisy []float64
	var looked []*samples // at cells of noise
	for i, v := range r.Noise {
		if white[i] && v >= seen {
			noisy = append(noisy, v)
			looked = append(looked, cells[i])
		}
	}
	if len(noisy) < max(3, (len(white)+5)/6) {
		return nil
	}
	doubtless := 0
	for _, p := range looked {
		if c := newCoefficients([]*samples{p}, 4, 4, 4); c.white(c[0]) >= leastWhite {
			doubtless++
		}
	}
	if 2*doubtless < len(looked) {
		return nil
	}
	slices.Sort(noisy)
	quiet, half := 0, noisy[len(noisy)/2]/2
	for i, v := range r.Noise {
		if v <= half {
			white[i] = true // it is known: there is no more
			quiet++
		}
	}
	if quiet < max(2, len(white)/8) {
		return nil
	}
	r.fill(white)
	return r
}

// span is what is looked at of cell i of n along a side.
func span(from, side, i, n int) (lo, hi int) {
	lo, hi = from+side*i/n, from+side*(i+1)/n
	if hi-lo > cellSpan {
		lo = (lo + hi - cellSpan) / 2
		hi = lo + cellSpan
	}
	return lo, hi
}

// cell returns the most noise that a cell can have, and whether it is noise without doubt.
func cell(p *samples) (most float64, white bool) {
	var tiles []tileStats
	all, flat := 0, 0
	p.spread(2, 2, tile/2, 3, tile, cellTiles, func(x, y int) {
		s := p.tile(x, y)
		if all++; s.flat() {
			flat++
		}
		if s.within() && !s.plain {
			tiles = append(tiles, s)
		}
	})
	switch {
	case flat > all/8: // a page, or what is as dark as can be
		return 0, true
	case len(tiles) < cellLeast:
		return limits.greatest, false
	}
	fine, rest := quietest(tiles)
	return math.Sqrt(fine), fine > float64(sure*rest)
}

// fill gives cells of which nothing is known the mean of those around that are, but no more
// than they can have.
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

// Levels are those of the flaws in the cells, the least and the greatest, as Level has them,
// and how far each is from the least to the greatest, 0 to 1.
func (f Flaws) Levels(r *Regions) (least, greatest float64, share *plane.Plane) {
	at := func(i int) float64 {
		f.Noise = r.Noise[i]
		return f.Level()
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
