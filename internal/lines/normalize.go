package lines

import "math"

// moments are the mean and the variance of some numbers.
type moments struct{ mean, variance float64 }

// momentsOf returns the mean and the variance of number(0) to number(count−1).
func momentsOf(count int, number func(i int) float64) (m moments) {
	for i := range count {
		m.mean += number(i)
	}
	m.mean /= float64(count)
	for i := range count {
		d := number(i) - m.mean
		m.variance += float64(d * d)
	}
	m.variance /= float64(count)
	return m
}

// pooledMoments returns the moments of all numbers in several groups of equal size, from the moments of each group.
func pooledMoments(groups int, group func(i int) moments) moments {
	between := momentsOf(groups, func(i int) float64 { return group(i).mean })
	within := momentsOf(groups, func(i int) float64 { return group(i).variance })
	return moments{between.mean, between.variance + within.mean}
}

// deviation returns √(variance + epsilon), by which normalization divides.
func (m moments) deviation(epsilon float32) float32 {
	return float32(math.Sqrt(m.variance + float64(epsilon)))
}

// Normalize is a Pointwise. It divides the channels of each sample into Groups groups, subtracts from each channel the
// mean of its group, and divides it by the square root of the group's variance plus Epsilon.
type Normalize struct {
	Groups, Channels, Step int
	Epsilon                float32
}

// Apply implements Pointwise: in each n.Step values it normalizes n.Channels, group by group. The rest becomes 0.
func (n Normalize) Apply(dst, a, _ []float32) {
	per := n.Channels / n.Groups
	for ; len(dst) > 0; dst, a = dst[n.Step:], a[n.Step:] {
		for c := 0; c < n.Channels; c += per {
			m := momentsOf(per, func(i int) float64 { return float64(a[c+i]) })
			mean, by := float32(m.mean), m.deviation(n.Epsilon)
			for i := c; i < c+per; i++ {
				dst[i] = (a[i] - mean) / by
			}
		}
		clear(dst[n.Channels:n.Step])
	}
}

// RowMoments computes one sample for each row: the means of the channels over the row, then their variances.
type RowMoments struct{ rowwise }

func (RowMoments) Size(in []Size) Size { return Size{1, in[0].H, 2 * in[0].Step, true} }

// Make implements Op: each row y to y+n−1 of t.Out has the mean of each channel and, step values later, its variance.
func (RowMoments) Make(t *Task, y, n int) {
	for ; n > 0; n, y = n-1, y+1 {
		out, row, step := t.Out.FloatRow(y), t.In[0].FloatRow(y), t.In[0].Step
		for c := range step {
			m := momentsOf(t.In[0].W, func(x int) float64 { return float64(row[x*step+c]) })
			out[c], out[step+c] = float32(m.mean), float32(m.variance)
		}
	}
}

// PictureMoments computes one sample from all samples of a RowMoments. The channels are in Groups groups. The sample
// holds for each channel the mean of its group and, in the second half, its divisor, √(variance + Epsilon).
type PictureMoments struct {
	rowwise
	Groups, Channels int
	Epsilon          float32
}

func (PictureMoments) Size(in []Size) Size               { return Size{1, 1, in[0].Step, true} }
func (PictureMoments) Needs(_, _, h, _ int) (lo, hi int) { return 0, h }

// Make implements Op: it computes the only sample of t.Out from the means and, step values later, variances of each
// row and channel. Padding gets the mean 0 and the divisor 1.
func (p PictureMoments) Make(t *Task, y, _ int) {
	in, out, step := t.In[0], t.Out.FloatRow(y), t.In[0].Step/2
	for i := range step {
		out[i], out[step+i] = 0, 1
	}
	per := p.Channels / p.Groups
	for c := 0; c < p.Channels; c += per {
		m := pooledMoments(in.H, func(y int) moments {
			row := in.FloatRow(y)
			return pooledMoments(per, func(i int) moments {
				return moments{float64(row[c+i]), float64(row[step+c+i])}
			})
		})
		for i := c; i < c+per; i++ {
			out[i], out[step+i] = float32(m.mean), m.deviation(p.Epsilon)
		}
	}
}

// NormalizeBy subtracts the means in its second input, a PictureMoments, and divides by the divisors in it.
type NormalizeBy struct{ rowwise }

// Needs implements Op: row y of the picture, and the only row of the second input.
func (NormalizeBy) Needs(input, y, _, _ int) (lo, hi int) {
	if input > 0 {
		return 0, 1
	}
	return y, y + 1
}

// Make implements Op: it normalizes the rows y to y+n−1. by holds the means and, step values later, the divisors.
func (NormalizeBy) Make(t *Task, y, n int) {
	by, step := t.In[1].FloatRow(0), t.In[0].Step
	for ; n > 0; n, y = n-1, y+1 {
		out := t.Out.FloatRow(y)
		for i, v := range t.In[0].FloatRow(y) {
			c := i % step
			out[i] = (v - by[c]) / by[step+c]
		}
	}
}
