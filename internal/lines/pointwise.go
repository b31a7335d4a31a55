package lines

import "superres/internal/kernel"

// Chain computes rows and changes them in place, a few columns at a time, while they are in the fastest cache.
type Chain struct {
	// Base computes the rows from the first Taken inputs. If it is nil, the first of the Steps computes them.
	Base  Op
	Taken int
	// Steps are applied one after another. Without a Base, the operand A of the first step is an input.
	Steps []Step
}

// Step is an operation on values at the same position. A is its operand, and B the second if it takes two: each is
// either Made (the result of the steps before) or the index of an input of the Chain that Base does not take. Samples
// of that input have as many values as samples of the result. An input of a single sample is used for all samples.
type Step struct {
	Op   Pointwise
	A, B int
}

// Made is the operand that stands for the rows as the steps so far have left them.
const Made = -1

// Pointwise is an operation on float32 values at the same position.
type Pointwise interface {
	// Apply computes whole samples of dst from a, or from a and b, which are as long as dst and may be dst.
	Apply(dst, a, b []float32)
}

func (c *Chain) Size(in []Size) Size {
	if c.Base == nil {
		return in[c.Steps[0].A]
	}
	return c.Base.Size(in[:c.Taken])
}

// Needs implements Op: what Base needs or, for an operand of Steps with h rows, row y, or row 0 if h is 1.
func (c *Chain) Needs(input, y, h, height int) (lo, hi int) {
	switch {
	case input < c.Taken:
		return c.Base.Needs(input, y, h, height)
	case h == 1:
		return 0, 1
	}
	return y, y + 1
}

func (c *Chain) Margin(input int) (left, right int) {
	if input < c.Taken {
		return c.Base.Margin(input)
	}
	return 0, 0
}

func (c *Chain) Together() int {
	if c.Base == nil {
		return rowsTogether
	}
	return c.Base.Together()
}

// A Chain on a FloatConv computes columnsTogether columns at a time, a Chain without a Base valuesTogether values.
const (
	columnsTogether = 144 // a block of tiles of 64 channels
	valuesTogether  = 2048
)

// Make implements Op. It takes a few columns at a time if Base is a FloatConv or nil, else whole rows.
func (c *Chain) Make(t *Task, y, n int) {
	width := t.Out.W
	base, isByColumns := c.Base.(*FloatConv)
	switch {
	case isByColumns:
		width = columnsTogether
	case c.Base != nil:
		c.Base.Make(t, y, n)
	default:
		width = max(valuesTogether/t.Out.Step, 1)
	}
	for from := 0; from < t.Out.W; from += width {
		to := min(from+width, t.Out.W)
		if isByColumns {
			base.makeColumns(t, y, n, from, to)
		}
		for k := range n {
			for _, s := range c.Steps {
				s.apply(t, y+k, from, to)
			}
		}
	}
}

// apply applies the step to the columns [from, to) of row y of t.Out, which are its operand Made too.
func (s Step) apply(t *Task, y, from, to int) {
	step := t.Out.Step
	dst := t.Out.FloatRow(y)[from*step : to*step]
	var in [2][]float32
	isSpread := false // an operand is a single sample, which serves for all samples
	for k, operand := range [2]int{s.A, s.B} {
		if in[k] = dst; operand == Made {
			continue
		}
		rows := t.In[operand]
		if rows.W == 1 && rows.H == 1 && t.Out.W*t.Out.H > 1 {
			in[k], isSpread = rows.FloatRow(0), true
			continue
		}
		in[k] = rows.FloatRow(y)[from*step : to*step]
	}
	if !isSpread {
		s.Op.Apply(dst, in[0], in[1])
		return
	}
	for at := 0; at < len(dst); at += step {
		var one [2][]float32
		for k, values := range in {
			if one[k] = values; len(values) == len(dst) {
				one[k] = values[at:][:step]
			}
		}
		s.Op.Apply(dst[at:][:step], one[0], one[1])
	}
}

// Combine is a Pointwise that combines two rows.
type Combine func(dst, a, b []float32)

// The operations on two rows.
var (
	Add      Combine = kernel.AddFloats
	Subtract Combine = kernel.SubtractFloats
	Multiply Combine = kernel.MultiplyFloats
	Divide   Combine = kernel.DivideFloats
	Least    Combine = kernel.MinFloats
	Greatest Combine = kernel.MaxFloats
)

func (c Combine) Apply(dst, a, b []float32) { c(dst, a, b) }

// Curve is a Pointwise that applies a function of one number.
type Curve kernel.Function

func (c Curve) Apply(dst, a, _ []float32) { kernel.Function(c).Compute(dst, a) }

// Clip limits values to Least..Most.
type Clip struct{ Least, Most float32 }

func (c Clip) Apply(dst, a, _ []float32) { kernel.ClipFloats(dst, a, c.Least, c.Most) }

// Scale multiplies each value by the factor of its channel and adds the channel's offset, fused.
type Scale struct{ factor, offset []float32 }

// NewScale returns a Scale with a factor and an offset for each value of a sample.
func NewScale(factor, offset []float32) Scale {
	return Scale{wholeVectors(factor), wholeVectors(offset)}
}

func (s Scale) Apply(dst, a, _ []float32) {
	inVectors(dst, a, len(s.factor), func(dst, a []float32) { kernel.ScaleFloats(dst, a, s.factor, s.offset) })
}

// Incline multiplies each value of negative sign by the slope of its channel.
type Incline struct{ slope []float32 }

// NewIncline returns an Incline with a slope for each value of a sample.
func NewIncline(slope []float32) Incline { return Incline{wholeVectors(slope)} }

func (i Incline) Apply(dst, a, _ []float32) {
	inVectors(dst, a, len(i.slope), func(dst, a []float32) { kernel.InclineFloats(dst, a, i.slope) })
}

// wholeVectors repeats list until its length is a multiple of kernel.Lanes.
func wholeVectors(list []float32) []float32 {
	all := list
	for len(all)%kernel.Lanes != 0 {
		all = append(all[:len(all):len(all)], list...)
	}
	return all
}

// inVectors calls compute for dst and a without their last len(dst)%n values, then for these, padded by zeros to n.
func inVectors(dst, a []float32, n int, compute func(dst, a []float32)) {
	whole := len(dst) / n * n
	compute(dst[:whole], a[:whole])
	if whole < len(dst) {
		end := make([]float32, n)
		copy(end, a[whole:])
		compute(end, end)
		copy(dst[whole:], end)
	}
}
