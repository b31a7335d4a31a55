package networks

import (
	"errors"
	"fmt"
	"math"

	"superres/internal/kernel"
	"superres/internal/lines"
)

// spec is a network in integers, as a model file holds it: nodes and the arrays of numbers that these take one after
// another. A value of a node stands for a multiple of its integer; only those who made the spec need to know which.
type spec struct {
	Nodes []specNode
	arrays
}

// arrays are the numbers of the nodes of a spec.
type arrays struct {
	weights []int16   // of convolutions, and the tables of functions
	bias    []int32   // of convolutions
	floats  []float32 // factors and offsets
	indexes []int32   // of channels
}

// specNode is a node of a spec, in the form of a model file.
type specNode struct {
	// Op is the operation: one of the keys of builders.
	Op string `json:"op"`
	// In are the indexes of the nodes that are its inputs.
	In []int `json:"in,omitempty"`
	// Channels is the number of channels of the result.
	Channels int `json:"channels"`
	// Most is the magnitude to which the integers of the result are clipped; 0 for operations that clip nothing.
	Most int `json:"most,omitempty"`

	// Height and Width are the numbers of taps of a convolution, Dilation the distance of neighbouring taps.
	Height   int `json:"height,omitempty"`
	Width    int `json:"width,omitempty"`
	Dilation int `json:"dilation,omitempty"`
	// Top, Left, Bottom and Right are what a convolution or a shift adds to each edge.
	Top    int `json:"top,omitempty"`
	Left   int `json:"left,omitempty"`
	Bottom int `json:"bottom,omitempty"`
	Right  int `json:"right,omitempty"`
	// Mode is the lines.Beyond of a shift.
	Mode int `json:"mode,omitempty"`
	// Factor is that of a shuffle.
	Factor int `json:"factor,omitempty"`
	// By, Up, Down, A and AlignCorners are those of graph.Resize.
	By           int     `json:"by,omitempty"`
	Up           int     `json:"up,omitempty"`
	Down         int     `json:"down,omitempty"`
	A            float64 `json:"a,omitempty"`
	AlignCorners bool    `json:"align,omitempty"`
}

// The limits of a spec bound what a file can make a program allocate.
const (
	maxNodes    = 100_000
	maxChannels = 1024
	maxTaps     = 31
	maxFactor   = 16
)

// values says what a node's samples are while a program is built.
type values struct {
	channels int
	floats   bool
	step     int   // values of a sample, with those that pad it
	most     int64 // the greatest magnitude of an integer
}

// builder makes the program of a spec.
type builder struct {
	rest    arrays // that no node has taken yet
	program *lines.Program
	nodes   []values
}

// build returns the program of a spec. It trusts nothing: it fails if a number is out of range, if an array is too
// short or too long, and if some picture could make a sum overflow.
func (s *spec) build() (*lines.Program, error) {
	if len(s.Nodes) < 2 || len(s.Nodes) > maxNodes {
		return nil, fmt.Errorf("%d nodes, expected 2 to %d", len(s.Nodes), maxNodes)
	}
	b := &builder{rest: s.arrays, program: new(lines.Program)}
	for i := range s.Nodes {
		if err := b.add(i, &s.Nodes[i]); err != nil {
			return nil, fmt.Errorf("node %d, %s: %w", i, s.Nodes[i].Op, err)
		}
	}
	if r := b.rest; len(r.weights)+len(r.bias)+len(r.floats)+len(r.indexes) > 0 {
		return nil, errors.New("more numbers than the nodes take")
	}
	last := b.nodes[len(b.nodes)-1]
	if !last.floats || last.channels != s.Nodes[0].Channels || last.step != last.channels {
		return nil, fmt.Errorf("a result of %d channels, expected those of the picture", last.channels)
	}
	b.program.Nodes = append(b.program.Nodes, lines.Node{Op: lines.Sink{}, Inputs: []int{len(s.Nodes) - 1}})
	return b.program, nil
}

// add builds the next node.
func (b *builder) add(i int, n *specNode) error {
	build, ok := builders[n.Op]
	if !ok {
		return errors.New("no such operation")
	}
	if (n.Op == "source") != (i == 0) {
		return errors.New("the first node, and no other, is the source")
	}
	if n.Channels < 1 || n.Channels > maxChannels || n.Most < 0 || n.Most > math.MaxInt16 || len(n.In) > 4096 {
		return fmt.Errorf("%d channels of at most %d", n.Channels, n.Most)
	}
	in := make([]values, len(n.In))
	for k, from := range n.In {
		if from < 0 || from >= i {
			return errors.New("takes its input from a node that is not before it")
		}
		in[k] = b.nodes[from]
	}
	op, out, err := build(b, n, in)
	if err != nil {
		return err
	}
	out.channels = n.Channels
	if out.step == 0 {
		out.step = n.Channels
		if !out.floats {
			out.step = kernel.PadTo(n.Channels, kernel.Lanes)
		}
	}
	if out.most > math.MaxInt16 {
		return errors.New("integers of more than 16 bits")
	}
	b.nodes = append(b.nodes, out)
	b.program.Nodes = append(b.program.Nodes, lines.Node{Op: op, Inputs: n.In})
	return nil
}

// take returns the first n numbers of an array, and cuts them off.
func take[T any](list *[]T, n int) ([]T, error) {
	if n < 0 || n > len(*list) {
		return nil, errors.New("there are too few numbers for it")
	}
	out := (*list)[:n:n]
	*list = (*list)[n:]
	return out, nil
}

// white is the integer of a white sample of the picture. Levels of 8 bits are multiples of 128.
const white = 255 * 128

// builders have, for each operation, the function that makes it.
var builders = map[string]func(b *builder, n *specNode, in []values) (lines.Op, values, error){
	"source": func(_ *builder, n *specNode, in []values) (lines.Op, values, error) {
		if len(in) != 0 || n.Channels != 1 && n.Channels != 3 {
			return nil, values{}, errors.New("expected no input, and 1 or 3 channels")
		}
		step := n.Channels
		return lines.Source{Channels: step}, values{step: step, most: white}, nil
	},
	"conv":        (*builder).conv,
	"sums":        (*builder).conv,
	"depthwise":   (*builder).depthwise,
	"add":         (*builder).arithmetic,
	"multiply":    (*builder).arithmetic,
	"lookup":      (*builder).lookup,
	"gather":      (*builder).gather,
	"shuffle":     (*builder).shuffle,
	"unshuffle":   (*builder).unshuffle,
	"high":        (*builder).split,
	"low":         (*builder).split,
	"resize":      (*builder).resize,
	"shift":       (*builder).shift,
	"floats":      (*builder).floats,
	"scale":       (*builder).scale,
	"floats+":     (*builder).combine,
	"floats-":     (*builder).combine,
	"floats*":     (*builder).combine,
	"floatgather": (*builder).floatGather,
	"floatjoin":   (*builder).gather,
	"curve":       (*builder).curve,
}

// expect fails unless there are count inputs, all of float32 or all of integers.
func expect(in []values, count int, floats bool) error {
	if len(in) != count {
		return fmt.Errorf("%d inputs, expected %d", len(in), count)
	}
	for _, v := range in {
		if v.floats != floats {
			return errors.New("an input of integers where float32 is expected, or the other way round")
		}
	}
	return nil
}
