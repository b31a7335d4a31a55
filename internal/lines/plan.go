package lines

import (
	"slices"

	"superres/internal/kernel"
)

// layout is how the rows of a picture lie in memory.
type layout struct {
	nodes    []Rows
	users    [][]user
	classes  []*class
	passRows int
}

// period is a multiple of all factors by which operations change the number of rows, which are at most 16.
const period = 720_720

// layout returns the layout for a picture of w×h samples, without memory.
func (p *Program) layout(w, h int) layout {
	l := layout{nodes: make([]Rows, len(p.Nodes)), users: make([][]user, len(p.Nodes))}
	step := 0
	for i, s := range p.Sizes(w, h) {
		l.nodes[i].Size = s
		if !s.Floats {
			step = max(step, s.Step)
		}
		for k, from := range p.Nodes[i].Inputs {
			l.users[from] = append(l.users[from], user{i, k})
			left, right := p.Nodes[i].Op.Margin(k)
			l.nodes[from].margin = max(l.nodes[from].margin, left, right)
		}
	}
	l.passRows = passRows(l.nodes[0].W, l.nodes[0].H, step)
	taller := p.Sizes(w, h+period)
	for i := range l.nodes {
		n := &l.nodes[i]
		rows := int64(taller[i].H - n.H) // for period rows of the picture
		n.atOnce = int((int64(l.passRows)*rows+period-1)/period) + 2
		n.clip = clipOf(p.Nodes[i].Op)
		// Layers without padding lose columns: rows of nearly the same length share memory.
		columns := kernel.PadTo(n.columns()+2*n.margin, 64)
		n.class = l.class(columns*n.Step, n.Floats)
	}
	return l
}

// clipOf returns the magnitude to which an operation clips its values, if it may clip many.
func clipOf(op Op) int16 {
	switch op := op.(type) {
	case *Conv:
		return op.Filter.Clip
	case *Depthwise:
		return op.Filter.Clip
	case *Add:
		return op.Most
	case *Multiply:
		return op.Most
	}
	return 0
}

// class returns the class of rows of a length, which it adds where it is new.
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

// peaks returns the largest number of rows of each class that a run holds at a time. It goes through all passes as a
// run does, and only counts.
func (l *layout) peaks(p *Program) []int {
	held, peaks := make(map[*class]int), make(map[*class]int)
	nodes := slices.Clone(l.nodes)
	add := func(i, end int) error {
		n := &nodes[i]
		held[n.class] += end - n.made
		peaks[n.class] = max(peaks[n.class], held[n.class])
		return nil
	}
	release := func(i, count int) { held[nodes[i].class] -= count }
	source := &nodes[0]
	for goesOn := true; goesOn; { // add does not fail
		goesOn, _ = p.pass(nodes, l.users, min(source.made+l.passRows, source.H), add, release)
	}
	list := make([]int, len(l.classes))
	for i, c := range l.classes {
		list[i] = peaks[c]
	}
	return list
}

// Memory returns the number of bytes of the rows that a run for a picture of w×h samples holds.
func (p *Program) Memory(w, h int) (bytes int64) {
	l := p.layout(w, h)
	for i, rows := range l.peaks(p) {
		c := l.classes[i]
		size := int64(2)
		if c.hasFloats {
			size = 4
		}
		bytes += size * (int64(rows+1)*int64(c.length) + slack)
	}
	return bytes
}
