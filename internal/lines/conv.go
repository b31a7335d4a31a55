package lines

import "superres/internal/kernel"

// Conv is a convolution of integers. Its result has integers again: each sum is scaled, rounded and clipped as the
// Filter says. A second input, of as many values a sample as the result, is added to the result.
type Conv struct {
	// Filter has one run of taps per row. Rows of taps lie Dilation rows apart.
	Filter   *kernel.Filter
	Dilation int
	// Columns is the number of columns that a run spans.
	Columns int
	// Pad is the number of rows and columns of zeros around the input.
	Pad Edges
	// SkipY and SkipX are the row and column of the second input that is added to the first sample.
	SkipY, SkipX int
}

// Edges has a number of samples for each side of a picture.
type Edges struct{ Top, Left, Bottom, Right int }

// Size implements Op.
func (c *Conv) Size(in []Size) Size {
	s := c.size(in[0])
	s.Step = c.Filter.Outputs
	return s
}

func (c *Conv) size(s Size) Size {
	s.W += c.Pad.Left + c.Pad.Right - (c.Columns - 1)
	s.H += c.Pad.Top + c.Pad.Bottom - (c.Filter.Rows-1)*c.Dilation
	return s
}

// Needs implements Op.
func (c *Conv) Needs(input, y, _ int) (lo, hi int) {
	if input > 0 {
		return y + c.SkipY, y + c.SkipY + 1
	}
	lo = y - c.Pad.Top
	return lo, lo + (c.Filter.Rows-1)*c.Dilation + 1
}

// Margin implements Op.
func (c *Conv) Margin(input int) (left, right int) {
	if input > 0 {
		return 0, 0
	}
	return c.Pad.Left, c.Pad.Right
}

// Together implements Op.
func (c *Conv) Together() int {
	if c.Filter.Rows == 3 && c.Columns == 3 && c.Dilation == 1 {
		return 2 // for Winograd's tiles
	}
	return 1
}

// runs returns the indexes of the runs of taps for n rows from row y on.
func (c *Conv) runs(t *Task, y, n int) []int {
	t.offsets = t.offsets[:0]
	for j := range c.Filter.Rows + n - 1 {
		t.offsets = append(t.offsets, t.In[0].At(y-c.Pad.Top+j*c.Dilation)-c.Pad.Left*t.In[0].Step)
	}
	return t.offsets
}

// Make implements Op.
func (c *Conv) Make(t *Task, y, n int) {
	samples := max(t.Out.W, kernel.MinSamples)
	rows, src, dst := c.runs(t, y, n), t.In[0].Integers(), t.Out.Integers()
	var to, skipAt [2]int
	var skip []int16
	for k := range n {
		to[k] = t.Out.At(y + k)
		if len(t.In) > 1 {
			skip, skipAt[k] = t.In[1].Integers(), t.In[1].At(y+k+c.SkipY)+c.SkipX*t.In[1].Step
		}
	}
	if n == 2 {
		kernel.ConvolveTwoRows(dst, to, src, rows, samples, c.Filter, skip, skipAt, &t.winograd)
		return
	}
	if skip != nil {
		skip = skip[skipAt[0]:]
	}
	kernel.Convolve(dst[to[0]:], src, rows, samples, c.Filter, skip)
}

// Sums is a convolution whose result has float32: the sums times the PositiveScale of the Filter, neither rounded nor
// clipped.
type Sums struct {
	Conv
	// IsResult is true for the last node of a program: its rows are the result, and are not kept.
	IsResult bool
}

// Size implements Op.
func (c *Sums) Size(in []Size) Size {
	s := c.Conv.Size(in)
	if s.Floats = true; c.IsResult {
		s.Step = 0
	}
	return s
}

// Make implements Op.
func (c *Sums) Make(t *Task, y, n int) {
	samples := max(t.Out.W, kernel.MinSamples)
	size := samples * c.Filter.Outputs
	memory, to := t.floats, [2]int{0, size}
	if !c.IsResult {
		memory = t.Out.class.floats
		for k := range n {
			to[k] = t.Out.At(y + k)
		}
	} else if len(memory) < 2*size {
		memory = make([]float32, 2*size)
		t.floats = memory
	}
	if rows, src := c.runs(t, y, n), t.In[0].Integers(); n == 2 {
		kernel.ResidualTwoRows(memory, to, src, rows, samples, c.Filter, &t.winograd)
	} else {
		kernel.Residual(memory[to[0]:], src, rows, samples, c.Filter)
	}
	if c.IsResult {
		for k := range n {
			t.write(y+k, memory[to[k]:][:t.Out.W*c.Filter.Outputs])
		}
	}
}

// Depthwise is a convolution of each channel by itself. The filter is one for kernel.ConvolveDepthwise.
type Depthwise struct{ Conv }

// Together implements Op.
func (c *Depthwise) Together() int { return 1 }

// Make implements Op.
func (c *Depthwise) Make(t *Task, y, _ int) {
	samples := max(t.Out.W, kernel.MinSamples)
	dst, src := t.Out.Integers()[t.Out.At(y):], t.In[0].Integers()
	kernel.ConvolveDepthwise(dst, src, c.runs(t, y, 1), samples, c.Filter, nil)
}
