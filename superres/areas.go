package superres

import (
	"context"
	"math"

	"superres/internal/parallel"
	"superres/patches"
)

// A cascade learns from photographs, and sharpens what is drawn until it rings: beside
// a line of one colour on a ground of one colour it passes both, and more with every
// stage. But what is drawn tells its colours: samples that are equal, side by side.

// keepsAreas tells whether the model needs keepAreas. Digits, which are white strokes on
// black, are restored best without.
func (m *Model) keepsAreas() bool { return m.isCascade() && m.Degradation == Cubic }

// around returns the rows of the picture that keepAreas wants for rows lo..hi-1 of the
// result.
func (p *painter) around(lo, hi int) (from, to int) {
	return max(under(lo, p.h, p.out.h)-1, 0), min(under(hi-1, p.h, p.out.h)+2, p.h)
}

// under returns the sample of in that holds the centre of sample i of out.
func under(i, in, out int) int { return min((2*i+1)*in/(2*out), in-1) }

// keepAreas keeps an enlargement from ringing around areas and lines of one colour.
// Where three of the 3×3 samples of the picture around a place have the least value of
// the nine, no sample of the result goes below it, and where three have the greatest,
// none above. Elsewhere it may: a peak that stands alone was higher before it was
// reduced, and to restore that is what a cascade is for. Photographs seldom have three
// samples that are equal where there is anything to restore; this changes their PSNR by
// 0.001 dB.
//
// It changes rows lo..hi-1 of what is painted; low are the rows of the picture from
// first on, with all those of around.
func (p *painter) keepAreas(lo, hi int, low picture, first int) {
	const together = 16 // rows
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), hi-lo, together, func() func(from, to int) {
		least, greatest := make([]float32, p.w), make([]float32, p.w)
		floor, ceiling := make([]uint16, p.w), make([]uint16, p.w)
		return func(from, to int) {
			for channel, plane := range low.channels {
				last := -1 // the row of the picture that the limits are for
				for y := lo + from; y < lo+to; y++ {
					if v := under(y, p.h, p.out.h); v != last {
						areas(least, greatest, plane, v-first)
						p.out.levels(floor, least)
						p.out.levels(ceiling, greatest)
						last = v
					}
					p.out.limit(y, channel, floor, ceiling, p.columns)
				}
			}
		}
	})
}

// areas finds the least and the greatest of the samples at most one row and one column
// away from those of row y, where three of them have it, and infinities elsewhere.
func areas(least, most []float32, p *patches.Plane, y int) {
	low, high := float32(math.Inf(-1)), float32(math.Inf(1))
	top, bottom := max(y-1, 0), min(y+1, p.H-1)
	for x := range p.W {
		lo, hi, los, his := high, low, 0, 0
		for v := top; v <= bottom; v++ {
			for _, s := range p.Row(v)[max(x-1, 0):min(x+2, p.W)] {
				switch {
				case s < lo:
					lo, los = s, 1
				case s == lo:
					los++
				}
				switch {
				case s > hi:
					hi, his = s, 1
				case s == hi:
					his++
				}
			}
		}
		if los < 3 {
			lo = low
		}
		if his < 3 {
			hi = high
		}
		least[x], most[x] = lo, hi
	}
}
