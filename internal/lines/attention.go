package lines

import "superres/internal/kernel"

// Windows describes attention inside windows of Height×Width pixels. The channels of a pixel are divided into Heads
// heads of PerHead neighbouring channels. Keys describes the windows of the second input.
type Windows struct {
	Height, Width, Heads, PerHead int
	Keys                          Keys
}

// Keys are windows of Height×Width pixels. Neighbouring windows begin Down rows and Across columns apart.
type Keys struct{ Height, Width, Down, Across int }

// oneRow is a rowwise operation that computes one row at a time.
type oneRow struct{ rowwise }

func (oneRow) Together() int { return 1 }

// rows returns the range [lo, hi) of rows of the input that row y of the windows covers.
func (k Keys) rows(y int) (lo, hi int) { return y * k.Down, y*k.Down + k.Height }

// queries describes the windows of the first input, which do not overlap.
func (w *Windows) queries() Keys { return Keys{w.Height, w.Width, w.Height, w.Width} }

// load copies to dst the pixels of one window of in, with the channels of one head: window x in row y of k's windows.
// dst has a row for each pixel or, if isTransposed, for each channel. Zeros fill rows up to step values.
func (w *Windows) load(dst []float32, in *Rows, k Keys, x, y, head, step int, isTransposed bool) {
	if isTransposed {
		clear(dst[:w.PerHead*step])
	} else {
		clear(dst[:k.Height*k.Width*step])
	}
	for i := range k.Height {
		row := in.FloatRow(y*k.Down + i)[(x*k.Across)*in.Step+head*w.PerHead:]
		for column := range k.Width {
			pixel, at := row[column*in.Step:][:w.PerHead], i*k.Width+column
			if !isTransposed {
				copy(dst[at*step:], pixel)
				continue
			}
			for c, v := range pixel {
				dst[c*step+at] = v
			}
		}
	}
}

// Scores multiplies the n pixels of each window of the first input with the m pixels of the corresponding window of
// the second. Its result has one sample for each window. Value (h·n + i)·m + k of a sample is the sum, over the
// channels of head h, of the products of pixel i of the first window and pixel k of the second. With OfChannels, it
// sums, over the pixels, the products of channels i and k of head h in the two windows, and n = m = PerHead.
type Scores struct {
	oneRow
	Windows
	OfChannels bool
}

// sides returns how many pixels or channels of each input are multiplied, and how many products make up a sum.
func (s *Scores) sides() (n, m, inner int) {
	if s.OfChannels {
		return s.PerHead, s.PerHead, s.Height * s.Width
	}
	return s.Height * s.Width, s.Keys.Height * s.Keys.Width, s.PerHead
}

func (s *Scores) Size(in []Size) Size {
	n, m, _ := s.sides()
	return Size{in[0].W / s.Width, in[0].H / s.Height, kernel.PadTo(s.Heads*n*m, kernel.Lanes), true}
}

// Needs implements Op: it returns the rows of pixels in the windows of row y.
func (s *Scores) Needs(input, y, _, _ int) (lo, hi int) {
	if input == 0 {
		return s.queries().rows(y)
	}
	return s.Keys.rows(y)
}

// Make implements Op: it computes row y of t.Out: for each window and head, a product of matrices, one transposed.
func (s *Scores) Make(t *Task, y, _ int) {
	n, m, inner := s.sides()
	cols := kernel.PadTo(m, kernel.Lanes)
	memory := t.scratch(n*inner + inner*cols + n*cols)
	a, b, products := memory[:n*inner], memory[n*inner:][:inner*cols], memory[n*inner+inner*cols:]
	for x := range t.Out.W {
		out := t.Out.FloatRow(y)[x*t.Out.Step:][:t.Out.Step]
		for h := range s.Heads {
			s.load(a, t.In[0], s.queries(), x, y, h, inner, s.OfChannels)
			s.load(b, t.In[1], s.Keys, x, y, h, cols, !s.OfChannels)
			kernel.Product(products, cols, a, inner, n, inner, b, cols)
			for i := range n {
				copy(out[(h*n+i)*m:][:m], products[i*cols:])
			}
		}
		clear(out[s.Heads*n*m:])
	}
}

// WeightedSum computes each pixel of a window as the sum of the pixels of a window of the second input, weighted by the
// first input, which has the layout of a result of Scores. With OfChannels, it computes each channel of a pixel as the
// weighted sum of the channels of the same head and pixel.
type WeightedSum struct {
	rowwise
	Windows
	OfChannels bool
}

func (s *WeightedSum) Together() int { return s.Height }

func (s *WeightedSum) Size(in []Size) Size {
	return Size{in[0].W * s.Width, in[0].H * s.Height, in[1].Step, true}
}

// Needs implements Op: the row of windows to which row y of pixels belongs, or the rows of pixels in its windows.
func (s *WeightedSum) Needs(input, y, _, _ int) (lo, hi int) {
	if input == 0 {
		return y / s.Height, y/s.Height + 1
	}
	return s.Keys.rows(y / s.Height)
}

