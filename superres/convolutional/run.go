package convolutional

import (
	"context"
	"runtime"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// A picture goes through the layers in passes of some rows. In a pass, the first layer makes its next
// rows, then the second as many as it has neighbours for, one less below, and so on; the workers
// share the rows of a layer. No row is made twice. Two rows of every layer are kept for the next
// pass, and of the first as many as there are layers before its sum with the last.
//
// Layer i has M+1−i rows and columns more than the picture on every side, the last but one 1 and the
// last none. Its rows are numbered as those of the picture are, so its first has a number below 0.

// geometry is how rows lie in memory for a picture of w×h.
type geometry struct {
	w, h               int // w is at least what the kernels need
	passRows           int // rows of the first layer a pass
	row, rows          int // entries of a row of channels, and the number of these rows
	inputRow, inputMax int // entries of a row of the picture, and the number of these rows
}

// samplesPerPass is the number of samples of a layer of 32 channels that a worker makes in a pass, so many that
// little time is lost waiting for the others. Note: 768×512 ×2, the whole program on two processors: 259, 227,
// 204 and 203 ms with 4096, 8192, 16384 and 32768 of them; of 48 channels 444, 313, 295 and 278.
const samplesPerPass = 32768

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

// run is a picture on its way through a net.
type run struct {
	geometry
	net  *net
	read func(y int, to []int16)
	add  func(y int, sums []float32, step int)

	cols  int         // of the picture
	input []int16     // rows of the picture, see inputAt
	data  []int16     // rows of all layers
	free  []int       // offsets in data of the rows that are not in use
	slots [][]int     // offsets in data of the rows of each layer, see slot
	kept  []int       // the first row of each layer that is still there
	made  []int       // the first row of each layer that is not made yet
	sums  [][]float32 // a row of the last layer, of each worker

	winograd []*kernel.Winograd // of each worker
}

var memory = sync.Pool{New: func() any { return new(run) }}

// run takes a picture of w×h through the net. read sets to to the inputs of row y, those of a sample together.
// add gets the sums of row y as params.lastFilter says, step of them for each column. Both are called by
// several goroutines. report is called with the share that is done. run fails only with ctx.Err().
func (n *net) run(ctx context.Context, w, h int, read func(y int, to []int16),
	add func(y int, sums []float32, step int), report func(float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := memory.Get().(*run)
	r.begin(n, w, h, read, add)
	err := r.passes(ctx, report)
	r.net, r.read, r.add = nil, nil, nil
	memory.Put(r) // unless a pass panics, which leaves anything in it
	return err
}

// passes makes all rows of the result.
func (r *run) passes(ctx context.Context, report func(float64)) error {
	last := len(r.made) - 1
	for r.made[last] < r.h {
		if err := r.pass(ctx); err != nil {
			return err
		}
		report(float64(r.made[last]) / float64(r.h))
	}
	return nil
}

// begin sets up the run.
func (r *run) begin(n *net, w, h int, read func(y int, to []int16), add func(y int, sums []float32, step int)) {
	r.net, r.read, r.add, r.cols = n, read, add, w
	r.geometry = n.geometry(w, h)
	r.input = resized(r.input, r.inputMax*r.inputRow)
	r.data = resized(r.data, r.rows*r.row)
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

// resized returns n entries of any values, in v where that is large enough.
func resized(v []int16, n int) []int16 {
	if cap(v) < n {
		return make([]int16, n)
	}
	return v[:n]
}

// margin returns the number of rows and columns that a layer has more than the picture on each side.
func (r *run) margin(layer int) int { return len(r.net.filters) - 1 - layer }

// slot returns where the offset of row y of a layer is kept.
func (r *run) slot(layer, y int) *int {
	slots := r.slots[layer]
	return &slots[(y+r.margin(layer))%len(slots)]
}

// pass makes the next rows of all layers.
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

// release frees the rows of a layer before row to.
func (r *run) release(layer, to int) {
	for ; r.kept[layer] < min(to, r.made[layer]); r.kept[layer]++ {
		r.free = append(r.free, *r.slot(layer, r.kept[layer]))
	}
}

// readRows reads the rows of the picture that rows from..to-1 of the first layer need and that are
// not there yet, with the samples of the edge repeated beyond it.
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

// inputAt returns the offset of row y of the picture in input.
func (r *run) inputAt(y int) int {
	return (y + r.margin(0) + r.net.filters[0].Rows/2) % r.inputMax * r.inputRow
}

// makeRows makes rows from..to-1 of a layer, in the chain two at once where there are two.
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

// sources sets rows to the offsets of the rows that row y of a layer, and those after it, are made
// of, and returns what they are in.
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

// addRows makes rows from..to-1 of the last layer and has them added to the enlargement.
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
