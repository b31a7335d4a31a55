package graph

import "superres/superres/networks/fail"

// Roll moves samples Rows up and Columns left (negative: down, right). What leaves at one side enters at the other.
type Roll struct{ Rows, Columns int }

// Interleave puts distant pixels side by side: row b·Rows + a of the result, for each a below Rows, is row
// a·(H/Rows) + b of the input; columns likewise. Undo reverses this. H must be a multiple of Rows, W of Columns.
type Interleave struct {
	Rows, Columns int
	Undo          bool
}

// Windows divide a picture into parts within which pixels attend to each other: windows of Height×Width pixels,
// which must divide the picture evenly, or the whole picture if Height and Width are 0. Channels form Heads equal
// groups of neighbours, the heads, and each head attends separately.
type Windows struct{ Height, Width, Heads int }

// Keys are the windows of a second input: as many as in the first, of Height×Width pixels. Each begins Down rows below
// the one above and Across columns right of the one to its left, so they may overlap. A zero Keys: as in the first.
type Keys struct{ Height, Width, Down, Across int }

// Scores multiplies the pixels of windows of two inputs with each other. Its result has one pixel per window. Channel
// (h·n + i)·m + k is the sum, over the channels of head h, of the products of pixel i of the first input and pixel k of
// the second. Pixels are counted row by row in a window, which has n = Height·Width in the first input, m in the other.
type Scores struct {
	Windows
	Keys Keys
}

// WeightedSum computes, for each pixel of a window, a weighted sum of all pixels of the same window of its second
// input. The weights are the first input, in the order of the result of Scores.
type WeightedSum struct {
	Windows
	Keys Keys
}

// ChannelScores multiplies channels with each other. Its result has one pixel per window. Channel (h·n + i)·n + k is
// the sum, over the pixels of the window, of the products of channel i of the first input and channel k of the second,
// both counted within head h, which has n channels.
type ChannelScores struct{ Windows }

// ChannelSum computes, for each channel of a head, a weighted sum of all channels of the same head of its second input.
// The weights are the first input, in the order of the result of ChannelScores.
type ChannelSum struct{ Windows }

// ShiftMask adds Value to the score of each pair of pixels in a window that were apart before Roll moved the picture up
// by Rows and left by Columns: one came from the opposite side (Liu et al.: Swin Transformer, ICCV 2021).
type ShiftMask struct {
	Height, Width, Heads int
	Rows, Columns        int
	Value                float32
}

func (r Roll) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(max(r.Rows, -r.Rows) > 1<<20 || max(r.Columns, -r.Columns) > 1<<20, "by %d×%d", r.Columns, r.Rows)
	return s
}

func (i Interleave) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(min(i.Rows, i.Columns) < 1 || s.H%i.Rows != 0 || s.W%i.Columns != 0,
		"of %d×%d, into which %d×%d samples are not divisible", i.Columns, i.Rows, s.W, s.H)
	return s
}

// check fails unless pictures of shape s can be divided into the windows and heads.
func (w Windows) check(s Shape) {
	isWhole := w.Height == 0 && w.Width == 0
	fail.When(w.Heads < 1 || s.Channels%w.Heads != 0, "of %d channels in %d heads", s.Channels, w.Heads)
	fail.When(!isWhole &&
		(min(w.Height, w.Width) < 1 || max(w.Height, w.Width) > MaxWindow || s.W%w.Width != 0 || s.H%w.Height != 0),
		"of windows of %d×%d, expected divisors of %d×%d samples up to %d", w.Width, w.Height, s.W, s.H, MaxWindow)
}

// MaxWindow is the greatest side of a window of Windows.
const MaxWindow = 64

// resultShape returns the shape of a result with a pixel of the given channels for each window of a picture of shape s.
func (w Windows) resultShape(s Shape, channels int) Shape {
	if w.Height == 0 {
		return Shape{1, 1, channels}
	}
	return Shape{s.W / w.Width, s.H / w.Height, channels}
}

// pixels returns the number of pixels of a window of pictures of shape s.
func (w Windows) pixels(s Shape) float64 {
	if w.Height == 0 {
		return float64(s.W) * float64(s.H)
	}
	return float64(w.Height * w.Width)
}

// scoresShape returns the shape of ChannelScores' result: a pixel per window, a channel per pair of channels of a head.
func (w Windows) scoresShape(in []Shape) Shape {
	fail.When(len(in) != 2 || in[0] != in[1], "has %d inputs, expected 2 of one shape", len(in))
	w.check(in[0])
	n := in[0].Channels / w.Heads
	fail.When(n < 1 || n > MaxScores || w.Heads > MaxScores/n/n,
		"of %d heads with %d×%d products, expected at most %d", w.Heads, n, n, MaxScores)
	return w.resultShape(in[0], w.Heads*n*n)
}

