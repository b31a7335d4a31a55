package superres

import (
	"context"
	"superres/patches/plane"

	"superres/superres/resample"
	"superres/superres/stage"
)

// A picture is enlarged in bands of whole rows, from the top, so that what is worked on
// takes little memory however large the picture is. Every stage takes the rows that the
// one before it has made, keeps those that it will need again, and makes of them the rows
// whose surroundings are complete: it stays behind by its reach. Nothing is made twice
// but the reach of a stage, and no sample depends on where the bands end.

// window is some rows of a plane: rows are put in at the bottom and dropped at the top.
type window struct {
	top   int // row of the plane that plane begins with
	plane plane.Plane
}

func (s *window) end() int { return s.top + s.plane.H }

// part returns the rows from..to-1, in the memory of the window.
func (s *window) part(from, to int) *plane.Plane { return rowsOf(&s.plane, from-s.top, to-s.top) }

// put adds rows, which the window keeps, or copies; what it does not need any more is given
// to mem.
func (s *window) put(mem *stage.Pool, p *plane.Plane) {
	if s.plane.H == 0 {
		s.plane = *p
		return
	}
	all := mem.Blank(len(s.plane.Pix) + len(p.Pix))
	copy(all[copy(all, s.plane.Pix):], p.Pix)
	mem.Give(s.plane.Pix)
	mem.Give(p.Pix)
	s.plane.Pix = all
	s.plane.H += p.H
}

// drop forgets the rows before one. The others get memory of their own; what they had is
// given to mem.
func (s *window) drop(mem *stage.Pool, before int) {
	if before <= s.top {
		return
	}
	kept, old := rowsOf(&s.plane, before-s.top, s.plane.H), s.plane.Pix
	s.top, s.plane = before, *kept.Crop(0, 0, kept.W, kept.H)
	mem.Give(old)
}

// rowsOf returns the rows from..to-1 of p, in its memory.
func rowsOf(p *plane.Plane, from, to int) *plane.Plane {
	return &plane.Plane{W: p.W, H: to - from, Pix: p.Pix[from*p.W : to*p.W : to*p.W]}
}

// pass enlarges planes by a model's own scale, band after band: one, or brightness and the
// two of colour.
type pass struct {
	model  *Model
	w, h   int
	first  *resample.Scaler
	low    []window // of each plane
	inputs []window // of each stage
	made   []int    // rows of low that are enlarged: by first, by the first stage, ...

	colour   stage.Colour
	luma     window // enlarged, of which colour is not
	coloured int    // rows of low whose colour is enlarged
}

func newPass(m *Model, w, h, planes int, colour stage.Colour) *pass {
	return &pass{model: m, w: w, h: h, first: resample.New(w, h, w*m.Scale, h*m.Scale, m.Kernel), low: make([]window, planes),
		inputs: make([]window, len(m.Stages)), made: make([]int, 1+len(m.Stages)), colour: colour}
}

// kernelReach is the reach of the first enlargement, whatever the kernel.
const kernelReach = 4

// before returns where a band must begin for rows from one on to be right.
func before(row, reach int) int { return max(row-reach, 0) / stage.Alignment * stage.Alignment }

// after returns how many rows are right when there are so many.
func (p *pass) after(rows, reach int) int {
	if rows == p.h {
		return rows
	}
	return max(rows-reach, 0)
}

// push takes the next rows of the planes and returns the next rows of their enlargements,
// which may be none.
func (p *pass) push(ctx context.Context, rows []*plane.Plane, mem *stage.Pool, t *tracker) ([]*plane.Plane, error) {
	for i, r := range rows {
		p.low[i].put(nil, r)
	}
	s, low := p.model.Scale, &p.low[0]
	from, to := p.made[0], p.after(low.end(), kernelReach)
	if to <= from {
		return nil, ctx.Err()
	}
	out := mem.Plane(p.w*s, (to-from)*s)
	p.first.Rows(out, &low.plane, low.top, from*s)
	p.made[0] = to
	keep := before(to, kernelReach) // of low
	for i, one := range p.model.Stages {
		in, reach := &p.inputs[i], one.Reach()
		in.put(mem, out)
		made, end := p.made[i+1], p.made[i]
		if to = p.after(end, reach); to <= made {
			return nil, ctx.Err()
		}
		from = before(made, reach)
		whole, err := one.Apply(ctx, low.part(from, end), in.part(from*s, end*s), stage.NewWork(mem, t.part((to-made)*s*p.w*s)))
		if err != nil {
			return nil, err
		}
		out = rowsOf(whole, (made-from)*s, (to-from)*s)
		p.made[i+1] = to
		next := before(to, reach)
		if to == p.h {
			next = to // nothing comes any more
		}
		in.drop(mem, next*s)
		keep = min(keep, next)
	}
	made := []*plane.Plane{out}
	if len(rows) > 1 {
		var err error
		if made, keep, err = p.pushColour(ctx, out, keep, mem); made == nil || err != nil {
			return nil, err
		}
	}
	for i := range p.low {
		p.low[i].drop(nil, keep)
	}
	return made, nil
}

