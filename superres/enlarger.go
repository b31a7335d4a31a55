package superres

import (
	"context"
	"errors"
	"image"
	"slices"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// enlarger enlarges one picture, band by band. A picture in colour is split by the linear transform of BT.601 into
// brightness, red minus brightness and blue minus brightness, from which green follows. Brightness goes through the
// model. The two planes of colour do so as well if the model has a network for colour; otherwise they are interpolated
// while the result is painted, a few rows at a time. If the model has a network for red, green and blue, these three
// planes go through it without the transform.
type enlarger struct {
	task        // of the picture without its transparency
	model       *Model
	img         image.Image
	transparent *picture.Picture // planes of img, prepared as Options.Alpha says; nil: img is opaque
	hardAlpha   bool             // each pixel of transparent is either fully transparent or opaque
	// premultiplied says that the colours of transparent and out are multiplied by opacity; out has 16 bits at first.
	premultiplied bool
	deep          bool // the result has 16 bits a sample
	grey          bool
	chroma        *Chroma // colour of a grey picture; nil: the picture has none
	out           *picture.Canvas
	// interpolation enlarges colour if the model has no network for colour, and brightness if strength is not 1.
	interpolation *resample.Scaler
	strength      float32 // factor for what the model adds to interpolated brightness
	changed       bool    // a model changes the picture; false: the result has the samples of the picture
	bandRows      int
	emit          func(strip image.Image) // takes each band of the result; nil: the result is painted as one image
	// columnStarts holds, for each column of the picture, the first column of the result that lies over it, and then
	// the width of the result. clampFlatAreas needs them; nil means that flat areas are not clamped.
	columnStarts []int32
	report       *Report    // is filled in at the end; nil: none was asked for
	agreement    *agreement // between the result and the picture; nil without a report
}

// newEnlarger returns the enlarger of img to w×h pixels. It fails if opt.Mix or opt.Chroma is invalid.
func (m *Model) newEnlarger(img image.Image, w, h int, opt Options, mem *stage.Pool) (*enlarger, error) {
	b := img.Bounds()
	e := &enlarger{model: m, img: img, grey: picture.IsGrey(img), chroma: opt.Chroma, bandRows: opt.BandRows}
	e.deep = opt.Depth == 16 || opt.Depth != 8 && picture.IsDeep(img)
	e.task = task{sizes: sizes{b.Dx(), b.Dy(), w, h}, planes: 1, subsampled: opt.Subsampled, mem: mem}
	if e.chroma != nil {
		if !e.grey || opt.strips {
			return nil, errors.New("superres: chroma is for grey pictures that are not enlarged in strips")
		}
		for _, p := range e.chroma.Low {
			if p == nil || p.W != e.inW || p.H != e.inH {
				return nil, errors.New("superres: chroma that is not of the size of its picture")
			}
		}
	}
	used := []*Model{m}
	var mixer *mixer
	if opt.Mix != nil {
		var err error
		if mixer, err = m.newMixer(opt.Mix, e.sizes); err != nil {
			return nil, err
		}
		used = append(used, opt.Mix.Model)
	}
	if e.changed = e.resizes() || slices.ContainsFunc(used, (*Model).restores); e.changed {
		e.mixer = mixer
	}
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
			e.bandRows = (e.bandRows + 3) / 4 // two models work on each band, and colour is not painted in strips
		}
	}
	if !picture.IsOpaque(img) {
		planes := picture.SplitRows(plane.New, img, false, 0, b.Dy())
		if !m.pixels && opt.Alpha == AlphaSeparate {
			planes.Bleed()
		}
		if e.premultiplied = !m.pixels && opt.Alpha == AlphaPremultiplied; e.premultiplied {
			planes.Premultiply()
		}
		e.transparent = &planes
		e.hardAlpha = !slices.ContainsFunc(planes.Alpha.Pix, func(v float32) bool { return v > 0 && v < 1 })
	}
	if opt.strips {
		e.out = picture.NewStrips(w, h, e.grey, e.deep)
	} else {
		e.out = picture.NewCanvas(w, h, e.grey, e.deep || e.premultiplied)
	}
	e.interpolation = resample.New(e.inW, e.inH, w, h, m.Kernel)
	if e.strength = 1; opt.Strength != nil && e.changed {
		e.strength = float32(*opt.Strength)
	}
	if opt.Report != nil {
		e.report, e.agreement = opt.Report, &agreement{}
		if e.resizes() {
			e.agreement.reduction = resample.New(w, h, e.inW, e.inH, resample.Bicubic)
		}
	}
	if slices.ContainsFunc(used, func(m *Model) bool { return m.clampsFlatAreas(e.sizes) }) {
		e.columnStarts = make([]int32, e.inW+1)
		for x := range w {
			e.columnStarts[resample.Under(x, e.inW, w)+1] = int32(x + 1)
		}
	}
	return e, nil
}

func (e *enlarger) resizes() bool { return e.inW != e.w || e.inH != e.h }

// changesAlpha reports whether transparency goes through the model.
func (e *enlarger) changesAlpha() bool { return e.resizes() || e.model.Network != nil }

