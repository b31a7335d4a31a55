package lines

import "superres/internal/kernel"

// Conv is a convolution of integers without padding, as in our own networks. Its result is integers again: each sum is
// scaled, rounded and clipped as the Filter says. A second input, if there is one, is added to the result; its samples
// have as many values as the samples of the result.
type Conv struct {
	rowwise
	Filter  *kernel.Filter // has one run of taps for each row of taps
	Columns int            // the number of columns that a run spans
	// Skip is the row and column of the sample of the second input that is added to the first sample of the result.
	Skip int
}

func (c *Conv) Size(in []Size) Size {
	return Size{W: in[0].W - (c.Columns - 1), H: in[0].H - (c.Filter.Rows - 1), Step: c.Filter.Outputs}
}

// Needs implements Op: it returns the rows of the input from which row y is computed.
func (c *Conv) Needs(input, y, _, _ int) (lo, hi int) {
	if input > 0 {
		return y + c.Skip, y + c.Skip + 1
	}
	return y, y + c.Filter.Rows
}

// rowIndices returns the index of each row of the input that n rows of the result, from row y on, need.
func (c *Conv) rowIndices(t *Task, y, n int) []int {
	t.offsets = t.offsets[:0]
	for j := range c.Filter.Rows + n - 1 {
		t.offsets = append(t.offsets, t.In[0].At(y+j))
	}
	return t.offsets
}

// Make implements Op. It computes four or two rows of 3×3 taps together, by Winograd's method, others one by one. To
// sample (x, y) of the result it adds sample (x, y) of the second input, each index increased by c.Skip.
func (c *Conv) Make(t *Task, y, n int) {
	samples := max(t.Out.W, kernel.MinSamples)
	rows, src, dst := c.rowIndices(t, y, n), t.In[0].Integers(), t.Out.Integers()
	var to, skipAt [4]int // indices of the rows of the result and, if there is one, of the second input
	var skip []int16
	for k := range n {
		to[k] = t.Out.At(y + k)
		if len(t.In) > 1 {
			skip, skipAt[k] = t.In[1].Integers(), t.In[1].At(y+k+c.Skip)+c.Skip*t.In[1].Step
		}
	}
	k := 0
	if c.Filter.Rows == 3 && c.Columns == 3 {
		if n == 4 {
			kernel.ConvolveFourRows(dst, to, src, rows, samples, c.Filter, skip, skipAt, &t.winograd)
			return
		}
		if k = n / 2 * 2; k == 2 {
			kernel.ConvolveTwoRows(dst, [2]int(to[:]), src, rows[:4], samples, c.Filter, skip, [2]int(skipAt[:]),
				&t.winograd)
		}
	}
	for ; k < n; k++ {
		add := skip
		if skip != nil {
			add = skip[skipAt[k]:]
		}
		kernel.Convolve(dst[to[k]:], src, rows[k:][:c.Filter.Rows], samples, c.Filter, add)
	}
}

// Sums is a convolution with a float32 result: the sums times the PositiveScale of the Filter, neither rounded nor
// clipped. It is the last node of a program: its rows are written as the result, and are not kept.
type Sums struct{ Conv }

func (c *Sums) Size(in []Size) Size {
	s := c.Conv.Size(in)
	s.Floats, s.Step = true, 0
	return s
}

func (c *Sums) Together() int { return 1 }

// Make implements Op: it computes row y and passes it to the function write of Program.Start.
func (c *Sums) Make(t *Task, y, _ int) {
	samples := max(t.Out.W, kernel.MinSamples)
	sums := t.scratch(samples * c.Filter.Outputs)
	kernel.Residual(sums, t.In[0].Integers(), c.rowIndices(t, y, 1), samples, c.Filter)
	t.write(y, sums[:t.Out.W*c.Filter.Outputs])
}
