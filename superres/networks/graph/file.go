package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// operations holds an empty value of each type of operation, except Function.
var operations = []Op{Input{}, Conv{}, ConvTranspose{}, PReLU{}, Clip{}, Affine{}, Add{}, Sub{}, Mul{}, Concat{},
	Select{}, PixelShuffle{}, PixelUnshuffle{}, Resize{}, Pad{}, Div{}, Max{}, Min{}, Where{}, Pool{}, Reduce{},
	ReduceEach{}, Normalize{}, Softmax{}, Roll{}, Interleave{}, Scores{}, WeightedSum{}, ChannelScores{}, ChannelSum{},
	ShiftMask{}}

// NameOf returns the name of an operation in model files and messages, such as Conv: its type's, or the Function's.
func NameOf(op Op) string {
	if f, is := op.(Function); is {
		return f.name()
	}
	return reflect.TypeOf(op).Name()
}

// known maps the name of each operation to an empty value of its type, and the name of each Function to its value.
var known = func() map[string]Op {
	all := map[string]Op{}
	for _, op := range operations {
		all[NameOf(op)] = op
	}
	for f := range Positive + 1 { // Positive is the last Function
		all[NameOf(f)] = f
	}
	return all
}()

// Saved is a node as a model file holds it in JSON. Save returns the numbers of its float32 lists separately.
type Saved struct {
	// Op is the name of the operation.
	Op string `json:"op"`
	// In are the indexes of the nodes that are its inputs.
	In []int `json:"in,omitempty"`
	// Params are the fields of the operation in JSON; float32 lists are left empty.
	Params json.RawMessage `json:"params,omitempty"`
	// Numbers holds the length of each float32 list, in the order of the fields.
	Numbers []int `json:"numbers,omitempty"`
}

// Save returns the nodes of g as a model file holds them, and the numbers of all float32 lists of all nodes, one
// list after another. The output of g must be its last node, since Load takes the last node as the output.
func (g *Graph) Save() (nodes []Saved, numbers []float32) {
	for _, n := range g.Nodes {
		s := Saved{Op: NameOf(n.Op), In: n.Inputs}
		op := reflect.New(reflect.TypeOf(n.Op)).Elem()
		op.Set(reflect.ValueOf(n.Op))
		for _, list := range lists(op) {
			s.Numbers = append(s.Numbers, list.Len())
			numbers = append(numbers, list.Interface().([]float32)...)
			list.SetZero()
		}
		if op.Kind() == reflect.Struct && op.NumField() > 0 {
			s.Params, _ = json.Marshal(op.Interface()) // cannot fail: all numbers are finite
		}
		nodes = append(nodes, s)
	}
	return nodes, numbers
}

// Load returns the graph that Save saved, with Range 1. The lists of the graph share memory with numbers. Load fails
// if the lengths that nodes state do not add up to the length of numbers, or if Check does not accept the graph.
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

// operation returns the operation of s, with its lists cut from the start of numbers, and the remaining numbers.
func (s *Saved) operation(numbers []float32) (Op, []float32, error) {
	op, ok := known[s.Op]
	if !ok {
		return nil, nil, errors.New("no such operation")
	}
	made := reflect.New(reflect.TypeOf(op))
	made.Elem().Set(reflect.ValueOf(op)) // says which function a Function is
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
		if fields[k].SetZero(); count > 0 { // replaces the numbers that Params gave the field
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
