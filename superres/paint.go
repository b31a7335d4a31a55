package superres

import (
	"context"
	"image"

	"superres/patches"
)

// painter enlarges one picture, band by band. Its brightness goes through the model.
// Colour is interpolated: with the linear colour transform of BT.601, what R and B are
// more than the brightness, and what G is follows from that.
type painter struct {
	model *Model
	img   image.Image
	whole *picture // of a picture with transparency: what is hidden has taken colour from all of it
	grey  bool
	w, h  int // of the picture
	out   *canvas
	plain *scaler // for colour
	mem   *spares
	band  int
	eight bool // Options.Ensemble
	// Where the columns of the result begin that are of each of the picture, and their
	// end, for keepAreas; nil: it is not wanted.
	starts []int32
}

func (m *Model) newPainter(img image.Image, w, h int, opt Options) *painter {
	b := img.Bounds()
	p := &painter{model: m, img: img, grey: isGrey(img), w: b.Dx(), h: b.Dy(), band: opt.BandRows, eight: opt.Ensemble}
	if p.band < 1 {
		p.band = m.bandRows(p.w, p.h, w, h)
	}
	if !isOpaque(img) {
		all := split(img)
		p.whole = &all
	}
	p.out = newCanvas(w, h, p.grey, opt.Depth == 16 || opt.Depth != 8 && isDeep(img))
	p.plain = newScaler(p.w, p.h, w, h, m.Kernel)
	if m.keepsAreas() {
		p.starts = make([]int32, p.w+1)
		for x := range w {
			p.starts[under(x, p.w, w)+1] = int32(x + 1)
		}
	}
	return p
}

// rows returns rows of the picture; give takes them back.
func (p *painter) rows(lo, hi int) picture {
	if p.whole == nil {
		return splitRows(p.mem, p.img, true, lo, hi)
	}
	part := picture{alpha: rowsOf(p.whole.alpha, lo, hi)}
	for _, c := range p.whole.channels {
		part.channels = append(part.channels, rowsOf(c, lo, hi))
	}
	return part
}

// luma returns the brightness of rows of the picture.
func (p *painter) luma(lo, hi int) *patches.Plane {
	out := patches.NewPlane(p.w, hi-lo)
	for from := lo; from < hi; from += rowsTogether {
		to := min(from+rowsTogether, hi)
		some := p.rows(from, to)
		mean := some.lumaIn(p.mem)
		copy(out.Pix[(from-lo)*p.w:], mean.Pix)
		p.give(some)
		if !p.grey {
			p.mem.give(mean.Pix)
		}
	}
	return out
}

// give takes back what rows has returned.
func (p *painter) give(rows picture) {
	if p.whole == nil {
		for _, c := range rows.channels {
			p.mem.give(c.Pix)
		}
	}
}

func (p *painter) paint(ctx context.Context, report func(float64)) error {
	p.mem = sparesOf(ctx)
	share := 1.0
	if p.whole != nil {
		share = 0.5
	}
	run := func(read func(lo, hi int) *patches.Plane, emit func(top int, rows *patches.Plane), from float64) error {
		if p.eight {
			whole, err := p.model.ensemble(ctx, read(0, p.h), p.out.w, p.out.h, func(done float64) { report(from + share*done) })
			if err == nil {
				emit(0, whole)
			}
			return err
		}
		return p.model.stream(ctx, p.w, p.h, p.out.w, p.out.h, p.band, read, emit, func(done float64) { report(from + share*done) })
	}
	andGive := func(paint func(top int, rows *patches.Plane)) func(top int, rows *patches.Plane) {
		return func(top int, rows *patches.Plane) {
			paint(top, rows)
			if p.enlarges() {
				p.mem.give(rows.Pix)
			}
		}
	}
	if err := run(p.luma, andGive(p.brightness), 0); err != nil {
		return err
	}
	if p.whole == nil {
		return nil
	}
	return run(func(lo, hi int) *patches.Plane { return p.rows(lo, hi).alpha }, andGive(p.alpha), share)
}

// enlarges tells whether the result is larger than the picture; else its planes are those
// of the picture.
func (p *painter) enlarges() bool { return p.w != p.out.w || p.h != p.out.h }

// alpha paints rows of transparency.
func (p *painter) alpha(top int, rows *patches.Plane) {
	if p.enlarges() {
		within(rows, top, p.out.h, p.whole.alpha)
	}
	eachRow(rows.H, func(y int) { p.out.put(top+y, 3, rows.Row(y)) })
}

// rowsTogether is how many rows are painted at a time: so few that they stay near the
// processor, and take little memory.
const rowsTogether = 192

// brightness paints rows of the picture of which the brightness is given.
func (p *painter) brightness(top int, luma *patches.Plane) {
	for from := 0; from < luma.H; from += rowsTogether {
		to := min(from+rowsTogether, luma.H)
		p.paintRows(top+from, rowsOf(luma, from, to))
	}
}

// paintRows paints a few rows.
func (p *painter) paintRows(top int, luma *patches.Plane) {
	end := top + luma.H
	lo, hi := p.around(top, end)
	if !p.grey {
		from, to := p.plain.needs(top, end)
		lo, hi = min(lo, from), max(hi, to)
	}
	low := p.rows(lo, hi)
	if p.grey {
		eachRow(luma.H, func(y int) { p.out.put(top+y, 0, luma.Row(y)) })
	} else {
		p.colour(top, luma, low, lo)
	}
	if p.starts != nil {
		p.keepAreas(top, end, low, lo)
	}
	p.give(low)
}

// colour paints rows of a picture with colour; low are rows of it from lo on.
func (p *painter) colour(top int, luma *patches.Plane, low picture, lo int) {
	mean, plane := low.lumaIn(p.mem), p.mem.plane(low.channels[0].W, low.channels[0].H)
	more := func(channel int) *patches.Plane {
		eachRow(plane.H, func(y int) {
			row, of := plane.Row(y), mean.Row(y)
			for x, v := range low.channels[channel].Row(y) {
				row[x] = v - of[x]
			}
		})
		return p.plain.rows(p.mem, plane, lo, top, top+luma.H)
	}
	red, blue := more(0), more(2)
	eachRow(luma.H, func(y int) { p.out.colour(top+y, luma.Row(y), red.Row(y), blue.Row(y)) })
	for _, used := range []*patches.Plane{mean, plane, red, blue} {
		p.mem.give(used.Pix)
	}
}
