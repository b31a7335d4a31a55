package networks

import (
	"fmt"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// Some networks make ten levels of a difference of a hundredth of a level, so that samples of 16 bits and their weights
// are too coarse. Such a network is computed in parts: between its convolutions its values are float32, and each
// convolution takes integers of 22 bits for samples, and weights, each as a high and a low part. The products of the
// low parts are too small to count; the other three take three times as long as one.

// sums are the sums of a convolution in parts that nobody has added up yet.
type sums struct {
	in    []int // nodes of spec, at most three, whose values are to be added
	slope []float64
}

// parts are the two nodes of spec with the parts of the values of a node.
type parts struct {
	high, low int
	units     []float64 // what a low part of 1 stands for
}

// canSplit returns an error unless all nodes can be computed in parts.
func (c *compiler) canSplit() error {
	for _, n := range c.graph.Nodes[1:] {
		switch op := n.Op.(type) {
		case graph.Conv:
			if op.Groups == 1 || op.Groups != op.Out {
				continue
			}
		case graph.Add, graph.Sub, graph.Mul, graph.Affine, graph.PReLU, graph.Clip, graph.PixelShuffle, graph.Resize,
			graph.Pad, graph.Select, graph.Concat, graph.Function:
			continue
		}
		return fmt.Errorf("%s %q cannot be computed in parts", n.Op.Name(), n.Name)
	}
	return nil
}

// convInParts compiles a convolution, and the PReLU that follows it where nobody else takes its values.
func (c *compiler) convInParts(i int, op graph.Conv) (compiled, error) {
	from := c.graph.Nodes[i].Inputs[0]
	made := compiled{integers: -1, floats: -1, sums: &sums{}}
	high, low, units := c.done[from].integers, -1, c.done[from].units
	if high < 0 {
		p, err := c.split(from)
		if err != nil {
			return compiled{}, err
		}
		high, low, units = p.high, p.low, make([]float64, len(p.units))
		for ch, unit := range p.units {
			units[ch] = unit * (1 << kernel.PartBits)
		}
	}
	if err := c.multiplyParts(op, high, low, units, made.sums); err != nil {
		return compiled{}, err
	}
	for range op.Out {
		made.sums.slope = append(made.sums.slope, 1)
	}
	if users := c.users[i]; len(users) == 1 {
		if next, ok := c.graph.Nodes[users[0]].Op.(graph.PReLU); ok {
			for o := range made.sums.slope {
				made.sums.slope[o] = float64(next.Slope[o%len(next.Slope)])
			}
			c.isFused[users[0]] = true
		}
	}
	return made, nil
}

// multiplyParts adds the sums of a convolution to s: those of the high parts of samples and weights, and those of one
// high and one low part. Without low parts of samples, low is negative.
func (c *compiler) multiplyParts(op graph.Conv, high, low int, units []float64, s *sums) error {
	v := c.convolution(op, compiled{integers: high, units: units})
	v.isPlain = true
	a, gains, err := c.round(v)
	if err != nil {
		return err
	}
	v.node.Op = "sums"
	emit := func(from int, a arrays, divisor float64) error {
		for _, gain := range gains {
			if gain*divisor <= 1 {
				return fmt.Errorf("its weights are too large: an integer would stand for %g", 1/gain)
			}
			a.floats = append(a.floats, float32(1/float64(gain*divisor)))
		}
		n := v.node
		n.In = []int{from}
		err := c.emit(n, a)
		s.in = append(s.in, c.last())
		return err
	}
	if err := emit(high, a, 1); err != nil {
		return err
	}
	rest, divisor := v.lowWeights(a, gains)
	a.bias = make([]int32, len(a.bias))
	if low >= 0 {
		if err := emit(low, a, 1<<kernel.PartBits); err != nil {
			return err
		}
	}
	a.weights = rest
	return emit(high, a, divisor)
}

// lowWeights returns what rounding took from the weights of v, times a power of two as large as sums allow, at most
// 2^PartBits, and that power.
func (v *convolution) lowWeights(a arrays, gains []float64) (rest []int16, power float64) {
	rest, per := make([]int16, len(v.weight)), len(v.weight)/len(gains)
	for power = 1 << kernel.PartBits; power > 1; power /= 2 {
		isRoom := true
		for o, gain := range gains {
			to := rest[o*per:][:per]
			for k := range to {
				left := float64(v.weight[o*per+k]*gain) - float64(a.weights[o*per+k])
				to[k] = int16(math.RoundToEven(left * power))
			}
			isRoom = isRoom && v.fits(to, 0)
		}
		if isRoom {
			break
		}
	}
	return rest, power
}

// split returns node i of the graph in parts.
func (c *compiler) split(i int) (*parts, error) {
	d := &c.done[i]
	if d.parts != nil {
		return d.parts, nil
	}
	s := d.sums
	if s == nil {
		at, err := c.aligned(i)
		if err != nil {
			return nil, err
		}
		s = &sums{in: []int{at}}
		for range c.builder.nodes[at].channels {
			s.slope = append(s.slope, 1)
		}
	}
	channels := len(s.slope)
	p := &parts{units: c.unitsOfParts(s)}
	var a arrays
	for _, slope := range s.slope {
		a.floats = append(a.floats, float32(slope))
	}
	for _, unit := range p.units {
		a.floats = append(a.floats, float32(1/unit))
	}
	n := specNode{Op: "high", In: s.in, Channels: channels}
	if err := c.emit(n, a); err != nil {
		return nil, err
	}
	p.high = c.last()
	n.Op = "low"
	if err := c.emit(n, a); err != nil {
		return nil, err
	}
	p.low = c.last()
	c.done[i].parts = p
	return p, nil
}

// leastUnitInParts is what leastUnit is for values in parts.
const leastUnitInParts = 1. / 32

// unitsOfParts returns what a low part of 1 stands for, for each channel.
func (c *compiler) unitsOfParts(s *sums) []float64 {
	units := make([]float64, len(s.slope))
	for p, first := range c.whole[s.in[0]] {
		for y := range first.H {
			rows := make([][]float32, len(s.in))
			for k, from := range s.in {
				rows[k] = c.whole[from][p].FloatRow(y)
			}
			for x := range first.W {
				for ch := range units {
					v := 0.
					for _, row := range rows {
						v += float64(row[x*first.Step+ch])
					}
					if v < 0 {
						v *= s.slope[ch]
					}
					units[ch] = max(units[ch], math.Abs(v))
				}
			}
		}
	}
	largest := 0.
	for _, unit := range units {
		largest = max(largest, unit)
	}
	if largest == 0 {
		largest = 1
	}
	for ch, unit := range units {
		units[ch] = max(unit, largest*leastUnitInParts) * c.room / kernel.MostSplit
	}
	return units
}

// addUp returns the node of spec with s in float32.
func (c *compiler) addUp(s *sums) (int, error) {
	channels := len(s.slope)
	at := s.in[0]
	for _, next := range s.in[1:] {
		if err := c.emit(specNode{Op: "floats+", In: []int{at, next}, Channels: channels}, arrays{}); err != nil {
			return 0, err
		}
		at = c.last()
	}
	for _, slope := range s.slope {
		if slope != 1 {
			slopes := func(ch int) float64 { return s.slope[ch] }
			err := c.scale(at, slopes, constant(1), constant(0), math.Inf(-1), math.Inf(1))
			return c.last(), err
		}
	}
	return at, nil
}

// aligned returns the index in spec of node i of the graph in float32, with samples of whole vectors.
func (c *compiler) aligned(i int) (int, error) {
	at, err := c.floats(i)
	if err == nil && c.builder.nodes[at].step%kernel.Lanes != 0 {
		err = c.join([]int{at})
		at = c.last()
		c.done[i].floats = at
	}
	return at, err
}

// join adds the channels of all inputs, which are float32, one after another.
func (c *compiler) join(in []int) error {
	n := specNode{Op: "floatjoin", In: slices.Clone(in)}
	var a arrays
	for k, at := range in {
		channels := c.builder.nodes[at].channels
		n.Channels += channels
		a.indexes = append(a.indexes, int32(k), 0, int32(channels))
	}
	return c.emit(n, a)
}

// mostCurved is the magnitude above which functions are lines, or change by less than float32 can hold.
const mostCurved = 16

// curve adds a function of float32.
func (c *compiler) curve(from int, f func(float64) float64) error {
	slope := func(x float64) float32 { return float32((f(2*x) - f(x)) / x) }
	a := arrays{floats: []float32{mostCurved, slope(-mostCurved), slope(mostCurved)}}
	for i := range lines.CurveSteps + 1 {
		a.floats = append(a.floats, float32(f((float64(i)/(lines.CurveSteps/2)-1)*mostCurved)))
	}
	return c.emit(specNode{Op: "curve", In: []int{from}, Channels: c.builder.nodes[from].channels}, a)
}

// nodes returns the nodes of spec that hold the values of d.
func (d *compiled) nodes() []int {
	list := []int{d.integers, d.floats}
	if d.sums != nil {
		list = append(list, d.sums.in...)
	}
	if d.parts != nil {
		list = append(list, d.parts.high, d.parts.low)
	}
	return list
}
