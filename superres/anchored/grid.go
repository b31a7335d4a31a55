package anchored

import (
	"context"
	"math"
	"superres/patches/plane"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/resample"
	"superres/superres/stage"
)

// grid says where the patches of an anchored stage lie. The enlargement is cut
// into cells of cell×cell samples; one patch of the input and one block of the output
// are centred on each. The input is the low-resolution picture, in which a cell is one
// sample, or the current enlargement. Beyond its edges the input is mirrored; the
// parts of blocks that lie outside are dropped.
//
// Note: where cells do not fill the enlargement, as those of 2×2 at ×3 when a side is
// odd, the last ones reach beyond it, and a flipped picture has its cells elsewhere.
// Its enlargement is then as good, but not the same one flipped.
type grid struct {
	patch, step   int // of the input: side of a patch, side of a cell
	block, cell   int // of the enlargement
	cols, rows    int // cells
	width, height int // of the enlargement
}

// edge is how far a patch of the given side reaches beyond its cell.
func edge(side, cell int) int { return (side - cell) / 2 }

// layout is a part of a plane of which whole rows of patches can be cut. Its samples lie
// so that one and the same sample of neighbouring patches is at neighbouring places:
// with cells of step samples, every step-th of a row after one another.
type layout struct {
	pix        []float32
	side, step int     // of a patch, of a cell
	cols, rows int     // patches
	width      int     // of every step-th sample of a row
	offsets    []int32 // of the samples of a patch, from its base
	orbits     []int32 // the same, orbit after orbit
}

// cut makes the layout of the rows of cells from..to-1. row returns a row of the plane,
// which is width×height, and each calls it, at once where it may: parallel.Rows or inTurn; side
// and cell are measured in its samples. The memory of b is used again.
func (g grid) cut(b *layout, each func(n int, body func(i int)), row func(y int) []float32, width, height, side, cell, from, to int) {
	off := edge(side, cell)
	b.side, b.step, b.cols, b.rows = side, cell, g.cols, to-from
	b.width = vectors(g.cols) + (side-1)/cell
	b.locate()
	lines := (to-from-1)*cell + side
	b.pix = grown(b.pix, lines*cell*b.width)
	each(lines, func(i int) {
		src := row(resample.Mirror(from*cell-off+i, height))[:width]
		for phase := range cell {
			dst := b.pix[(i*cell+phase)*b.width:][:b.width]
			x := phase - off
			c := 0
			for ; c < len(dst) && x < 0; c++ {
				dst[c] = src[resample.Mirror(x, width)]
				x += cell
			}
			for ; c < len(dst) && x < width; c++ {
				dst[c] = src[x]
				x += cell
			}
			for ; c < len(dst); c++ {
				dst[c] = src[resample.Mirror(x, width)]
				x += cell
			}
		}
	})
}

// inTurn calls body for 0..n-1, one after the other.
func inTurn(n int, body func(i int)) {
	for i := range n {
		body(i)
	}
}

// locate sets the offsets.
func (b *layout) locate() {
	b.offsets = grown(b.offsets, b.side*b.side)
	for i := range b.offsets {
		y, x := i/b.side, i%b.side
		b.offsets[i] = int32((y*b.step+x%b.step)*b.width + x/b.step)
	}
	b.orbits = b.orbits[:0]
	for _, i := range orbits(b.side) {
		b.orbits = append(b.orbits, b.offsets[i])
	}
}

// base is where the patch of a row and a column begins.
func (b *layout) base(row, col int) int { return row*b.step*b.step*b.width + col }

// tiles is how many tiles the layout has; each is a part of a row.
func (b *layout) tiles() int { return b.rows * ((b.cols + tileWidth - 1) / tileWidth) }

// tile returns where a tile is, and how many patches it has.
func (b *layout) tile(i int) (row, col, w int) {
	each := (b.cols + tileWidth - 1) / tileWidth
	row, col = i/each, i%each*tileWidth
	return row, col, min(tileWidth, b.cols-col)
}

// gather puts patches, by their numbers row after row, into a tile.
func (b *layout) gather(dst []float32, patches []int32) {
	for column, n := range patches {
		from := b.pix[b.base(int(n)/b.cols, int(n)%b.cols):]
		for i, o := range b.offsets {
			dst[i*tileWidth+column] = from[o]
		}
	}
}