// sumShape returns the shape of the result of ChannelSum for two inputs: the scores, and the samples to be summed.
func (w Windows) sumShape(in []Shape) Shape {
	fail.When(len(in) != 2, "has %d inputs, expected 2", len(in))
	want := w.scoresShape([]Shape{in[1], in[1]})
	fail.When(in[0] != want,
		"of %d×%d×%d weights, expected %d×%d×%d", in[0].W, in[0].H, in[0].Channels, want.W, want.H, want.Channels)
	return in[1]
}

// Or returns k, or the windows of w if k is zero.
func (k Keys) Or(w Windows) Keys {
	if k == (Keys{}) {
		return Keys{w.Height, w.Width, w.Height, w.Width}
	}
	return k
}

// pixels returns the number of pixels of a window of the second input, which is the number of scores of each pixel.
func (k Keys) pixels(w Windows) int { return k.Or(w).Height * k.Or(w).Width }

// check fails unless second, the shape of a second input, holds across×down windows of k and has the given channels.
func (k Keys) check(w Windows, across, down int, second Shape, channels int) {
	k = k.Or(w)
	fail.When(min(k.Height, k.Width, k.Down, k.Across) < 1 || max(k.Height, k.Width, k.Down, k.Across) > MaxWindow,
		"of windows of %d×%d, %d×%d apart", k.Width, k.Height, k.Across, k.Down)
	want := Shape{(across-1)*k.Across + k.Width, (down-1)*k.Down + k.Height, channels}
	fail.When(second != want,
		"of %d×%d×%d samples, expected %d×%d×%d", second.W, second.H, second.Channels, want.W, want.H, want.Channels)
	n, m := w.Height*w.Width, k.Height*k.Width
	fail.When(w.Heads > MaxScores/n/m, "of %d heads with %d×%d products, expected at most %d", w.Heads, n, m, MaxScores)
}

// shape implements Op. The result has one pixel for each window, with products of all pairs of pixels for each head.
// Unlike ChannelScores, Scores cannot take the whole picture as a window.
func (p Scores) shape(in []Shape) (s Shape) {
	fail.When(len(in) != 2 || p.Height == 0, "has %d inputs, expected 2, with windows", len(in))
	p.check(in[0])
	s = p.resultShape(in[0], p.Heads*p.Height*p.Width*p.Keys.pixels(p.Windows))
	p.Keys.check(p.Windows, s.W, s.H, in[1], in[0].Channels)
	return s
}

// shape implements Op. The first input holds the weights, one pixel for each window; the second the pixels to sum.
func (p WeightedSum) shape(in []Shape) (s Shape) {
	fail.When(len(in) != 2 || p.Height == 0, "has %d inputs, expected 2, with windows", len(in))
	s = Shape{in[0].W * p.Width, in[0].H * p.Height, in[1].Channels}
	p.check(s)
	p.Keys.check(p.Windows, in[0].W, in[0].H, in[1], s.Channels)
	want := p.Heads * p.Height * p.Width * p.Keys.pixels(p.Windows)
	fail.When(in[0].Channels != want, "of %d weights of a window, expected %d", in[0].Channels, want)
	return s
}

func (p ChannelScores) shape(in []Shape) Shape { return p.scoresShape(in) }
func (p ChannelSum) shape(in []Shape) Shape    { return p.sumShape(in) }

// shape implements Op. Each pixel of the input holds the scores of one window: n×n for each head, for n pixels.
func (m ShiftMask) shape(in []Shape) Shape {
	s := onlyInput(in)
	n := m.Height * m.Width
	fail.When(min(m.Height, m.Width, m.Heads) < 1 || max(m.Height, m.Width) > MaxWindow || m.Heads > MaxScores ||
		m.Rows < 0 || m.Columns < 0 || m.Rows >= m.Height || m.Columns >= m.Width || s.Channels != m.Heads*n*n,
		"of %d scores of %d heads and windows of %d×%d moved by %d×%d", s.Channels, m.Heads, m.Width, m.Height,
		m.Columns, m.Rows)
	return s
}

// IsApart reports whether two pixels of a window, given by row-by-row indexes, were apart before the picture was
// moved. The window is in column x and row y of all windows. s is the shape of the scores: a pixel per window.
func (m ShiftMask) IsApart(x, y, first, second int, s Shape) bool {
	// part numbers the strips along a side: 0 ends where the last window begins, 2 came from the opposite side.
	part := func(i, windows, window, shift int) int {
		switch {
		case i < (windows-1)*window:
			return 0
		case i < windows*window-shift:
			return 1
		}
		return 2
	}
	row := func(pixel int) int { return part(y*m.Height+pixel/m.Width, s.H, m.Height, m.Rows) }
	column := func(pixel int) int { return part(x*m.Width+pixel%m.Width, s.W, m.Width, m.Columns) }
	return row(first) != row(second) || column(first) != column(second)
}
