package lines

// Gather joins, selects and repeats channels: each pixel of the result has channels of the same pixel of its inputs.
type Gather struct {
	rowwise
	// Channels lists the runs of channels that make up a pixel of the result, one after another.
	Channels []Channels
	Step     int // the number of values of a pixel of the result; values after the last run are 0
}

// Channels are Count neighbouring channels of an input, beginning with channel From.
type Channels struct{ Input, From, Count int }

func (g *Gather) Size(in []Size) Size { return Size{in[0].W, in[0].H, g.Step, true} }

// Make implements Op: it computes the rows y to y+n−1 of t.Out, one run of channels after another, then zeros.
func (g *Gather) Make(t *Task, y, n int) {
	for ; n > 0; n, y = n-1, y+1 {
		out, at := t.Out.FloatRow(y), 0
		for _, c := range g.Channels {
			from, step := t.In[c.Input].FloatRow(y), t.In[c.Input].Step
			for x := range t.Out.W {
				copy(out[x*g.Step+at:][:c.Count], from[x*step+c.From:])
			}
			at += c.Count
		}
		for x := at; at < g.Step && x < len(out); x += g.Step {
			clear(out[x:][:g.Step-at])
		}
	}
}

// Shuffle turns the channels of one sample into Factor×Factor samples: value c of the new sample in row dy and column
// dx is value c·Factor² + dy·Factor + dx of the old sample.
type Shuffle struct {
	rowwise
	Factor         int
	Channels, Step int // of the result: how many channels, and how many values a pixel has; other values are 0
}

func (s *Shuffle) Size(in []Size) Size {
	return Size{in[0].W * s.Factor, in[0].H * s.Factor, s.Step, true}
}

func (s *Shuffle) Needs(_, y, _, _ int) (lo, hi int) { return y / s.Factor, y/s.Factor + 1 }

// Make implements Op. Row y takes Factor neighbouring values of each channel of a sample, the first at index first.
func (s *Shuffle) Make(t *Task, y, n int) {
	square := s.Factor * s.Factor
	for ; n > 0; n, y = n-1, y+1 {
		to, from, step := t.Out.FloatRow(y), t.In[0].FloatRow(y/s.Factor), t.In[0].Step
		if s.Step > s.Channels {
			clear(to)
		}
		for first := y % s.Factor * s.Factor; first < len(from); first += step {
			for c := range s.Channels {
				at := c
				for _, v := range from[first+c*square:][:s.Factor] {
					to[at] = v
					at += s.Step
				}
			}
			to = to[s.Factor*s.Step:]
		}
	}
}

// Unshuffle makes Factor×Factor samples one: value c of the sample in row dy and column dx becomes value c·Factor² +
// dy·Factor + dx. Samples left over at the bottom and right are completed with zeros if Extend is true, else dropped.
type Unshuffle struct {
	rowwise
	Factor         int
	Extend         bool
	Channels, Step int // how many channels the input has, and how many values a pixel of the result
}

// Size implements Op: a sample for each whole square or, if Extend is true, for each square begun.
func (u *Unshuffle) Size(in []Size) Size {
	more := 0
	if u.Extend {
		more = u.Factor - 1
	}
	return Size{(in[0].W + more) / u.Factor, (in[0].H + more) / u.Factor, u.Step, true}
}

func (u *Unshuffle) Needs(_, y, _, _ int) (lo, hi int) { return y * u.Factor, (y + 1) * u.Factor }

// Make implements Op: it computes the rows y to y+n−1 of t.Out. place counts the Factor² samples that become one.
func (u *Unshuffle) Make(t *Task, y, n int) {
	square, step := u.Factor*u.Factor, t.In[0].Step
	for ; n > 0; n, y = n-1, y+1 {
		out := t.Out.FloatRow(y)
		clear(out)
		for place := range square {
			from, whole := y*u.Factor+place/u.Factor, 0 // its row, and how many such samples that row has
			var row []float32
			if from < t.In[0].H {
				row, whole = t.In[0].FloatRow(from), min((t.In[0].W-place%u.Factor+u.Factor-1)/u.Factor, t.Out.W)
			}
			for x := range whole {
				for c := range u.Channels {
					out[x*u.Step+c*square+place] = row[(x*u.Factor+place%u.Factor)*step+c]
				}
			}
		}
	}
}

// Shift adds rows and columns at the edges of the picture, or cuts them off where the number in Edges is negative.
type Shift struct {
	rowwise
	Edges Edges
	Mode  Beyond
	Value float32 // the value of all channels of added samples, if Mode is Zeros
}

// Beyond says which values samples beyond the edges of a picture have.
type Beyond int

// The kinds of Beyond.
const (
	Zeros  Beyond = iota // the Value of the Shift
	Edge                 // the nearest sample
	Mirror               // the picture mirrored at the outermost sample, up to its other edge and no further
)

// at returns which of n samples stands at index i, which may be beyond an edge. −1 stands for the Value of a Shift.
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

func (s *Shift) Size(in []Size) Size {
	out := in[0]
	out.W += s.Edges.Left + s.Edges.Right
	out.H += s.Edges.Top + s.Edges.Bottom
	return out
}

// Needs implements Op. A row added with s.Value (at is −1) needs no row: hi is 0, so [lo, 0) has no row of the picture.
func (s *Shift) Needs(_, y, h, _ int) (lo, hi int) {
	y -= s.Edges.Top
	at := s.Mode.at(y, h)
	lo, hi = y, at+1
	switch s.Mode {
	case Edge:
		lo = at
	case Mirror:
		lo = min(y, h-1-max(s.Edges.Bottom, 0)) // later rows mirror rows from there on
	}
	return lo, hi
}

// Make implements Op: it copies samples from where s.Mode.at says, or sets them to s.Value where that is −1.
func (s *Shift) Make(t *Task, y, n int) {
	step := t.Out.Step
	for ; n > 0; n, y = n-1, y+1 {
		to, row := t.Out.FloatRow(y), s.Mode.at(y-s.Edges.Top, t.In[0].H)
		for x := range t.Out.W {
			sample, column := to[x*step:][:step], s.Mode.at(x-s.Edges.Left, t.In[0].W)
			if row >= 0 && column >= 0 {
				copy(sample, t.In[0].FloatRow(row)[column*step:])
				continue
			}
			for c := range sample {
				sample[c] = s.Value
			}
		}
	}
}
