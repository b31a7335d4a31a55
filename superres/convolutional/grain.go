package convolutional

import (
	"context"

	"superres/internal/parallel"
	"superres/patches/plane"
)

// A network sharpens the grain of a camera, its noise, together with details, so that a sky gets a woven texture. So
// the residual, which the network adds to the enlarged brightness, is left out where brightness varies no more than
// grain does. Where it varies more, a share of the residual is added. On pictures without grain that costs 0.01 dB.

// How much brightness varies at a sample of the picture is its standard deviation over the (2·around+1)² samples
// around it. If that is at most the grain given to WithGrain, the sample gets none of the residual; from grainEnd
// times the grain on it gets all of it, and in between a share that grows with the variance.
const (
	around   = 2
	grainEnd = 2.5
	samples  = (2*around + 1) * (2*around + 1) // samples of which the variance is taken
	fineness = 16                              // integer steps per level (0 to 255)
)

// MaxGrain is the greatest grain of a stage, in levels (0 to 255).
const MaxGrain = 20

// WithGrain returns a stage with the given grain: a standard deviation, in levels and at most MaxGrain, up to which
// flat areas stay as interpolation left them. With 0 the residual is added everywhere. Both stages share the network.
func (s *Stage) WithGrain(grain float64) *Stage {
	if s.params.Grain == grain {
		return s
	}
	changed := &Stage{s.net}
	changed.params.Grain = grain
	return changed
}

// shares sets dst to the share of the residual, 0..1, that each sample of low, the picture's brightness, gets:
//
//	(v − g²)/((5g/2)² − g²), clamped to 0..1,
//
// with v the variance of the 5×5 samples around it in squares of levels (edge samples are repeated), g the grain in
// levels, and 5/2 = grainEnd. Variances are integers, in units of 1/one.
func (s *Stage) shares(ctx context.Context, dst, low *plane.Plane) error {
	const one = samples * samples * fineness * fineness // a variance of 1 level²
	least := int64(s.params.Grain * s.params.Grain * one)
	span := float32(max(int64(s.params.Grain*s.params.Grain*grainEnd*grainEnd*one)-least, 1))
	const rowsPerTask = 32
	return parallel.For(ctx, low.H, rowsPerTask, func() func(lo, hi int) {
		w := newWindow(low)
		return func(lo, hi int) {
			w.begin(lo)
			for y := lo; y < hi; y++ {
				row := dst.Row(y)
				w.each(func(x int, sum, squares int32) {
					v := int64(squares)*samples - int64(sum)*int64(sum) // the variance times one
					row[x] = min(max(float32(v-least)/span, 0), 1)
				})
				w.next()
			}
		}
	})
}

// window holds, for row y of a plane, the sum and the sum of squares of each column over the rows y−around to y+around.
type window struct {
	plane         *plane.Plane
	y             int
	sums, squares []int32 // of column x at index x+around
}

func newWindow(p *plane.Plane) *window {
	return &window{plane: p, sums: make([]int32, p.W+2*around), squares: make([]int32, p.W+2*around)}
}

// begin moves the window to row y and computes all sums.
func (w *window) begin(y int) {
	clear(w.sums)
	clear(w.squares)
	w.y = y
	for v := y - around; v <= y+around; v++ {
		w.add(v, 1)
	}
}

// next moves the window to the next row.
func (w *window) next() {
	w.add(w.y-around, -1)
	w.y++
	w.add(w.y+around, 1)
}

// add adds the samples of row y, times a sign of 1 or −1, to the sums: −1 takes away a row that add has added. Rows
// beyond the plane are the row at the edge. A level has fineness integer steps.
func (w *window) add(y int, sign int32) {
	row := w.plane.Row(min(max(y, 0), w.plane.H-1))
	sums, squares := w.sums[around:][:len(row)], w.squares[around:][:len(row)]
	for x, v := range row {
		level := int32(float32(min(max(v, 0), 1)*(255*fineness)) + 0.5)
		sums[x] += sign * level
		squares[x] += sign * level * level
	}
}

// each calls visit for each sample x of row w.y, with the sum and the sum of squares over the 5×5 samples around, from
// the sums of 5 columns. Columns beyond the plane are the column at the edge.
func (w *window) each(visit func(x int, sum, squares int32)) {
	n := w.plane.W
	for i := range around {
		w.sums[i], w.squares[i] = w.sums[around], w.squares[around]
		w.sums[around+n+i], w.squares[around+n+i] = w.sums[around+n-1], w.squares[around+n-1]
	}
	var sum, squares int32
	for i := range 2 * around {
		sum, squares = sum+w.sums[i], squares+w.squares[i]
	}
	for x := range n {
		sum, squares = sum+w.sums[x+2*around], squares+w.squares[x+2*around]
		visit(x, sum, squares)
		sum, squares = sum-w.sums[x], squares-w.squares[x]
	}
}
