package superres

import "superres/patches"

// anchorGrid says where the patches of an anchored stage lie. The enlargement is cut
// into cells of cell×cell samples; one patch of the input and one block of the output
// are centred on each. The input is the low-resolution picture, in which a cell is one
// sample, or the current enlargement. Beyond its edges the input is mirrored; the
// parts of blocks that lie outside are dropped.
//
// Note: where cells do not fill the enlargement, as those of 2×2 at ×3 when a side is
// odd, the last ones reach beyond it, and a flipped picture has its cells elsewhere.
// Its enlargement is then as good, but not the same one flipped.
type anchorGrid struct {
	patch, step   int // of the input: side of a patch, side of a cell
	block, cell   int // of the enlargement
	cols, rows    int // cells
	width, height int // of the enlargement
}

// edge is how far a patch of the given side reaches beyond its cell.
func edge(side, cell int) int { return (side - cell) / 2 }

// mirror returns the index within 0..n-1 that i stands for; the edge is repeated.
func mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i - 1
		} else {
			i = 2*n - 1 - i
		}
	}
	return i
}

// band is a part of a plane of which whole rows of patches can be cut.
type band struct {
	pix   []float32
	width int
	bases []int32 // of each patch: its upper left sample
	side  int     // of the patches
}

// cut makes the band of the rows of cells from..to-1. row returns a row of the plane,
// which is width×height; side and cell are measured in its samples. The memory of b
// is used again.
func (g anchorGrid) cut(b *band, row func(y int) []float32, width, height, side, cell, from, to int) {
	off := edge(side, cell)
	b.width, b.side = (g.cols-1)*cell+side, side
	rows := (to-from-1)*cell + side
	b.pix, b.bases = grown(b.pix, b.width*rows), grown(b.bases, (to-from)*g.cols)
	inner := min(max(width, 0), b.width-off)
	for i := range rows {
		src := row(mirror(from*cell-off+i, height))
		dst := b.pix[i*b.width : (i+1)*b.width]
		copy(dst[off:], src[:inner])
		for x := range off {
			dst[x] = src[mirror(x-off, width)]
		}
		for x := off + inner; x < b.width; x++ {
			dst[x] = src[mirror(x-off, width)]
		}
	}
	for i := range b.bases {
		b.bases[i] = int32(i/g.cols*cell*b.width + i%g.cols*cell)
	}
}

// gather puts the patches at bases into lanes: entry i of patch b at i·lanes + b.
func (b *band) gather(dst []float32, bases []int32) {
	for i := range b.side {
		for j := range b.side {
			to := dst[(i*b.side+j)*lanes:][:len(bases)]
			from := b.pix[i*b.width+j:]
			for lane, base := range bases {
				to[lane] = from[base]
			}
		}
	}
}

// spread adds the blocks of the rows of cells from..to-1 to the plane sum. Every
// sample of it receives its blocks row by row and from left to right, however the
// rows are cut into calls and whatever the number of workers.
func (g anchorGrid) spread(sum *patches.Plane, blocks []float32, from, to int) {
	off := edge(g.block, g.cell)
	top, end := max(from*g.cell-off, 0), min((to-1)*g.cell-off+g.block, g.height)
	eachRow(end-top, func(i int) {
		y := top + i
		out := sum.Row(y)
		for r := from; r < to; r++ {
			in := y - (r*g.cell - off) // row of the block
			if in < 0 || in >= g.block {
				continue
			}
			for c := range g.cols {
				src := blocks[((r-from)*g.cols+c)*g.block*g.block+in*g.block:][:g.block]
				x := c*g.cell - off
				if x < 0 || x+g.block > g.width {
					for j, v := range src {
						if x+j >= 0 && x+j < g.width {
							out[x+j] += v
						}
					}
					continue
				}
				dst := out[x : x+g.block]
				for j, v := range src {
					dst[j] += v
				}
			}
		}
	})
}

// votes returns, for every sample of an axis of n, one over the number of blocks that
// cover it.
func (g anchorGrid) votes(n, cells int) []float32 {
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
