package lines

import (
	"runtime"
	"slices"

	"superres/internal/kernel"
)

// layout describes how the rows of all nodes are stored in memory for pictures of one size.
type layout struct {
	nodes    []Rows   // for each node, its rows
	users    [][]user // for each node, the nodes that take its rows
	classes  []*class // each kind of memory that nodes share
	passRows int      // how many rows of the picture a pass takes
}

// period is a multiple of all factors up to 16. Operations change the number of rows by such factors.
const period = 720_720

// layout returns the layout for a picture of w×h samples, without allocating memory.
func (p *Program) layout(w, h int) layout {
	l := layout{nodes: make([]Rows, len(p.Nodes)), users: make([][]user, len(p.Nodes))}
	step := 0
	for i, s := range p.Sizes(w, h) {
		l.nodes[i].Size = s
		if s.H >= h { // the node is neither a reduced picture nor a mean over the picture
			step = max(step, s.Step)
		}
		for k, from := range p.Nodes[i].Inputs {
			l.users[from] = append(l.users[from], user{i, k})
			left, right := p.Nodes[i].Op.Margin(k)
			l.nodes[from].margin = max(l.nodes[from].margin, left, right)
		}
	}
	l.passRows = passRows(l.nodes[0].W, l.nodes[0].H, step)
	taller := p.Sizes(w, h+period) // to see at which rate each node gets rows
	for i := range l.nodes {
		n := &l.nodes[i]
		rows := int64(taller[i].H - n.H) // for each period rows of the picture
		n.atOnce = int((int64(l.passRows)*rows+period-1)/period) + p.Nodes[i].Op.Together()
		// Layers without padding lose columns. Rounding lets nodes with rows of nearly the same length share memory.
		columns := kernel.PadTo(n.columns()+2*n.margin, 16)
		if p.isExact(i, l.users[i]) {
			columns = n.W
		}
		n.class = l.class(columns*n.Step, n.Floats)
	}
	return l
}

// isExact reports whether neither node i nor the nodes that take its result compute or read samples beyond the right
// edge. Then rows need no extra columns, which matters for scores, where one sample may have a million values.
func (p *Program) isExact(i int, users []user) bool {
	exact := func(op Op) bool {
		switch op := op.(type) {
		case *Scores, *WeightedSum, *Mask:
			return true
		case *Chain:
			return op.Base == nil
		}
		return false
	}
	for _, u := range users {
		if !exact(p.Nodes[u.node].Op) {
			return false
		}
	}
	return exact(p.Nodes[i].Op)
}

// samplesPerPass is how many samples of 32 channels a worker computes of a node before the next rows are read.
const samplesPerPass = 16384

// passRows returns how many rows of a picture of w×h samples a pass, the work between two reads of the picture,
// takes: a multiple of 4, or all. step is the largest number of values of a sample of a node.
func passRows(w, h, step int) int {
	// A worker gets a multiple of 4 rows, with as many values as samplesPerPass samples of 4·8 channels have.
	return min(h, 4*runtime.GOMAXPROCS(0)*max(1, samplesPerPass*8/max(step, kernel.Lanes)/w))
}

// class returns the class, the memory that rows of the given length and type share. It adds one if there is none yet.
func (l *layout) class(length int, floats bool) *class {
	for _, c := range l.classes {
		if c.length == length && c.hasFloats == floats {
			return c
		}
	}
	c := &class{length: length, hasFloats: floats}
	l.classes = append(l.classes, c)
	return c
}

// step is the computation of a few rows of a node by a worker.
type step struct {
	node, y, rows int
	after         int // the step may begin once the first steps of the list, as many as after says, have ended
}

// planner plans the steps in which a run computes rows and the memory of the rows, or counts both if counts is true.
type planner struct {
	program *Program
	nodes   []Rows
	users   [][]user
	steps   []step
	counts  bool // whether to count steps and rows only, without memory
	count   int  // how many steps are planned so far
}

// plan adds the steps that read the rows of the picture before row `to`, and the steps that compute all rows of other
// nodes that depend only on these rows. It takes passRows rows of the picture at a time.
func (p *planner) plan(to, passRows int) {
	for goesOn := true; goesOn; {
		end := min(p.nodes[0].made+passRows, to)
		goesOn = false
		for i := range p.nodes {
			n, together := &p.nodes[i], p.program.Nodes[i].Op.Together()
			last := end
			if i > 0 {
				last = p.ready(i)
			}
			for n.made < last {
				rows := min(together-n.made%together, last-n.made)
				p.add(i, rows)
				goesOn = true
			}
		}
	}
}

