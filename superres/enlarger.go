package superres

import (
	"context"
	"image"
	"superres/patches/plane"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/resample"
	"superres/superres/stage"
)

// enlarger enlarges one picture, band by band. Its brightness goes through the model.
// Colour does, too, if the model can, and is interpolated otherwise: with the linear colour
// transform of BT.601, what R and B are more than the brightness, and what G is follows from
// that.
type enlarger struct {
	model    *Model
	img      image.Image
	whole    *picture.Picture // of a picture with transparency: what is hidden has taken colour from all of it
	grey     bool
	chroma   *Chroma // of a grey picture; nil: it has none
	form     form // of the picture without its transparency
	w, h     int  // of the picture
	out      *picture.Canvas
	plain    *resample.Scaler // for colour
	strength float32          // of what the model adds
	mix      *mixer           // with what another model makes; nil: it is not
	mem      *stage.Pool
	bandRows int
	emit     func(strip image.Image) // takes each band of the result; nil: it is painted as a whole
	// Where the columns of the result begin that are of each of the picture, and their
	// end, for keepAreas; nil: it is not wanted.
	starts []int32
}

func (m *Model) newEnlarger(img image.Image, w, h int, opt Options, mem *stage.Pool) *enlarger {
	b := img.Bounds()
	e := &enlarger{model: m, img: img, grey: picture.IsGrey(img), chroma: opt.Chroma, w: b.Dx(), h: b.Dy(), mem: mem, bandRows: opt.BandRows}
	e.form = form{planes: 1, subsampled: opt.Subsampled}
	if (!e.grey || e.chroma != nil) && m.colours(e.w, e.h, w, h) {
		e.form.planes = 3
	}
	if e.chroma != nil {
		e.chroma.High = [2]*plane.Plane{plane.New(w, h), plane.New(w, h)}
	}
	if e.bandRows < 1 {
		e.bandRows = m.bandRows(e.w, e.h, w, h)
		if opt.Mix != nil {
			e.bandRows = (e.bandRows + 1) / 2 // each is worked on twice
		}
	}
	if !picture.IsOpaque(img) {
		all := picture.Split(img)
		e.whole = &all
	}
	deep := opt.Depth == 16 || opt.Depth != 8 && picture.IsDeep(img)
	if opt.strips {
		e.out = picture.NewStrips(w, h, e.grey, deep)
	} else {
		e.out = picture.NewCanvas(w, h, e.grey, deep)
	}
	e.plain = resample.New(e.w, e.h, w, h, m.Kernel)
	if e.strength = 1; opt.Strength != nil && e.enlarges() {
		e.strength = float32(*opt.Strength)
	}
	if m.keepsAreas(e.w, e.h, w, h) {
		e.starts = make([]int32, e.w+1)
		for x := range w {
			e.starts[resample.Under(x, e.w, w)+1] = int32(x + 1)
		}
	}
	return e
}

// rows returns rows of the picture; give takes them back.
func (e *enlarger) rows(lo, hi int) picture.Picture {
	if e.whole == nil {
		return picture.SplitRows(e.mem.Plane, e.img, true, lo, hi)
	}
	part := picture.Picture{Alpha: rowsOf(e.whole.Alpha, lo, hi)}
	for _, c := range e.whole.Channels {
		part.Channels = append(part.Channels, rowsOf(c, lo, hi))
	}
	return part
}

// planes returns what is enlarged of rows of the picture.
func (e *enlarger) planes(lo, hi int) []*plane.Plane {
	out := make([]*plane.Plane, e.form.planes)
	for i := range out {
		out[i] = plane.New(e.w, hi-lo)
		if i > 0 && e.chroma != nil {
			copy(out[i].Pix, rowsOf(e.chroma.Low[i-1], lo, hi).Pix)
		}
	}
	for from := lo; from < hi; from += rowsTogether {
		to := min(from+rowsTogether, hi)
		some := e.rows(from, to)
		mean := some.LumaIn(e.mem.Plane)
		copy(out[0].Pix[(from-lo)*e.w:], mean.Pix)
		if len(out) > 1 && !e.grey {
			for i, channel := range [2]int{0, 2} {
				more(rowsOf(out[1+i], from-lo, to-lo), some.Channels[channel], mean)
			}
		}
		e.give(some)
		if !e.grey {
			e.mem.Give(mean.Pix)
		}
	}
	return out
}

// more sets to to what one plane is more than another.
func more(to, a, b *plane.Plane) {
	parallel.Rows(to.H, func(y int) {
		row, less := to.Row(y), b.Row(y)
		for x, v := range a.Row(y) {
			row[x] = v - less[x]
		}
	})
}

// give takes back what rows has returned.
func (e *enlarger) give(rows picture.Picture) {
	if e.whole == nil {
		for _, c := range rows.Channels {
			e.mem.Give(c.Pix)
		}
	}
}

