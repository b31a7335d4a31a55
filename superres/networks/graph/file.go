package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// operations are all operations but the Functions.
var operations = []Op{Input{}, Conv{}, ConvTranspose{}, PReLU{}, Clip{}, Affine{}, Add{}, Sub{}, Mul{}, Concat{},
	Select{}, PixelShuffle{}, PixelUnshuffle{}, Resize{}, Pad{}, Div{}, Max{}, Min{}, Where{}, Pool{}, Reduce{},
	ReduceEach{}, Normalize{}, Softmax{}, Roll{}, Interleave{}, Scores{}, WeightedSum{}, ChannelScores{}, ChannelSum{},
	ShiftMask{}}

// known maps the name of each operation to a value of its type.
var known = func() map[string]Op {
	all := map[string]Op{}
	for _, op := range operations {
		all[op.Name()] = op
	}
	for f := range Positive + 1 {
		all[f.Name()] = f
	}
	return all
}()

// Saved is a node in the form of a model file. The numbers of its float32 lists are stored elsewhere.
type Saved struct {
	// Op is the name of the operation.
	Op string `json:"op"`
	// In are the indexes of the nodes that are its inputs.
	In []int `json:"in,omitempty"`
	// Params are the fields of the operation in JSON, with empty lists of float32.
	Params json.RawMessage `json:"params,omitempty"`
	// Numbers has the length of each list of float32.
	Numbers []int `json:"numbers,omitempty"`
}

// Save returns the nodes of a graph in the form of a model file, and the numbers of all their lists, one list after
// another. The output must be the last node.
func (g *Graph) Save() (nodes []Saved, numbers []float32) {
	for _, n := range g.Nodes {
		s := Saved{Op: n.Op.Name(), In: n.Inputs}
		op := reflect.New(reflect.TypeOf(n.Op)).Elem()
		op.Set(reflect.ValueOf(n.Op))
		for _, list := range lists(op) {
			s.Numbers = append(s.Numbers, list.Len())
			numbers = append(numbers, list.Interface().([]float32)...)
			list.SetZero()
		}
		if op.Kind() == reflect.Struct && op.NumField() > 0 {
			s.Params, _ = json.Marshal(op.Interface()) // cannot fail for numbers, bools and lists of integers
		}
		nodes = append(nodes, s)
	}
	return nodes, numbers
}

// Load returns the graph that Save saved, with white 1. Its lists are parts of numbers. Load fails if Check does not
// accept the graph.
func Load(nodes []Saved, numbers []float32) (*Graph, error) {
	if len(nodes) == 0 || len(nodes) > MaxNodes {
		return nil, fmt.Errorf("%d nodes, expected 1 to %d", len(nodes), MaxNodes)
	}
	g := &Graph{Range: 1, Output: len(nodes) - 1}
	for i, s := range nodes {
		n := Node{Name: fmt.Sprint(i), Inputs: s.In}
		var err error
		if n.Op, numbers, err = s.operation(numbers); err != nil {
			return nil, fmt.Errorf("node %d, %s: %w", i, s.Op, err)
		}
		g.Nodes = append(g.Nodes, n)
	}
	if len(numbers) > 0 {
		return nil, errors.New("more numbers than the nodes take")
	}
	return g, g.Check()
}

// operation returns the operation of a node, and the numbers that are left after its lists.
func (s *Saved) operation(numbers []float32) (Op, []float32, error) {
	op, ok := known[s.Op]
	if !ok {
		return nil, nil, errors.New("no such operation")
	}
	made := reflect.New(reflect.TypeOf(op))
	made.Elem().Set(reflect.ValueOf(op))
	if len(s.Params) > 0 {
		d := json.NewDecoder(bytes.NewReader(s.Params))
		d.DisallowUnknownFields()
		if err := d.Decode(made.Interface()); err != nil {
			return nil, nil, err
		}
	}
	fields := lists(made.Elem())
	if len(fields) != len(s.Numbers) {
		return nil, nil, fmt.Errorf("%d lists of numbers, expected %d", len(s.Numbers), len(fields))
	}
	for k, count := range s.Numbers {
		if count < 0 || count > len(numbers) {
			return nil, nil, errors.New("there are too few numbers for it")
		}
		if fields[k].SetZero(); count > 0 {
			fields[k].Set(reflect.ValueOf(numbers[:count:count]))
		}
		numbers = numbers[count:]
	}
	return made.Elem().Interface().(Op), numbers, nil
}

// lists returns the fields of an operation that are lists of float32.
func lists(op reflect.Value) (fields []reflect.Value) {
	if op.Kind() != reflect.Struct {
		return nil
	}
	for i := range op.NumField() {
		if f := op.Field(i); f.Type() == reflect.TypeFor[[]float32]() {
			fields = append(fields, f)
		}
	}
	return fields
}