// add adds the step that computes the next rows of node i, after the steps that make its inputs or still use its
// memory, and frees the rows that are no longer needed.
func (p *planner) add(i, rows int) {
	n, node := &p.nodes[i], p.program.Nodes[i]
	s := step{node: i, y: n.made, rows: rows}
	index := p.count
	p.count++
	n.made += rows
	if n.class.held += rows; p.counts {
		n.class.peak = max(n.class.peak, n.class.held)
	} else {
		for range rows {
			at := n.class.takeSlot(index)
			s.after = max(s.after, at.after)
			n.slots = append(n.slots, slot{at.offset, index + 1})
		}
		for k, from := range node.Inputs {
			in := &p.nodes[from]
			last := in.base - 1 // the last row of this input that the step needs
			for y := s.y; y < n.made; y++ {
				_, hi := node.Op.Needs(k, y, in.H, n.H)
				last = max(last, min(hi, in.H)-1)
			}
			if last >= in.base {
				s.after = max(s.after, in.slots[last-in.base].after)
			}
		}
		p.steps = append(p.steps, s)
	}
	for _, from := range node.Inputs {
		p.free(from, index)
	}
	p.free(i, index) // rows that no user needs, as when a user crops the picture
}

// free releases the rows of node i that no node needs any more, for use after the step with the given index.
func (p *planner) free(i, index int) {
	n := &p.nodes[i]
	first := p.needed(i)
	n.class.held -= first - n.first
	for ; n.first < first; n.first++ {
		if !p.counts {
			n.class.free = append(n.class.free, slot{n.slots[n.first-n.base].offset, index + 1})
		}
	}
}

// ready returns the row before which all rows of node i can be computed from the present rows of its inputs. It is a
// multiple of Together, or the end. To save memory, it makes at most atOnce rows ready, even at the end.
func (p *planner) ready(i int) int {
	n, rows := p.program.Nodes[i], &p.nodes[i]
	end, most := rows.made, min(rows.made+rows.atOnce, rows.H)
	// A Resize that enlarges for a single user waits for the other inputs of that user: smaller rows take less memory.
	if _, ok := n.Op.(*Resize); ok && len(p.users[i]) == 1 && rows.H > p.nodes[n.Inputs[0]].H {
		for _, from := range p.program.Nodes[p.users[i][0].node].Inputs {
			if _, ok := p.program.Nodes[from].Op.(*Resize); !ok && p.nodes[from].H == rows.H {
				most = max(min(most, p.nodes[from].made), rows.made)
			}
		}
	}
	for ; end < most; end++ {
		for k, from := range n.Inputs {
			if _, hi := n.Op.Needs(k, end, p.nodes[from].H, rows.H); min(hi, p.nodes[from].H) > p.nodes[from].made {
				most = end
			}
		}
	}
	end = min(end, most)
	if end < rows.H {
		end -= end % n.Op.Together()
	}
	return max(end, rows.made)
}

// needed returns the first row of node i, of those not yet freed, that the next row of a user needs, or the next row
// of node i to make if none is needed.
func (p *planner) needed(i int) int {
	first := p.nodes[i].made
	for _, u := range p.users[i] {
		if by := &p.nodes[u.node]; by.made < by.H {
			lo, _ := p.program.Nodes[u.node].Op.Needs(u.input, by.made, p.nodes[i].H, by.H)
			first = min(first, lo)
		}
	}
	return max(first, p.nodes[i].first)
}

// measure sets the field peak of each class to the largest number of rows that a run holds at a time. It counts the
// rows of a plan for which it takes no memory.
func (l *layout) measure(p *Program) {
	planner := planner{program: p, nodes: slices.Clone(l.nodes), users: l.users, counts: true}
	planner.plan(l.nodes[0].H, l.passRows)
	for _, c := range l.classes {
		c.held = 0
	}
}

// Memory returns the number of bytes that the rows of a run take for a picture of w×h samples.
func (p *Program) Memory(w, h int) (bytes int64) {
	l := p.layout(w, h)
	l.measure(p)
	for _, c := range l.classes {
		size := int64(2)
		if c.hasFloats {
			size = 4
		}
		bytes += size * (int64(c.peak+1)*int64(c.length) + slack)
	}
	return bytes
}
