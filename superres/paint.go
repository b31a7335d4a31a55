package superres

import (
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// rowsPerPass is how many rows are taken apart or painted at a time: few enough to stay in the processor's cache and
// to take little memory beside a band.
const rowsPerPass = 192

// paint paints rows of the result, beginning with row top. planes are those of the task.
func (e *enlarger) paint(top int, planes []*plane.Plane) {
	height := planes[0].H
	strip := height
	if e.emit != nil && e.model.Network != nil { // which returns many rows with the last band
		strip = e.bandRows * ((e.h + e.inH - 1) / e.inH)
	}
	for from := 0; from < height; from += strip {
		e.paintStrip(top+from, rowsOfAll(planes, from, min(from+strip, height)))
	}
}

// paintStrip is paint for as many rows as are handed over at a time when the result is not painted as one image.
func (e *enlarger) paintStrip(top int, planes []*plane.Plane) {
	if e.emit != nil {
		e.out.Strip(top, top+planes[0].H)
		defer func() { e.emit(e.out.Image) }()
	}
	for from := 0; from < planes[0].H; from += rowsPerPass {
		e.paintRows(top+from, rowsOfAll(planes, from, min(from+rowsPerPass, planes[0].H)))
	}
}

// paintRows is paint for at most rowsPerPass rows.
func (e *enlarger) paintRows(top int, planes []*plane.Plane) {
	luma := planes[0]
	end := top + luma.H
	lo, hi := e.rowsAround(top, end)
	interpolated := !e.grey && len(planes) == 1
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
		if e.chroma != nil {
			e.keepChroma(top, end, planes[1:])
		}
	case interpolated:
		e.paintInterpolated(top, luma, low, lo)
	default:
		red, blue := planes[1], planes[2]
		parallel.Rows(luma.H, func(y int) { e.out.Colour(top+y, luma.Row(y), red.Row(y), blue.Row(y)) })
	}
	if e.columnStarts != nil {
		e.clampFlatAreas(top, end, low, lo)
	}
	e.release(low)
}

// keepChroma copies the rows [top, end) of enlarged chroma into the result. If the model has no network for colour,
// enlarged is empty, and chroma is interpolated.
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

// applyStrength changes rows of the result, beginning with row top, to the interpolated picture plus the strength times
// what the model adds to it: brightness, the first of the planes, or, if they are red, green and blue, all of them. low
// holds rows of the picture, beginning with row lo: all that interpolation needs.
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

// weaken is applyStrength for p, rows of a plane of the result beginning with row top. low holds rows of that plane of
// the picture, beginning with row lo.
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

// paintInterpolated paints rows of the result, beginning with row top, from brightness luma and interpolated colour.
// low holds rows of the picture, beginning with row lo: all that interpolation needs.
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

// paintAlpha paints the transparency of rows of the result, beginning with row top.
func (e *enlarger) paintAlpha(top int, planes []*plane.Plane) {
	alpha := planes[0]
	if e.changesAlpha() {
		clampToNeighbours(alpha, top, e.h, e.transparent.Alpha)
	}
	parallel.Rows(alpha.H, func(y int) { e.out.Put(top+y, 3, alpha.Row(y)) })
}
