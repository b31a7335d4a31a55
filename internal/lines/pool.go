package lines

import (
	"math"

	"superres/internal/kernel"
)

// Pool computes, for each channel, the maximum or the mean of the samples in each window.
type Pool struct {
	rowwise
	IsMax                 bool
	Height, Width, Stride int // the size of a window, and the distance from one window to the next
	// Pad says how far windows reach beyond the edges. Means include samples beyond them only with CountPad, as 0.
	Pad      Edges
	CountPad bool
}

// Size implements Op: as many windows, Stride apart, as fit into the padded input.
func (p *Pool) Size(in []Size) Size {
	s := in[0]
	s.W = (s.W+p.Pad.Left+p.Pad.Right-p.Width)/p.Stride + 1
	s.H = (s.H+p.Pad.Top+p.Pad.Bottom-p.Height)/p.Stride + 1
	return s
}

// Needs implements Op: it returns the rows of the input from which row y is computed.
func (p *Pool) Needs(_, y, _, _ int) (lo, hi int) {
	lo = y*p.Stride - p.Pad.Top
	return lo, lo + p.Height
}

// Make implements Op. It combines the rows of a window, then its columns. For a mean, it divides by the samples of
// the window that lie in the picture or, with CountPad, all of the window.
func (p *Pool) Make(t *Task, y, n int) {
	in, step := t.In[0], t.In[0].Step
	combine := kernel.AddFloats
	if p.IsMax {
		combine = kernel.MaxFloats
	}
	for ; n > 0; n, y = n-1, y+1 {
		lo, hi := p.Needs(0, y, 0, 0)
		lo, hi = max(lo, 0), min(hi, in.H)
		column := t.scratch(in.W * step)
		copy(column, in.FloatRow(lo))
		for k := lo + 1; k < hi; k++ {
			combine(column, column, in.FloatRow(k))
		}
		out := t.Out.FloatRow(y)
		for x := range t.Out.W {
			from := x*p.Stride - p.Pad.Left
			to := min(from+p.Width, in.W)
			from = max(from, 0)
			sample := out[x*step:][:step]
			copy(sample, column[from*step:])
			for k := from + 1; k < to; k++ {
				combine(sample, sample, column[k*step:][:step])
			}
			count := float32((hi - lo) * (to - from))
			if p.CountPad {
				count = float32(p.Height * p.Width)
			}
			for c := range sample {
				if !p.IsMax {
					sample[c] /= count
				}
			}
		}
	}
}

// Reduction is a function that computes one number from many.
type Reduction int

// The reductions.
const (
	Mean Reduction = iota
	Sum
	SumOfSquares
	Norm // the square root of the sum of the numbers, which may be sums of squares
	Maximum
)

// reducer reduces numbers, one after another, in float64.
type reducer struct {
	by    Reduction
	sum   float64 // for Maximum, the largest number so far
	count int
}

// add takes the next number: it adds the number or its square to r.sum or, for Maximum, keeps the larger one there.
func (r *reducer) add(v float32) {
	switch {
	case r.by == SumOfSquares:
		r.sum += float64(v) * float64(v) // the product is exact
	case r.by != Maximum:
		r.sum += float64(v)
	case r.count == 0 || float64(v) > r.sum:
		r.sum = float64(v)
	}
	r.count++
}

// result returns the reduction of all numbers that were added; for Sum, SumOfSquares and Maximum, r.sum is it already.
func (r *reducer) result() float32 {
	switch r.by {
	case Mean:
		return float32(r.sum / float64(r.count))
	case Norm:
		return float32(math.Sqrt(r.sum))
	}
	return float32(r.sum)
}

// reduce returns the reduction of a whole list. For SumOfSquares, the first step of a norm, it takes the root as well.
func (by Reduction) reduce(list []float32) float32 {
	r := reducer{by: by}
	for _, v := range list {
		r.add(v)
	}
	if by == SumOfSquares {
		r.by = Norm // for the result, the root of r.sum
	}
	return r.result()
}

