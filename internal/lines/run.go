package lines

import (
	"context"
	"runtime"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// Run takes one picture through a program. It belongs to one goroutine.
type Run struct {
	program  *Program
	nodes    []Rows
	users    [][]user // of the rows of each node
	classes  []*class
	passRows int // rows of the picture that a pass takes
	tasks    []*Task
	read     func(y int, to []int16)
	write    func(y int, row []float32)
}

// user is a node that needs the rows of another, as its input of an index.
type user struct{ node, input int }

// class is the memory of rows of one length.
type class struct {
	length    int
	hasFloats bool
	integers  []int16
	floats    []float32
	free      []int
	rows      int // that there is memory for
}

// Start returns a run for a picture of w×h samples. read is called to have the values of a row of the picture written
// to memory, as many a sample as the Source says; write gets the rows of the result, which it must not keep. Both are
// called by several goroutines at a time.
func (p *Program) Start(w, h int, read func(y int, to []int16), write func(y int, row []float32)) *Run {
	l := p.layout(w, h)
	peaks := l.peaks(p)
	r := memory.Get().(*Run)
	r.program, r.read, r.write, r.passRows = p, read, write, l.passRows
	r.nodes, r.users = l.nodes, l.users
	for _, t := range r.tasks { // those of an earlier run
		t.clipped, t.counted = 0, 0
	}
	for i, c := range l.classes {
		if i < len(r.classes) {
			c.integers, c.floats = r.classes[i].integers, r.classes[i].floats
			r.classes[i] = c
		} else {
			r.classes = append(r.classes, c)
		}
		c.take(peaks[i])
	}
	return r
}

// memory keeps the memory of runs that have ended for the next ones.
var memory = sync.Pool{New: func() any { return new(Run) }}

// Close ends the run, whose memory the next one uses. The run must not be used any more.
func (r *Run) Close() {
	r.program, r.read, r.write, r.nodes, r.users = nil, nil, nil, nil, nil
	memory.Put(r)
}

// take takes memory for a number of rows and for the row of zeros, which comes first. It uses that of an earlier run
// where it suffices.
func (c *class) take(rows int) {
	c.rows, c.free = rows, c.free[:0]
	need := (rows+1)*c.length + slack
	if c.hasFloats {
		c.floats = resize(c.floats, need)
	} else {
		c.integers = resize(c.integers, need)
		clear(c.integers[:c.length])
	}
	for i := range rows {
		c.free = append(c.free, (i+1)*c.length)
	}
}

// resize returns a slice of n values, in the memory of v where that suffices. What v holds is lost.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// grow takes memory for more rows, so that at least count are free. A run takes more than layout.peaks foresees where
// its picture arrives in parts that are no whole passes.
func (c *class) grow(count int) {
	more := count - len(c.free)
	if more <= 0 {
		return
	}
	for i := range more {
		c.free = append(c.free, (c.rows+i+1)*c.length)
	}
	c.rows += more
	if c.hasFloats {
		c.floats = append(c.floats, make([]float32, more*c.length)...)
	} else {
		c.integers = append(c.integers, make([]int16, more*c.length)...)
	}
}

// slack is the number of values after the last row that kernels may read.
const slack = 64

// Advance makes all rows of the result that can be made from the first rows rows of the picture, which read must know
// now. It fails only with ctx.Err(), and the run is useless then.
func (r *Run) Advance(ctx context.Context, rows int) error {
	rows = min(rows, r.nodes[0].H)
	for goesOn := true; goesOn; {
		var err error
		if goesOn, err = r.pass(ctx, min(r.nodes[0].made+r.passRows, rows)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// PassRows returns the number of rows of the picture that are taken through the program at a time. Advance works best
// for a multiple of it.
func (r *Run) PassRows() int { return r.passRows }

// Made returns how many rows of the result have been made.
func (r *Run) Made() int { return r.nodes[len(r.nodes)-1].made }

// Clipped returns how many values have been clipped to the range of the integers so far, of how many.
func (r *Run) Clipped() (clipped, counted int64) {
	for _, t := range r.tasks {
		clipped, counted = clipped+t.clipped, counted+t.counted
	}
	return clipped, counted
}

// pass brings the picture to row to, exclusive, and makes rows of the nodes that can then be made. It returns false if
// there were none.
func (r *Run) pass(ctx context.Context, to int) (goesOn bool, err error) {
	return r.program.pass(r.nodes, r.users, to, func(i, end int) error { return r.make(ctx, i, end) }, r.release)
}

// pass decides what a pass does that brings the picture to row to, exclusive: it calls make for each node that can be
// made up to row end, exclusive, and release for the count rows of a node that no user needs any more, the first that
// are kept. It returns false if no node could be made, and fails with the error of make.
func (p *Program) pass(nodes []Rows, users [][]user, to int, make func(node, end int) error,
	release func(node, count int)) (goesOn bool, err error) {
	free := func(i int) {
		first := needed(i, nodes, users[i], p)
		release(i, first-nodes[i].first)
		nodes[i].first = first
	}
	for i := range nodes {
		n := &nodes[i]
		end := to
		if i > 0 {
			end = ready(p.Nodes[i], n, nodes)
		}
		if end == n.made {
			continue
		}
		if err := make(i, end); err != nil {
			return false, err
		}
		n.made, goesOn = end, true
		for _, from := range p.Nodes[i].Inputs {
			free(from)
		}
		free(i) // rows that no user needs, as where one crops the picture
	}
	return goesOn, nil
}

// ready returns the row to which, exclusive, a node is made in a pass from the rows of its inputs that are made. At the
// end of the picture, where all the rest could be made, it is no more than elsewhere, for the sake of memory.
func ready(n Node, rows *Rows, nodes []Rows) int {
	end := rows.made
	for ; end < min(rows.made+rows.atOnce, rows.H); end++ {
		for k, from := range n.Inputs {
			if _, hi := n.Op.Needs(k, end, nodes[from].H); min(hi, nodes[from].H) > nodes[from].made {
				return end
			}
		}
	}
	return end
}

// needed returns the first row of node i that a user still needs.
func needed(i int, nodes []Rows, users []user, program *Program) int {
	first := nodes[i].made
	for _, u := range users {
		if by := &nodes[u.node]; by.made < by.H {
			lo, _ := program.Nodes[u.node].Op.Needs(u.input, by.made, nodes[i].H)
			first = min(first, lo)
		}
	}
	return max(first, nodes[i].first)
}

// release gives the memory of the first count rows of node i back to their class.
func (r *Run) release(i, count int) {
	n := &r.nodes[i]
	n.class.free = append(n.class.free, n.offsets[:count]...)
	n.offsets = n.offsets[count:]
}

// make makes the rows of node i up to row end, exclusive.
func (r *Run) make(ctx context.Context, i, end int) error {
	node, n := r.program.Nodes[i], &r.nodes[i]
	n.class.grow(end - n.made)
	for range end - n.made {
		last := len(n.class.free) - 1
		n.offsets = append(n.offsets, n.class.free[last])
		n.class.free = n.class.free[:last]
	}
	in := make([]*Rows, len(node.Inputs))
	for k, from := range node.Inputs {
		in[k] = &r.nodes[from]
	}
	worker, together := 0, node.Op.Together()
	return parallel.For(ctx, (end-n.made+together-1)/together, 1, func() func(lo, hi int) {
		if worker == len(r.tasks) {
			r.tasks = append(r.tasks, new(Task))
		}
		t := r.tasks[worker]
		worker++
		return func(lo, hi int) {
			t.Out, t.In, t.read, t.write = n, in, r.read, r.write
			for g := lo; g < hi; g++ {
				y := n.made + g*together
				count := min(together, end-y)
				node.Op.Make(t, y, count)
				n.clearMargins(y, count)
				t.count(y, count)
			}
		}
	})
}

// clearMargins sets what lies beside the samples of n rows to 0.
func (r *Rows) clearMargins(y, n int) {
	if r.margin == 0 || r.Floats {
		return
	}
	for ; n > 0; n-- {
		row := r.class.integers[r.offsets[y-r.first]:][:r.class.length]
		clear(row[:r.margin*r.Step])
		clear(row[(r.margin+r.W)*r.Step:])
		y++
	}
}

// Source is the operation that reads the picture. It is the first node of a program.
type Source struct {
	rowwise
	// Channels is the number of values of a sample, which is not padded.
	Channels int
}

// Size implements Op.
func (s Source) Size(in []Size) Size { return Size{W: in[0].W, H: in[0].H, Step: s.Channels} }

// Needs implements Op.
func (Source) Needs(_, _, _ int) (lo, hi int) { return 0, 0 }

// Make implements Op.
func (Source) Make(t *Task, y, _ int) { t.read(y, t.Out.Row(y)) }

// Sink is the operation that takes the rows of the result, which are float32. It is the last node of a program.
type Sink struct{ pointwise }

// Size implements Op.
func (Sink) Size(in []Size) Size { return Size{W: in[0].W, H: in[0].H, Floats: true} }

// Make implements Op.
func (Sink) Make(t *Task, y, _ int) { t.write(y, t.In[0].FloatRow(y)) }

// samplesPerPass is the number of samples of 32 channels that each worker makes in a pass, large enough that workers
// seldom wait for each other.
const samplesPerPass = 32768

// passRows returns the number of rows of a picture of w×h samples that a pass takes, for nodes of up to step values.
func passRows(w, h, step int) int {
	return min(h, 2*runtime.GOMAXPROCS(0)*max(1, samplesPerPass*16/max(step, kernel.Lanes)/w))
}

// countEvery is the distance of the rows in which clipped values are counted.
const countEvery = 8

// count counts the values of n rows from row y on that have been clipped, in those rows that are looked at.
func (t *Task) count(y, n int) {
	if t.Out.Floats || t.Out.clip == 0 {
		return
	}
	for ; n > 0; n-- {
		if y%countEvery == 0 {
			row := t.Out.Row(y)
			t.clipped += int64(kernel.CountClipped(row, t.Out.clip))
			t.counted += int64(len(row))
		}
		y++
	}
}
