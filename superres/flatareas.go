package superres

import (
	"context"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/resample"
	"superres/superres/stage"
)

// A model learns from photographs. It sharpens a drawing until it rings: beside a line of one colour on a ground of
// one colour, the result goes past both colours. But a drawing shows its colours in flat areas and lines, where
// samples side by side are equal, so that the result can be clamped to them.

// clampsFlatAreas reports whether an enlargement needs clampFlatAreas: whether a stage rings, and the model undoes
// bicubic reduction. The model for digits undoes another reduction, and restores white strokes on black best without
// the clamp.
func (m *Model) clampsFlatAreas(s sizes) bool {
	return m.Degradation == resample.Cubic && slices.ContainsFunc(m.chainModels(s), func(model *Model) bool {
		return slices.ContainsFunc(model.Stages, stage.KeepsAreas)
	})
}

// rowsAround returns the range of rows of the picture that clampFlatAreas needs for the rows [lo, hi) of the result.
func (e *enlarger) rowsAround(lo, hi int) (from, to int) {
	return max(resample.Under(lo, e.inH, e.h)-1, 0), min(resample.Under(hi-1, e.inH, e.h)+2, e.inH)
}

// clampFlatAreas keeps the rows [lo, hi) of the painted result from ringing around areas and lines of one colour. low
// holds rows of the picture, beginning with row lowTop: all that rowsAround returns.
//
// Take the 3×3 samples of the picture around the place of a sample of the result. If at least three of the nine have
// the least value among them, the sample is raised to that value if it is below; if at least three have the greatest
// value, it is lowered to that if it is above. Other samples may go further, because a peak that stands alone was
// higher before the picture was reduced, and restoring it is the purpose of a model. Photographs seldom have three
// equal samples where there is anything to restore: the clamp changes their PSNR by 0.002 dB.
func (e *enlarger) clampFlatAreas(lo, hi int, low picture.Picture, lowTop int) {
	const rowsPerTask = 16
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), hi-lo, rowsPerTask, func() func(from, to int) {
		finder := newFlatFinder(e.inW)
		var bounds []picture.Bounds // of row bounded of the picture
		return func(from, to int) {
			for channel, plane := range low.Channels {
				finder.begin(func(row int) []float32 { return plane.Row(row - lowTop) }, e.inH)
				bounded := -1 // the row of the picture that bounds belongs to; -1: none yet
				for y := lo + from; y < lo+to; y++ {
					if v := resample.Under(y, e.inH, e.h); v != bounded {
						bounds = finder.appendBounds(bounds[:0], v, e.out.Level)
						bounded = v
					}
					e.out.Limit(y, channel, bounds, e.columnStarts)
				}
			}
		}
	})
}

// flatFinder finds the samples of a plane around which three of 3×3 samples share the least or the greatest value.
type flatFinder struct {
	row             func(y int) []float32
	h               int
	padded          [3][]float32 // row y at index y%3, with a missing sample before it and after it
	paddedY         [3]int       // which row each element of padded holds; -1: none yet
	missing         []float32    // stands for the rows above and below the plane
	least, greatest []float32
}

func newFlatFinder(width int) *flatFinder {
	row := func() []float32 { return slices.Repeat([]float32{kernel.Missing}, width+2) }
	return &flatFinder{
		padded: [3][]float32{row(), row(), row()}, missing: row(),
		least: make([]float32, width), greatest: make([]float32, width),
	}
}

// begin turns to another plane of h rows; row(y) returns its row y.
func (f *flatFinder) begin(row func(y int) []float32, h int) {
	f.row, f.h, f.paddedY = row, h, [3]int{-1, -1, -1}
}

// paddedRow returns row y with a missing sample before and after it. Beyond the plane, for y = -1 and y = f.h, all are
// missing.
func (f *flatFinder) paddedRow(y int) []float32 {
	if y < 0 || y >= f.h {
		return f.missing
	}
	if f.paddedY[y%3] != y {
		f.paddedY[y%3] = y
		copy(f.padded[y%3][1:], f.row(y))
	}
	return f.padded[y%3]
}

// appendBounds appends to list the bounds of the samples of row y that have any, and returns list. level converts
// samples to levels of the result.
func (f *flatFinder) appendBounds(list []picture.Bounds, y int, level func(float32) uint16) []picture.Bounds {
	kernel.BoundFlatAreas(f.least, f.greatest, f.paddedRow(y-1), f.paddedRow(y), f.paddedRow(y+1))
	for x, lo := range f.least {
		hi := f.greatest[x]
		if lo < 0 && hi > 1 { // neither is shared by three samples
			continue
		}
		b := picture.Bounds{X: int32(x), Most: math.MaxUint16}
		if lo >= 0 {
			b.Least = level(lo)
		}
		if hi <= 1 {
			b.Most = level(hi)
		}
		list = append(list, b)
	}
	return list
}
