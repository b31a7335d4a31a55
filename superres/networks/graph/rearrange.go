package graph

import "context"

func (Concat) compute(ctx context.Context, out Samples, in []Samples) error {
	return forRows(ctx, out, func(y int) {
		first := 0
		for _, s := range in {
			from, to := s.Row(y), out.Row(y)[first:]
			for x := range s.W {
				copy(to[x*out.Channels:], from[x*s.Channels:(x+1)*s.Channels])
			}
			first += s.Channels
		}
	})
}

func (c Select) compute(ctx context.Context, out Samples, in []Samples) error {
	return forRows(ctx, out, func(y int) {
		for x := range out.W {
			to, from := out.At(x, y), in[0].At(x, y)
			for i, channel := range c.Channels {
				to[i] = from[channel]
			}
		}
	})
}

func (p PixelShuffle) compute(ctx context.Context, out Samples, in []Samples) error {
	r := p.Factor
	return forRows(ctx, out, func(y int) {
		for x := range out.W {
			from := in[0].At(x/r, y/r)[y%r*r+x%r:]
			to := out.At(x, y)
			for c := range to {
				to[c] = from[c*r*r]
			}
		}
	})
}

func (p PixelUnshuffle) compute(ctx context.Context, out Samples, in []Samples) error {
	r := p.Factor
	return forRows(ctx, out, func(y int) {
		for x := range out.W {
			to := out.At(x, y)
			for phase := range r * r {
				for c, v := range in[0].At(x*r+phase%r, y*r+phase/r) {
					to[c*r*r+phase] = v
				}
			}
		}
	})
}

func (p Pad) compute(ctx context.Context, out Samples, in []Samples) error {
	src := in[0]
	columns := make([]int, out.W)
	for x := range columns {
		columns[x] = p.Mode.source(x-p.Left, src.W)
	}
	return forRows(ctx, out, func(y int) {
		from := p.Mode.source(y-p.Top, src.H)
		for x, column := range columns {
			if to := out.At(x, y); from < 0 || column < 0 {
				clear(to)
			} else {
				copy(to, src.At(column, from))
			}
		}
	})
}

// source returns the index, of n, of the sample that is repeated at index i, which may be outside; −1 for 0.
func (m PadMode) source(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case m == PadEdge:
		return min(max(i, 0), n-1)
	case m == PadReflect:
		if i = max(i, -i); i >= n {
			i = 2*(n-1) - i
		}
		return i
	}
	return -1
}

func (r Resize) compute(ctx context.Context, out Samples, in []Samples) error {
	src := in[0]
	across, down := r.taps(src.W, out.W), r.taps(src.H, out.H)
	c := out.Channels
	return forRows(ctx, out, func(y int) {
		row := make([]float32, src.W*c) // row y before the samples of each row are resized
		for _, t := range down[y] {
			addScaled(row, src.Row(t.from), t.weight)
		}
		for x, taps := range across {
			to := out.At(x, y)
			clear(to)
			for _, t := range taps {
				addScaled(to, row[t.from*c:(t.from+1)*c], t.weight)
			}
		}
	})
}

// addScaled adds weight times the samples of from to to.
func addScaled(to, from []float32, weight float32) {
	for i, v := range from[:len(to)] {
		to[i] += float32(v * weight)
	}
}

// tap is a sample that a resized one is made of.
type tap struct {
	from   int
	weight float32
}

// taps returns, for each of n samples that are made of those of a line of from samples, its taps. Some are the same
// sample at the edges.
func (r Resize) taps(from, n int) [][]tap {
	lists := make([][]tap, n)
	for i := range lists {
		first, rest := r.position(i, from, n)
		for k, w := range r.weights(rest) {
			lists[i] = append(lists[i], tap{min(max(first+k, 0), from-1), float32(w)})
		}
	}
	return lists
}

// position returns the index of the first tap of sample i of n that are made of from samples, which may be outside, and
// the distance, 0 ≤ rest < 1, from the last tap at or before the sample to the sample.
func (r Resize) position(i, from, n int) (first int, rest float64) {
	if r.By == Nearest {
		return floorDiv(i*r.Down, r.Up), 0
	}
	above, below := (2*i+1)*r.Down-r.Up, 2*r.Up // the position is above/below
	if r.AlignCorners {
		above, below = i*(from-1), max(n-1, 1)
	}
	first = floorDiv(above, below)
	rest = float64(above-first*below) / float64(below)
	if r.By == Bicubic {
		first--
	}
	return first, rest
}

// weights returns the weights of the taps of a sample.
func (r Resize) weights(rest float64) []float64 {
	switch r.By {
	case Bilinear:
		return []float64{1 - rest, rest}
	case Bicubic:
		near := func(x float64) float64 { return ((r.A+2)*x-(r.A+3))*x*x + 1 }
		far := func(x float64) float64 { return ((r.A*x-5*r.A)*x+8*r.A)*x - 4*r.A }
		return []float64{far(1 + rest), near(rest), near(1 - rest), far(2 - rest)}
	}
	return []float64{1}
}

// floorDiv returns a/b rounded down, for positive b.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
