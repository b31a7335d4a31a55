package lines

import "superres/internal/kernel"

// rowsTogether is the number of rows that are computed at a time, as Winograd's tiles need.
const rowsTogether = 4

// rowwise is an operation that reads nothing beyond the left and right edges. Unless its type overrides it, a row is
// computed from the same row of each input, and the result is as large as the first input.
type rowwise struct{}

func (rowwise) Size(in []Size) Size               { return in[0] }
func (rowwise) Needs(_, y, _, _ int) (lo, hi int) { return y, y + 1 }
func (rowwise) Margin(int) (left, right int)      { return 0, 0 }
func (rowwise) Together() int                     { return rowsTogether }

// Source is the operation that reads the picture. It is the first node of a program.
type Source struct {
	rowwise
	Channels int  // the number of values of a sample, without padding
	Floats   bool // true if the values are float32, false if they are integers
}

func (s Source) Size(in []Size) Size {
	return Size{W: in[0].W, H: in[0].H, Step: s.Channels, Floats: s.Floats}
}

func (Source) Needs(_, _, _, _ int) (lo, hi int) { return 0, 0 }

// Make implements Op: it has the function read of Program.Start write n rows, from row y on.
func (Source) Make(t *Task, y, n int) {
	for k := range n {
		t.read(y+k, t.Out)
	}
}

// Sink is the operation that writes the rows of the result, which are float32. It is the last node of a program.
type Sink struct{ rowwise }

func (Sink) Size(in []Size) Size { return Size{W: in[0].W, H: in[0].H, Floats: true} }

// Make implements Op: it passes n rows, from row y on, to the function write of Program.Start.
func (Sink) Make(t *Task, y, n int) {
	for k := range n {
		t.write(y+k, t.In[0].FloatRow(y+k))
	}
}

// FloatConv is a convolution of float32.
type FloatConv struct {
	rowwise
	Filter                  *kernel.FloatFilter // the taps, in columns that are Dilation apart
	Height, Width, Dilation int                 // the numbers of taps, and the distance between neighbouring taps
	// Stride is the distance between the rows, and between the columns, of the input from which neighbouring samples of
	// the result are computed. The Filter must have the same stride.
	Stride int
	// Pad is the number of rows and columns of zeros around the input. A negative number cuts off rows or columns.
	Pad     Edges
	HasSkip bool // whether a second input, of the size of the result, is added to the result
}

// Edges holds a number of samples for each side of a picture.
type Edges struct{ Top, Left, Bottom, Right int }

// Size implements Op: as many places of the taps, Stride apart, as fit into the padded input.
func (c *FloatConv) Size(in []Size) Size {
	along := func(n, before, behind, taps int) int {
		return (n+before+behind-(taps-1)*c.Dilation-1)/c.Stride + 1
	}
	return Size{
		W: along(in[0].W, c.Pad.Left, c.Pad.Right, c.Width), H: along(in[0].H, c.Pad.Top, c.Pad.Bottom, c.Height),
		Step: c.Filter.Outputs, Floats: true,
	}
}

// Needs implements Op: of a second input, row y; of the first, what all rows computed together with row y need.
func (c *FloatConv) Needs(input, y, _, _ int) (lo, hi int) {
	if input > 0 {
		return y, y + 1
	}
	together := c.Filter.Together()
	first := y / together * together
	lo = first*c.Stride - c.Pad.Top
	return lo, lo + (together-1)*c.Stride + (c.Height-1)*c.Dilation + 1
}

func (c *FloatConv) Margin(input int) (left, right int) {
	if input > 0 {
		return 0, 0
	}
	return max(c.Pad.Left, 0), max(c.Pad.Right, 0)
}

func (c *FloatConv) Make(t *Task, y, n int) { c.makeColumns(t, y, n, 0, t.Out.W) }

// makeColumns computes the columns [from, to) of n rows, from row y on. from is a multiple of 4, the columns of a tile.
func (c *FloatConv) makeColumns(t *Task, y, n, from, to int) {
	in, together := t.In[0], c.Filter.Together()
	memory := t.Out.class.floats
	for ; n > 0; n, y = n-together, y+together {
		rows := t.offsets[:0] // where the taps begin in each row of the input that these rows need
		for j := range (together-1)*c.Stride + c.Height {
			at := in.At(y*c.Stride - c.Pad.Top + j*c.Dilation)
			rows = append(rows, at+(from*c.Stride-c.Pad.Left)*in.Step)
		}
		t.offsets = rows
		var out, skipAt [rowsTogether]int
		var skip []float32
		count := min(n, together)
		for k := range count {
			out[k] = t.Out.At(y+k) + from*t.Out.Step
			if c.HasSkip {
				skip, skipAt[k] = t.In[1].class.floats, t.In[1].At(y+k)+from*t.In[1].Step
			}
		}
		kernel.ConvolveFloats(memory, out[:count], in.class.floats, rows, to-from, c.Filter, skip, skipAt[:count],
			&t.work)
	}
}
