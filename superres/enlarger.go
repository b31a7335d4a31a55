package superres

import (
	"context"
	"image"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// enlarger enlarges one picture, band by band. A picture in colour is taken apart by the linear transform of BT.601
// into brightness, red minus brightness and blue minus brightness, from which green follows. Brightness goes through
// the model. The two planes of colour do so as well if the model has a network for colour; otherwise they are
// interpolated while the result is painted, a few rows at a time. A model with a network for red, green and blue takes
// these as they are.
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
	changed       bool    // a model makes something of the picture; false: the result is the picture, in its memory
	bandRows      int
	emit          func(strip image.Image) // takes each band of the result; nil: the result is painted as one image
	// columnStarts has, for each column of the picture, the first column of the result that lies over it, and at the
	// end the width of the result. clampFlatAreas needs them; nil means that flat areas are not clamped.
	columnStarts []int32
	report       *Report    // is set in the end; nil: nobody asks for it
	agreement    *agreement // of the result with the picture; nil without a report
}

func (m *Model) newEnlarger(img image.Image, w, h int, opt Options, mem *stage.Pool) *enlarger {
	b := img.Bounds()
	e := &enlarger{model: m, img: img, grey: picture.IsGrey(img), chroma: opt.Chroma, bandRows: opt.BandRows}
	e.task = task{sizes: sizes{b.Dx(), b.Dy(), w, h}, planes: 1, subsampled: opt.Subsampled, mem: mem}
	used := []*Model{m}
	if opt.Mix != nil {
		used = append(used, opt.Mix.Model)
	}
	e.changed = e.resizes() || slices.ContainsFunc(used, (*Model).restores)
	inColour := slices.ContainsFunc(used, func(m *Model) bool { return m.enlargesColour(e.sizes) })
	if (!e.grey || e.chroma != nil) && inColour {
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
	if e.strength = 1; opt.Strength != nil && e.changed {
		e.strength = float32(*opt.Strength)
	}
	if opt.Report != nil {
		e.report, e.agreement = opt.Report, newAgreement(e.sizes)
	}
	if slices.ContainsFunc(used, func(m *Model) bool { return m.clampsFlatAreas(e.sizes) }) {
		e.columnStarts = make([]int32, e.inW+1)
		for x := range w {
			e.columnStarts[resample.Under(x, e.inW, w)+1] = int32(x + 1)
		}
	}
	return e
}

// resizes reports whether the result is larger than the picture.
func (e *enlarger) resizes() bool { return e.inW != e.w || e.inH != e.h }

// changesAlpha reports whether transparency goes through the model.
func (e *enlarger) changesAlpha() bool { return e.resizes() || e.model.Network != nil }

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
	out := newPlanes(e.planes, e.inW, hi-lo)
	for from := lo; from < hi; from += rowsPerPass {
		to := min(from+rowsPerPass, hi)
		e.readRows(rowsOfAll(out, from-lo, to-lo), from, to)
	}
	return out
}

// newPlanes returns n planes of w×h samples, all 0.
func newPlanes(n, w, h int) []*plane.Plane {
	out := make([]*plane.Plane, n)
	for i := range out {
		out[i] = plane.New(w, h)
	}
	return out
}

// readRows sets out to the planes of the task for the rows [from, to) of the picture.
func (e *enlarger) readRows(out []*plane.Plane, from, to int) {
	rows := e.split(from, to)
	defer e.release(rows)
	if e.model.takesRGB() && !e.grey {
		for i, c := range rows.Channels {
			copy(out[i].Pix, c.Pix)
		}
		return
	}
	luma := rows.LumaIn(e.mem.Plane)
	defer e.releaseLuma(luma)
	copy(out[0].Pix, luma.Pix)
	switch {
	case len(out) == 1:
	case e.chroma != nil:
		for i, c := range e.chroma.Low {
			copy(out[1+i].Pix, rowsOf(c, from, to).Pix)
		}
		if e.model.takesRGB() {
			joinRGB(out)
		}
	default:
		for i, channel := range [2]int{0, 2} {
			subtract(out[1+i], rows.Channels[channel], luma)
		}
	}
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

// enlarge paints the colours of the whole result, and then its transparency, if the picture has any, and sets the
// report. report is called with the share done, 0 to 1.
func (e *enlarger) enlarge(ctx context.Context, report func(float64)) error {
	whole := 1.0 // share of the work
	if e.transparent != nil {
		whole = 0.5
	}
	err := e.run(ctx, e.task, e.read, e.paint, func(share float64) { report(whole * share) })
	switch {
	case err != nil || e.transparent == nil:
	case !e.changesAlpha():
		e.paintAlpha(0, e.readAlpha(0, e.h))
		report(1)
	default:
		alpha := task{sizes: e.sizes, planes: 1, mem: e.mem}
		err = e.run(ctx, alpha, e.readAlpha, e.paintAlpha, func(share float64) { report(0.5 + share/2) })
	}
	if err == nil && e.report != nil {
		*e.report = Report{e.agreement.psnr(e.inW * e.inH)}
	}
	return err
}

// run carries out task t at the model's effort: at max, as a mean over orientations; otherwise in bands.
func (e *enlarger) run(ctx context.Context, t task, read reader, paint writer, report func(float64)) error {
	write := func(top int, rows []*plane.Plane) {
		paint(top, rows)
		if e.changed {
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