func (e *enlarger) enlarge(ctx context.Context, report func(float64)) error {
	share := 1.0
	if e.whole != nil {
		share = 0.5
	}
	run := func(f form, mix *mixer, read func(lo, hi int) []*plane.Plane, emit func(top int, rows []*plane.Plane), from float64) error {
		report := func(done float64) { report(from + share*done) }
		if e.model.eight {
			whole, err := e.model.ensemble(ctx, read(0, e.h), e.out.W, e.out.H, f, mix, e.mem, report)
			if err == nil {
				emit(0, whole)
			}
			return err
		}
		return e.model.stream(ctx, e.w, e.h, e.out.W, e.out.H, f, mix, e.bandRows, e.mem, read, emit, report)
	}
	andGive := func(paint func(top int, rows []*plane.Plane)) func(top int, rows []*plane.Plane) {
		return func(top int, rows []*plane.Plane) {
			paint(top, rows)
			if e.enlarges() {
				for _, p := range rows {
					e.mem.Give(p.Pix)
				}
			}
		}
	}
	if err := run(e.form, e.mix, e.planes, andGive(e.paint), 0); err != nil {
		return err
	}
	if e.whole == nil {
		return nil
	}
	alpha := func(lo, hi int) []*plane.Plane { return []*plane.Plane{e.rows(lo, hi).Alpha} }
	return run(form{planes: 1}, nil, alpha, andGive(e.alpha), share)
}

// enlarges tells whether the result is larger than the picture; else its planes are those
// of the picture.
func (e *enlarger) enlarges() bool { return e.w != e.out.W || e.h != e.out.H }

// alpha paints rows of transparency.
func (e *enlarger) alpha(top int, planes []*plane.Plane) {
	rows := planes[0]
	if e.enlarges() {
		within(rows, top, e.out.H, e.whole.Alpha)
	}
	parallel.Rows(rows.H, func(y int) { e.out.Put(top+y, 3, rows.Row(y)) })
}

// rowsTogether is how many rows are painted at a time: so few that they stay near the
// processor, and take little memory.
const rowsTogether = 192

// paint paints rows of the picture of which the brightness is given, and maybe the colour.
func (e *enlarger) paint(top int, planes []*plane.Plane) {
	if e.emit != nil {
		e.out.Strip(top, top+planes[0].H)
		defer func() { e.emit(e.out.Image) }()
	}
	for from := 0; from < planes[0].H; from += rowsTogether {
		to := min(from+rowsTogether, planes[0].H)
		some := make([]*plane.Plane, len(planes))
		for i, p := range planes {
			some[i] = rowsOf(p, from, to)
		}
		e.paintRows(top+from, some)
	}
}

// paintRows paints a few rows.
func (e *enlarger) paintRows(top int, planes []*plane.Plane) {
	luma := planes[0]
	end := top + luma.H
	lo, hi := e.around(top, end)
	interpolated := !e.grey && len(planes) == 1
	if interpolated || e.strength != 1 {
		from, to := e.plain.Needs(top, end)
		lo, hi = min(lo, from), max(hi, to)
	}
	low := e.rows(lo, hi)
	if e.strength != 1 {
		e.weigh(top, luma, low, lo)
	}
	switch {
	case e.grey:
		parallel.Rows(luma.H, func(y int) { e.out.Put(top+y, 0, luma.Row(y)) })
		if e.chroma != nil {
			e.putChroma(top, end, planes[1:])
		}
	case interpolated:
		e.colour(top, luma, low, lo)
	default:
		parallel.Rows(luma.H, func(y int) { e.out.Colour(top+y, luma.Row(y), planes[1].Row(y), planes[2].Row(y)) })
	}
	if e.starts != nil {
		e.keepAreas(top, end, low, lo)
	}
	e.give(low)
}

// putChroma keeps the rows top..end-1 of the enlarged chroma, which it interpolates where enlarged is empty.
func (e *enlarger) putChroma(top, end int, enlarged []*plane.Plane) {
	for i, to := range e.chroma.High {
		to = rowsOf(to, top, end)
		if len(enlarged) > 0 {
			copy(to.Pix, enlarged[i].Pix)
			continue
		}
		lo, hi := e.plain.Needs(top, end)
		e.plain.Rows(to, rowsOf(e.chroma.Low[i], lo, hi), lo, top)
	}
}

// weigh takes brightness as far from what interpolation gives as the strength says; low are
// rows of the picture from lo on.
func (e *enlarger) weigh(top int, luma *plane.Plane, low picture.Picture, lo int) {
	mean, plain := low.LumaIn(e.mem.Plane), e.mem.Plane(e.out.W, luma.H)
	e.plain.Rows(plain, mean, lo, top)
	parallel.Rows(luma.H, func(y int) {
		from := plain.Row(y)
		for x, v := range luma.Row(y) {
			luma.Row(y)[x] = from[x] + float32(e.strength*(v-from[x]))
		}
	})
	if !e.grey {
		e.mem.Give(mean.Pix)
	}
	e.mem.Give(plain.Pix)
}

// colour paints rows of a picture with interpolated colour; low are rows of it from lo on.
func (e *enlarger) colour(top int, luma *plane.Plane, low picture.Picture, lo int) {
	mean, difference := low.LumaIn(e.mem.Plane), e.mem.Plane(low.Channels[0].W, low.Channels[0].H)
	enlarged := func(channel int) *plane.Plane {
		more(difference, low.Channels[channel], mean)
		out := e.mem.Plane(e.out.W, luma.H)
		e.plain.Rows(out, difference, lo, top)
		return out
	}
	red, blue := enlarged(0), enlarged(2)
	parallel.Rows(luma.H, func(y int) { e.out.Colour(top+y, luma.Row(y), red.Row(y), blue.Row(y)) })
	for _, used := range []*plane.Plane{mean, difference, red, blue} {
		e.mem.Give(used.Pix)
	}
}
