package networks

import (
	"context"

	"superres/internal/lines"
	"superres/patches/plane"
	"superres/superres/networks/graph"
	"superres/superres/stage"
)

// run takes one picture through a Stage.
type run struct {
	*Stage
	lines *lines.Run
	w, h  int
	rows  []*plane.Plane // the rows of the picture that Push was given
	first int            // the index, in the picture, of the first of rows
	last  []float32      // the last row of the picture, once it has arrived
	out   []*plane.Plane // the planes that Push will return
	made  int            // rows of the result that earlier calls returned
}

// Start implements stage.Network. If the network does not take w×h samples, the picture is extended to the right and
// below by repeating its edge samples, and the result is cropped.
func (s *Stage) Start(w, h int) stage.NetworkRun {
	r := &run{Stage: s, w: w, h: h, last: make([]float32, s.padded(w)*s.Channels())}
	r.lines = s.program.Start(s.padded(w), s.padded(h), r.read, r.write)
	return r
}

// Push implements stage.NetworkRun. It takes planes for all rows of the result that may be complete, and shortens them
// to the rows that are. Below the picture it repeats the last row as often as the network needs.
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
	if err := r.lines.Advance(ctx, to, nil); err != nil {
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

// read sets row y of the program's input. Rows below the picture repeat its last row.
func (r *run) read(y int, to *lines.Rows) {
	if y >= r.h {
		copy(to.FloatRow(y), r.last)
		return
	}
	r.fill(y, to.FloatRow(y))
}

// fill sets dst to row y, which must be in r.rows, limited to 0..1 and converted to the span of the network. If dst
// is longer, it repeats the last sample.
func (r *run) fill(y int, dst []float32) {
	channels, in := len(r.rows), r.ranges.In
	for c, p := range r.rows {
		for x, v := range p.Row(y - r.first) {
			dst[x*channels+c] = in.Black + float32(min(max(v, 0), 1)*(in.White-in.Black))
		}
	}
	for i := r.w * channels; i < len(dst); i++ {
		dst[i] = dst[i-channels]
	}
}

// mostSample is the greatest absolute value of a sample of a result, where black is 0 and white is 1. NaN becomes 0.
const mostSample = 1 << 16

// write converts row y of the program's result to 0..1, bounded to ±mostSample, with NaN as 0, and stores it in r.out.
func (r *run) write(y int, row []float32) {
	if y -= r.made; y >= r.out[0].H {
		return // below the picture
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

// bounded returns v limited to ±mostSample; 0 if v is NaN.
func bounded(v float32) float32 {
	if v != v {
		return 0
	}
	return min(max(v, -mostSample), mostSample)
}