// split returns the rows [lo, hi) of the picture as planes. Pass the planes to release when they are no longer needed.
func (e *enlarger) split(lo, hi int) picture.Picture {
	if e.transparent == nil {
		return picture.SplitRows(e.mem.Plane, e.img, true, lo, hi)
	}
	p := e.transparent
	return picture.Picture{Channels: rowsOfAll(p.Channels, lo, hi), Alpha: rowsOf(p.Alpha, lo, hi)}
}

// release gives back to the pool the memory of rows that split has returned.
func (e *enlarger) release(rows picture.Picture) {
	if e.transparent == nil {
		for _, c := range rows.Channels {
			e.mem.Give(c.Pix)
		}
	}
}

// releaseLuma gives the memory of brightness that LumaIn has returned back to the pool. For a grey picture, whose
// brightness is a plane of split, release does so.
func (e *enlarger) releaseLuma(luma *plane.Plane) {
	if !e.grey {
		e.mem.Give(luma.Pix)
	}
}

// read returns the rows [lo, hi) of the picture, in new memory, as the planes that the model enlarges.
func (e *enlarger) read(lo, hi int) []*plane.Plane {
	out := newPlanes(e.planes, e.inW, hi-lo)
	for from := lo; from < hi; from += rowsPerPass {
		to := min(from+rowsPerPass, hi)
		e.readRows(rowsOfAll(out, from-lo, to-lo), from, to)
	}
	return out
}

// readRows sets out to the rows [from, to) of the picture, as the planes that the model enlarges: brightness alone;
// brightness and two planes of colour; or red, green and blue.
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
	case len(out) == 1: // brightness alone
	case e.chroma != nil: // a frame of video: the picture is its brightness
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

// enlarge paints the colours of the whole result, and then its transparency, if the picture has any, and sets e.report.
// It calls report with the share of the work that is done, 0 to 1.
func (e *enlarger) enlarge(ctx context.Context, report func(float64)) error {
	whole := 1.0 // the share of the work that colour takes; transparency takes the rest
	if e.transparent != nil {
		whole = 0.5
	}
	err := e.run(ctx, e.task, e.read, e.paint, func(share float64) { report(whole * share) })
	switch {
	case err != nil || e.transparent == nil:
	case !e.changesAlpha(): // the result has the size of the picture, and no network restores it
		e.paintAlpha(0, []*plane.Plane{e.transparent.Alpha})
		report(1)
	default:
		alpha := task{sizes: e.sizes, planes: 1, mem: e.mem}
		read := func(lo, hi int) []*plane.Plane { return []*plane.Plane{rowsOf(e.transparent.Alpha, lo, hi)} }
		err = e.run(ctx, alpha, read, e.paintAlpha, func(share float64) { report(0.5 + share/2) })
	}
	if err == nil && e.premultiplied {
		e.out = e.out.Divided(e.deep)
	}
	if err == nil && e.report != nil {
		*e.report = Report{e.agreement.psnr(e.inW * e.inH)}
	}
	return err
}

// run enlarges the planes that read returns, as t says: at the effort max as a mean over orientations of the whole
// picture, else in bands. It passes the rows to paint and then gives their memory back, unless they are the picture's.
func (e *enlarger) run(ctx context.Context, t task, read reader, paint writer, report func(float64)) error {
	write := func(top int, rows []*plane.Plane) {
		paint(top, rows)
		if e.changed { // otherwise rows share memory with the picture
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

// MaxLRPSNR is the LRPSNR, in dB, of a result that agrees with its picture but for rounding errors.
const MaxLRPSNR = 120

// agreement reduces the brightness of the result to the size of the picture and compares it with the brightness of the
// picture, while the result is painted.
type agreement struct {
	reduction *resample.Scaler // from the size of the result to that of the picture; nil: both are the same
	result    window           // rows of the brightness of the result that are not all compared yet
	compared  int              // number of rows of the picture that are compared
	sum       float64          // sum of the squared differences of the compared rows
}

// compare adds the next rows of the result to the comparison with the picture, as far as all rows are there from which
// a row of the picture's size is reduced. planes are the planes from which these rows are painted: brightness first,
// or, if rgb is true, red, green and blue.
func (e *enlarger) compare(planes []*plane.Plane, rgb bool) {
	a := e.agreement
	shown := e.mem.Plane(e.w, planes[0].H)
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
	a.result.append(e.mem, shown)
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
		a.result.dropBefore(e.mem, first)
	}
}

// needs returns the range of rows of the result from which the rows [from, to) of the picture's size are computed.
func (a *agreement) needs(from, to int) (lo, hi int) {
	if a.reduction == nil {
		return from, to
	}
	return a.reduction.Needs(from, to)
}

// add adds the squared differences of the rows of the picture from a.compared to end, for which a.result has all rows.
func (a *agreement) add(e *enlarger, end int) {
	low := e.split(a.compared, end)
	defer e.release(low)
	truth := low.Channels[0]
	if len(low.Channels) > 1 {
		truth = e.mem.Plane(e.inW, truth.H)
		defer e.mem.Give(truth.Pix)
		picture.LumaOf(truth, low.Channels)
	}
	reduced := a.result.rows(a.needs(a.compared, end))
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
	return min(-10*elementary.Log10(a.sum/float64(samples)), MaxLRPSNR)
}
