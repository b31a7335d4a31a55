package superres

import (
	"context"

	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// A picture is enlarged in bands of whole rows, from the top, so that memory depends on the height of a band, not of
// the picture. To compute a row, a stage needs the rows around it, as far as its reach. So each stage keeps its latest
// input rows, computes a row once all rows around it have arrived, and lags behind its input by its reach. Only the
// rows within the reach of a band's edge are computed twice, and no sample depends on where the bands end.

// pass enlarges the planes of a picture once, by the scale of a model: brightness or transparency alone, or brightness
// and the two planes of colour, red minus brightness and blue minus brightness. Brightness goes through interpolation
// and the stages; colour is enlarged afterwards, because Model.Colour looks at the enlarged brightness.
//
// If the model has a Model.Network, it takes the place of the interpolation. A pass with a network for red, green and
// blue takes and returns those three planes, and the stages improve each of them; a single plane of brightness or
// transparency goes through such a network as red, green and blue that are equal.
type pass struct {
	model         *Model
	w, h          int // size of the planes before the pass
	interpolation *resample.Scaler
	network       *networkPass // nil: the model has no network
	keepsLow      bool         // stages or colour need low; false: only the network does
	showsColour   bool         // stages get the colour of low: see stage.ColourViewer
	low           []window     // the rows of each plane before the pass that are still needed
	enlarged      int          // number of rows of low that the interpolation or the network has enlarged
	chains        []*chain     // one for each plane that stages improve: the first plane, or red, green and blue

	colour     stage.Colour // enlarges colour; nil: colour is interpolated
	luma       window       // enlarged brightness that waits for its colour
	colourDone int          // number of rows of low with enlarged colour
	take       writer       // gets the planes strip by strip; nil: push returns all rows of a band
}

// chain tracks one plane through the stages of a pass.
type chain struct {
	inputs []window // enlarged rows that have arrived at each stage
	done   []int    // number of rows of low that each stage has improved
}

// newPass returns a pass for 1 or 3 planes of w×h samples. colour is the network that enlarges their colour; if it is
// nil, the kernel of the model interpolates colour.
func newPass(m *Model, w, h, planes int, colour stage.Colour) *pass {
	p := &pass{
		model: m, w: w, h: h, interpolation: resample.New(w, h, w*m.Scale, h*m.Scale, m.Kernel), colour: colour,
		low: make([]window, planes),
	}
	improved := 1
	if m.takesRGB() {
		improved = planes
	}
	p.keepsLow = m.Network == nil || len(m.Stages) > 0 || planes > improved // the last: colour follows brightness
	if m.Network != nil {
		p.network = &networkPass{run: m.Network.Start(w, h), channels: m.Network.Channels(), multiple: 1}
		if p.keepsLow { // stages and colour need multiples of the scale
			p.network.multiple, p.network.rest = m.Scale, make([]window, improved)
		}
	}
	for range improved {
		n := len(m.Stages)
		p.chains = append(p.chains, &chain{inputs: make([]window, n), done: make([]int, n)})
	}
	return p
}

// work returns the work of the pass for each sample of its result, for reports of progress: 1 for each stage and each
// plane that it improves, and networkWork for a network.
func (p *pass) work() float64 {
	work := float64(len(p.model.Stages) * len(p.chains))
	if p.network != nil {
		work += networkWork
	}
	return work
}

// bandStart returns the first row that a stage of the given reach must get so that its result is right from row on. It
// is a multiple of stage.Alignment, so that stages which divide rows into cells have the same cells in any band.
func bandStart(row, reach int) int { return max(row-reach, 0) / stage.Alignment * stage.Alignment }

// rowsComplete returns how many rows, counted from the top, can be computed if a row needs all input rows within the
// given reach. arrived is the number of input rows that are there; once all are, all rows can be computed.
func (p *pass) rowsComplete(arrived, reach int) int {
	if arrived == p.h {
		return arrived
	}
	return max(arrived-reach, 0)
}

// keepFrom returns the first input row that is still needed once done rows are computed from the top, if a row needs
// all input rows within the given reach.
func (p *pass) keepFrom(done, reach int) int {
	if done == p.h {
		return done
	}
	return bandStart(done, reach)
}

// push takes the next rows of the planes and returns the next rows of their enlargements. It returns nil if too few
// rows have arrived to complete any, or if it passed them to p.take. The pass may keep rows, and does not change them.
func (p *pass) push(ctx context.Context, rows []*plane.Plane, mem *stage.Pool, work *progress) ([]*plane.Plane, error) {
	for i := 0; i < len(rows) && p.keepsLow; i++ { // for interpolation, stages or colour
		p.low[i].append(nil, rows[i])
	}
	out, keep, err := p.enlarge(ctx, rows, mem, work) // keep is the first row of low that is needed later
	if out == nil || err != nil {
		return nil, err
	}
	for i, c := range p.chains {
		var next int
		if out[i], next, err = p.improve(ctx, c, &p.low[i], out[i], mem, work); err != nil {
			return nil, err
		}
		keep = min(keep, next)
	}
	if out[0] == nil { // then all planes are nil: all go through the same stages
		return nil, ctx.Err()
	}
	if len(out) < len(rows) { // out is brightness alone: colour follows
		if out, keep, err = p.pushColour(ctx, out[0], keep, mem); out == nil || err != nil {
			return nil, err
		}
	}
	for i := range p.low {
		p.low[i].dropBefore(nil, keep)
	}
	return out, nil
}

// enlarge returns the next rows of the planes that the stages are to improve, enlarged by the network or by
// interpolation, or nil if none is complete. rows are the rows that have just been appended to low, the rows of the
// picture. keep is the first row of low that enlarge needs later; a network keeps the rows that it needs itself.
func (p *pass) enlarge(
	ctx context.Context, rows []*plane.Plane, mem *stage.Pool, work *progress,
) (out []*plane.Plane, keep int, err error) {
	s, low := p.model.Scale, &p.low[0]
	if p.network != nil {
		report := work.reporter(networkWork*p.w*s*p.h*s, &p.network.share)
		out, err = p.network.push(ctx, rows[:len(p.chains)], mem, report)
		if out == nil || err != nil {
			return nil, 0, err
		}
		p.enlarged += out[0].H / s
		return out, low.end(), nil
	}
	from, to := p.enlarged, p.rowsComplete(low.end(), kernelReach)
	if to <= from {
		return nil, 0, ctx.Err()
	}
	luma := mem.Plane(p.w*s, (to-from)*s)
	p.interpolation.Rows(luma, &low.plane, low.top, from*s)
	p.enlarged = to
	return []*plane.Plane{luma}, bandStart(to, kernelReach), nil
}

// improve takes out, the next enlarged rows of a plane, through the stages. low holds the rows of the plane before the
// enlargement. improve returns the next rows that all stages have improved, and keep, the first row of low that the
// stages need later; or nil, and no meaningful keep, if one of the stages still waits for rows.
func (p *pass) improve(
	ctx context.Context, c *chain, low *window, out *plane.Plane, mem *stage.Pool, work *progress,
) (improved *plane.Plane, keep int, err error) {
	s, end := p.model.Scale, p.enlarged
	keep = low.end()
	for i, st := range p.model.Stages {
		in, reach := &c.inputs[i], st.Reach()
		in.append(mem, out) // rows of the enlarged plane
		done, to := c.done[i], p.rowsComplete(end, reach)
		if to <= done {
			return nil, 0, ctx.Err()
		}
		from := bandStart(done, reach)
		stageWork := stage.NewWork(mem, work.portion((to-done)*s*p.w*s))
		if p.showsColour && stage.SeesColour(st) {
			stageWork = stageWork.WithColour([2]*plane.Plane{p.low[1].rows(from, end), p.low[2].rows(from, end)})
		}
		current, next := in.rows(from*s, end*s), p.keepFrom(to, reach)
		moved := in.dropBefore(nil, next*s)
		if moved { // in has copied the rows that it keeps, so the stage may write to current
			stageWork.Overwrite()
		}
		applied, err := st.Apply(ctx, low.rows(from, end), current, stageWork)
		if err != nil {
			return nil, 0, err
		}
		if moved && &applied.Pix[0] != &current.Pix[0] {
			mem.Give(current.Pix)
		}
		out = rowsOf(applied, (done-from)*s, (to-from)*s)
		c.done[i] = to
		keep, end = min(keep, next), to
	}
	return out, keep, nil
}

// pushColour takes the next rows of enlarged brightness, luma. It passes the next rows of all three planes to p.take in
// strips or, if p.take is nil, returns them, or nil if none is complete. keep is the first row of low, the rows of the
// picture, that brightness needs later; pushColour returns the first row that brightness or colour needs.
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
	from, take, top := bandStart(done, reach), p.take, 0
	var out []*plane.Plane
	if take == nil {
		for range 3 {
			out = append(out, mem.Plane(p.w*s, (to-done)*s))
		}
		take, top = gather(out, mem), done
	}
	var current [2]*plane.Plane // enlarged colour of the rows [first, last) of low
	first, last := from, from
	handOver := func() {
		lo, hi := max(first, done), min(last, to)
		if lo >= hi {
			return
		}
		rows := []*plane.Plane{mem.Plane(p.w*s, (hi-lo)*s)}
		copy(rows[0].Pix, p.luma.rows(lo*s, hi*s).Pix)
		for _, c := range current {
			rows = append(rows, rowsOf(c, (lo-first)*s, (hi-first)*s))
		}
		take((lo-top)*s, rows)
	}
	strip := func(lo, hi int) [2]*plane.Plane {
		handOver()
		first, last = from+lo, from+hi
		for i := range current {
			in := &p.low[1+i]
			current[i] = mem.Plane(p.w*s, (last-first)*s)
			p.interpolation.Rows(current[i], &in.plane, in.top, first*s)
		}
		return current
	}
	if p.colour == nil {
		strip(0, end-from)
	} else {
		low := [2]*plane.Plane{p.low[1].rows(from, end), p.low[2].rows(from, end)}
		if err := p.colour.Apply(ctx, low, p.luma.rows(from*s, end*s), strip, stage.NewWork(mem, nil)); err != nil {
			return nil, keep, err
		}
	}
	handOver()
	p.colourDone = to
	p.luma.dropBefore(mem, p.keepFrom(to, reach)*s)
	return out, min(keep, bandStart(bandStart(to, reach), kernelReach)), nil // colour is interpolated again from there
}

