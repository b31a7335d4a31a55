package convolutional

import (
	"context"

	"superres/internal/parallel"
	"superres/patches/plane"
)

// A network makes details more distinct, and a camera's grain with them: a sky gets a weave. So
// where the samples around one vary by as little as grain does, the enlargement stays as it was, and
// from there on the residual is added by degrees. Where there is no grain that costs 0.01 dB.

// The samples within around rows and columns count; from grainEnd times the grain on all of the
// residual is added.
const (
	around   = 2
	grainEnd = 2.5
	samples  = (2*around + 1) * (2*around + 1)
	fineness = 16 // parts of a level in which samples are counted
)

// MaxGrain is the greatest grain of a stage, in levels of 255.
const MaxGrain = 20

// WithGrain returns the stage with another grain: the standard deviation, in levels of 255 and at
// most MaxGrain, below which a flat place is left as interpolation has it. 0: none is.
func (s *Stage) WithGrain(grain float64) *Stage {
	if s.params.Grain == grain {
		return s
	}
	changed := &Stage{s.net}
	changed.params.Grain = grain
	return changed
}

// shares sets to to the share of the residual that is added to each sample of low:
//
//	(v − g²)/((5g/2)² − g²), limited to 0..1,
//
// with v the variance of 5×5 samples, those at an edge repeated beyond it, and g the grain.
func (s *Stage) shares(ctx context.Context, to, low *plane.Plane) error {
	const one = samples * samples * fineness * fineness // a variance of 1 level²
	least := int64(s.params.Grain * s.params.Grain * one)
	span := float32(max(int64(s.params.Grain*s.params.Grain*grainEnd*grainEnd*one)-least, 1))
	const rowsPerTask = 32
	return parallel.For(ctx, low.H, rowsPerTask, func() func(lo, hi int) {
		w := newWindow(low)
		return func(lo, hi int) {
			w.begin(lo)
			for y := lo; y < hi; y++ {
				row := to.Row(y)
				w.each(func(x int, sum, squares int32) {
					v := int64(squares)*samples - int64(sum)*int64(sum)
					row[x] = min(max(float32(v-least)/span, 0), 1)
				})
				w.next()
			}
		}
	})
}

// window has the sums of the samples of each column around one row of a plane, and of their squares.
type window struct {
	plane         *plane.Plane
	y             int
	sums, squares []int32 // column x is at x+around
}

func newWindow(p *plane.Plane) *window {
	return &window{plane: p, sums: make([]int32, p.W+2*around), squares: make([]int32, p.W+2*around)}
}

// begin goes to row y.
func (w *window) begin(y int) {
	clear(w.sums)
	clear(w.squares)
	w.y = y
	for v := y - around; v <= y+around; v++ {
		w.add(v, 1)
	}
}

// next goes to the next row.
func (w *window) next() {
	w.add(w.y-around, -1)
	w.y++
	w.add(w.y+around, 1)
}

// add adds a row to the sums, with a sign of −1 takes it away.
func (w *window) add(y int, sign int32) {
	row := w.plane.Row(min(max(y, 0), w.plane.H-1))
	sums, squares := w.sums[around:][:len(row)], w.squares[around:][:len(row)]
	for x, v := range row {
		level := int32(float32(min(max(v, 0), 1)*(255*fineness)) + 0.5)
		sums[x] += sign * level
		squares[x] += sign * level * level
	}
}

// each calls visit with the sums of the samples around each sample of the row.
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
