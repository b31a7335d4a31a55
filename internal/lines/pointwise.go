package lines

import "superres/internal/kernel"

// Chain makes rows and changes them in their place, a few columns at a time, while they are in the nearest cache.
type Chain struct {
	// Base makes the rows of the first Taken inputs. Without one, which is nil, the steps make them.
	Base  Op
	Taken int
	// Steps are done one after another. The operand A of the first of a Chain without a Base is an input.
	Steps []Step
}

// Step is an operation on values at the same place. A and B are its operands: Made, or the index of an input that Base
// does not take, whose samples are as large as those of the result. An input of one sample goes with all samples.
type Step struct {
	Op   Pointwise
	A, B int
}

// Made is the operand that is the rows that are being made.
const Made = -1

// Pointwise is an operation on values of float32 at the same place.
type Pointwise interface {
	// Apply sets the values of whole samples of dst to what it makes of those of a, or of a and b, which have as many.
	// Both may be dst.
	Apply(dst, a, b []float32)
}

// Size implements Op.
func (c *Chain) Size(in []Size) Size {
	if c.Base == nil {
		return in[c.Steps[0].A]
	}
	return c.Base.Size(in[:c.Taken])
}

// Needs implements Op.
func (c *Chain) Needs(input, y, h, height int) (lo, hi int) {
	switch {
	case input < c.Taken:
		return c.Base.Needs(input, y, h, height)
	case h == 1:
		return 0, 1
	}
	return y, y + 1
}

// Margin implements Op.
func (c *Chain) Margin(input int) (left, right int) {
	if input < c.Taken {
		return c.Base.Margin(input)
	}
	return 0, 0
}

// Together implements Op.
func (c *Chain) Together() int {
	if c.Base == nil {
		return togetherFloats
	}
	return c.Base.Together()
}

// columnsTogether and valuesTogether are how many columns, and values of these, a Chain makes at a time.
const (
	columnsTogether = 144 // a block of tiles of 64 channels
	valuesTogether  = 2048
)

// Make implements Op.
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

// apply makes the columns [from, to) of row y.
func (s Step) apply(t *Task, y, from, to int) {
	step := t.Out.Step
	dst := t.Out.FloatRow(y)[from*step : to*step]
	var in [2][]float32
	isSpread := false
	for k, from2 := range [2]int{s.A, s.B} {
		if in[k] = dst; from2 == Made {
			continue
		}
		rows := t.In[from2]
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

// Combine combines two rows.
type Combine func(dst, a, b []float32)

// The operations of two rows.
var (
	Add      Combine = kernel.AddFloats
	Subtract Combine = kernel.SubtractFloats
	Multiply Combine = kernel.MultiplyFloats
	Divide   Combine = kernel.DivideFloats
	Least    Combine = kernel.MinFloats
	Greatest Combine = kernel.MaxFloats
)

// Apply implements Pointwise.
func (c Combine) Apply(dst, a, b []float32) { c(dst, a, b) }

// Curve is a function of one number.
type Curve kernel.Function

// Apply implements Pointwise.
func (c Curve) Apply(dst, a, _ []float32) { kernel.Function(c).Compute(dst, a) }

// Clip limits values to Least..Most.
type Clip struct{ Least, Most float32 }

// Apply implements Pointwise.
func (c Clip) Apply(dst, a, _ []float32) { kernel.ClipFloats(dst, a, c.Least, c.Most) }

// Scale multiplies by a factor of the channel and adds an offset, fused.
type Scale struct{ factor, offset []float32 }

// NewScale returns a Scale with a factor and an offset for each value of a sample.
func NewScale(factor, offset []float32) Scale {
	return Scale{wholeVectors(factor), wholeVectors(offset)}
}

// Apply implements Pointwise.
func (s Scale) Apply(dst, a, _ []float32) {
	inVectors(dst, a, len(s.factor), func(dst, a []float32) { kernel.ScaleFloats(dst, a, s.factor, s.offset) })
}

// Incline multiplies values of negative sign by a slope of the channel.
type Incline struct{ slope []float32 }

// NewIncline returns an Incline with a slope for each value of a sample.
func NewIncline(slope []float32) Incline { return Incline{wholeVectors(slope)} }

// Apply implements Pointwise.
func (i Incline) Apply(dst, a, _ []float32) {
	inVectors(dst, a, len(i.slope), func(dst, a []float32) { kernel.InclineFloats(dst, a, i.slope) })
}

// wholeVectors returns list as often as makes whole vectors.
func wholeVectors(list []float32) []float32 {
	all := list
	for len(all)%kernel.Lanes != 0 {
		all = append(all[:len(all):len(all)], list...)
	}
	return all
}

// inVectors calls by for the values of dst and a that are a multiple of n, and for the others in memory of its own.
func inVectors(dst, a []float32, n int, by func(dst, a []float32)) {
	whole := len(dst) / n * n
	by(dst[:whole], a[:whole])
	if whole < len(dst) {
		end := make([]float32, n)
		copy(end, a[whole:])
		by(end, end)
		copy(dst[whole:], end)
	}
}
