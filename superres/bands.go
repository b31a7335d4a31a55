package superres

import (
	"context"

	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// A picture is enlarged in bands of whole rows, from the top, so that memory depends on the height of a band and not
// on that of the picture. A stage needs the rows around a row, as far as its reach, to compute that row. So each
// stage keeps its latest input rows, computes those rows whose surroundings have arrived, and lags behind its input
// by its reach. Only the rows within the reach of a band's edge are computed twice, and no sample depends on where
// the bands end.

// pass enlarges the planes of a picture once, by the scale of a model: brightness alone, or brightness and the two
// planes of colour, red minus brightness and blue minus brightness. Brightness goes through interpolation and the
// stages; colour follows, because the network for colour looks at the brightness that the stages have made.
type pass struct {
	model         *Model
	w, h          int // size of the planes before the pass
	interpolation *resample.Scaler
	low           []window // rows that have arrived, of each plane
	inputs        []window // enlarged rows that have arrived at each stage
	done          []int    // number of rows of low that the interpolation has enlarged, the first stage, and so on

	colour     stage.Colour // enlarges colour; nil: colour is interpolated
	luma       window       // enlarged brightness whose colour is not enlarged yet
	colourDone int          // number of rows of low whose colour is enlarged
}

// newPass returns a pass for planes of w×h samples. colour enlarges their colour; if it is nil, the model's kernel
// interpolates the colour.
func newPass(m *Model, w, h, planes int, colour stage.Colour) *pass {
	return &pass{
		model: m, w: w, h: h, interpolation: resample.New(w, h, w*m.Scale, h*m.Scale, m.Kernel), colour: colour,
		low: make([]window, planes), inputs: make([]window, len(m.Stages)), done: make([]int, 1+len(m.Stages)),
	}
}

// kernelReach is the reach of an interpolation in rows of its input, for the widest of the kernels.
const kernelReach = 4

// bandStart returns the first row that a stage of the given reach must be given so that its result is right for row and
// all rows below. It is a multiple of stage.Alignment, so that stages which divide rows into cells have the same cells
// in any band.
func bandStart(row, reach int) int { return max(row-reach, 0) / stage.Alignment * stage.Alignment }

// rowsComplete returns how many rows, counted from the top, can be computed with the given reach when the first arrived
// rows have come: those whose surroundings have come too, and all rows once the whole picture has come.
func (p *pass) rowsComplete(arrived, reach int) int {
	if arrived == p.h {
		return arrived
	}
	return max(arrived-reach, 0)
}

// keepFrom returns the first input row that a computation of the given reach still needs after it has computed the
// first done rows of the picture.
func (p *pass) keepFrom(done, reach int) int {
	if done == p.h {
		return done
	}
	return bandStart(done, reach)
}

// push takes the next rows of the planes and returns the next rows of their enlargements; nil when too few rows have
// arrived to complete any. The pass may keep rows, and does not change them.
func (p *pass) push(ctx context.Context, rows []*plane.Plane, mem *stage.Pool, work *progress) ([]*plane.Plane, error) {
	for i, r := range rows {
		p.low[i].append(nil, r)
	}
	luma, keep, err := p.pushLuma(ctx, mem, work)
	if luma == nil || err != nil {
		return nil, err
	}
	out := []*plane.Plane{luma}
	if len(rows) > 1 {
		if out, keep, err = p.pushColour(ctx, luma, keep, mem); out == nil || err != nil {
			return nil, err
		}
	}
	for i := range p.low {
		p.low[i].dropBefore(nil, keep)
	}
	return out, nil
}

// pushLuma returns the next rows of enlarged brightness, nil when none is complete, and the first row of low that
// brightness needs later.
func (p *pass) pushLuma(ctx context.Context, mem *stage.Pool, work *progress) (out *plane.Plane, keep int, err error) {
	s, low := p.model.Scale, &p.low[0]
	from, to := p.done[0], p.rowsComplete(low.end(), kernelReach)
	if to <= from {
		return nil, 0, ctx.Err()
	}
	out = mem.Plane(p.w*s, (to-from)*s)
	p.interpolation.Rows(out, &low.plane, low.top, from*s)
	p.done[0] = to
	keep = bandStart(to, kernelReach)
	for i, st := range p.model.Stages {
		in, reach := &p.inputs[i], st.Reach()
		in.append(mem, out)
		done, end := p.done[i+1], p.done[i]
		if to = p.rowsComplete(end, reach); to <= done {
			return nil, 0, ctx.Err()
		}
		from = bandStart(done, reach)
		stageWork := stage.NewWork(mem, work.portion((to-done)*s*p.w*s))
		applied, err := st.Apply(ctx, low.rows(from, end), in.rows(from*s, end*s), stageWork)
		if err != nil {
			return nil, 0, err
		}
		out = rowsOf(applied, (done-from)*s, (to-from)*s)
		p.done[i+1] = to
		next := p.keepFrom(to, reach)
		in.dropBefore(mem, next*s)
		keep = min(keep, next)
	}
	return out, keep, nil
}

// pushColour takes luma, the next rows of enlarged brightness, and keep, the first row of low that brightness needs
// later. It returns the next rows of all three planes, nil when none is complete, and the first row of low that
// brightness or colour needs later.
func (p *pass) pushColour(
	ctx context.Context, luma *plane.Plane, keep int, mem *stage.Pool,
) ([]*plane.Plane, int, error) {
	s, reach := p.model.Scale, 0
	if p.colour != nil {
		reach = p.colour.Reach()
	}
	p.luma.append(mem, luma)
	done, end := p.colourDone, p.luma.end()/s
	to := p.rowsComplete(end, reach)
	if to <= done {
		return nil, keep, ctx.Err()
	}
	from := bandStart(done, reach)
	var low, current [2]*plane.Plane
	for i := range current {
		in := &p.low[1+i]
		low[i], current[i] = in.rows(from, end), mem.Plane(p.w*s, (end-from)*s)
		p.interpolation.Rows(current[i], &in.plane, in.top, from*s)
	}
	if p.colour != nil {
		err := p.colour.Apply(ctx, low, p.luma.rows(from*s, end*s), current, stage.NewWork(mem, nil))
		if err != nil {
			return nil, keep, err
		}
	}
	enlarged := mem.Plane(p.w*s, (to-done)*s)
	copy(enlarged.Pix, p.luma.rows(done*s, to*s).Pix)
	p.colourDone = to
	p.luma.dropBefore(mem, p.keepFrom(to, reach)*s)
	red, blue := rowsOf(current[0], (done-from)*s, (to-from)*s), rowsOf(current[1], (done-from)*s, (to-from)*s)
	return []*plane.Plane{enlarged, red, blue}, min(keep, bandStart(bandStart(to, reach), kernelReach)), nil
}