// networkWork is the work of a network in reports of progress. The work of one stage counts as 1.
const networkWork = 32

// networkPass takes the planes of a pass through a network.
type networkPass struct {
	run      stage.NetworkRun
	channels int      // the channels of the network, 1 or 3
	share    float64  // share of the network's work that is done
	multiple int      // rows are passed on in multiples of this number
	rest     []window // rows of each plane that are not passed on yet
}

// push takes the next rows of one plane, or of as many planes as the network has channels, and returns the next rows of
// their enlargements, or nil if none is complete. A network for three channels gets a single plane three times.
func (n *networkPass) push(
	ctx context.Context, rows []*plane.Plane, mem *stage.Pool, report func(float64),
) ([]*plane.Plane, error) {
	w := stage.NewWork(mem, report)
	if len(rows) < n.channels {
		luma, err := stage.PushLuma(ctx, n.run, n.channels, rows[0], w)
		if luma == nil || err != nil {
			return nil, err
		}
		return n.passOn([]*plane.Plane{luma}, mem), nil
	}
	out, err := n.run.Push(ctx, rows, w)
	if out == nil || err != nil {
		return nil, err
	}
	return n.passOn(out, mem), nil
}

// passOn takes the next rows that the network has returned. Of the rows from earlier calls and this one, it returns a
// multiple of n.multiple (the scale, if stages or colour follow), or nil if there are too few, and keeps the rest.
func (n *networkPass) passOn(out []*plane.Plane, mem *stage.Pool) []*plane.Plane {
	if n.multiple == 1 || n.rest[0].plane.H == 0 && out[0].H%n.multiple == 0 { // nothing to keep
		return out
	}
	for i, p := range out {
		rest := &n.rest[i]
		rest.append(mem, p)
		whole := rest.plane.H / n.multiple * n.multiple
		if whole == 0 {
			out[i] = nil
			continue
		}
		out[i] = mem.Plane(p.W, whole)
		copy(out[i].Pix, rest.plane.Pix)
		rest.dropBefore(mem, rest.top+whole)
	}
	if out[0] == nil {
		return nil
	}
	return out
}

// progress adds up the work that is done. The unit of work is one sample that goes through one stage.
type progress struct {
	done, total float64
	report      func(share float64)
}

// portion returns a function for the next piece of work, which has the given number of samples. The function is called
// with the share of that piece that is done, 0 to 1, and reports the share of all work.
func (p *progress) portion(samples int) func(share float64) {
	from := p.done
	p.done += float64(samples)
	return func(share float64) { p.report((from + share*float64(samples)) / p.total) }
}

// reporter does what portion does, for a piece of work that alternates with other work. last holds the share of the
// piece that was reported last; the caller keeps it from call to call.
func (p *progress) reporter(samples int, last *float64) func(share float64) {
	return func(share float64) {
		p.done += (share - *last) * float64(samples)
		*last = share
		p.report(p.done / p.total)
	}
}
