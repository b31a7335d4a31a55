package lines

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"superres/internal/parallel"
)

// Run takes one picture through a program. It belongs to one goroutine.
type Run struct {
	program  *Program
	nodes    []Rows
	users    [][]user // for each node, the users of its rows
	classes  []*class
	passRows int // how many rows of the picture a pass takes
	tasks    []*Task
	read     func(y int, to *Rows)
	write    func(y int, row []float32)
	steps    []step
}

// user is a node that needs the rows of another node, as its input with the given index.
type user struct{ node, input int }

// class is the memory for rows of one length and type.
type class struct {
	length     int
	hasFloats  bool
	integers   []int16
	floats     []float32
	free       []slot // sorted by after
	rows       int    // how many rows the memory can hold
	held, peak int    // how many rows a planner holds now, and at most
}

// slot is the memory of one row, at the given offset. The row of a slot in use is complete, and a free slot may be
// used again, once the first `after` steps of the run's list have ended.
type slot struct{ offset, after int }

// Start returns a run for a picture of w×h samples. read must write row y of the picture to the rows of the Source;
// write gets each row of the result, and must not keep it. Goroutines call read and write concurrently.
func (p *Program) Start(w, h int, read func(y int, to *Rows), write func(y int, row []float32)) *Run {
	l := p.layout(w, h)
	l.measure(p)
	r := memory.Get().(*Run)
	r.program, r.read, r.write, r.passRows = p, read, write, l.passRows
	r.nodes, r.users = l.nodes, l.users
	for i, c := range l.classes {
		if i < len(r.classes) {
			c.integers, c.floats = r.classes[i].integers, r.classes[i].floats
			r.classes[i] = c
		} else {
			r.classes = append(r.classes, c)
		}
		c.allocate(c.peak)
	}
	return r
}

// memory keeps the memory of ended runs for later runs.
var memory = sync.Pool{New: func() any { return new(Run) }}

// Close ends the run and releases its memory to later runs. The run must not be used any more.
func (r *Run) Close() {
	r.program, r.read, r.write, r.nodes, r.users = nil, nil, nil, nil, nil
	memory.Put(r)
}

// allocate provides memory for the given number of rows, after a row of zeros. It reuses the memory of an earlier run.
func (c *class) allocate(rows int) {
	c.rows, c.free = rows, c.free[:0]
	need := (rows+1)*c.length + slack
	if c.hasFloats {
		c.floats = resize(c.floats, need)
		clear(c.floats[:c.length])
	} else {
		c.integers = resize(c.integers, need)
		clear(c.integers[:c.length])
	}
	for i := range rows {
		c.free = append(c.free, slot{offset: (i + 1) * c.length})
	}
}

// resize returns a slice of n arbitrary values, in the memory of v if its capacity suffices.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// takeSlot returns a free slot for the step with the given index. It takes the slot that became free last, but at least
// as many steps ago as there are workers: then no worker still uses it, and it is likely in the cache. If all became
// free later, it takes the first. If none is free, as with pieces that are no multiples of PassRows, it allocates.
func (c *class) takeSlot(index int) slot {
	if len(c.free) == 0 {
		c.rows++
		if c.hasFloats {
			c.floats = append(c.floats, make([]float32, c.length)...)
		} else {
			c.integers = append(c.integers, make([]int16, c.length)...)
		}
		return slot{offset: c.rows * c.length}
	}
	i, latest := len(c.free)-1, index-runtime.GOMAXPROCS(0)
	for ; i > 0 && c.free[i].after > latest; i-- {
	}
	s := c.free[i]
	c.free = slices.Delete(c.free, i, i+1)
	return s
}

// slack is the number of values after the last row that kernels may read.
const slack = 64

// Advance computes all rows of the result that depend only on rows 0 to rows−1 of the picture, which the function read
// of Start must be able to return now. Before it computes them, Advance calls begin, unless that is nil, with the
// number of rows of the result that will then be complete. Its only error is ctx.Err(), after which the run is useless.
func (r *Run) Advance(ctx context.Context, rows int, begin func(made int)) error {
	p := planner{program: r.program, nodes: r.nodes, users: r.users, steps: r.steps[:0]}
	p.plan(min(rows, r.nodes[0].H), r.passRows)
	if r.steps = p.steps; begin != nil {
		begin(r.Made())
	}
	if err := r.makeAll(ctx); err != nil {
		return err
	}
	for i := range r.nodes { // the next list of steps counts from 0 again
		n := &r.nodes[i]
		n.slots = slices.Delete(n.slots, 0, n.first-n.base)
		n.base = n.first
		for k := range n.slots {
			n.slots[k].after = 0
		}
	}
	for _, c := range r.classes {
		for k := range c.free {
			c.free[k].after = 0
		}
	}
	return nil
}

// PassRows returns how many rows of the picture a pass takes through the program. Multiples of it suit Advance best.
func (r *Run) PassRows() int { return r.passRows }

// Made returns how many rows of the result have been computed.
func (r *Run) Made() int { return r.nodes[len(r.nodes)-1].made }

// makeAll runs all steps on all workers. Each worker runs one step at a time, once the steps that it needs have ended.
func (r *Run) makeAll(ctx context.Context) error {
	var (
		mutex sync.Mutex
		ended = sync.NewCond(&mutex)
		done  = make([]bool, len(r.steps))
		first int // the first step that has not ended
	)
	worker := 0
	return parallel.For(ctx, len(r.steps), 1, func() func(lo, hi int) {
		if worker == len(r.tasks) {
			r.tasks = append(r.tasks, new(Task))
		}
		t := r.tasks[worker]
		worker++
		return func(i, _ int) {
			mutex.Lock()
			for first < r.steps[i].after {
				ended.Wait()
			}
			mutex.Unlock()
			defer func() { // also if make panics, because otherwise the other workers would wait forever
				mutex.Lock()
				for done[i] = true; first < len(done) && done[first]; first++ {
				}
				ended.Broadcast()
				mutex.Unlock()
			}()
			r.make(t, r.steps[i])
		}
	})
}

// make computes the rows of step s, as the task t, and clears their margins.
func (r *Run) make(t *Task, s step) {
	node, n := r.program.Nodes[s.node], &r.nodes[s.node]
	t.In = t.In[:0]
	for _, from := range node.Inputs {
		t.In = append(t.In, &r.nodes[from])
	}
	t.Out, t.read, t.write = n, r.read, r.write
	node.Op.Make(t, s.y, s.rows)
	n.clearMargins(s.y, s.rows)
}

// clearMargins sets the values left and right of the samples in the rows y to y+n−1 to 0.
func (r *Rows) clearMargins(y, n int) {
	if r.margin == 0 {
		return
	}
	for ; n > 0; n, y = n-1, y+1 {
		at := r.slots[y-r.base].offset
		left, right := r.margin*r.Step, (r.margin+r.W)*r.Step
		if r.Floats {
			clear(r.class.floats[at:][:left])
			clear(r.class.floats[at:][right:r.class.length])
		} else {
			clear(r.class.integers[at:][:left])
			clear(r.class.integers[at:][right:r.class.length])
		}
	}
}
