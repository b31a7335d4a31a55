// Package lines computes networks on pictures, a few rows at a time. A network is a Program: a list of nodes, each an
// operation on the rows of earlier nodes. A Run takes one picture through a program: each node computes its next rows
// as soon as its inputs have the rows that it needs, and the memory of rows that no node needs any more is used for new
// rows. So memory grows with the width of the picture and the number of nodes, not with its height, and no row is
// computed twice. Workers take steps from a list, each a few rows of a node, and wait only for steps that they need.
//
// The samples of a row are stored side by side, each with all its channels. They are integers of 16 bits or float32. A
// sample beyond the edges of a picture is 0 in all channels.
//
// program.go defines programs, run.go computes and keeps rows, and plan.go plans the steps. The other files are
// operations: integers.go the integer operations of our own networks, and the rest the operations on float32.
package lines

import "superres/internal/kernel"

// Program is a network: a list of nodes in which each node comes after its inputs. The first node is the Source,
// which reads the picture; the last, a Sink or Sums, writes the result. A program must not change once it has been
// run. Several goroutines may run it at the same time.
type Program struct{ Nodes []Node }

// Node is one operation of a program, with the indexes of its input nodes.
type Node struct {
	Op     Op
	Inputs []int
}

// Op is the operation of a node, which computes rows of a result from rows of its inputs.
type Op interface {
	// Size returns the size of the result for inputs of the given sizes.
	Size(in []Size) Size
	// Needs returns the range [lo, hi) of rows of an input, h rows high, from which row y of a result of the given
	// height is computed. Callers ignore the part of the range beyond the edges. Later rows must not need a row
	// before lo, since its memory is used again. Row y must have the same bits whichever other rows are computed. An
	// operation that needs a whole input returns [0, h).
	Needs(input, y, h, height int) (lo, hi int)
	// Margin returns how many columns of an input are read left of the first column and right of the last.
	Margin(input int) (left, right int)
	// Together returns how many rows are computed at a time: from one multiple of Together to the next, or the end.
	Together() int
	// Make computes the rows [y, y+n), where n is at most Together. It may write arbitrary values into columns beyond
	// the last, since kernels compute at least kernel.MinSamples samples.
	Make(t *Task, y, n int)
}

// Size is the size of the samples of a node.
type Size struct {
	W, H   int  // the numbers of columns and rows
	Step   int  // the number of values of a sample, including padding
	Floats bool // true if the values are float32, false if they are integers of 16 bits
}

// Task is what a worker needs to compute some rows of a node. It belongs to one goroutine.
type Task struct {
	Out *Rows   // the rows of the node
	In  []*Rows // the rows of its inputs

	read     func(y int, to *Rows)
	write    func(y int, row []float32)
	winograd kernel.Winograd
	work     kernel.FloatWork
	offsets  []int
	floats   []float32
}

// scratch returns memory for n float32 with arbitrary values. It is valid until the next call.
func (t *Task) scratch(n int) []float32 {
	t.floats = resize(t.floats, n)
	return t.floats
}

// Rows holds rows of a node.
type Rows struct {
	Size
	class  *class
	margin int    // columns of zeros on each side of a row
	slots  []slot // the memory of the rows, beginning with row base
	base   int
	first  int // the first row that later steps need
	made   int // the next row to be made
	atOnce int // the largest number of rows that a pass computes
}

// Integers returns the memory of rows of integers, into which At returns indices.
func (r *Rows) Integers() []int16 { return r.class.integers }

// At returns the index of the first value of row y. A row above or below the picture is a row of zeros.
func (r *Rows) At(y int) int {
	if y < 0 || y >= r.H {
		return r.margin * r.Step // the row of zeros comes first in a class
	}
	return r.slots[y-r.base].offset + r.margin*r.Step
}

func (r *Rows) Row(y int) []int16 { return r.class.integers[r.At(y):][:r.W*r.Step] }

// FloatRow returns the values of the samples of row y, which must be float32.
func (r *Rows) FloatRow(y int) []float32 { return r.class.floats[r.At(y):][:r.W*r.Step] }

// columns returns the number of columns of a row in memory. It leaves space for kernels, which compute at least
// kernel.MinSamples samples, each from up to maxTaps columns, even in narrow pictures.
func (s Size) columns() int { return max(s.W, kernel.MinSamples+maxTaps) }

// maxTaps is the largest number of columns that the taps of a convolution span.
const maxTaps = 40

// Sizes returns the size of the result of each node for a picture of w×h samples, which is the input of node 0.
func (p *Program) Sizes(w, h int) []Size {
	sizes := make([]Size, len(p.Nodes))
	var in []Size
	for i, n := range p.Nodes {
		in = in[:0]
		for _, from := range n.Inputs {
			in = append(in, sizes[from])
		}
		if i == 0 {
			in = append(in, Size{W: w, H: h})
		}
		sizes[i] = n.Op.Size(in)
	}
	return sizes
}
