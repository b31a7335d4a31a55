package lines

import "superres/internal/kernel"

// Add is the sum of two inputs of integers: each value is multiplied by a factor of its channel and rounded to float32,
// and the sum of the two is rounded to the nearest integer and clipped.
type Add struct {
	pointwise
	// First and Second have one factor per value of a sample.
	First, Second []float32
	// Most is the magnitude to which the result is clipped.
	Most int16
}

// Multiply is the product of two inputs of integers, value by value, times a factor of the channel.
type Multiply struct {
	pointwise
	Factor []float32
	Most   int16
}

// Lookup replaces each integer v of a channel by entry v+32768 of the table of the channel.
type Lookup struct {
	pointwise
	// Tables has one for each value of a sample.
	Tables []*[1 << 16]int16
}

// rowwise is an operation that makes one row at a time and reads nothing beyond the left and right edges.
type rowwise struct{}

// Margin implements Op.
func (rowwise) Margin(int) (left, right int) { return 0, 0 }

// Together implements Op.
func (rowwise) Together() int { return 1 }

// pointwise is an operation on samples at the same place of inputs of the same size.
type pointwise struct{ rowwise }

// Size implements Op.
func (pointwise) Size(in []Size) Size { return in[0] }

// Needs implements Op.
func (pointwise) Needs(_, y, _ int) (lo, hi int) { return y, y + 1 }

// Make implements Op.
func (a *Add) Make(t *Task, y, _ int) {
	kernel.AddScaled(t.Out.Row(y), t.In[0].Row(y), t.In[1].Row(y), a.First, a.Second, a.Most)
}

// Make implements Op.
func (m *Multiply) Make(t *Task, y, _ int) {
	kernel.MultiplyScaled(t.Out.Row(y), t.In[0].Row(y), t.In[1].Row(y), m.Factor, m.Most)
}

// Make implements Op.
func (l *Lookup) Make(t *Task, y, _ int) { kernel.Lookup(t.Out.Row(y), t.In[0].Row(y), l.Tables) }

// Split makes integers of 22 bits of the sum of one, two or three inputs of float32, and has a part of each: the high
// parts, at most kernel.MostHigh in magnitude, or the low ones, at most kernel.MostLow. See kernel.SplitHigh.
type Split struct {
	pointwise
	// Slope and Factor have one number per value of a sample.
	Slope, Factor []float32
	IsLow         bool
}

// Size implements Op.
func (s *Split) Size(in []Size) Size {
	size := in[0]
	size.Floats = false
	return size
}

// Make implements Op.
func (s *Split) Make(t *Task, y, _ int) {
	to := t.Out.Row(y)
	if len(t.In) < 3 && len(t.zeros) < len(to) {
		t.zeros = make([]float32, len(to))
	}
	in := [3][]float32{t.zeros, t.zeros, t.zeros}
	for k, from := range t.In {
		in[k] = from.FloatRow(y)
	}
	by := kernel.SplitHigh
	if s.IsLow {
		by = kernel.SplitLow
	}
	by(to, in[0], in[1], in[2], s.Slope, s.Factor)
}

// Gather has, for each value of a sample, that of a channel of one of its inputs: it joins, selects and repeats
// channels.
type Gather struct {
	pointwise
	// Channels are the runs of channels that the result consists of, one after another.
	Channels []Channels
	// Step is the number of values of a sample, those behind the last run are 0.
	Step int
	// Floats is true for float32.
	Floats bool
}

// Channels are Count channels of an input, beginning with From.
type Channels struct{ Input, From, Count int }

// Size implements Op.
func (g *Gather) Size(in []Size) Size {
	s := in[0]
	s.Step = g.Step
	return s
}

// Make implements Op.
func (g *Gather) Make(t *Task, y, _ int) {
	if g.Floats {
		gatherRow(g, t, t.Out.FloatRow(y), func(r *Rows) []float32 { return r.FloatRow(y) })
	} else {
		gatherRow(g, t, t.Out.Row(y), func(r *Rows) []int16 { return r.Row(y) })
	}
}

// gatherRow makes the row out of rows of the inputs.
func gatherRow[T int16 | float32](g *Gather, t *Task, out []T, row func(*Rows) []T) {
	at := 0
	for _, c := range g.Channels {
		from, step := row(t.In[c.Input]), t.In[c.Input].Step
		for x := range t.Out.W {
			copy(out[x*g.Step+at:][:c.Count], from[x*step+c.From:])
		}
		at += c.Count
	}
	if at < g.Step {
		for x := range t.Out.W {
			clear(out[x*g.Step+at:][:g.Step-at])
		}
	}
}

// Shuffle makes Factor×Factor samples of the channels of one: value c of the sample in row dy and column dx of these is
// value Order[(dy·Factor + dx)·Step + c] of the sample, with Step values in a sample of the result; −1 stands for 0.
type Shuffle struct {
	rowwise
	Factor, Step int
	Order        []int
}

// Size implements Op.
func (s *Shuffle) Size(in []Size) Size {
	return Size{W: in[0].W * s.Factor, H: in[0].H * s.Factor, Step: s.Step, Floats: in[0].Floats}
}

// Needs implements Op.
func (s *Shuffle) Needs(_, y, _ int) (lo, hi int) { return y / s.Factor, y/s.Factor + 1 }

// Make implements Op.
func (s *Shuffle) Make(t *Task, y, _ int) {
	order := s.Order[y%s.Factor*s.Factor*s.Step:][:s.Factor*s.Step]
	if t.Out.Floats {
		gather(t.Out.FloatRow(y), t.In[0].FloatRow(y/s.Factor), t.In[0].Step, order)
	} else {
		gather(t.Out.Row(y), t.In[0].Row(y/s.Factor), t.In[0].Step, order)
	}
}

// gather sets to, for each sample of step values in from, to the values with the indexes in order.
func gather[T int16 | float32](to, from []T, step int, order []int) {
	for len(from) >= step && len(to) >= len(order) {
		sample := from[:step]
		for i, o := range order {
			if o < 0 {
				to[i] = 0
			} else {
				to[i] = sample[o]
			}
		}
		to, from = to[len(order):], from[step:]
	}
}

// Unshuffle makes one sample of Factor×Factor samples: value i of it is value Order[i].Channel of the sample in row
// Order[i].Y and column Order[i].X of these; a negative channel stands for 0.
type Unshuffle struct {
	rowwise
	Factor int
	Order  []Place
}

// Place is a value of a square of samples.
type Place struct{ Y, X, Channel int }

// Size implements Op.
func (u *Unshuffle) Size(in []Size) Size {
	return Size{W: in[0].W / u.Factor, H: in[0].H / u.Factor, Step: len(u.Order)}
}

// Needs implements Op.
func (u *Unshuffle) Needs(_, y, _ int) (lo, hi int) { return y * u.Factor, (y + 1) * u.Factor }

// Make implements Op.
func (u *Unshuffle) Make(t *Task, y, _ int) {
	out, step := t.Out.Row(y), t.In[0].Step
	for i, p := range u.Order {
		if p.Channel < 0 {
			for x := range t.Out.W {
				out[x*len(u.Order)+i] = 0
			}
			continue
		}
		row := t.In[0].Row(y*u.Factor + p.Y)
		for x := range t.Out.W {
			out[x*len(u.Order)+i] = row[(x*u.Factor+p.X)*step+p.Channel]
		}
	}
}
