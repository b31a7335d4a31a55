package graph

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// The limits of a graph bound the memory that a file can make a program allocate.
const (
	MaxNodes    = 20_000
	MaxChannels = 1024
	MaxWeights  = 64 << 20
	MaxSide     = 31 // taps along one side of a convolution
	MaxScale    = 16 // the scale of one Resize or shuffle, and of a whole network
	// MaxScores is the greatest number of scores of a window, the channels of a result of Scores or ChannelScores.
	MaxScores = 1 << 20
)

// Check fails unless the graph is a network that enlarges pictures. It must keep the limits. The first node, and no
// other, must be the input, and a node may take only earlier nodes. Parameters must fit and be finite. The result
// must have as many channels as the picture, and the sides of the picture times a whole number from 1 to MaxScale.
func (g *Graph) Check() error {
	if len(g.Nodes) == 0 || len(g.Nodes) > MaxNodes || g.Output < 0 || g.Output >= len(g.Nodes) {
		return fmt.Errorf("%d nodes, expected 1 to %d, with the output among them", len(g.Nodes), MaxNodes)
	}
	if g.Range != 1 && g.Range != 255 {
		return fmt.Errorf("white is %g, expected 1 or 255", g.Range)
	}
	weights := 0
	for i, n := range g.Nodes {
		if n.Op == nil {
			return fmt.Errorf("node %q has no operation", n.Name)
		}
		if _, isInput := n.Op.(Input); isInput != (i == 0) {
			return fmt.Errorf("%s: the first node, and no other, is the input", n.describe())
		}
		for _, from := range n.Inputs {
			if from < 0 || from >= i {
				return fmt.Errorf("%s: takes its input from a node that is not before it", n.describe())
			}
		}
		for _, list := range numbers(n.Op) {
			if weights += len(list); weights > MaxWeights {
				return fmt.Errorf("more than %d weights", MaxWeights)
			}
			for _, v := range list {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					return fmt.Errorf("%s: a weight is not a finite number", n.describe())
				}
			}
		}
	}
	if _, err := g.measure(); err != nil {
		return err
	}
	weights = 0 // of transposed convolutions as Simplify rewrites them
	for _, n := range g.Nodes {
		if c, ok := n.Op.(ConvTranspose); ok {
			side := c.taps() * c.Stride
			if weights += len(c.Weight) / c.Kernel / c.Kernel * side * side; weights > MaxWeights {
				return fmt.Errorf("%s: more than %d weights in all phases", n.describe(), MaxWeights)
			}
		}
	}
	return nil
}

func (n Node) describe() string { return fmt.Sprintf("%s %q", NameOf(n.Op), n.Name) }

// numbers returns the float32 lists of an operation, then one list, maybe empty, of its single float32 fields.
func numbers(op Op) [][]float32 {
	v := reflect.ValueOf(op)
	var all [][]float32
	for _, list := range lists(v) {
		all = append(all, list.Interface().([]float32))
	}
	if v.Kind() != reflect.Struct {
		return all
	}
	var single []float32
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Float32 {
			single = append(single, float32(f.Float()))
		}
	}
	return append(all, single)
}

// Parameters returns the number of float32 parameters of all operations: weights, biases, slopes, factors and limits.
func (g *Graph) Parameters() (count int) {
	for _, n := range g.Nodes {
		for _, list := range numbers(n.Op) {
			count += len(list)
		}
	}
	return count
}

// Shapes returns the shapes of all nodes for a picture of w×h pixels. It fails if the graph refuses that size.
func (g *Graph) Shapes(w, h int) ([]Shape, error) {
	shapes := make([]Shape, len(g.Nodes))
	var in []Shape
	for i, n := range g.Nodes {
		if i == 0 {
			shapes[0] = Shape{w, h, n.Op.(Input).Channels}
			if c := shapes[0].Channels; c != 1 && c != 3 || w < 1 || h < 1 {
				return nil, fmt.Errorf("an input of %d channels, %d×%d pixels, expected 3 or 1 channels", c, w, h)
			}
			continue
		}
		in = in[:0]
		for _, from := range n.Inputs {
			in = append(in, shapes[from])
		}
		var err error
		if shapes[i], err = shapeOf(n.Op, in); err != nil {
			return nil, fmt.Errorf("%s: %w", n.describe(), err)
		}
	}
	return shapes, nil
}

