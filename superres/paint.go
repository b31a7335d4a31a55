package superres

import (
	"context"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// rowsPerPass is how many rows are split into planes or painted at a time: few enough to stay in the processor's cache
// and to take little memory beside a band.
const rowsPerPass = 192

// paint paints rows of the result, beginning with row top, from the enlarged planes: as one strip or, if strips go to
// e.emit and a network has returned more rows than usual, as several.
func (e *enlarger) paint(top int, planes []*plane.Plane) {
	height := planes[0].H
	strip := height
	if e.emit != nil && e.model.Network != nil { // a network returns many rows with the last band
		strip = e.bandRows * ((e.h + e.inH - 1) / e.inH) // what other bands become, or a little more
	}
	for from := 0; from < height; from += strip {
		e.paintStrip(top+from, rowsOfAll(planes, from, min(from+strip, height)))
	}
}

// paintStrip paints rows of the result, beginning with row top: into e.out or, if e.emit is set, as a picture for it.
func (e *enlarger) paintStrip(top int, planes []*plane.Plane) {
	if e.emit != nil {
		e.out.Strip(top, top+planes[0].H)
		defer func() { e.emit(e.out.Image) }()
	}
	for from := 0; from < planes[0].H; from += rowsPerPass {
		e.paintRows(top+from, rowsOfAll(planes, from, min(from+rowsPerPass, planes[0].H)))
	}
}

// paintRows does what paint does, for at most rowsPerPass rows. It changes planes: it applies the strength to them, and
// splits red, green and blue of a picture with chroma.
func (e *enlarger) paintRows(top int, planes []*plane.Plane) {
	luma := planes[0]
	end := top + luma.H
	lo, hi := e.rowsAround(top, end)
	interpolated := !e.grey && len(planes) == 1 // colour is interpolated here
	if interpolated || e.strength != 1 {
		from, to := e.interpolation.Needs(top, end)
		lo, hi = min(lo, from), max(hi, to)
	}
	low := e.split(lo, hi)
	rgb := len(planes) == 3 && e.model.takesRGB()
	if rgb && e.chroma != nil {
		splitRGB(planes)
		luma, rgb = planes[0], false
	}
	if e.strength != 1 {
		e.applyStrength(top, planes, rgb, low, lo)
	}
	if e.agreement != nil {
		e.compare(planes, rgb)
	}
	switch {
	case rgb:
		parallel.Rows(luma.H, func(y int) {
			e.out.RGB(top+y, planes[0].Row(y), planes[1].Row(y), planes[2].Row(y))
		})
	case e.grey:
		parallel.Rows(luma.H, func(y int) { e.out.Put(top+y, 0, luma.Row(y)) })
		if e.chroma != nil { // a frame of video, whose colour comes beside the grey picture
			e.keepChroma(top, end, planes[1:])
		}
	case interpolated:
		e.paintInterpolated(top, luma, low, lo)
	default:
		red, blue := planes[1], planes[2]
		parallel.Rows(luma.H, func(y int) { e.out.Colour(top+y, luma.Row(y), red.Row(y), blue.Row(y)) })
	}
	if e.columnStarts != nil { // set only if the enlargement needs the clamp
		e.clampFlatAreas(top, end, low, lo)
	}
	e.release(low)
}

// keepChroma stores the rows [top, end) of enlarged chroma in the result, with the strength if the model takes RGB. If
// the model has no network for colour, enlarged is empty, and keepChroma interpolates chroma.
func (e *enlarger) keepChroma(top, end int, enlarged []*plane.Plane) {
	for i, to := range e.chroma.High {
		to = rowsOf(to, top, end)
		lo, hi := e.interpolation.Needs(top, end)
		low := rowsOf(e.chroma.Low[i], lo, hi)
		if len(enlarged) == 0 {
			e.interpolation.Rows(to, low, lo, top)
			continue
		}
		copy(to.Pix, enlarged[i].Pix)
		if e.strength != 1 && e.model.takesRGB() {
			e.weaken(to, top, low, lo)
		}
	}
}

// applyStrength multiplies what the model added to the interpolated picture by the strength, in the rows of the result
// that begin with row top. It changes only the first plane, brightness, or, if rgb is true, red, green and blue. low
// holds the rows of the picture, beginning with row lo, that interpolation needs for these rows.
func (e *enlarger) applyStrength(top int, planes []*plane.Plane, rgb bool, low picture.Picture, lo int) {
	if rgb {
		for i, p := range planes {
			e.weaken(p, top, low.Channels[i], lo)
		}
		return
	}
	lowLuma := low.LumaIn(e.mem.Plane)
	e.weaken(planes[0], top, lowLuma, lo)
	e.releaseLuma(lowLuma)
}

// weaken does what applyStrength does for one plane: p holds rows of the plane of the result, beginning with row top,
// and low rows of the plane of the picture, beginning with row lo.
func (e *enlarger) weaken(p *plane.Plane, top int, low *plane.Plane, lo int) {
	interpolated := e.mem.Plane(e.w, p.H)
	e.interpolation.Rows(interpolated, low, lo, top)
	parallel.Rows(p.H, func(y int) {
		row, from := p.Row(y), interpolated.Row(y)
		for x, v := range row {
			row[x] = from[x] + float32(e.strength*(v-from[x]))
		}
	})
	e.mem.Give(interpolated.Pix)
}

// paintInterpolated paints rows of the result, beginning with row top, from enlarged brightness luma and from colour
// that it interpolates. low holds the rows of the picture, beginning with row lo, that interpolation needs.
func (e *enlarger) paintInterpolated(top int, luma *plane.Plane, low picture.Picture, lo int) {
	lowLuma, difference := low.LumaIn(e.mem.Plane), e.mem.Plane(e.inW, low.Channels[0].H)
	interpolate := func(channel int) *plane.Plane {
		subtract(difference, low.Channels[channel], lowLuma)
		out := e.mem.Plane(e.w, luma.H)
		e.interpolation.Rows(out, difference, lo, top)
		return out
	}
	red, blue := interpolate(0), interpolate(2)
	parallel.Rows(luma.H, func(y int) { e.out.Colour(top+y, luma.Row(y), red.Row(y), blue.Row(y)) })
	for _, used := range []*plane.Plane{lowLuma, difference, red, blue} {
		e.mem.Give(used.Pix)
	}
}

// paintAlpha paints the transparency of rows of the result, beginning with row top, with clean outlines.
func (e *enlarger) paintAlpha(top int, planes []*plane.Plane) {
	alpha := planes[0]
	if e.changesAlpha() {
		clampToNeighbours(alpha, top, e.h, e.transparent.Alpha)
		e.clearHaze(alpha)
	}
	parallel.Rows(alpha.H, func(y int) { e.out.Put(top+y, 3, alpha.Row(y)) }) // channel 3: alpha
}

// Transparency goes through the model as brightness does, because an outline is an edge like any other. Two measures
// keep outlines clean. Colour is enlarged separately, over the whole picture, after visible colour has been spread into
// the pixels that are fully transparent (package picture does that), so that no hidden colour is mixed into an edge.
// And the transparency of the result stays within the range that it has around the same place of the picture, so that
// the inside of a figure stays opaque and its outside transparent, however the model sharpens the edge between them.

// clearHaze makes nearly transparent pixels of alpha transparent and nearly opaque pixels opaque, if all pixels of the
// picture are fully transparent or opaque: a model that overshoots at an edge leaves a haze of 1 to 7 levels there.
func (e *enlarger) clearHaze(alpha *plane.Plane) {
	const haze = 7.5 / 255
	if !e.hardAlpha {
		return
	}
	parallel.Rows(alpha.H, func(y int) {
		row := alpha.Row(y)
		for x, v := range row {
			if v < haze {
				row[x] = 0
			} else if v > 1-haze {
				row[x] = 1
			}
		}
	})
}

// clampToNeighbours limits every sample of out to the range of the 3×3 samples of low around its place, fewer at an
// edge. out holds the rows of an enlargement of low, beginning with row top; height is its whole height.
func clampToNeighbours(out *plane.Plane, top, height int, low *plane.Plane) {
	const rowsPerTask = 16
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), out.H, rowsPerTask, func() func(from, to int) {
		least, greatest := make([]float32, low.W), make([]float32, low.W)
		ranged := -1 // the row of low to which least and greatest belong; -1: none yet
		return func(from, to int) {
			for y := from; y < to; y++ {
				if v := resample.Under(top+y, low.H, height); v != ranged {
					neighbourRanges(least, greatest, low, v)
					ranged = v
				}
				row := out.Row(y)
				for x := range row {
					u := resample.Under(x, low.W, out.W)
					row[x] = min(max(row[x], least[u]), greatest[u])
				}
			}
		}
	})
}

