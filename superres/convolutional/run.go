package convolutional

import (
	"context"
	"image"
	"runtime"

	"superres/internal/kernel"
	"superres/internal/lines"
)

// program returns the layers of the net as a program. The input of the program is the low-resolution picture extended
// on each side by the reach of the net, since the layers are not padded; its results are the sums of the last layer,
// with two columns more than the picture has: see params.lastFilter.
func (n *net) program() *lines.Program {
	last := len(n.filters) - 1
	p := &lines.Program{Nodes: []lines.Node{{Op: lines.Source{Channels: n.filters[0].Step}}}}
	add := func(op lines.Op, inputs ...int) {
		p.Nodes = append(p.Nodes, lines.Node{Op: op, Inputs: inputs})
	}
	for i := range last {
		f := &n.filters[i]
		conv := &lines.Conv{Filter: f, Columns: f.Rows} // a run of taps spans a row of the square kernel
		if n.params.isSum(i) {                          // lines.Conv crops the added output, which is larger
			conv.Skip = n.params.every()
			add(conv, i, i+1-conv.Skip) // node i+1 computes layer i
			continue
		}
		add(conv, i)
	}
	f := &n.filters[last]
	add(&lines.Sums{Conv: lines.Conv{Filter: f, Columns: 1}}, last) // each column of taps has its own outputs
	return p
}

// run takes a window of a picture through the net. size is the size of the picture in samples; the window leaves out at
// most the reach of the net on each side. begin is called for the rows [from, to) of the window, from the top down,
// before add is called for these rows. read must write the inputs of row y of the picture to a slice, all inputs of a
// sample side by side. add gets the sums of the last layer for row y of the window, in the order of params.lastFilter;
// step is the number of sums for each column. read and add are called from several goroutines. report is called with
// the share of the rows that are complete. run fails only with ctx.Err().
func (n *net) run(ctx context.Context, size image.Point, window image.Rectangle, begin func(from, to int),
	read func(y int, to []int16), add func(y int, sums []float32, step int), report func(float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	margin, inputs := n.Reach(), n.filters[0].Step
	w, h, beyond := window.Dx(), window.Dy(), margin-window.Min.X
	around := func(y int, rows *lines.Rows) { // repeats edge samples, the first of a row `beyond` times
		to := rows.Row(y)
		inner := to[beyond*inputs:][:size.X*inputs]
		read(min(max(y-margin+window.Min.Y, 0), size.Y-1), inner)
		for x := range beyond {
			copy(to[x*inputs:][:inputs], inner)
		}
		edge := inner[(size.X-1)*inputs:]
		for x := (beyond + size.X) * inputs; x < len(to); x += inputs {
			copy(to[x:], edge)
		}
	}
	step := n.filters[len(n.filters)-1].Outputs
	write := func(y int, sums []float32) { add(y, sums, step) }
	r := n.program().Start(w+2*margin, h+2*margin, around, write)
	for done, known := 0, 2*margin; done < h; { // rows made of the result, and known of the extended picture
		known += r.PassRows()
		if err := r.Advance(ctx, known, func(made int) { begin(done, made); done = made }); err != nil {
			return err // the memory of r is in an undefined state
		}
		report(float64(done) / float64(h))
	}
	r.Close()
	return nil
}

// Memory returns the bytes that stage.Stage.Memory asks for. fixed has 14 bytes for each word of two weights and its
// Winograd transform. working has the rows of all layers that are in memory at once and the buffers of workers.
func (n *net) Memory(width, rows int) (fixed, working int64) {
	for _, f := range n.filters {
		fixed += 14 * int64(len(f.Weights))
	}
	margin := 2 * n.Reach()
	working = int64(runtime.GOMAXPROCS(0)) * kernel.WinogradBytes(n.params.width())
	working += int64(runtime.GOMAXPROCS(0)) * int64(4*(width+2)*n.filters[len(n.filters)-1].Outputs)
	return fixed, working + n.program().Memory(width+margin, rows+margin)
}
