package superres

import (
	"context"
	"image"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// enlarger enlarges one picture, band by band. A picture in colour is taken apart by the linear transform of BT.601
// into brightness, red minus brightness and blue minus brightness, from which green follows. Brightness goes through
// the model. The two planes of colour do so as well if the model has a network for colour; otherwise they are
// interpolated while the result is painted, a few rows at a time.
type enlarger struct {
	task        // of the picture without its transparency
	model       *Model
	img         image.Image
	transparent *picture.Picture // planes of a picture with transparency, hidden colours replaced; nil: img is opaque
	grey        bool
	chroma      *Chroma // colour of a grey picture; nil: the picture has none
	out         *picture.Canvas
	// interpolation enlarges colour if the model has no network for colour, and brightness if strength is not 1.
	interpolation *resample.Scaler
	strength      float32 // share, in the result, of what the model adds to interpolated brightness
	bandRows      int
	emit          func(strip image.Image) // takes each band of the result; nil: the result is painted as one image
	// columnStarts has, for each column of the picture, the first column of the result that lies over it, and at the
	// end the width of the result. clampFlatAreas needs them; nil means that flat areas are not clamped.
	columnStarts []int32
}

func (m *Model) newEnlarger(img image.Image, w, h int, opt Options, mem *stage.Pool) *enlarger {
	b := img.Bounds()
	e := &enlarger{model: m, img: img, grey: picture.IsGrey(img), chroma: opt.Chroma, bandRows: opt.BandRows}
	e.task = task{sizes: sizes{b.Dx(), b.Dy(), w, h}, planes: 1, subsampled: opt.Subsampled, mem: mem}
	if (!e.grey || e.chroma != nil) && m.enlargesColour(e.sizes) {
		e.planes = 3
	}
	if e.chroma != nil {
		e.chroma.High = [2]*plane.Plane{plane.New(w, h), plane.New(w, h)}
	}
	if e.bandRows < 1 {
		e.bandRows = m.bandRows(e.sizes)
		if opt.Mix != nil {
			e.bandRows = (e.bandRows + 1) / 2 // two models work on each band
		}
	}
	if !picture.IsOpaque(img) {
		planes := picture.Split(img)
		e.transparent = &planes
	}
	deep := opt.Depth == 16 || opt.Depth != 8 && picture.IsDeep(img)
	if opt.strips {
		e.out = picture.NewStrips(w, h, e.grey, deep)
	} else {
		e.out = picture.NewCanvas(w, h, e.grey, deep)
	}
	e.interpolation = resample.New(e.inW, e.inH, w, h, m.Kernel)
	if e.strength = 1; opt.Strength != nil && e.enlarges() {
		e.strength = float32(*opt.Strength)
	}
	if m.clampsFlatAreas(e.sizes) {
		e.columnStarts = make([]int32, e.inW+1)
		for x := range w {
			e.columnStarts[resample.Under(x, e.inW, w)+1] = int32(x + 1)
		}
	}
	return e
}

// enlarges reports whether the result is larger than the picture. If it is not, the planes of the result share the
// memory of the planes of the picture.
func (e *enlarger) enlarges() bool { return e.inW != e.w || e.inH != e.h }

// split returns the rows [lo, hi) of the picture as planes. Pass them to release when they are no longer needed.
func (e *enlarger) split(lo, hi int) picture.Picture {
	if e.transparent == nil {
		return picture.SplitRows(e.mem.Plane, e.img, true, lo, hi)
	}
	p := e.transparent
	return picture.Picture{Channels: rowsOfAll(p.Channels, lo, hi), Alpha: rowsOf(p.Alpha, lo, hi)}
}

// release gives the memory of planes that split has returned back to the pool.
func (e *enlarger) release(rows picture.Picture) {
	if e.transparent == nil {
		for _, c := range rows.Channels {
			e.mem.Give(c.Pix)
		}
	}
}

// releaseLuma gives brightness that LumaIn has returned back to the pool. The brightness of a grey picture is its only
// channel, which release gives back.
func (e *enlarger) releaseLuma(luma *plane.Plane) {
	if !e.grey {
		e.mem.Give(luma.Pix)
	}
}

// read returns the planes of the task for the rows [lo, hi) of the picture, in new memory.
func (e *enlarger) read(lo, hi int) []*plane.Plane {
	out := make([]*plane.Plane, e.planes)
	for i := range out {
		out[i] = plane.New(e.inW, hi-lo)
		if i > 0 && e.chroma != nil {
			copy(out[i].Pix, rowsOf(e.chroma.Low[i-1], lo, hi).Pix)
		}
	}
	for from := lo; from < hi; from += rowsPerPass {
		to := min(from+rowsPerPass, hi)
		rows := e.split(from, to)
		luma := rows.LumaIn(e.mem.Plane)
		copy(out[0].Pix[(from-lo)*e.inW:], luma.Pix)
		if len(out) > 1 && !e.grey {
			for i, channel := range [2]int{0, 2} {
				subtract(rowsOf(out[1+i], from-lo, to-lo), rows.Channels[channel], luma)
			}
		}
		e.release(rows)
		e.releaseLuma(luma)
	}
	return out
}

// readAlpha returns the transparency of the rows [lo, hi) of the picture, sharing the memory of e.transparent.
func (e *enlarger) readAlpha(lo, hi int) []*plane.Plane {
	return []*plane.Plane{rowsOf(e.transparent.Alpha, lo, hi)}
}

// subtract sets difference to a minus b.
func subtract(difference, a, b *plane.Plane) {
	parallel.Rows(difference.H, func(y int) {
		row, less := difference.Row(y), b.Row(y)
		for x, v := range a.Row(y) {
			row[x] = v - less[x]
		}
	})
}

// enlarge paints the colours of the whole result, and then its transparency, if the picture has any. report is called
// with the share done, 0 to 1.
func (e *enlarger) enlarge(ctx context.Context, report func(float64)) error {
	if e.transparent == nil {
		return e.run(ctx, e.task, e.read, e.paint, report)
	}
	err := e.run(ctx, e.task, e.read, e.paint, func(share float64) { report(share / 2) })
	if err != nil {
		return err
	}
	alpha := task{sizes: e.sizes, planes: 1, mem: e.mem}
	return e.run(ctx, alpha, e.readAlpha, e.paintAlpha, func(share float64) { report(0.5 + share/2) })
}

// run carries out task t at the model's effort: at max, as a mean over orientations; otherwise in bands.
func (e *enlarger) run(ctx context.Context, t task, read reader, paint writer, report func(float64)) error {
	write := func(top int, rows []*plane.Plane) {
		paint(top, rows)
		if e.enlarges() {
			for _, p := range rows {
				e.mem.Give(p.Pix)
			}
		}
	}
	if !e.model.maxEffort {
		return e.model.stream(ctx, t, e.bandRows, read, write, report)
	}
	planes, err := e.model.ensemble(ctx, read(0, e.inH), t, report)
	if err == nil {
		write(0, planes)
	}
	return err
}

// paintAlpha paints the transparency of rows of the result, beginning with row top.
func (e *enlarger) paintAlpha(top int, planes []*plane.Plane) {
	alpha := planes[0]
	if e.enlarges() {
		clampToNeighbours(alpha, top, e.h, e.transparent.Alpha)
	}
	parallel.Rows(alpha.H, func(y int) { e.out.Put(top+y, 3, alpha.Row(y)) })
}

// rowsPerPass is how many rows are taken apart or painted at a time: few enough to stay in the processor's cache and
// to take little memory beside a band.
const rowsPerPass = 192

// paint paints rows of the result, beginning with row top. planes has their brightness and, if the model has a network
// for colour, their colour.
func (e *enlarger) paint(top int, planes []*plane.Plane) {
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
	if e.strength != 1 {
		e.applyStrength(top, luma, low, lo)
	}
	switch {
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
		if len(enlarged) > 0 {
			copy(to.Pix, enlarged[i].Pix)
			continue
		}
		lo, hi := e.interpolation.Needs(top, end)
		e.interpolation.Rows(to, rowsOf(e.chroma.Low[i], lo, hi), lo, top)
	}
}

// applyStrength changes luma, rows of brightness of the result beginning with row top, to interpolated brightness plus
// the strength times what the model adds to it. low holds rows of the picture, beginning with row lo: all that
// interpolation needs.
func (e *enlarger) applyStrength(top int, luma *plane.Plane, low picture.Picture, lo int) {
	lowLuma, interpolated := low.LumaIn(e.mem.Plane), e.mem.Plane(e.w, luma.H)
	e.interpolation.Rows(interpolated, lowLuma, lo, top)
	parallel.Rows(luma.H, func(y int) {
		from := interpolated.Row(y)
		for x, v := range luma.Row(y) {
			luma.Row(y)[x] = from[x] + float32(e.strength*(v-from[x]))
		}
	})
	e.releaseLuma(lowLuma)
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
