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

// A model learns from photographs, and sharpens what is drawn until it rings: beside a
// line of one colour on a ground of one colour it passes both. But what is drawn tells its
// colours: samples that are equal, side by side.

// keepsAreas tells whether the model needs keepAreas. Digits, which are white strokes on
// black, are restored best without.
func (m *Model) keepsAreas(inW, inH, w, h int) bool {
	return m.Degradation == resample.Cubic && slices.ContainsFunc(m.models(inW, inH, w, h), func(one *Model) bool {
		return slices.ContainsFunc(one.Stages, stage.KeepsAreas)
	})
}

// around returns the rows of the picture that keepAreas wants for rows lo..hi-1 of the
// result.
func (e *enlarger) around(lo, hi int) (from, to int) {
	return max(resample.Under(lo, e.h, e.out.H)-1, 0), min(resample.Under(hi-1, e.h, e.out.H)+2, e.h)
}

// keepAreas keeps an enlargement from ringing around areas and lines of one colour.
// Where three of the 3×3 samples of the picture around a place have the least value of
// the nine, no sample of the result goes below it, and where three have the greatest,
// none above. Elsewhere it may: a peak that stands alone was higher before it was
// reduced, and to restore that is what a model is for. Photographs seldom have three
// samples that are equal where there is anything to restore; this changes their PSNR by
// 0.002 dB.
//
// It changes rows lo..hi-1 of what is painted; low are the rows of the picture from
// first on, with all those of around.
func (e *enlarger) keepAreas(lo, hi int, low picture.Picture, first int) {
	const together = 16 // rows
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), hi-lo, together, func() func(from, to int) {
		t := newTies(e.w)
		var bounds []picture.Bounds // of a row of the picture
		return func(from, to int) {
			for channel, plane := range low.Channels {
				t.begin(func(row int) []float32 { return plane.Row(row - first) }, e.h)
				last := -1 // the row of the picture that the limits are for
				for y := lo + from; y < lo+to; y++ {
					if v := resample.Under(y, e.h, e.out.H); v != last {
						bounds = t.limits(bounds[:0], v, e.out.Level)
						last = v
					}
					e.out.Limit(y, channel, bounds, e.starts)
				}
			}
		}
	})
}

// ties finds where three of 3×3 samples of a plane are equal.
type ties struct {
	row         func(y int) []float32
	h           int
	rows        [3][]float32 // row y at y%3, between samples that there are not
	at          [3]int       // y
	none        []float32    // for rows beyond an edge
	least, most []float32
}

func newTies(width int) *ties {
	padded := func() []float32 { return slices.Repeat([]float32{kernel.Missing}, width+2) }
	return &ties{rows: [3][]float32{padded(), padded(), padded()}, none: padded(), least: make([]float32, width), most: make([]float32, width)}
}

// begin goes on to another plane of h rows, which row returns.
func (t *ties) begin(row func(y int) []float32, h int) {
	t.row, t.h, t.at = row, h, [3]int{-1, -1, -1}
}

// padded is row y, which may be one beyond an edge.
func (t *ties) padded(y int) []float32 {
	if y < 0 || y >= t.h {
		return t.none
	}
	if t.at[y%3] != y {
		t.at[y%3] = y
		copy(t.rows[y%3][1:], t.row(y))
	}
	return t.rows[y%3]
}

// limits appends the samples of row y of which at least three of the samples at most one
// row and one column away have the least or the greatest of their values, with what that
// is as a level.
func (t *ties) limits(list []picture.Bounds, y int, level func(float32) uint16) []picture.Bounds {
	kernel.BoundFlatAreas(t.least, t.most, t.padded(y-1), t.padded(y), t.padded(y+1))
	for x, lo := range t.least {
		hi := t.most[x]
		if lo < 0 && hi > 1 {
			continue
		}
		h := picture.Bounds{X: int32(x), Most: math.MaxUint16}
		if lo >= 0 {
			h.Least = level(lo)
		}
		if hi <= 1 {
			h.Most = level(hi)
		}
		list = append(list, h)
	}
	return list
}
