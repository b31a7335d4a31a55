package networks

import (
	"math"
	"slices"

	"superres/internal/lines"
)

// mostReach is the reach of a result that depends on the whole picture.
const mostReach = 1 << 16

// reachOf returns the reach, as defined by stage.Network, of a program that enlarges by scale. It is mostReach if the
// result depends on the whole picture, or if a cut at a multiple of alignment rows would regroup the rows of a node.
func reachOf(p *lines.Program, scale, alignment int) int {
	const shift = 720_720 // rows; a multiple of 1 to 16, so that every node moves by whole rows
	const width = 1 << 10 // any will do
	sizes, taller := p.Sizes(width, 2*shift), p.Sizes(width, 3*shift)
	for i, n := range p.Nodes {
		// Node i has rows/shift rows for each row of the picture. A cut must lie between its groups of rows.
		if rows := taller[i].H - sizes[i].H; i > 0 && rows*alignment%(shift*n.Op.Together()) != 0 {
			return mostReach
		}
	}
	reach := 0
	for y := range alignment * scale { // in the middle; further rows depend on the picture like one of these
		lo, hi := dependence(p, sizes, shift*scale+y)
		reach = max(reach, shift+y/scale-lo, hi-1-(shift+y/scale))
	}
	return min(reach, mostReach)
}

// dependence returns the range [lo, hi) of rows of the picture on which row y of the result depends. It goes from the
// last node to the first: a node needs the rows of its inputs for all rows that it computes together with needed ones.
func dependence(p *lines.Program, sizes []lines.Size, y int) (lo, hi int) {
	type interval struct{ lo, hi int }
	last := len(p.Nodes) - 1
	rows := slices.Repeat([]interval{{math.MaxInt32, math.MinInt32}}, last+1)
	rows[last] = interval{y, y + 1}
	for i := last; i > 0; i-- {
		n, r := p.Nodes[i], rows[i]
		if r.lo >= r.hi { // row y does not depend on node i
			continue
		}
		together := n.Op.Together()
		top, bottom := r.lo/together*together, (r.hi+together-1)/together*together-1 // the outermost rows computed
		for k, from := range n.Inputs {
			a, _ := n.Op.Needs(k, top, sizes[from].H, sizes[i].H)
			_, b := n.Op.Needs(k, bottom, sizes[from].H, sizes[i].H)
			rows[from] = interval{min(rows[from].lo, a), max(rows[from].hi, b)}
		}
	}
	return rows[0].lo, rows[0].hi
}