func (s Shape) check() error {
	if s.W < 1 || s.H < 1 || s.Channels < 1 || s.Channels > MaxScores || s.W > 1<<30 || s.H > 1<<30 {
		return fmt.Errorf("would have %d×%d samples of %d channels", s.W, s.H, s.Channels)
	}
	return nil
}

// Measure holds the scale, the accepted sizes and the computing work of a graph.
type Measure struct {
	// Scale is the factor by which the graph enlarges.
	Scale int
	// Multiple is the number that must divide both sides of a picture.
	Multiple int
	// MACs is the number of multiplications in convolutions and attention per pixel of the picture.
	MACs float64
}

// Measure returns the Measure of a graph that Check accepts.
func (g *Graph) Measure() Measure {
	m, err := g.measure()
	if err != nil {
		panic("graph: " + err.Error())
	}
	return m
}

// Example returns the shapes of all nodes for an example of a picture, and the number n that must divide the sides of
// pictures. The example has 17·n×19·n pixels, sides without other common divisors. Example tries several n, until the
// result is a whole number of times as wide. If it never is, it returns the first shapes, or else the last error.
func (g *Graph) Example() (shapes []Shape, multiple int, err error) {
	for _, n := range []int{1, 2, 4, 8, 16, 3, 6, 12, 24, 32} {
		s, failure := g.Shapes(17*n, 19*n)
		enlarges := failure == nil && s[g.Output].W%(17*n) == 0
		if shapes == nil || enlarges {
			shapes, multiple, err = s, n, failure
		}
		if enlarges {
			break
		}
	}
	return shapes, multiple, err
}

// measure returns the Measure of a graph, and fails unless the result is the picture enlarged by a whole number up to
// MaxScale: for the picture of Example, and for another that is not square either.
func (g *Graph) measure() (m Measure, err error) {
	shapes, multiple, err := g.Example()
	if m.Multiple = multiple; err != nil {
		return m, err
	}
	in, out := shapes[0], shapes[g.Output]
	m.Scale = out.W / in.W
	if m.Scale < 1 || m.Scale > MaxScale || out != (Shape{m.Scale * in.W, m.Scale * in.H, in.Channels}) {
		return m, fmt.Errorf("makes %d×%d×%d of %d×%d×%d, expected as many channels, and a size 1 to %d times as large",
			out.W, out.H, out.Channels, in.W, in.H, in.Channels, MaxScale)
	}
	larger, err := g.Shapes(31*m.Multiple, 37*m.Multiple)
	if err != nil {
		return m, err
	}
	if out := larger[g.Output]; out.W != 31*m.Multiple*m.Scale || out.H != 37*m.Multiple*m.Scale {
		return m, errors.New("the size of the result is not a multiple of that of the picture")
	}
	// A node multiplies as often as it has pixels, or its input for ConvTranspose, times the products per pixel.
	for i, n := range g.Nodes {
		pixels := float64(shapes[i].W) * float64(shapes[i].H)
		switch op := n.Op.(type) {
		case Conv:
			m.MACs += pixels * float64(len(op.Weight))
		case ConvTranspose:
			from := shapes[n.Inputs[0]]
			m.MACs += float64(from.W) * float64(from.H) * float64(len(op.Weight))
		case Scores:
			perHead := shapes[n.Inputs[0]].Channels / max(op.Heads, 1)
			m.MACs += pixels * float64(shapes[i].Channels) * float64(perHead)
		case WeightedSum:
			m.MACs += pixels * float64(shapes[i].Channels) * float64(op.Keys.pixels(op.Windows))
		case ChannelScores:
			m.MACs += pixels * float64(shapes[i].Channels) * op.pixels(shapes[n.Inputs[0]])
		case ChannelSum:
			m.MACs += pixels * float64(shapes[i].Channels) / float64(max(op.Heads, 1)) * float64(shapes[i].Channels)
		}
	}
	m.MACs /= float64(in.W) * float64(in.H)
	return m, nil
}
