// Package lines computes networks on pictures, a few rows at a time. A network is a Program: nodes in an order, each an
// operation on the rows of nodes before it. A Run takes one picture through a program: each node makes its next rows as
// soon as its inputs have the rows for them, and rows that no node needs any more are used again for others. So memory
// grows with the width of the picture and the number of nodes, not with its height, and no row is computed twice. The
// workers take steps of a list, each a few rows of a node, and wait only for the steps that they need.
//
// The samples of a row lie side by side, each with all its channels. They are integers of 16 bits or float32. A sample
// beyond the edges of a picture is 0 in all channels.
//
// program.go is what a program is, run.go how rows are made and kept, and plan.go in which steps. The other files are
// operations: integers.go those of our own networks, all others those of float32.
package lines

import "superres/internal/kernel"

// Program is a network: its nodes in an order in which each comes after its inputs. The first is the Source of the
// picture, the last the Sink of the result. A program must not change once it has been run, and may be run by several
// goroutines at a time.
type Program struct{ Nodes []Node }

// Node is one operation of a program, and the indexes of the nodes that are its inputs.
type Node struct {
	Op     Op
	Inputs []int
}

// Op is an operation.
type Op interface {
	// Size returns the size of the samples that are made of inputs with the given sizes.
	Size(in []Size) Size
	// Needs returns a range [lo, hi) of rows of an input, of height h, that row y of a result of the given height is
	// made of; it may reach beyond the edges. No later row may need a row before lo. The bits of row y depend on no
	// other row. An operation that needs a whole input returns [0, h).
	Needs(input, y, h, height int) (lo, hi int)
	// Margin returns how many columns to the left of the first, and to the right of the last, are read of an input.
	Margin(input int) (left, right int)
	// Together returns how many rows are made at a time: those from a multiple of it to the next, or to the last row.
	Together() int
	// Make makes the rows [y, y+n), n at most Together. It may write as many columns more, with any values, as kernels
	// need that make at least kernel.MinSamples samples.
	Make(t *Task, y, n int)
}

// Size is the size of the samples of a node.
type Size struct {
	// W and H are the numbers of columns and rows.
	W, H int
	// Step is the number of values of a sample, with those that pad it.
	Step int
	// Floats is true if the values are float32, false if they are integers of 16 bits.
	Floats bool
}

// Task is what a worker makes some rows of a node with. It belongs to one goroutine.
type Task struct {
	// Out are the rows of the node, In those of its inputs.
	Out *Rows
	In  []*Rows

	read     func(y int, to *Rows)
	write    func(y int, row []float32)
	winograd kernel.Winograd
	work     kernel.FloatWork
	offsets  []int
	floats   []float32
}

// scratch returns memory for n values of float32, of any values, until the next call.
func (t *Task) scratch(n int) []float32 {
	t.floats = resize(t.floats, n)
	return t.floats
}

// Rows are rows of a node.
type Rows struct {
	Size
	class  *class
	margin int    // columns of zeros on each side of a row
	slots  []slot // of the rows from row base on
	base   int
	first  int // the first row that later steps need
	made   int // the next row to be made
	atOnce int // the most rows that a pass makes
}

// Integers returns the memory of rows of integers, which At refers to.
func (r *Rows) Integers() []int16 { return r.class.integers }

// At returns the index of the first value of row y. A row above or below the picture is one of zeros.
func (r *Rows) At(y int) int {
	if y < 0 || y >= r.H {
		return r.margin * r.Step // the first row of a class
	}
	return r.slots[y-r.base].offset + r.margin*r.Step
}

// Row returns the values of the samples of row y, which must be integers.
func (r *Rows) Row(y int) []int16 { return r.class.integers[r.At(y):][:r.W*r.Step] }

// FloatRow returns the values of the samples of row y, which must be float32.
func (r *Rows) FloatRow(y int) []float32 { return r.class.floats[r.At(y):][:r.W*r.Step] }

// columns returns the number of columns of a row in memory. It suffices for kernels, which make at least
// kernel.MinSamples samples, of up to maxTaps columns each, even in narrow pictures.
func (s Size) columns() int { return max(s.W, kernel.MinSamples+maxTaps) }

// maxTaps is the largest number of columns that the taps of a convolution span.
const maxTaps = 40

// Sizes returns the sizes of the samples of all nodes for a picture of w×h samples.
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