// ReduceRow reduces each row to one sample, ReduceColumn each column to one sample, and ReduceChannels the first
// Channels values of each sample to one value.
type (
	ReduceRow struct {
		rowwise
		By Reduction
	}
	ReduceColumn struct {
		rowwise
		By Reduction
	}
	ReduceChannels struct {
		rowwise
		By       Reduction
		Channels int
	}
)

func (ReduceRow) Size(in []Size) Size { return Size{1, in[0].H, in[0].Step, true} }

// Make implements Op: it computes the rows y to y+n−1 of t.Out, each a single sample, channel by channel.
func (r ReduceRow) Make(t *Task, y, n int) {
	for ; n > 0; n, y = n-1, y+1 {
		out, row := t.Out.FloatRow(y), t.In[0].FloatRow(y)
		for c := range out {
			sum := reducer{by: r.By}
			for x := c; x < len(row); x += len(out) {
				sum.add(row[x])
			}
			out[c] = sum.result()
		}
	}
}

func (ReduceColumn) Size(in []Size) Size               { return Size{in[0].W, 1, in[0].Step, true} }
func (ReduceColumn) Needs(_, _, h, _ int) (lo, hi int) { return 0, h }

// Make implements Op: it computes the only row of t.Out from all rows of the input. y is 0.
func (r ReduceColumn) Make(t *Task, y, _ int) {
	out := t.Out.FloatRow(y)
	for i := range out {
		sum := reducer{by: r.By}
		for row := range t.In[0].H {
			sum.add(t.In[0].FloatRow(row)[i])
		}
		out[i] = sum.result()
	}
}

func (ReduceChannels) Size(in []Size) Size { return Size{in[0].W, in[0].H, 1, true} }

// Make implements Op: it computes the rows y to y+n−1 of t.Out, which have one value for each sample of the input.
func (r ReduceChannels) Make(t *Task, y, n int) {
	for ; n > 0; n, y = n-1, y+1 {
		row, step := t.In[0].FloatRow(y), t.In[0].Step
		for x := range t.Out.FloatRow(y) {
			t.Out.FloatRow(y)[x] = r.By.reduce(row[x*step:][:r.Channels])
		}
	}
}

// Roll moves the samples Rows up and Columns left. Samples that leave at one edge come back at the opposite edge.
type Roll struct {
	rowwise
	Rows, Columns int
}

func wrap(i, n int) int { return (i%n + n) % n } // i modulo n, in [0, n)

// Needs implements Op: row y is row y+Rows, modulo h, of the input. Ranges begin at row 0: later rows may need it.
func (r *Roll) Needs(_, y, h, _ int) (lo, hi int) {
	if by := wrap(r.Rows, h); y+by < h {
		return 0, y + by + 1
	}
	return 0, h
}

// Make implements Op. Row y of t.Out is row y+r.Rows of the input, modulo the height, with its columns moved alike.
func (r *Roll) Make(t *Task, y, n int) {
	in := t.In[0]
	first := wrap(r.Columns, in.W) * in.Step
	for ; n > 0; n, y = n-1, y+1 {
		out, row := t.Out.FloatRow(y), in.FloatRow(wrap(y+r.Rows, in.H))
		copy(out[copy(out, row[first:]):], row[:first])
	}
}

// Interleave puts pixels side by side that are apart in the input: row b·Rows + a of the result, where a < Rows, is row
// a·(H/Rows) + b of the input's H rows, and columns likewise. With Undo it is the inverse.
type Interleave struct {
	rowwise
	Rows, Columns int
	Undo          bool
}

// source returns which row or column of the input, of side ones, becomes number i of the result. n is Rows or Columns.
func (v *Interleave) source(i, side, n int) int {
	if v.Undo {
		n = side / n // the inverse exchanges the two factors of side
	}
	return i%n*(side/n) + i/n
}

func (*Interleave) Needs(_, _, h, _ int) (lo, hi int) { return 0, h }

