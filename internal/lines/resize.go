package lines

import "math"

// Resize makes a picture Up times as large or Down times smaller; the other of the two is 1. Samples beyond the edges
// are those at the edge. The weights are of float32, and each product is rounded before it is added.
type Resize struct {
	rowwise
	Up, Down int
	// Taps has Up sets of weights. The first is for the first sample of a square of Up×Up, and so on.
	Taps []Taps
	// AlignCorners, if it is not nil, replaces Taps: it returns the taps for a position between samples.
	AlignCorners func(position float64) Taps
	// Most is the magnitude to which integers are clipped.
	Most int16
}

// Taps are weights of neighbouring samples. The first belongs to the sample First after the one that is reduced or
// enlarged.
type Taps struct {
	First  int
	Weight []float32
}

// Size implements Op.
func (r *Resize) Size(in []Size) Size {
	s := in[0]
	s.W, s.H = s.W*r.Up/r.Down, s.H*r.Up/r.Down
	return s
}

// taps returns the taps for sample i of n·Up/Down, in samples of the n.
func (r *Resize) taps(i, n int) (first int, weight []float32) {
	if r.AlignCorners != nil {
		position := 0.
		if to := n*r.Up/r.Down - 1; to > 0 {
			position = float64(i) * float64(n-1) / float64(to)
		}
		base := math.Floor(position)
		t := r.AlignCorners(position - base)
		return int(base) + t.First, t.Weight
	}
	t := r.Taps[i%r.Up]
	return i/r.Up*r.Down + t.First, t.Weight
}

// Needs implements Op.
func (r *Resize) Needs(_, y, h int) (lo, hi int) {
	first, weight := r.taps(y, h)
	// AlignCorners may look one row less far up for a later row, never two.
	return min(max(first-1, 0), h-1), max(first+len(weight), 1)
}

// Make implements Op.
func (r *Resize) Make(t *Task, y, _ int) {
	in := t.In[0]
	first, weight := r.taps(y, in.H)
	size := in.W * in.Step
	if len(t.floats) < size {
		t.floats = make([]float32, size)
	}
	sum := t.floats[:size]
	for k, w := range weight {
		at := min(max(first+k, 0), in.H-1)
		if in.Floats {
			addWeighted(sum, in.FloatRow(at), w, k == 0)
		} else {
			addWeighted(sum, in.Row(at), w, k == 0)
		}
	}
	step := in.Step
	pixel := make([]float32, step)
	for x := range t.Out.W {
		first, weight := r.taps(x, in.W)
		for k, w := range weight {
			at := min(max(first+k, 0), in.W-1)
			addWeighted(pixel, sum[at*step:][:step], w, k == 0)
		}
		if in.Floats {
			copy(t.Out.FloatRow(y)[x*step:], pixel)
			continue
		}
		to := t.Out.Row(y)[x*step:][:step]
		for i, v := range pixel {
			to[i] = int16(min(max(math.RoundToEven(float64(v)), -float64(r.Most)), float64(r.Most)))
		}
	}
}

// addWeighted adds w times the values of from to those of to; first sets them instead.
func addWeighted[T int16 | float32](to []float32, from []T, w float32, first bool) {
	to = to[:len(from)]
	switch {
	case first && w == 1:
		for i, v := range from {
			to[i] = float32(v)
		}
	case first:
		for i, v := range from {
			to[i] = float32(v) * w
		}
	default:
		for i, v := range from {
			to[i] += float32(float32(v) * w)
		}
	}
}

// Shift adds rows and columns around the picture, or cuts them off where an edge is negative.
type Shift struct {
	rowwise
	Edges Edges
	Mode  Beyond
}

// Beyond says what samples beyond the edges of a picture are.
type Beyond int

// The kinds of Beyond.
const (
	Zeros  Beyond = iota // 0
	Edge                 // the nearest sample
	Mirror               // mirrored at the sample of the edge
)

// at returns which of n samples is at place i, which may be beyond the edges; −1: none.
func (b Beyond) at(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case b == Edge:
		return min(max(i, 0), n-1)
	case b == Mirror && i < 0:
		return -i
	case b == Mirror:
		return 2*(n-1) - i
	}
	return -1
}

// Size implements Op.
func (s *Shift) Size(in []Size) Size {
	out := in[0]
	out.W += s.Edges.Left + s.Edges.Right
	out.H += s.Edges.Top + s.Edges.Bottom
	return out
}

// Needs implements Op.
func (s *Shift) Needs(_, y, h int) (lo, hi int) {
	y -= s.Edges.Top
	at := s.Mode.at(y, h)
	lo, hi = y, at+1
	switch s.Mode {
	case Edge:
		lo = at
	case Mirror:
		lo = min(y, h-1-max(s.Edges.Bottom, 0))
	}
	return lo, hi
}

// Make implements Op.
func (s *Shift) Make(t *Task, y, _ int) {
	from := s.Mode.at(y-s.Edges.Top, t.In[0].H)
	if t.Out.Floats {
		to := t.Out.FloatRow(y)
		if from < 0 {
			clear(to)
			return
		}
		shift(to, t.In[0].FloatRow(from), t.Out.Step, s)
		return
	}
	to := t.Out.Row(y)
	if from < 0 {
		clear(to)
		return
	}
	shift(to, t.In[0].Row(from), t.Out.Step, s)
}

// shift sets to to the samples of from, of step values each, with what s adds and without what it cuts off.
func shift[T int16 | float32](to, from []T, step int, s *Shift) {
	w := len(from) / step
	for x := range len(to) / step {
		at := s.Mode.at(x-s.Edges.Left, w)
		if at < 0 {
			clear(to[x*step:][:step])
			continue
		}
		copy(to[x*step:][:step], from[at*step:])
	}
}