// neighbourRanges writes the least and the greatest of the 3×3 samples around each sample of row y of p to least and
// greatest, which have p.W elements.
func neighbourRanges(least, greatest []float32, p *plane.Plane, y int) {
	copy(least, p.Row(y))
	copy(greatest, p.Row(y))
	for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
		row := p.Row(v)
		for x := range row {
			for _, s := range row[max(x-1, 0):min(x+2, p.W)] {
				least[x], greatest[x] = min(least[x], s), max(greatest[x], s)
			}
		}
	}
}

// A model learns from photographs. It sharpens a drawing until it rings: beside a line of one colour on a ground of
// one colour, the result goes past both colours. But a drawing shows its colours in flat areas and lines, where
// samples side by side are equal, so that the result can be clamped to them.

// clampsFlatAreas reports whether an enlargement needs clampFlatAreas: whether a stage rings, and the model undoes
// bicubic reduction. The model for digits undoes another reduction, and restores white on black best without the clamp.
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
// holds the rows of the picture that rowsAround returns, beginning with row lowTop.
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
		var bounds []picture.Bounds // for one row of the picture
		return func(from, to int) {
			for channel, plane := range low.Channels {
				finder.begin(func(row int) []float32 { return plane.Row(row - lowTop) }, e.inH)
				bounded := -1 // the row of the picture to which bounds belongs; -1: none yet
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

// flatFinder finds samples of a plane around which at least three of 3×3 samples share the least or the greatest value.
type flatFinder struct {
	row             func(y int) []float32
	h               int
	padded          [3][]float32 // row y at index y%3, with a missing sample before it and after it
	paddedY         [3]int       // which row each element of padded holds; -1: none yet
	missing         []float32    // stands for the rows above and below the plane
	least, greatest []float32    // for each sample of a row, the value that three share; < 0 and > 1: none
}

func newFlatFinder(width int) *flatFinder {
	row := func() []float32 { return slices.Repeat([]float32{kernel.Missing}, width+2) }
	return &flatFinder{
		padded: [3][]float32{row(), row(), row()}, missing: row(),
		least: make([]float32, width), greatest: make([]float32, width),
	}
}

// begin makes f work on another plane, which has h rows; row(y) returns row y of that plane.
func (f *flatFinder) begin(row func(y int) []float32, h int) {
	f.row, f.h, f.paddedY = row, h, [3]int{-1, -1, -1}
}

// paddedRow returns row y with a missing sample before and after it. For y = -1 and y = f.h, all samples are missing.
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

// appendBounds appends to list the bounds of all samples of row y that have bounds. level converts samples to levels.
func (f *flatFinder) appendBounds(list []picture.Bounds, y int, level func(float32) uint16) []picture.Bounds {
	kernel.BoundFlatAreas(f.least, f.greatest, f.paddedRow(y-1), f.paddedRow(y), f.paddedRow(y+1))
	for x, lo := range f.least {
		hi := f.greatest[x]
		if lo < 0 && hi > 1 { // −Inf and +Inf: of the 3×3 samples no three share the least value or the greatest
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