// pushColour takes the next rows of enlarged brightness and returns the next rows of all
// planes, which may be none, and the row of low that must be kept from which on.
func (p *pass) pushColour(ctx context.Context, luma *plane.Plane, keep int, mem *stage.Pool) (rows []*plane.Plane, kept int, err error) {
	s, reach := p.model.Scale, 0
	if p.colour != nil {
		reach = p.colour.Reach()
	}
	p.luma.put(mem, luma)
	made, end := p.coloured, p.luma.end()/s
	to := p.after(end, reach)
	if to <= made {
		return nil, keep, ctx.Err()
	}
	from := before(made, reach)
	var low, current [2]*plane.Plane
	for i := range current {
		w := &p.low[1+i]
		low[i], current[i] = w.part(from, end), mem.Plane(p.w*s, (end-from)*s)
		p.first.Rows(current[i], &w.plane, w.top, from*s)
	}
	if p.colour != nil {
		if err := p.colour.Apply(ctx, low, p.luma.part(from*s, end*s), current, stage.NewWork(mem, nil)); err != nil {
			return nil, keep, err
		}
	}
	bright := mem.Plane(p.w*s, (to-made)*s)
	copy(bright.Pix, p.luma.part(made*s, to*s).Pix)
	rows = []*plane.Plane{bright, rowsOf(current[0], (made-from)*s, (to-from)*s), rowsOf(current[1], (made-from)*s, (to-from)*s)}
	p.coloured = to
	next := before(to, reach)
	keep = min(keep, before(next, kernelReach))
	if to == p.h {
		next = to
	}
	p.luma.drop(mem, next*s)
	return rows, keep, nil
}

// tracker adds up the work that is done, in samples through a stage.
type tracker struct {
	done, whole float64
	report      func(float64)
}

// part returns the report of a part of the work.
func (t *tracker) part(samples int) func(float64) {
	from := t.done
	t.done += float64(samples)
	return func(share float64) { t.report((from + share*float64(samples)) / t.whole) }
}

// enlargement is some planes on their way from inW×inH to w×h.
type enlargement struct {
	passes []*pass
	last   *resample.Scaler // from what the passes make to w×h; nil: they make that
	rest   []window         // of each plane, that last will need
	made   int              // rows of the result
	track  tracker
	mem    *stage.Pool
}

func (m *Model) newEnlargement(inW, inH, w, h int, f form, mem *stage.Pool, report func(float64)) (*enlargement, error) {
	e := &enlargement{mem: mem, rest: make([]window, f.planes)}
	e.track.report = report
	kernel := m.Kernel
	if len(m.Stages) > 0 {
		kernel = resample.Bicubic
		for _, scale := range m.chain(inW, inH, w, h) {
			one, err := m.at(scale)
			if err != nil {
				return nil, err
			}
			e.passes = append(e.passes, newPass(one, inW, inH, f.planes, one.colour(f.subsampled)))
			inW, inH = inW*scale, inH*scale
			e.track.whole += float64(inW) * float64(inH) * float64(len(one.Stages))
			f.subsampled = false // the first makes all colour as sharp as brightness
		}
	}
	if inW != w || inH != h {
		e.last = resample.New(inW, inH, w, h, kernel)
	}
	return e, nil
}

// form is what is enlarged: one plane, or brightness and what red and blue are more, as files
// keep them that have colour at half the resolution, or not.
type form struct {
	planes     int
	subsampled bool
}

