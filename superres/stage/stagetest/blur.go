package stagetest

import (
	"context"
	"encoding/json"
	"fmt"

	"superres/internal/parallel"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Blur is a small network for tests: each sample becomes a square of Factor×Factor samples that have the mean
// of the (2·Radius+1)² samples around it, those beyond the edges counting as 0. Of three planes, each becomes
// three quarters its own mean and a quarter the next one's, so that grey stays grey. Means of 1 count as
// clipped. Its kind is blur.
type Blur struct {
	// Factor is the scale, 1 to 16.
	Factor int `json:"factor"`
	// Planes is the number of channels, 1 or 3.
	Planes int `json:"planes"`
	// Radius is the reach, 0 to 100.
	Radius int `json:"radius"`
	// Ragged leaves the lowest row out of the means for all but the last of the Factor rows that a row becomes, so that
	// a run returns parts of them.
	Ragged bool `json:"ragged,omitempty"`
}

func init() { stage.RegisterNetwork("blur", loadBlur) }

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
			b.Radius,
			scale)
	}
	return b, nil
}

// Kind implements stage.Network.
func (b Blur) Kind() string { return "blur" }

// Save implements stage.Network.
func (b Blur) Save(a *stage.Arrays) any {
	stage.Put(a, "radius", 1, []int16{int16(b.Radius)})
	return b
}

// Scale implements stage.Network.
func (b Blur) Scale() int { return b.Factor }

// Channels implements stage.Network.
func (b Blur) Channels() int { return b.Planes }

// Reach implements stage.Network.
func (b Blur) Reach() int { return b.Radius }

// Memory implements stage.Network: it counts the rows that a run keeps.
func (b Blur) Memory(w, h int) (fixed, working int64) {
	rows := int64(min(2*b.Radius+1, h) + h)
	return 0, 2 * 4 * int64(b.Planes) * int64(w) * rows
}

// Start implements stage.Network.
func (b Blur) Start(w, h int) stage.NetworkRun {
	return &blurRun{Blur: b, w: w, h: h, rows: make([][][]float32, b.Planes)}
}

// blurRun is a run of a Blur.
type blurRun struct {
	Blur
	w, h          int
	rows          [][][]float32 // of each plane: those that have arrived; nil: no longer needed
	done          int           // rows of the result that are returned
	clipped, seen int64
}

// Push implements stage.NetworkRun.
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
	clipped := make([]int64, to-from)
	parallel.Rows(to-from, func(i int) { clipped[i] = r.enlarge(out, from+i, end) })
	for _, n := range clipped {
		r.clipped += n
	}
	r.done, r.seen = end, int64(r.Planes*r.w*(end/r.Factor))
	for i := range r.rows {
		clear(r.rows[i][:max(end/r.Factor-r.Radius, 0)])
	}
	w.Report(float64(end) / float64(r.h*r.Factor))
	if err := ctx.Err(); err != nil && end < r.h*r.Factor {
		return nil, err
	}
	return out, nil
}

// ready returns how many rows of the result can be made when the first arrived rows of the picture have come.
func (r *blurRun) ready(arrived int) int {
	switch rows := arrived - r.Radius; {
	case arrived == r.h:
		return arrived * r.Factor
	case rows < 0 || rows == 0 && !r.Ragged:
		return 0
	case r.Ragged && r.Radius > 0:
		return (rows+1)*r.Factor - 1
	default:
		return rows * r.Factor
	}
}

// enlarge makes what becomes of row y and lies in out, the rows of the result from r.done to end, and returns how many
// means of the row are clipped; 0 if the last of its rows is not in out.
func (r *blurRun) enlarge(out []*plane.Plane, y, end int) (clipped int64) {
	means, made := make([][]float32, r.Planes), -1
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
			for x := 0; last && x < r.w; x++ {
				if means[i][x] >= 1 {
					clipped++
				}
			}
		}
	}
	return clipped
}

// mean returns the means around the samples of row y, with as many rows below it as below says.
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

// Saturated implements stage.NetworkRun.
func (r *blurRun) Saturated() (clipped, all int64) { return r.clipped, r.seen }
