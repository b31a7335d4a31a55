package superres

import (
	"math"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Report says how the enlargement of a picture went.
type Report struct {
	// LRPSNR says how well the result agrees with the picture: the peak signal-to-noise ratio, in dB, white being 1, of
	// the brightness of the result, reduced to the size of the picture by antialiased bicubic resampling, against the
	// brightness of the picture. It is at most MaxLRPSNR.
	LRPSNR float64
}

// MaxLRPSNR is the LRPSNR, in dB, of a result that agrees with its picture but for rounding errors.
const MaxLRPSNR = 120

// agreement compares the brightness of the result, reduced again, with that of the picture, while the result is
// painted.
type agreement struct {
	reduction *resample.Scaler // from the size of the result to that of the picture; nil: they are the same
	result    window           // rows of the brightness of the result that are not all compared yet
	compared  int              // rows of the picture that are compared
	sum       float64          // of the squared differences of these rows
}

// newAgreement returns the agreement of a result of size s.w×s.h with its picture.
func newAgreement(s sizes) *agreement {
	a := &agreement{}
	if s.inW != s.w || s.inH != s.h {
		a.reduction = resample.New(s.w, s.h, s.inW, s.inH, resample.Bicubic)
	}
	return a
}

// compare takes the next rows of the result as painted from planes: brightness first, or, with rgb, red, green
// and blue.
func (e *enlarger) compare(planes []*plane.Plane, rgb bool) {
	a := e.agreement
	shown := a.extend(e.w, planes[0].H)
	if rgb {
		picture.LumaOf(shown, planes)
	} else {
		parallel.Rows(shown.H, func(y int) {
			to := shown.Row(y)
			for x, v := range planes[0].Row(y) {
				to[x] = picture.Clamp(v)
			}
		})
	}
	to := a.compared
	for to < e.inH {
		if _, end := a.needs(to, to+1); end > a.result.end() {
			break
		}
		to++
	}
	if to == a.compared {
		return
	}
	a.add(e, to)
	if a.compared = to; to < e.inH {
		first, _ := a.needs(to, e.inH)
		a.dropBefore(first)
	}
}

// extend adds rows of arbitrary values to a.result, which has rows of w samples, and returns them.
func (a *agreement) extend(w, rows int) *plane.Plane {
	p := &a.result.plane
	top := p.H
	p.W, p.H = w, p.H+rows
	p.Pix = slices.Grow(p.Pix, w*rows)[:w*p.H]
	return rowsOf(p, top, p.H)
}

// dropBefore drops the rows of a.result above row, which is a row of the whole result.
func (a *agreement) dropBefore(row int) {
	p := &a.result.plane
	kept := p.Pix[(row-a.result.top)*p.W:]
	p.H = len(kept) / p.W
	p.Pix = p.Pix[:copy(p.Pix, kept)]
	a.result.top = row
}

// needs returns the range of rows of the result from which the rows [from, to) of the picture's size are computed.
func (a *agreement) needs(from, to int) (lo, hi int) {
	if a.reduction == nil {
		return from, to
	}
	return a.reduction.Needs(from, to)
}

// add adds the squared differences of the rows up to row to of the picture, which the rows of the result suffice for.
func (a *agreement) add(e *enlarger, to int) {
	low := e.split(a.compared, to)
	defer e.release(low)
	truth := low.Channels[0]
	if len(low.Channels) > 1 {
		truth = e.mem.Plane(e.inW, truth.H)
		defer e.mem.Give(truth.Pix)
		picture.LumaOf(truth, low.Channels)
	}
	reduced := a.result.rows(a.needs(a.compared, to))
	if a.reduction != nil {
		reduced = e.mem.Plane(e.inW, truth.H)
		defer e.mem.Give(reduced.Pix)
		a.reduction.Rows(reduced, &a.result.plane, a.result.top, a.compared)
	}
	sums := make([]float64, truth.H)
	parallel.Rows(truth.H, func(y int) {
		sum, row := 0.0, reduced.Row(y)
		for x, v := range truth.Row(y) {
			d := float64(v - row[x])
			sum += float64(d * d)
		}
		sums[y] = sum
	})
	for _, sum := range sums {
		a.sum += sum
	}
}

// psnr returns the LRPSNR of a picture of the given number of samples.
func (a *agreement) psnr(samples int) float64 {
	return min(-10*math.Log10(a.sum/float64(samples)), MaxLRPSNR)
}
