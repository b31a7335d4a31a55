package convolutional

import (
	"context"
	"runtime"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// A picture goes through the layers in steps of some lines. In each, the first layer makes
// its next lines, then the second as many as it has neighbours for, one less below, and so
// on; the workers share the lines of a layer. No line is made twice, and of every layer two
// are kept for the next step, of the first as many as there are layers before its sum with
// the last.
//
// Layer i has M+1−i lines and columns more than the picture on every side, the last but one
// 1 and the last none. Its lines are numbered as those of the picture, so that the first
// has a number below 0.

// geometry is how the lines of a picture of w×h lie.
type geometry struct {
	w, h                  int // w at least what the kernels make
	together              int // lines in a step
	line, lines           int // entries in a line of channels, and how many there may be
	inputLine, inputLines int // the same of the picture itself
}

// samplesTogether is how many samples of 32 channels of a layer a worker makes in a step: so
// many that waiting for the others is little. Note: 768×512 ×2, the whole program on two
// processors: 259, 227, 204 and 203 ms with 4096, 8192, 16384 and 32768 of them; of 48
// channels 444, 313, 295 and 278.
const samplesTogether = 32768

func (n *net) geometry(w, h int) geometry {
	workers := runtime.GOMAXPROCS(0)
	g := geometry{w: max(w, kernel.MinSamples), h: h}
	channels, m := n.params.width(), n.params.Depth+1
	columns := g.w + 2*m
	g.together = 2 * workers * max(1, samplesTogether*16/channels/columns)
	g.together = min(g.together, h+2*m)
	g.line = columns * channels
	g.lines = 3*g.together + 3*m + 8
	side, inputs := n.filters[0].Rows, n.filters[0].Step
	g.inputLine, g.inputLines = (columns+side)*inputs, g.together+side-1
	return g
}

// run is a picture on its way through a net.
type run struct {
	geometry
	net  *net
	line func(y int, to []int16)
	add  func(y int, sums []float32, step int)

	cols  int         // of the picture
	input []int16     // lines of the picture, see inputAt
	lines []int16     // of all layers
	free  []int       // where lines begin that are not in use
	at    [][]int     // where those of each layer begin, see place
	kept  []int       // the first line of each layer that is still there
	made  []int       // and the first that is not made yet
	sums  [][]float32 // of a line of the last layer, of each worker

	winograd []*kernel.Winograd // of each worker
}

var memory = sync.Pool{New: func() any { return new(run) }}

// run takes a picture of w×h through the net. line sets to to what stands for row y of it,
// all that goes in for a sample together; add is given the outputs for row y, as params.last
// says: so many sums from one column to the next. Both are called by more than one goroutine.
// report is told the share that is done. It fails only with ctx.Err().
func (n *net) run(ctx context.Context, w, h int, line func(y int, to []int16), add func(y int, sums []float32, step int), report func(float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := memory.Get().(*run)
	r.begin(n, w, h, line, add)
	err := r.all(ctx, h, report)
	r.net, r.line, r.add = nil, nil, nil
	memory.Put(r) // unless a step has panicked: nobody knows what is in it then
	return err
}

// all makes all h rows of the result.
func (r *run) all(ctx context.Context, h int, report func(float64)) error {
	last := len(r.made) - 1
	for r.made[last] < h {
		if err := r.step(ctx); err != nil {
			return err
		}
		report(float64(r.made[last]) / float64(h))
	}
	return nil
}

// begin sets up the run.
func (r *run) begin(n *net, w, h int, line func(y int, to []int16), add func(y int, sums []float32, step int)) {
	r.net, r.line, r.add, r.cols = n, line, add, w
	r.geometry = n.geometry(w, h)
	r.input = sized(r.input, r.inputLines*r.inputLine)
	r.lines = sized(r.lines, r.geometry.lines*r.geometry.line)
	r.free = r.free[:0]
	for i := range r.geometry.lines {
		r.free = append(r.free, i*r.geometry.line)
	}
	layers := len(n.filters)
	r.at, r.kept, r.made = make([][]int, layers-1), make([]int, layers), make([]int, layers)
	for i := range layers {
		if i < layers-1 {
			r.at[i] = make([]int, r.together+n.params.Depth+4)
		}
		r.made[i] = -r.margin(i)
		r.kept[i] = r.made[i]
	}
}

// sized returns n entries of any values, the given ones if they suffice.
func sized(v []int16, n int) []int16 {
	if cap(v) < n {
		return make([]int16, n)
	}
	return v[:n]
}

// margin is how many lines and columns a layer has more than the picture on every side.
func (r *run) margin(layer int) int { return len(r.net.filters) - 1 - layer }

// place is where it is kept at which line y of a layer lies.
func (r *run) place(layer, y int) *int {
	at := r.at[layer]
	return &at[(y+r.margin(layer))%len(at)]
}

// step makes the next lines of all layers.
func (r *run) step(ctx context.Context) error {
	last := len(r.made) - 1
	from := r.made[0]
	to := min(from+r.together, r.h+r.margin(0))
	r.read(from, to)
	for i := range r.made {
		from, to := r.made[i], max(r.made[i], to-i)
		if i < last {
			for y := from; y < to; y++ {
				*r.place(i, y) = r.free[len(r.free)-1]
				r.free = r.free[:len(r.free)-1]
			}
		}
		if err := r.layer(ctx, i, from, to); err != nil {
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

// release gives the lines of a layer before line to back.
func (r *run) release(layer, to int) {
	for ; r.kept[layer] < min(to, r.made[layer]); r.kept[layer]++ {
		r.free = append(r.free, *r.place(layer, r.kept[layer]))
	}
}

// read takes the lines of the picture that the lines from..to-1 of the first layer need.
func (r *run) read(from, to int) {
	around, inputs := r.net.filters[0].Rows/2, r.net.filters[0].Step
	margin := r.margin(0)
	begin := from + around // the others are there
	if from == -margin {
		begin = from - around
	}
	parallel.Rows(to+around-begin, func(i int) {
		y := begin + i
		line := r.input[r.inputAt(y):][:r.inputLine]
		inner := line[(margin+around)*inputs:]
		r.line(min(max(y, 0), r.h-1), inner[:r.cols*inputs])
		for x := range margin + around {
			copy(line[x*inputs:][:inputs], inner)
		}
		edge := inner[(r.cols-1)*inputs:][:inputs]
		for x := r.cols * inputs; x < len(inner); x += inputs {
			copy(inner[x:], edge)
		}
	})
}

// inputAt is where line y of the picture lies in input.
func (r *run) inputAt(y int) int {
	return (y + r.margin(0) + r.net.filters[0].Rows/2) % r.inputLines * r.inputLine
}

// layer makes lines from..to-1 of a layer: two at once where they are like the lines they are
// made of.
func (r *run) layer(ctx context.Context, i, from, to int) error {
	if i == len(r.made)-1 {
		return r.end(ctx, from, to)
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
				src := r.around(rows, i, y)
				var at, skipAt [2]int
				for k := range count {
					at[k], skipAt[k] = *r.place(i, y+k), *r.place(0, y+k)+i*f.Outputs
				}
				var skip []int16
				if i == len(r.made)-2 { // h + f
					skip = r.lines
				}
				if count == 2 {
					kernel.ConvolveTwoRows(r.lines, at, src, rows, samples, f, skip, skipAt, work)
					continue
				}
				if skip != nil {
					skip = skip[skipAt[0]:]
				}
				kernel.Convolve(r.lines[at[0]:], src, rows, samples, f, skip)
			}
		}
	})
}

// around sets rows to where the lines lie that line y of a layer, and those after it, are made
// of.
func (r *run) around(rows []int, layer, y int) (src []int16) {
	for j := range rows {
		if at := y + j - r.net.filters[layer].Rows/2; layer == 0 {
			rows[j] = r.inputAt(at)
		} else {
			rows[j] = *r.place(layer-1, at)
		}
	}
	if layer == 0 {
		return r.input
	}
	return r.lines
}

// end makes lines from..to-1 of the last layer and adds them to the enlargement.
func (r *run) end(ctx context.Context, from, to int) error {
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
				kernel.Residual(sums, r.around(rows, last, y), rows, r.w+2, f)
				r.add(y, sums, f.Outputs)
			}
		}
	})
}
