package resample

import (
	"context"
	"math"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/patches/plane"
)

// polyphase is bicubic resampling by an integer scale of 2 to 4 with fixed filters: all new samples of a phase
// (position modulo scale) have the same few weights. The results, in float32, agree with Scaler.sumRows to within 1e-6.
type polyphase struct {
	scale  int
	reduce bool
	phases []phase // scale phases to enlarge, 1 to reduce
}

// phase is the filter for one phase. To enlarge, phase k computes the new sample q·scale+k from the old samples from
// q+first on. To reduce, the only phase computes the new sample q from the old samples from q·scale+first on.
type phase struct {
	first  int
	weight []float32
}

// newPolyphase returns the filter if both sides are enlarged, or both reduced, by the same integer, 2 to 4, else nil.
func newPolyphase(inW, inH, outW, outH int) *polyphase {
	for scale := 2; scale <= 4; scale++ {
		switch {
		case inW*scale == outW && inH*scale == outH:
			return newEnlarging(scale)
		case outW*scale == inW && outH*scale == inH:
			return newReducing(scale)
		}
	}
	return nil
}

// The weights are taken from the middle of an axis with this many samples in the smaller picture.
const exampleAxis = 16

// newEnlarging and newReducing return the filter for an integer scale.
func newEnlarging(scale int) *polyphase {
	f := &polyphase{scale: scale}
	t := Bicubic.taps(exampleAxis, exampleAxis*scale)
	for p := range scale {
		f.phases = append(f.phases, newPhase(t, exampleAxis/2*scale+p, exampleAxis/2))
	}
	return f
}

func newReducing(scale int) *polyphase {
	t := Bicubic.taps(exampleAxis*scale, exampleAxis)
	return &polyphase{scale: scale, reduce: true, phases: []phase{newPhase(t, exampleAxis/2, exampleAxis/2*scale)}}
}

// newPhase returns the filter with the weights in t for new sample i, without leading and trailing zeros. Field first
// of the filter is relative to old sample number from.
func newPhase(t taps, i, from int) phase {
	weight, index := t.sumOf(i)
	zero := func(w float64) bool { return math.Abs(w) < 1e-12 }
	for zero(weight[0]) {
		weight, index = weight[1:], index[1:]
	}
	for zero(weight[len(weight)-1]) {
		weight = weight[:len(weight)-1]
	}
	p := phase{first: int(index[0]) - from}
	for _, w := range weight {
		p.weight = append(p.weight, float32(w))
	}
	return p
}

// reach returns how many samples before and after the place of a new sample the filters read.
func (f *polyphase) reach() (before, after int) {
	for _, p := range f.phases {
		before, after = max(before, -p.first), max(after, p.first+len(p.weight)-1)
	}
	return before, after
}

// enlargeRows sets dst to rows of an enlargement, beginning with row y0. src holds rows of a plane of the given height,
// beginning with row top, at least the rows that Needs returns. If base is not nil, dst becomes base plus the
// enlargement, limited to 0..1; base may be dst.
func (f *polyphase) enlargeRows(dst, base, src *plane.Plane, top, height, y0 int) {
	s, w, wide := f.scale, src.W, src.W*f.scale
	before, after := f.reach()
	q0, q1 := y0/s, (y0+dst.H+s-1)/s
	const grain = 16 // rows of the old plane in a range
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), q1-q0, grain, func() func(lo, hi int) {
		mid := make([]float32, (grain+before+after)*wide) // old rows, enlarged in width only
		pad, phased := make([]float32, before+w+after), make([]float32, w)
		var at []int
		return func(lo, hi int) {
			lo, hi = lo+q0, hi+q0
			first, last := max(lo-before, 0), min(hi+after, height)
			for r := first; r < last; r++ {
				fillMirrored(pad, src.Row(r-top), before)
				f.enlargeRow(mid[(r-first)*wide:][:wide], pad, phased, before)
			}
			for y := max(lo*s, y0); y < min(hi*s, y0+dst.H); y++ {
				p := f.phases[y%s]
				at = at[:0]
				for k := range p.weight {
					at = append(at, (Mirror(y/s+p.first+k, height)-first)*wide)
				}
				if base != nil {
					kernel.CombineOnto(dst.Row(y-y0), base.Row(y-y0), mid, at, p.weight)
				} else {
					kernel.Combine(dst.Row(y-y0), mid, at, p.weight)
				}
			}
		}
	})
}

// enlargeRow sets dst to the enlargement of a row, phase after phase. pad holds the row from pad[before] on, mirrored
// at both ends. phased is a buffer for the samples of one phase, as many as the row has.
func (f *polyphase) enlargeRow(dst, pad, phased []float32, before int) {
	var at [5]int // no phase has more weights
	for i, p := range f.phases {
		for k := range p.weight {
			at[k] = before + p.first + k
		}
		kernel.Combine(phased, pad, at[:len(p.weight)], p.weight)
		to := dst[i:]
		switch f.scale {
		case 2: // a constant step is faster
			for x, v := range phased {
				to[2*x] = v
			}
		default:
			for x, v := range phased {
				to[f.scale*x] = v
			}
		}
	}
}

// reduceRows sets dst to rows of a reduction, beginning with row y0. src holds rows of a plane of dst.W·scale×height
// samples, beginning with row top, at least the rows that Needs returns.
//
// Note: a row is filtered at all old samples, and most results are dropped: faster than dividing the row into phases.
func (f *polyphase) reduceRows(dst, src *plane.Plane, top, height, y0 int) {
	s, wide, p := f.scale, dst.W*f.scale, f.phases[0]
	before, after := f.reach()
	across := make([]int, len(p.weight))
	for k := range across {
		across[k] = k // in pad, which begins with the sample that the first weight is for
	}
	// A range has 8 rows. The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), dst.H, 8, func() func(lo, hi int) {
		row, pad, down := make([]float32, wide), make([]float32, before+wide+after), make([]int, len(p.weight))
		return func(lo, hi int) {
			for y := lo; y < hi; y++ {
				for k := range down {
					down[k] = (Mirror((y0+y)*s+p.first+k, height) - top) * src.W
				}
				kernel.Combine(row, src.Pix, down, p.weight)
				fillMirrored(pad, row, before)
				all := row[:wide-s+1] // up to the last result that is kept
				kernel.Combine(all, pad, across, p.weight)
				to := dst.Row(y)
				for x := range to {
					to[x] = all[x*s]
				}
			}
		}
	})
}

// fillMirrored copies row to pad, beginning at pad[before], and fills the rest of pad with mirror images of row.
func fillMirrored(pad, row []float32, before int) {
	copy(pad[before:], row)
	for x := range before {
		pad[x] = row[Mirror(x-before, len(row))]
	}
	for x := before + len(row); x < len(pad); x++ {
		pad[x] = row[Mirror(x-before, len(row))]
	}
}
