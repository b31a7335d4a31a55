package convolutional

import (
	"context"
	"runtime"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// A picture goes through the layers in passes. A pass makes some new rows of the first layer, then those of the
// second layer for which all neighbouring rows exist, one row less, and so on; in each layer the workers share
// the rows. No row is made twice: for the next pass the last two rows of every layer are kept, and those of the
// first layer that will be added to the input of the last.
//
// Layer i has M+1−i rows and columns more than the picture on every side, the last one none. Rows of all layers
// are numbered like those of the picture, so the rows above it have negative numbers.

// geometry is the layout of the rows of a w×h picture in memory.
type geometry struct {
	w, h               int // samples; w is raised to the least width that the kernels take
	passRows           int // rows of the first layer that a pass makes
	row, rows          int // values in a row of a layer, and the number of rows in run.data
	inputRow, inputMax int // values in a row of input, and the number of rows in run.input
}

// samplesPerPass is the number of samples of a 32-channel layer that each worker makes in a pass, large enough
// that workers seldom wait for each other. Note: the program enlarges 768×512 by 2 on two processors in 259,
// 227, 204 and 203 ms with 4096, 8192, 16384 and 32768; with 48 channels in 444, 313, 295 and 278 ms.
const samplesPerPass = 32768

// geometry returns the layout for a picture of w×h low-resolution samples.
func (n *net) geometry(w, h int) geometry {
	g := geometry{w: max(w, kernel.MinSamples), h: h}
	channels, m := n.params.width(), n.params.Depth+1
	columns := g.w + 2*m
	g.passRows = 2 * runtime.GOMAXPROCS(0) * max(1, samplesPerPass*16/channels/columns)
	g.passRows = min(g.passRows, h+2*m)
	g.row = columns * channels
	g.rows = 3*g.passRows + 3*m + 8
	side, inputs := n.filters[0].Rows, n.filters[0].Step
	g.inputRow, g.inputMax = (columns+side)*inputs, g.passRows+side-1
	return g
}

// run is the state of one picture on its way through a net.
type run struct {
	geometry
	net  *net
	read func(y int, to []int16)
	add  func(y int, sums []float32, step int)

	cols  int         // width of the picture in samples
	input []int16     // a ring of rows of the picture: see inputAt
	data  []int16     // rows of all layers
	free  []int       // offsets in data of unused rows
	slots [][]int     // offsets in data of the rows of each layer: see slot
	kept  []int       // the first row of each layer that has not been released
	made  []int       // the next row that each layer will make
	sums  [][]float32 // one row of the last layer per worker

	winograd []*kernel.Winograd // one workspace per worker
}

// memory keeps the buffers of finished runs for the next ones.
var memory = sync.Pool{New: func() any { return new(run) }}

// run takes a picture of w×h samples through the net. It calls read to have the inputs of row y written to to,
// all inputs of a sample side by side, and add with the sums of row y of the last layer, step of them for each
// column, in the order of params.lastFilter; both from several goroutines. It calls report with the share of
// the rows that are done, and fails only with ctx.Err().
func (n *net) run(ctx context.Context, w, h int, read func(y int, to []int16),
	add func(y int, sums []float32, step int), report func(float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := memory.Get().(*run)
	r.begin(n, w, h, read, add)
	last := len(r.made) - 1
	var err error
	for err == nil && r.made[last] < h {
		if err = r.pass(ctx); err == nil {
			report(float64(r.made[last]) / float64(h))
		}
	}
	r.net, r.read, r.add = nil, nil, nil
	memory.Put(r) // not deferred: after a panic its state is undefined
	return err
}

// begin sets r up for a picture, in the memory of an earlier run where that is large enough.
func (r *run) begin(n *net, w, h int, read func(y int, to []int16), add func(y int, sums []float32, step int)) {
	r.net, r.read, r.add, r.cols = n, read, add, w
	r.geometry = n.geometry(w, h)
	r.input = resize(r.input, r.inputMax*r.inputRow)
	r.data = resize(r.data, r.rows*r.row)
	r.free = r.free[:0]
	for i := range r.rows {
		r.free = append(r.free, i*r.row)
	}
	layers := len(n.filters)
	r.slots, r.kept, r.made = make([][]int, layers-1), make([]int, layers), make([]int, layers)
	for i := range layers {
		if i < layers-1 {
			r.slots[i] = make([]int, r.passRows+n.params.Depth+4)
		}
		r.made[i] = -r.margin(i)
		r.kept[i] = r.made[i]
	}
}

// resize returns a slice of n undefined values, in the memory of v where that is large enough.
func resize(v []int16, n int) []int16 {
	if cap(v) < n {
		return make([]int16, n)
	}
	return v[:n]
}

// margin returns the number of rows and columns by which a layer exceeds the picture on each side.
func (r *run) margin(layer int) int { return len(r.net.filters) - 1 - layer }

// slot returns where r.slots keeps the offset of row y of a layer.
func (r *run) slot(layer, y int) *int {
	slots := r.slots[layer]
	return &slots[(y+r.margin(layer))%len(slots)]
}

// pass makes the next rows of all layers, as many as their inputs allow.
func (r *run) pass(ctx context.Context) error {
	last := len(r.made) - 1
	from := r.made[0]
	to := min(from+r.passRows, r.h+r.margin(0))
	r.readRows(from, to)
	for i := range r.made {
		from, to := r.made[i], max(r.made[i], to-i)
		if i < last {
			for y := from; y < to; y++ {
				*r.slot(i, y) = r.free[len(r.free)-1]
				r.free = r.free[:len(r.free)-1]
			}
		}
		if err := r.makeRows(ctx, i, from, to); err != nil {
			return err
		}
		r.made[i] = to
		if i > 1 {
			r.release(i-1, to-1)
		}
		if i == last-1 {
			r.release(0, min(r.made[1]-1, to))
		}
	}
	return nil
}

// release returns the rows of a layer above row to, which is not released, to r.free.
func (r *run) release(layer, to int) {
	for ; r.kept[layer] < min(to, r.made[layer]); r.kept[layer]++ {
		r.free = append(r.free, *r.slot(layer, r.kept[layer]))
	}
}

// readRows reads the rows of the picture that rows from..to-1 of the first layer need and earlier passes have
// not read. Beyond the edges it repeats the edge samples.
func (r *run) readRows(from, to int) {
	around, inputs := r.net.filters[0].Rows/2, r.net.filters[0].Step
	margin := r.margin(0)
	begin := from + around
	if from == -margin {
		begin = from - around
	}
	parallel.Rows(to+around-begin, func(i int) {
		y := begin + i
		row := r.input[r.inputAt(y):][:r.inputRow]
		inner := row[(margin+around)*inputs:]
		r.read(min(max(y, 0), r.h-1), inner[:r.cols*inputs])
		for x := range margin + around {
			copy(row[x*inputs:][:inputs], inner)
		}
		edge := inner[(r.cols-1)*inputs:][:inputs]
		for x := r.cols * inputs; x < len(inner); x += inputs {
			copy(inner[x:], edge)
		}
	})
}

// inputAt returns the offset in r.input of row y of the picture.
func (r *run) inputAt(y int) int {
	return (y + r.margin(0) + r.net.filters[0].Rows/2) % r.inputMax * r.inputRow
}

// makeRows makes rows from..to-1 of layer i, in the chain two at a time where there are two.
func (r *run) makeRows(ctx context.Context, i, from, to int) error {
	if i == len(r.made)-1 {
		return r.addRows(ctx, from, to)
	}
	f, samples := &r.net.filters[i], r.w+2*r.margin(i)
	together, worker := 2, 0
	if i == 0 {
		together = 1
	}
	return parallel.For(ctx, (to-from+together-1)/together, 1, func() func(lo, hi int) {
		if worker == len(r.winograd) {
			r.winograd = append(r.winograd, new(kernel.Winograd))
		}
		work := r.winograd[worker]
		worker++
		rows := make([]int, f.Rows+together-1)
		return func(lo, hi int) {
			for n := lo; n < hi; n++ {
				y := from + n*together
				count := min(together, to-y)
				rows := rows[:f.Rows+count-1]
				src := r.sources(rows, i, y)
				var at, skipAt [2]int
				for k := range count {
					at[k], skipAt[k] = *r.slot(i, y+k), *r.slot(0, y+k)+i*f.Outputs
				}
				var skip []int16
				if i == len(r.made)-2 { // h + f
					skip = r.data
				}
				if count == 2 {
					kernel.ConvolveTwoRows(r.data, at, src, rows, samples, f, skip, skipAt, work)
					continue
				}
				if skip != nil {
					skip = skip[skipAt[0]:]
				}
				kernel.Convolve(r.data[at[0]:], src, rows, samples, f, skip)
			}
		}
	})
}

// sources sets rows to the offsets of the input rows of row y of a layer and of the rows below it, len(rows) in
// all, and returns the slice that the offsets refer to.
func (r *run) sources(rows []int, layer, y int) (src []int16) {
	for j := range rows {
		if at := y + j - r.net.filters[layer].Rows/2; layer == 0 {
			rows[j] = r.inputAt(at)
		} else {
			rows[j] = *r.slot(layer-1, at)
		}
	}
	if layer == 0 {
		return r.input
	}
	return r.data
}

// addRows makes rows from..to-1 of the last layer and passes each to r.add.
func (r *run) addRows(ctx context.Context, from, to int) error {
	last, worker := len(r.made)-1, 0
	f := &r.net.filters[last]
	return parallel.For(ctx, to-from, 1, func() func(lo, hi int) {
		if worker == len(r.sums) {
			r.sums = append(r.sums, nil)
		}
		if columns := r.w + 2; len(r.sums[worker]) < columns*f.Outputs {
			r.sums[worker] = make([]float32, columns*f.Outputs)
		}
		sums, rows := r.sums[worker], make([]int, f.Rows)
		worker++
		return func(lo, hi int) {
			for y := from + lo; y < from+hi; y++ {
				kernel.Residual(sums, r.sources(rows, last, y), rows, r.w+2, f)
				r.add(y, sums, f.Outputs)
			}
		}
	})
}
