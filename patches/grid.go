// Package patches cuts a plane into overlapping square patches and averages patches back into a plane.
//
// A [Grid] says where the patches lie. [Grid.Scale] gives the grid of the corresponding patches of a plane that is s
// times as large, so that a low- and a high-resolution patch with the same number show the same part of a picture:
//
//	low := patches.Grid{W: 14, H: 14, Size: 3, Step: 1}
//	high := low.Scale(2) // 6×6 patches of the 28×28 plane
//
// The package knows nothing of dictionaries or image files.
package patches

import (
	"fmt"

	"superres/patches/plane"
)

// Grid places patches of Size×Size samples on a plane of W×H, Step apart in both directions. The last column and the
// last row of patches are moved inwards to the edge, so that every sample lies in at least one patch if Step ≤ Size.
// Patches are numbered row by row.
type Grid struct{ W, H, Size, Step int }

// Check returns an error that says why the grid is invalid, or nil: the plane must hold a patch, and 1 ≤ Step ≤ Size.
func (g Grid) Check() error {
	switch {
	case g.Size < 1:
		return fmt.Errorf("patches: patch size %d, expected at least 1", g.Size)
	case g.Step < 1 || g.Step > g.Size:
		return fmt.Errorf("patches: step %d, expected 1 to the patch size %d", g.Step, g.Size)
	case g.W < g.Size || g.H < g.Size:
		return fmt.Errorf("patches: a %d×%d plane is smaller than a %d×%d patch", g.W, g.H, g.Size, g.Size)
	}
	return nil
}

// Cols returns the number of patches in a row of patches.
func (g Grid) Cols() int { return places(g.W, g.Size, g.Step) }

// Rows returns the number of rows of patches.
func (g Grid) Rows() int { return places(g.H, g.Size, g.Step) }

// Len returns the number of patches.
func (g Grid) Len() int { return g.Cols() * g.Rows() }

// At returns the upper left corner of patch i, 0 ≤ i < Len.
func (g Grid) At(i int) (x, y int) {
	cols := g.Cols()
	return g.x(i % cols), g.y(i / cols)
}

// Scale returns the grid of the corresponding patches of a plane s times as large.
func (g Grid) Scale(s int) Grid { return Grid{g.W * s, g.H * s, g.Size * s, g.Step * s} }

// x returns the left edge of a column of patches, and y the top edge of a row of patches.
func (g Grid) x(col int) int { return min(col*g.Step, g.W-g.Size) }
func (g Grid) y(row int) int { return min(row*g.Step, g.H-g.Size) }

// places returns how many patches lie along a side, including a last one that is moved inwards.
func places(side, size, step int) int { return (side-size+step-1)/step + 1 }

// Patch copies the patch of p with upper left corner (x, y) row by row into dst, of Size² entries, and returns dst.
func (g Grid) Patch(p *plane.Plane, x, y int, dst []float32) []float32 {
	for i := range g.Size {
		copy(dst[i*g.Size:(i+1)*g.Size], p.Pix[(y+i)*p.W+x:])
	}
	return dst
}

// ExtractRows returns the patches in the patch rows from..to-1 of p, one after the other, Size² samples each. It uses
// the memory of dst if its capacity suffices. It panics if p is not W×H or the grid fails Check.
func (g Grid) ExtractRows(p *plane.Plane, from, to int, dst []float32) []float32 {
	g.mustFit(p.W, p.H)
	n, cols := g.Size*g.Size, g.Cols()
	if need := (to - from) * cols * n; cap(dst) < need {
		dst = make([]float32, need)
	} else {
		dst = dst[:need]
	}
	at := 0
	for row := from; row < to; row++ {
		for col := range cols {
			g.Patch(p, g.x(col), g.y(row), dst[at:at+n])
			at += n
		}
	}
	return dst
}

// mustFit panics unless the grid passes Check and is for planes of w×h samples.
func (g Grid) mustFit(w, h int) {
	if err := g.Check(); err != nil {
		panic(err.Error())
	}
	if w != g.W || h != g.H {
		panic(fmt.Sprintf("patches: a %d×%d plane on a grid for %d×%d", w, h, g.W, g.H))
	}
}

// Averager averages overlapping patches that arrive a few rows at a time, from the top. It keeps Size rows of sums in
// float64, where the sum of equal float32 values is exact, so that the average of the patches of a plane is exactly
// that plane. The result does not depend on how many rows each call of Add gets. It is not safe for concurrent use.
type Averager struct {
	grid   Grid
	out    *plane.Plane
	sum    []float64 // ring of Size rows of W sums: plane row y is row y % Size
	across []float64 // for each column, how many patch columns cover it
	down   []float64 // for each row, how many patch rows cover it
	next   int       // the patch row that Add expects next
	done   int       // how many plane rows are already divided and stored
}

// NewAverager starts an average over the grid. It panics when the grid fails Check.
func NewAverager(g Grid) *Averager {
	g.mustFit(g.W, g.H)
	a := &Averager{grid: g, out: plane.New(g.W, g.H), sum: make([]float64, g.Size*g.W)}
	a.across, a.down = make([]float64, g.W), make([]float64, g.H)
	for i := range g.Size {
		for col := range g.Cols() {
			a.across[g.x(col)+i]++
		}
		for row := range g.Rows() {
			a.down[g.y(row)+i]++
		}
	}
	return a
}

// Add takes the next rows of patches, laid out as by ExtractRows. It panics for parts of a row, or too many rows.
func (a *Averager) Add(patches []float32) {
	g := a.grid
	n, cols := g.Size*g.Size, g.Cols()
	rows := len(patches) / (n * cols)
	if rows*n*cols != len(patches) || a.next+rows > g.Rows() {
		panic(fmt.Sprintf("patches: %d samples do not make rows of %d patches of %d, or pass row %d",
			len(patches), cols, n, g.Rows()))
	}
	for range rows {
		y := g.y(a.next)
		a.finish(y) // no patch to come covers a row above y
		for col := range cols {
			x := g.x(col)
			for i := range g.Size {
				from := patches[:g.Size]
				to := a.sum[(y+i)%g.Size*g.W+x:][:g.Size]
				for j, v := range from {
					to[j] += float64(v)
				}
				patches = patches[g.Size:]
			}
		}
		a.next++
	}
}

// finish stores the averages of the plane rows above row end, which no later patch covers, and clears their sums in the
// ring. An average is a sum divided by the number of patches that cover the sample.
func (a *Averager) finish(end int) {
	g := a.grid
	for y := a.done; y < end; y++ {
		sum := a.sum[y%g.Size*g.W:][:g.W]
		for x, v := range sum {
			a.out.Pix[y*g.W+x] = float32(v / (a.down[y] * a.across[x]))
			sum[x] = 0
		}
	}
	a.done = max(a.done, end)
}

// Plane returns the average, which then belongs to the caller. It panics if rows of patches are missing.
func (a *Averager) Plane() *plane.Plane {
	if a.next != a.grid.Rows() {
		panic(fmt.Sprintf("patches: %d of %d rows of patches were added", a.next, a.grid.Rows()))
	}
	a.finish(a.grid.H)
	return a.out
}