// push takes the next rows of the planes and returns the next rows of the results, which may
// be none.
func (e *enlargement) push(ctx context.Context, rows []*plane.Plane) ([]*plane.Plane, error) {
	var err error
	for _, p := range e.passes {
		if rows, err = p.push(ctx, rows, e.mem, &e.track); rows == nil || err != nil {
			return nil, err
		}
	}
	if e.last == nil {
		return rows, ctx.Err()
	}
	for i, r := range rows {
		e.rest[i].put(nil, r)
	}
	from, to := e.made, e.made
	outW, outH := e.last.Size()
	for to < outH {
		if _, hi := e.last.Needs(to, to+1); hi > e.rest[0].end() {
			break
		}
		to++
	}
	if from == to {
		return nil, ctx.Err()
	}
	made := make([]*plane.Plane, len(rows))
	for i := range made {
		made[i] = e.mem.Plane(outW, to-from)
		e.last.Rows(made[i], &e.rest[i].plane, e.rest[i].top, from)
	}
	if e.made = to; to < outH {
		lo, _ := e.last.Needs(to, outH)
		for i := range e.rest {
			e.rest[i].drop(nil, lo)
		}
	}
	return made, ctx.Err()
}

// stream enlarges planes of inW×inH to w×h in bands of so many rows, mixed with what another
// model makes of them where there is one. read returns the rows lo..hi-1 of the planes; emit is
// given the rows of the results, from the top.
func (m *Model) stream(ctx context.Context, inW, inH, w, h int, f form, mix *mixer, bandRows int, mem *stage.Pool, read func(lo, hi int) []*plane.Plane, emit func(top int, rows []*plane.Plane), report func(float64)) error {
	e, err := m.newEnlargement(inW, inH, w, h, f, mem, report)
	if err != nil {
		return err
	}
	var also *enlargement
	if mix != nil {
		if also, err = mix.other.newEnlargement(inW, inH, w, h, f, mem, func(float64) {}); err != nil {
			return err
		}
	}
	top := 0
	for lo := 0; lo < inH; lo += bandRows {
		hi := min(lo+bandRows, inH)
		in := read(lo, hi)
		rows, err := e.push(ctx, in)
		if err != nil {
			return err
		}
		if also != nil {
			other, err := also.push(ctx, in)
			if err != nil {
				return err
			}
			if rows != nil { // of both, as their reach is the same
				mix.mix(top, rows, other)
			}
			for _, p := range other {
				mem.Give(p.Pix)
			}
		}
		if rows != nil {
			high := rows[0].H
			emit(top, rows)
			top += high
		}
		if len(e.passes) == 0 {
			report(float64(hi) / float64(inH))
		}
	}
	return nil
}

// planes returns planes at w×h, not smaller than they are, in one band; mixed ones in some, of
// which both results are there at a time.
func (m *Model) planes(ctx context.Context, in []*plane.Plane, w, h int, f form, mix *mixer, mem *stage.Pool) (out []*plane.Plane, err error) {
	high, bandRows := in[0].H, in[0].H
	emit := func(_ int, rows []*plane.Plane) { out = rows }
	if mix != nil {
		bandRows = (high + 3) / 4
		for range in {
			out = append(out, mem.Plane(w, h))
		}
		emit = func(top int, rows []*plane.Plane) {
			for i, p := range rows {
				copy(out[i].Pix[top*w:], p.Pix)
				mem.Give(p.Pix)
			}
		}
	}
	read := func(lo, hi int) []*plane.Plane {
		some := make([]*plane.Plane, len(in))
		for i, p := range in {
			some[i] = rowsOf(p, lo, hi)
		}
		return some
	}
	err = m.stream(ctx, in[0].W, high, w, h, f, mix, bandRows, mem, read, emit, func(float64) {})
	return out, err
}

// plane returns one plane at w×h, not smaller than p, in one band.
func (m *Model) plane(ctx context.Context, p *plane.Plane, w, h int, mem *stage.Pool) (*plane.Plane, error) {
	out, err := m.planes(ctx, []*plane.Plane{p}, w, h, form{planes: 1}, nil, mem)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Apply returns the plane enlarged by exactly the model's scale: the interpolation,
// and every stage once. The model must have stages; report is called with the share
// done, 0..1, from one goroutine, and must not be nil.
func (m *Model) Apply(ctx context.Context, low *plane.Plane, report func(float64)) (*plane.Plane, error) {
	p := newPass(m, low.W, low.H, 1, nil)
	whole := float64(low.W) * float64(low.H) * float64(m.Scale*m.Scale) * float64(len(m.Stages))
	out, err := p.push(ctx, []*plane.Plane{low}, nil, &tracker{whole: whole, report: report})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
