package networks

import (
	"context"

	"superres/internal/lines"
	"superres/patches/plane"
	"superres/superres/networks/graph"
	"superres/superres/stage"
)

// run is a run of a Stage.
type run struct {
	*Stage
	lines *lines.Run
	w, h  int
	rows  []*plane.Plane // that Push was given
	first int            // the row of the picture that is the first of rows
	last  []float32      // the last row of the picture, once it is there
	out   []*plane.Plane // that Push returns
	made  int            // rows of the result that were returned before
}

// Start implements stage.Network. A picture whose sides the network does not take is extended by the samples of its
// right and bottom edges, and the result cut off.
func (s *Stage) Start(w, h int) stage.NetworkRun {
	r := &run{Stage: s, w: w, h: h, last: make([]float32, s.padded(w)*s.Channels())}
	r.lines = s.program.Start(s.padded(w), s.padded(h), r.read, r.write)
	return r
}

// Push implements stage.NetworkRun.
func (r *run) Push(ctx context.Context, rows []*plane.Plane, w *stage.Work) ([]*plane.Plane, error) {
	scale, end := r.Scale(), r.first+rows[0].H
	to := end
	r.rows = rows
	if end == r.h {
		r.fill(r.h-1, r.last)
		to = r.padded(r.h)
	}
	r.out = make([]*plane.Plane, len(rows))
	for i := range r.out {
		r.out[i] = w.Plane(r.w*scale, end*scale-r.made)
	}
	if err := r.lines.Advance(ctx, to); err != nil {
		return nil, err
	}
	made := min(r.lines.Made(), r.h*scale)
	if end == r.h {
		r.lines.Close()
	}
	out := r.out
	for _, p := range out {
		p.H = made - r.made
		p.Pix = p.Pix[:p.W*p.H]
	}
	w.Report(float64(end) / float64(r.h))
	some := made > r.made
	r.first, r.made, r.rows, r.out = end, made, nil, nil
	if !some {
		for _, p := range out {
			w.Give(p.Pix)
		}
		return nil, nil
	}
	return out, nil
}

// read writes row y of the picture to its row in to.
func (r *run) read(y int, to *lines.Rows) {
	if y >= r.h {
		copy(to.FloatRow(y), r.last)
		return
	}
	r.fill(y, to.FloatRow(y))
}

// fill writes row y, one of r.rows, to to, in the range of the network, with the last sample repeated to the right.
func (r *run) fill(y int, to []float32) {
	channels, in := len(r.rows), r.ranges.In
	for c, p := range r.rows {
		for x, v := range p.Row(y - r.first) {
			to[x*channels+c] = in.Black + float32(min(max(v, 0), 1)*(in.White-in.Black))
		}
	}
	for i := r.w * channels; i < len(to); i++ {
		to[i] = to[i-channels]
	}
}

// mostSample bounds the samples of a result, which are 0 to 1 but for a little. What is no number becomes 0.
const mostSample = 1 << 16

// write takes row y of the result.
func (r *run) write(y int, row []float32) {
	if y -= r.made; y >= r.out[0].H {
		return // beyond the picture
	}
	black, span, step := r.ranges.Out.Black, r.ranges.Out.White-r.ranges.Out.Black, r.result.step
	isUnit := r.ranges.Out == graph.Unit
	for c, p := range r.out {
		to, at := p.Row(y), c
		for x := range to {
			v := row[at]
			at += step
			if !isUnit {
				v = (v - black) / span
			}
			if !(v >= -mostSample && v <= mostSample) {
				v = bounded(v)
			}
			to[x] = v
		}
	}
}

// bounded returns a sample limited to what one may be.
func bounded(v float32) float32 {
	if v != v {
		return 0
	}
	return min(max(v, -mostSample), mostSample)
}
