package stagetest

import (
	"context"
	"encoding/json"
	"fmt"

	"superres/internal/parallel"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Blur is a small network for tests, of the kind blur: each sample becomes a square of Factor×Factor samples with the
// mean of the (2·Radius+1)² samples around it, where samples beyond the edges count as 0. If there are three planes,
// each result is ¾ of the mean in its plane plus ¼ of the mean in the next plane, so that grey stays grey.
type Blur struct {
	// Factor is the scale, 1 to 16.
	Factor int `json:"factor"`
	// Planes is the number of channels, 1 or 3.
	Planes int `json:"planes"`
	// Radius is the reach, 0 to 100.
	Radius int `json:"radius"`
	// Ragged leaves the lowest row out of the means for all but the last of the Factor rows that a row becomes, so that
	// a run can return some of the Factor rows before the others.
	Ragged bool `json:"ragged,omitempty"`
}

func init() { stage.RegisterNetwork("blur", loadBlur) }

// loadBlur is the stage.NetworkLoader of Blur. It takes the radius from an array, so that a file of a Blur has one.
func loadBlur(scale int, params json.RawMessage, a *stage.Arrays) (stage.Network, error) {
	var b Blur
	if err := stage.Unmarshal(params, &b); err != nil {
		return nil, err
	}
	radius, err := stage.Get[int16](a, "radius", 1, 1)
	if err != nil {
		return nil, err
	}
	b.Radius = int(radius[0])
	if b.Factor != scale || b.Planes != 1 && b.Planes != 3 || b.Radius < 0 || b.Radius > 100 {
		return nil, fmt.Errorf("a blur of factor %d, %d planes and radius %d for scale %d", b.Factor, b.Planes,
			b.Radius, scale)
	}
	return b, nil
}

func (b Blur) Kind() string { return "blur" }

func (b Blur) Save(a *stage.Arrays) any {
	stage.Put(a, "radius", 1, []int16{int16(b.Radius)})
	return b
}

func (b Blur) Scale() int    { return b.Factor }
func (b Blur) Channels() int { return b.Planes }
func (b Blur) Reach() int    { return b.Radius }

// Memory implements stage.Network: it counts the rows that a run keeps.
func (b Blur) Memory(w, h int) (fixed, working int64) {
	rows := int64(min(2*b.Radius+1, h) + h)
	return 0, 2 * 4 * int64(b.Planes) * int64(w) * rows
}

func (b Blur) Start(w, h int) stage.NetworkRun {
	return &blurRun{Blur: b, w: w, h: h, rows: make([][][]float32, b.Planes)}
}

// blurRun is a run of a Blur.
type blurRun struct {
	Blur
	w, h int
	rows [][][]float32 // for each plane, the rows that have arrived; nil: no longer needed
	done int           // number of rows of the result that were returned
}

// Push implements stage.NetworkRun. It copies the rows that arrive, and forgets those that no later result needs.
func (r *blurRun) Push(ctx context.Context, rows []*plane.Plane, w *stage.Work) ([]*plane.Plane, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, p := range rows {
		for y := range p.H {
			r.rows[i] = append(r.rows[i], append([]float32(nil), p.Row(y)...))
		}
	}
	end := r.ready(len(r.rows[0]))
	if end == r.done {
		return nil, nil
	}
	out := make([]*plane.Plane, r.Planes)
	for i := range out {
		out[i] = w.Plane(r.w*r.Factor, end-r.done)
	}
	from, to := r.done/r.Factor, (end+r.Factor-1)/r.Factor
	parallel.Rows(to-from, func(i int) { r.enlarge(out, from+i, end) })
	r.done = end
	for i := range r.rows {
		clear(r.rows[i][:max(end/r.Factor-r.Radius, 0)])
	}
	w.Report(float64(end) / float64(r.h*r.Factor))
	if err := ctx.Err(); err != nil && end < r.h*r.Factor {
		return nil, err
	}
	return out, nil
}

// ready returns how many rows of the result can be computed from the first count rows of the picture. A Ragged run is
// ahead by all but the last of the rows that the next row becomes, as these need one row less below.
func (r *blurRun) ready(count int) int {
	switch rows := count - r.Radius; {
	case count == r.h:
		return count * r.Factor
	case rows < 0 || rows == 0 && !r.Ragged:
		return 0
	case r.Ragged && r.Radius > 0:
		return (rows+1)*r.Factor - 1
	default:
		return rows * r.Factor
	}
}

// enlarge sets in out the rows of the result that belong to row y of the picture and lie in [r.done, end).
func (r *blurRun) enlarge(out []*plane.Plane, y, end int) {
	means, made := make([][]float32, r.Planes), -1 // made is the below of means; -1: none yet
	for row := max(y*r.Factor, r.done); row < min((y+1)*r.Factor, end); row++ {
		below, last := r.Radius, row%r.Factor == r.Factor-1
		if r.Ragged && r.Radius > 0 && !last {
			below--
		}
		for i := 0; i < r.Planes && below != made; i++ {
			means[i] = r.mean(r.rows[i], y, below)
		}
		made = below
		for i, p := range out {
			to, next := p.Row(row-r.done), means[(i+1)%r.Planes]
			for x, v := range means[i] {
				v = float32(0.75*v) + float32(0.25*next[x])
				for k := range r.Factor {
					to[x*r.Factor+k] = v
				}
			}
		}
	}
}

// mean returns the means around the samples of row y, over the rows from y − r.Radius to y + below; others count as 0.
func (r *blurRun) mean(rows [][]float32, y, below int) []float32 {
	sums, means := make([]float32, r.w), make([]float32, r.w)
	for v := max(y-r.Radius, 0); v < min(y+below+1, r.h); v++ {
		for x, s := range rows[v] {
			sums[x] += s
		}
	}
	count := float32((2*r.Radius + 1) * (2*r.Radius + 1))
	for x := range means {
		for _, s := range sums[max(x-r.Radius, 0):min(x+r.Radius+1, r.w)] {
			means[x] += s
		}
		means[x] /= count
	}
	return means
}
