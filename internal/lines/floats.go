package lines

import "superres/internal/kernel"

// ToFloats makes float32 of integers: value c is Factor[c] times the integer plus Offset[c].
type ToFloats struct {
	pointwise
	Factor, Offset []float32
}

// Size implements Op.
func (f *ToFloats) Size(in []Size) Size {
	return Size{W: in[0].W, H: in[0].H, Step: len(f.Factor), Floats: true}
}

// Make implements Op.
func (f *ToFloats) Make(t *Task, y, _ int) {
	out, in := t.Out.FloatRow(y), t.In[0].Row(y)
	for x := range t.Out.W {
		from, to := in[x*t.In[0].Step:], out[x*len(f.Factor):][:len(f.Factor)]
		for c := range to {
			to[c] = float32(float32(from[c])*f.Factor[c]) + f.Offset[c]
		}
	}
}

// Scale multiplies float32 by a factor of the channel and adds an offset; negative values are multiplied by Slope
// before. The result is limited to Least..Most.
type Scale struct {
	pointwise
	Slope, Factor, Offset []float32
	Least, Most           float32
}

// Make implements Op.
func (s *Scale) Make(t *Task, y, _ int) {
	out, in, step := t.Out.FloatRow(y), t.In[0].FloatRow(y), len(s.Factor)
	for len(in) >= step && len(out) >= step {
		for c := range step {
			v := in[c]
			if v < 0 {
				v *= s.Slope[c]
			}
			out[c] = min(max(float32(v*s.Factor[c])+s.Offset[c], s.Least), s.Most)
		}
		in, out = in[step:], out[step:]
	}
}

// Combine adds, subtracts or multiplies two inputs of float32.
type Combine struct {
	pointwise
	// By is '+', '-' or '*'.
	By byte
}

// Make implements Op.
func (c *Combine) Make(t *Task, y, _ int) {
	out, a, b := t.Out.FloatRow(y), t.In[0].FloatRow(y), t.In[1].FloatRow(y)
	switch c.By {
	case '+':
		kernel.AddFloats(out, a, b)
	case '-':
		kernel.SubtractFloats(out, a, b)
	default:
		kernel.MultiplyFloats(out, a, b)
	}
}

// Curve is a function of float32, by linear interpolation between the values of a table, and a line on each side.
type Curve struct {
	pointwise
	// Table has the values from −Most to Most, CurveSteps+1 of them at equal distances.
	Table []float32
	Most  float32
	// Below and Above are the slopes of the lines that go on from the first and the last value.
	Below, Above float32
}

// CurveSteps is the number of intervals of a Curve.
const CurveSteps = 1 << 14

// Make implements Op.
func (c *Curve) Make(t *Task, y, _ int) {
	kernel.Interpolate(t.Out.FloatRow(y), t.In[0].FloatRow(y), c.Table, c.Most, c.Below, c.Above)
}