// Make implements Op: it computes the s.Height rows of pixels from row y on. For each window and head they are the
// product of scores and pixels or, with OfChannels, of pixels and transposed scores, which are in b.
func (s *WeightedSum) Make(t *Task, y, _ int) {
	y /= s.Height
	pixels, keys, n := s.Height*s.Width, s.Keys.Height*s.Keys.Width, s.PerHead
	cols := kernel.PadTo(s.PerHead, kernel.Lanes)
	memory := t.scratch(pixels*cols + keys*cols + n*cols)
	sums, a, b := memory[:pixels*cols], memory[pixels*cols:][:keys*cols], memory[(pixels+keys)*cols:]
	for x := range t.In[0].W {
		scores := t.In[0].FloatRow(y)[x*t.In[0].Step:]
		for h := range s.Heads {
			if s.OfChannels {
				s.load(a, t.In[1], s.Keys, x, y, h, n, false)
				transpose(b, scores[h*n*n:], n, cols)
				kernel.Product(sums, cols, a, n, pixels, n, b, cols)
			} else {
				s.load(a, t.In[1], s.Keys, x, y, h, cols, false)
				kernel.Product(sums, cols, scores[h*pixels*keys:], keys, pixels, keys, a, cols)
			}
			for i := range s.Height {
				row := t.Out.FloatRow(y*s.Height + i)[x*s.Width*t.Out.Step:]
				for k := range s.Width {
					pixel := row[k*t.Out.Step:][:t.Out.Step]
					copy(pixel[h*n:][:n], sums[(i*s.Width+k)*cols:])
					clear(pixel[s.Heads*n:])
				}
			}
		}
	}
}

// transpose sets dst, n rows of cols values, to the transpose of src, n rows of n values. The rest of dst becomes 0.
func transpose(dst, src []float32, n, cols int) {
	clear(dst[:n*cols])
	for i := range n {
		for k := range n {
			dst[k*cols+i] = src[i*n+k]
		}
	}
}

// RowScores is Scores with OfChannels true and each row of the picture as a window: one sample for each row.
type RowScores struct {
	oneRow
	Heads, PerHead int
}

func (s *RowScores) Size(in []Size) Size {
	return Size{1, in[0].H, kernel.PadTo(s.Heads*s.PerHead*s.PerHead, kernel.Lanes), true}
}

// Make implements Op: it computes row y of t.Out, a single sample, as Scores of one window. n is 1.
func (s *RowScores) Make(t *Task, y, n int) {
	row := Keys{1, t.In[0].W, 1, t.In[0].W}
	w := &Scores{Windows: Windows{1, t.In[0].W, s.Heads, s.PerHead, row}, OfChannels: true}
	w.Make(t, y, n)
}

// ChannelSum is WeightedSum with OfChannels true and the picture as one window: its first input is a single sample.
type ChannelSum struct {
	oneRow
	Heads, PerHead int
}

func (*ChannelSum) Size(in []Size) Size { return in[1] }

// Needs implements Op: the only row of the first input, and row y of the second.
func (*ChannelSum) Needs(input, y, _, _ int) (lo, hi int) {
	if input == 0 {
		return 0, 1
	}
	return y, y + 1
}

// Make implements Op: each channel in row y of t.Out is the sum of the channels of its head, weighted by its scores.
func (s *ChannelSum) Make(t *Task, y, _ int) {
	n, width := s.PerHead, t.Out.W
	cols := kernel.PadTo(n, kernel.Lanes)
	memory := t.scratch(width*cols + n*cols)
	sums, b := memory[:width*cols], memory[width*cols:]
	scores, out := t.In[0].FloatRow(0), t.Out.FloatRow(y)
	for h := range s.Heads {
		transpose(b, scores[h*n*n:], n, cols)
		kernel.Product(sums, cols, t.In[1].FloatRow(y)[h*n:], t.In[1].Step, width, n, b, cols)
		for x := range width {
			copy(out[x*t.Out.Step+h*n:][:n], sums[x*cols:])
			clear(out[x*t.Out.Step+s.Heads*n : (x+1)*t.Out.Step])
		}
	}
}

// Mask adds Value to the scores of pairs of pixels for which IsApart is true: in a picture that Roll has moved, pixels
// from opposite edges may meet in a window of the last row or column. It calls IsApart only for these windows, with the
// position (x, y) of the window among w×h windows and the numbers of two of its N pixels.
type Mask struct {
	oneRow
	Heads, N int
	Value    float32
	IsApart  func(x, y, first, second, w, h int) bool
}

// Make implements Op: it copies row y of windows, adding m.Value as IsApart says in its last window or in the last row.
func (m *Mask) Make(t *Task, y, _ int) {
	out := t.Out.FloatRow(y)
	copy(out, t.In[0].FloatRow(y))
	for x := range t.Out.W {
		if x < t.Out.W-1 && y < t.Out.H-1 {
			continue // this window joins no pixels of opposite edges
		}
		for i := range m.N * m.N {
			if m.IsApart(x, y, i/m.N, i%m.N, t.Out.W, t.Out.H) {
				for h := range m.Heads {
					out[x*t.Out.Step+h*m.N*m.N+i] += m.Value
				}
			}
		}
	}
}
