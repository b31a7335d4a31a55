package superres

import (
	"context"
	"errors"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// task says which planes are enlarged, and their sizes before and after.
type task struct {
	sizes
	// planes is 1 for brightness or transparency alone. It is 3 for brightness, red minus brightness and blue minus
	// brightness or, if the model takes RGB, for red, green and blue.
	planes      int
	subsampled  bool        // colour comes from a file that keeps it at half the resolution of brightness
	hidesColour bool        // stages that could look at colour do not get it
	mixer       *mixer      // mixes in the result of a second model; nil: there is none
	mem         *stage.Pool // for the memory of planes
}

// enlargement carries out a task with one model: it takes rows of the picture and returns rows of the result.
type enlargement struct {
	passes   []*pass
	resizing *resample.Scaler // from the size after the passes to the size of the result; nil: both are the same
	input    []window         // rows of each plane that are not resized yet
	done     int              // rows of the result that are returned
	progress progress
	mem      *stage.Pool
}

// newEnlargement returns the enlargement for t: a pass for each scale of the chain, then a bicubic resizing if one is
// needed. A plain interpolation only resizes, by its own kernel.
func (m *Model) newEnlargement(t task, report func(share float64)) (*enlargement, error) {
	e := &enlargement{mem: t.mem, input: make([]window, t.planes), progress: progress{report: report}}
	kernel, w, h := m.Kernel, t.inW, t.inH
	if !m.IsPlain() {
		kernel = resample.Bicubic
		for _, scale := range m.scaleChain(t.sizes) {
			model, err := m.modelFor(scale)
			if err != nil {
				return nil, err
			}
			if model.takesRGB() != m.takesRGB() {
				return nil, errors.New("superres: a sibling that takes other planes than its model")
			}
			p := newPass(model, w, h, t.planes, model.colourStage(t.subsampled))
			// Stages look at colour unless they do not know its flaws: they have not learned from files with subsampled
			// colour, or the colour is enlarged by networks of another model.
			isKnown := !t.subsampled || model.IsGraded() // graded models have learned from such files
			p.showsColour = t.planes == 3 && !t.hidesColour && isKnown && !model.takesRGB() && !model.foreignColour
			e.passes = append(e.passes, p)
			w, h = w*scale, h*scale
			e.progress.total += float64(w) * float64(h) * p.work()
			t.subsampled = false // the first pass brings colour to the resolution of brightness
		}
	}
	if w != t.w || h != t.h {
		e.resizing = resample.New(w, h, t.w, t.h, kernel)
	}
	return e, nil
}

// push takes the next rows of the planes and returns the next rows of the results, or nil if none is complete: all rows
// for which the resizing, if there is one, has what it needs.
func (e *enlargement) push(ctx context.Context, rows []*plane.Plane) ([]*plane.Plane, error) {
	var err error
	for _, p := range e.passes {
		if rows, err = p.push(ctx, rows, e.mem, &e.progress); rows == nil || err != nil {
			return nil, err
		}
	}
	if e.resizing == nil {
		return rows, ctx.Err()
	}
	mem := e.mem
	if len(e.passes) == 0 { // the rows share memory with the picture, which is needed later
		mem = nil
	}
	for i, r := range rows {
		e.input[i].append(mem, r)
	}
	from, to := e.done, e.done
	outW, outH := e.resizing.Size()
	for to < outH {
		if _, end := e.resizing.Needs(to, to+1); end > e.input[0].end() {
			break
		}
		to++
	}
	if from == to {
		return nil, ctx.Err()
	}
	out := make([]*plane.Plane, len(rows))
	for i := range out {
		out[i] = e.mem.Plane(outW, to-from)
		e.resizing.Rows(out[i], &e.input[i].plane, e.input[i].top, from)
	}
	if e.done = to; to < outH {
		first, _ := e.resizing.Needs(to, outH)
		for i := range e.input {
			e.input[i].dropBefore(mem, first)
		}
	}
	return out, ctx.Err()
}

// ownRows returns rows, which push has returned, or a copy of them if they share memory with the picture.
func (e *enlargement) ownRows(rows []*plane.Plane) []*plane.Plane {
	if len(e.passes) > 0 || e.resizing != nil {
		return rows
	}
	copies := make([]*plane.Plane, len(rows))
	for i, r := range rows {
		copies[i] = e.mem.Plane(r.W, r.H)
		copy(copies[i].Pix, r.Pix)
	}
	return copies
}

// reader returns the rows [lo, hi) of the planes of a picture.
type reader func(lo, hi int) []*plane.Plane

// writer takes rows of the enlarged planes, beginning with row top of the result. It is called from the top down.
type writer func(top int, rows []*plane.Plane)

// stream enlarges the planes that read returns, as t says, in bands of bandRows rows of the picture, and passes the
// enlarged rows to write. report is called with the share done, 0 to 1.
func (m *Model) stream(
	ctx context.Context, t task, bandRows int, read reader, write writer, report func(float64),
) error {
	e, err := m.newEnlargement(t, report)
	if err != nil {
		return err
	}
	var mixedIn *enlargement
	var mixing *junction
	if t.mixer != nil {
		mixing = newJunction(t.mixer, t.planes, t.mem)
		if mixedIn, err = t.mixer.other.newEnlargement(t, func(float64) {}); err != nil {
			return err
		}
	}
	if last := len(e.passes) - 1; last >= 0 && e.resizing == nil && mixedIn == nil {
		e.passes[last].take = write // the last pass writes its rows itself, and returns none
	}
	top := 0
	for lo := 0; lo < t.inH; lo += bandRows {
		hi := min(lo+bandRows, t.inH)
		in := read(lo, hi)
		rows, err := e.push(ctx, in)
		if err != nil {
			return err
		}
		if mixedIn != nil {
			other, err := mixedIn.push(ctx, in)
			if err != nil {
				return err
			}
			rows = mixing.join(e.ownRows(rows), mixedIn.ownRows(other)) // join may change them, but not the picture
		}
		if rows != nil {
			height := rows[0].H
			write(top, rows)
			top += height
		}
		if len(e.passes) == 0 {
			report(float64(hi) / float64(t.inH))
		}
	}
	return nil
}

// enlargePlanes returns whole planes, enlarged as t says, in a single band.
func (m *Model) enlargePlanes(ctx context.Context, in []*plane.Plane, t task) (out []*plane.Plane, err error) {
	mem := t.mem
	if t.w == t.inW && t.h == t.inH { // gather must not give away rows that share memory with the picture
		mem = nil
	}
	for range in {
		out = append(out, t.mem.Plane(t.w, t.h))
	}
	read := func(lo, hi int) []*plane.Plane { return rowsOfAll(in, lo, hi) }
	err = m.stream(ctx, t, t.inH, read, gather(out, mem), func(float64) {})
	return out, err
}

// gather returns a writer that copies rows to the planes out, and then gives the memory of the rows back to mem.
func gather(out []*plane.Plane, mem *stage.Pool) writer {
	return func(top int, rows []*plane.Plane) {
		for i, p := range rows {
			copy(out[i].Pix[top*p.W:], p.Pix)
			mem.Give(p.Pix)
		}
	}
}

// enlargePlane returns p enlarged to w×h samples in a single band. w and h must not be less than the sides of p.
func (m *Model) enlargePlane(ctx context.Context, p *plane.Plane, w, h int) (*plane.Plane, error) {
	out, err := m.enlargePlanes(ctx, []*plane.Plane{p}, task{sizes: sizes{p.W, p.H, w, h}, planes: 1})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// window is a run of consecutive rows of a plane. Rows are appended at its lower end and dropped at its upper end.
type window struct {
	top   int // row of the whole plane that the window begins with
	plane plane.Plane
}

func (w *window) end() int { return w.top + w.plane.H }

// rows returns the rows [from, to) of the whole plane as a plane that shares the memory of the window.
func (w *window) rows(from, to int) *plane.Plane { return rowsOf(&w.plane, from-w.top, to-w.top) }

// append adds the rows of p. The window keeps p or a copy of it. Memory that it does not keep, p's too, goes to mem.
func (w *window) append(mem *stage.Pool, p *plane.Plane) {
	if w.plane.H == 0 {
		w.plane = *p
		return
	}
	joined := mem.Blank(len(w.plane.Pix) + len(p.Pix))
	copy(joined[copy(joined, w.plane.Pix):], p.Pix)
	mem.Give(w.plane.Pix)
	mem.Give(p.Pix)
	w.plane.Pix = joined
	w.plane.H += p.H
}

// dropBefore drops the rows of the window above row, which is a row of the whole plane. The rows that stay are copied
// to new memory, and the old memory is given to mem. It reports whether any row was dropped.
func (w *window) dropBefore(mem *stage.Pool, row int) bool {
	if row <= w.top {
		return false
	}
	kept, old := rowsOf(&w.plane, row-w.top, w.plane.H), w.plane.Pix
	w.top, w.plane = row, *kept.Crop(0, 0, kept.W, kept.H)
	mem.Give(old)
	return true
}

// rowsOf returns the rows [from, to) of p as a plane that shares the memory of p.
func rowsOf(p *plane.Plane, from, to int) *plane.Plane {
	return &plane.Plane{W: p.W, H: to - from, Pix: p.Pix[from*p.W : to*p.W : to*p.W]}
}

// rowsOfAll returns the rows [from, to) of each of the planes, as planes that share the memory of planes.
func rowsOfAll(planes []*plane.Plane, from, to int) []*plane.Plane {
	out := make([]*plane.Plane, len(planes))
	for i, p := range planes {
		out[i] = rowsOf(p, from, to)
	}
	return out
}

// Green is G = Y − redShare·(R−Y) − blueShare·(B−Y).
const redShare, blueShare = picture.WeightR / picture.WeightG, picture.WeightB / picture.WeightG

// joinRGB changes brightness, red minus brightness and blue minus brightness, in place, to red, green and blue.
func joinRGB(planes []*plane.Plane) {
	parallel.Rows(planes[0].H, func(y int) {
		first, second, third := planes[0].Row(y), planes[1].Row(y), planes[2].Row(y)
		for x, v := range first {
			green := v - float32(redShare*second[x]) - float32(blueShare*third[x])
			first[x], second[x], third[x] = v+second[x], green, v+third[x]
		}
	})
}

// splitRGB changes red, green and blue, in place, to brightness, red minus brightness and blue minus brightness.
func splitRGB(planes []*plane.Plane) {
	picture.LumaOf(planes[1], planes) // in place of green
	planes[0], planes[1] = planes[1], planes[0]
	subtract(planes[1], planes[1], planes[0])
	subtract(planes[2], planes[2], planes[0])
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

// newPlanes returns n planes of w×h samples, all 0.
func newPlanes(n, w, h int) []*plane.Plane {
	out := make([]*plane.Plane, n)
	for i := range out {
		out[i] = plane.New(w, h)
	}
	return out
}
