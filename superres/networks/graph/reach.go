package graph

// Reach returns how many rows above and below a row of the picture the rows of the result depend on that lie within it,
// for a graph that Check accepts. Weights count as if none were 0. A Resize that aligns the corners may make the number
// too large.
func (g *Graph) Reach() (reach int) {
	period, scale := g.period(), g.Measure().Scale
	for y := range period * scale {
		first, last := g.dependence(y)
		reach = max(reach, y/scale-first, last-y/scale)
	}
	return reach
}

// period returns the least number of rows of the picture by which a shift of the picture shifts the samples of all
// nodes by whole rows.
func (g *Graph) period() int {
	period := 1
	type fraction struct{ over, under int }
	rows := make([]fraction, len(g.Nodes)) // of a node for a row of the picture
	for i, n := range g.Nodes {
		if i == 0 {
			rows[0] = fraction{1, 1}
			continue
		}
		up, down := factors(n.Op)
		from := rows[n.Inputs[0]]
		over, under := from.over*up, from.under*down
		d := gcd(over, under)
		rows[i] = fraction{over / d, under / d}
		period *= rows[i].under / gcd(period, rows[i].under)
	}
	return period
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// dependence returns the first and the last row of the picture that row y of the result depends on.
func (g *Graph) dependence(y int) (first, last int) {
	type interval struct {
		lo, hi int
		needed bool
	}
	rows := make([]interval, g.Output+1)
	rows[g.Output] = interval{y, y, true}
	for i := g.Output; i > 0; i-- {
		if !rows[i].needed {
			continue
		}
		lo, hi := reads(g.Nodes[i].Op, rows[i].lo, rows[i].hi)
		for _, from := range g.Nodes[i].Inputs {
			if r := rows[from]; r.needed {
				rows[from] = interval{min(lo, r.lo), max(hi, r.hi), true}
			} else {
				rows[from] = interval{lo, hi, true}
			}
		}
	}
	return rows[0].lo, rows[0].hi
}

// reads returns the first and the last row of the inputs of an operation that rows lo to hi of its result depend on,
// as if they had no edges: rows may be negative.
func reads(op Op, lo, hi int) (first, last int) {
	switch op := op.(type) {
	case Conv:
		return lo - op.Pad.Top, hi - op.Pad.Top + (op.Height-1)*op.Dilation
	case ConvTranspose:
		return -floorDiv(op.Kernel-1-lo-op.Pad, op.Stride), floorDiv(hi+op.Pad, op.Stride)
	case PixelShuffle:
		return floorDiv(lo, op.Factor), floorDiv(hi, op.Factor)
	case PixelUnshuffle:
		return lo * op.Factor, hi*op.Factor + op.Factor - 1
	case Pad:
		return lo - op.Top, hi - op.Top
	case Resize:
		return op.reads(lo, hi)
	}
	return lo, hi
}

func (r Resize) reads(lo, hi int) (first, last int) {
	if !r.AlignCorners || r.By == Nearest {
		first, _ = r.span(lo)
		_, last = r.span(hi)
		return first, last
	}
	// Depending on the height of the picture, the position of row y is from (y−Up+1)/Up to y/Up, or from y·Down to
	// y·Down + Down − 1.
	first, last = floorDiv((lo-r.Up+1)*r.Down, r.Up), floorDiv(hi*r.Down, r.Up)+r.Down
	if r.By == Bicubic {
		first, last = first-1, last+1
	}
	return first, last
}

// span returns the first and the last tap of row y whose weight is not 0.
func (r Resize) span(y int) (first, last int) {
	start, rest := r.position(y, 0, 0)
	weights := r.weights(rest)
	first, last = start+len(weights)-1, start
	for k, w := range weights {
		if w != 0 {
			first, last = min(first, start+k), max(last, start+k)
		}
	}
	return first, last
}

// factors returns how many rows the result of an operation has for rows of its inputs: up for down.
func factors(op Op) (up, down int) {
	switch op := op.(type) {
	case ConvTranspose:
		return op.Stride, 1
	case PixelShuffle:
		return op.Factor, 1
	case PixelUnshuffle:
		return 1, op.Factor
	case Resize:
		return op.Up, op.Down
	}
	return 1, 1
}