// Make implements Op: it fills the rows y to y+n−1 of t.Out, each with the pixels of one row of the input, reordered.
func (v *Interleave) Make(t *Task, y, n int) {
	in, step := t.In[0], t.In[0].Step
	for ; n > 0; n, y = n-1, y+1 {
		out, row := t.Out.FloatRow(y), in.FloatRow(v.source(y, in.H, v.Rows))
		for x := range in.W {
			copy(out[x*step:][:step], row[v.source(x, in.W, v.Columns)*step:])
		}
	}
}

// Select takes a value from its second input where the first input is not 0, else from its third input. An input may be
// a single sample, which then stands for all samples.
type Select struct{ rowwise }

// Size implements Op: the size of the largest input.
func (Select) Size(in []Size) Size {
	s := in[0]
	for _, other := range in {
		s.W, s.H = max(s.W, other.W), max(s.H, other.H)
	}
	return s
}

// Needs implements Op: row y or, from an input that is a single sample, row 0.
func (Select) Needs(_, y, h, height int) (lo, hi int) {
	if h == 1 && height > 1 {
		return 0, 1
	}
	return y, y + 1
}

// Make implements Op: it takes the second input where the first is not 0, else the third. It repeats single samples.
func (Select) Make(t *Task, y, n int) {
	for ; n > 0; n, y = n-1, y+1 {
		out := t.Out.FloatRow(y)
		var rows [3][]float32
		for k, in := range t.In {
			rows[k] = in.FloatRow(min(y, in.H-1))
		}
		for i := range out {
			k := 2
			if rows[0][i%len(rows[0])] != 0 {
				k = 1
			}
			out[i] = rows[k][i%len(rows[k])]
		}
	}
}

// Padded applies a Pointwise that may make NaN of the padding, values from Channels on, and then sets it to 0.
type Padded struct {
	Pointwise
	Channels, Step int
}

func (p Padded) Apply(dst, a, b []float32) {
	p.Pointwise.Apply(dst, a, b)
	for at := p.Channels; at < len(dst); at += p.Step {
		clear(dst[at:][:p.Step-p.Channels])
	}
}

// Swapped applies a Pointwise with the operands a and b exchanged.
type Swapped struct{ Pointwise }

func (s Swapped) Apply(dst, a, b []float32) { s.Pointwise.Apply(dst, b, a) }

// Exactly is a function of one number that is computed in float64; its result is rounded to float32.
type Exactly func(float64) float64

func (f Exactly) Apply(dst, a, _ []float32) {
	for i, v := range a[:len(dst)] {
		dst[i] = float32(f(float64(v)))
	}
}

// Softmax is e^v for each value v, divided by the sum of e^v over the group of Size channels to which v belongs. A
// sample has Step values; those after the first Channels become 0.
type Softmax struct{ Size, Channels, Step int }

// Apply implements Pointwise: it takes the softmax of the groups of each sample, of s.Step values, and clears the rest.
func (s Softmax) Apply(dst, a, _ []float32) {
	for ; len(dst) > 0; dst, a = dst[s.Step:], a[s.Step:] {
		for c := 0; c < s.Channels; c += s.Size {
			kernel.Softmax(dst[c:][:s.Size], a[c:][:s.Size])
		}
		clear(dst[s.Channels:s.Step])
	}
}

// ReduceEach sets all channels in each group of Size channels to the reduction of the group. Padding becomes 0.
type ReduceEach struct {
	By                   Reduction
	Size, Channels, Step int
}

// Apply implements Pointwise: all channels of a group of r.Size become its reduction by r.By. Padding becomes 0.
func (r ReduceEach) Apply(dst, a, _ []float32) {
	for ; len(dst) > 0; dst, a = dst[r.Step:], a[r.Step:] {
		for c := 0; c < r.Channels; c += r.Size {
			v := r.By.reduce(a[c:][:r.Size])
			for i := range r.Size {
				dst[c+i] = v
			}
		}
		clear(dst[r.Channels:r.Step])
	}
}