// deviation is the root mean square distance of the samples of a patch from their mean.
func (b *layout) deviation(number int) float32 {
	from := b.pix[b.base(number/b.cols, number%b.cols):]
	sum, squares := 0.0, 0.0
	for _, o := range b.offsets {
		v := float64(from[o])
		sum += v
		squares += v * v
	}
	mean := sum / float64(len(b.offsets))
	return float32(math.Sqrt(max(0, squares/float64(len(b.offsets))-mean*mean)))
}

// blockRows hold the blocks of some rows of cells: entry e of the blocks of row r begins
// at (r·Block² + e)·width + margin, one sample a cell. The margins are zeros.
type blockRows struct {
	pix    []float32
	first  int // row of cells
	width  int
	keep   int     // rows before those in work, whose blocks reach into the same samples
	blocks int     // entries of a block
	to     []int32 // where the entries of a block are, orbit after orbit
}

const margin = kernel.Lanes

func (g grid) blockRows(w *stage.Work, rows int) *blockRows {
	s := &blockRows{width: vectors(g.cols) + 2*margin, keep: (g.block - 1) / g.cell, blocks: g.block * g.block}
	s.first = -s.keep
	s.pix = w.Blank((s.keep + rows) * s.blocks * s.width)
	for at := 0; at < len(s.pix); at += s.width {
		clear(s.pix[at : at+margin])
		clear(s.pix[at+margin+g.cols : at+s.width])
	}
	s.to = scaled(orbits(g.block), s.width)
	return s
}

// at is where entry 0 of the blocks of a row begins.
func (s *blockRows) at(row int) int { return (row-s.first)*s.blocks*s.width + margin }

// advance makes room for the rows after those in work.
func (s *blockRows) advance(rows int) {
	s.first += rows
	copy(s.pix, s.pix[rows*s.blocks*s.width:][:s.keep*s.blocks*s.width])
}

// settled is the first row of samples into which blocks of the rows of cells from the
// given one on reach.
func (g grid) settled(row int) int {
	if row == g.rows {
		return g.height
	}
	return max(0, min(g.height, row*g.cell-edge(g.block, g.cell)))
}

// average sets the rows of out that are settled by the rows of cells from..to-1 to
// those of current plus the means of the blocks. Every sample receives its blocks row
// by row and from left to right, whatever the rows of a call and the workers.
func (g grid) average(ctx context.Context, out, current *plane.Plane, s *blockRows, from, to int) error {
	off, top := edge(g.block, g.cell), g.settled(from)
	across, down := g.votes(g.width, g.cols), g.votes(g.height, g.rows)
	return parallel.For(ctx, g.settled(to)-top, 16, func() func(lo, hi int) {
		line := make([]float32, vectors(g.cols))
		var offsets []int32
		return func(lo, hi int) {
			for y := top + lo; y < top+hi; y++ {
				dst, was, vote := out.Row(y), current.Row(y), down[y]
				for phase := range g.cell {
					offsets = offsets[:0]
					first := max(0, (y+off-g.block+g.cell)/g.cell)
					for r := first; r <= min(g.rows-1, (y+off)/g.cell); r++ {
						dy := y + off - r*g.cell
						for dx := g.block - 1; dx >= 0; dx-- {
							if shift := dx - off - phase; shift%g.cell == 0 {
								offsets = append(offsets, int32(s.at(r)+(dy*g.block+dx)*s.width-shift/g.cell))
							}
						}
					}
					kernel.SumRows(line, s.pix, offsets)
					for c, x := 0, phase; x < g.width; c, x = c+1, x+g.cell {
						dst[x] = picture.Clamp(was[x] + float32(line[c]*(vote*across[x])))
					}
				}
			}
		}
	})
}

// votes returns, for every sample of an axis of n, one over the number of blocks that
// cover it.
func (g grid) votes(n, cells int) []float32 {
	count := make([]float32, n)
	for c := range cells {
		from := c*g.cell - edge(g.block, g.cell)
		for x := max(from, 0); x < min(from+g.block, n); x++ {
			count[x]++
		}
	}
	for i, c := range count {
		count[i] = 1 / c
	}
	return count
}
