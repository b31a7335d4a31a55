package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// tracer follows the nodes of a file and adds nodes to a graph.
type tracer struct {
	builder *graph.Builder
	opset   int
	values  map[string]*value // by the names that the file gives to them
	budget  int               // how many more numbers that are computed from constants may be held
	curves  int               // how many values of type curve were made
	model   *model
	// steps counts the nodes followed, nodes of functions once per call; depth is the number of nested calls.
	steps, depth int
	wholesLeft   int // how many more numbers of 8 bits may be unpacked
	copies       int // how many more weights may be copied from constants
}

// newTracer returns a tracer with the constants of m. The caller sets its builder. The limits of its memory grow with
// the size of the files, so that a small forged file cannot take much.
func (m *model) newTracer() *tracer {
	t := &tracer{opset: m.opset, values: make(map[string]*value, len(m.constants)), model: m, wholesLeft: maxWholes,
		copies: leastFolded + len(m.body) + int(m.beside.bytes),
		budget: min(maxFolded, leastFolded+(len(m.body)+int(m.beside.bytes))/2)}
	for name, c := range m.constants {
		t.values[name] = &value{constant: c}
	}
	return t
}

// value is what a node of a file computes: a constant, samples, or a list of parts.
type value struct {
	constant *tensor
	samples  *curve
	dims     layout // nil for the usual layout
	// pending is the dimension, all rows or all columns, along which the operation called reduction is postponed
	// until the same operation follows along the other side; else nil.
	pending   []int
	reduction string
	isDropped bool // the dimension in pending is the first in dims, and the file's value no longer has it
	made      int  // the node that has the samples as [1, channels, height, width], if isMade is true
	isMade    bool
	list      []*value // the parts that SplitToSequence returns; only SequenceAt takes them
}

// sampled returns the samples of a node of the graph as a value.
func (t *tracer) sampled(node int) *value { return &value{samples: identity(node)} }

// sizes returns the sizes of the dimensions of a value.
func (t *tracer) sizes(v *value) []int {
	if v.constant != nil {
		return v.constant.dims
	}
	return t.layout(v).sizes()
}

// node returns a node that has the samples of v as [1, channels, height, width]. It adds the node if there is none.
func (t *tracer) node(v *value) (int, error) {
	if v.constant != nil {
		return 0, errors.New("a constant in place of samples is not supported")
	}
	if v.pending != nil {
		return 0, v.partial()
	}
	return v.resolve(t)
}

// partial returns the error for a value that is reduced only along the rows, or only along the columns.
func (v *value) partial() error {
	return fmt.Errorf("%s along the rows or the columns alone is not supported, only along both", v.reduction)
}

// call is the node of the file that a tracer follows at present. Its methods, and functions that only they call, panic
// with a fail.Failure at the first error, and followNode catches it. Functions that return an error have callers that
// try something else, or that are no methods of call.
type call struct {
	*tracer
	name, op   string
	in         []*value // an input that is left out is nil
	outputs    int
	attributes map[string]attribute
}

// operation says how to follow one kind of node.
type operation struct {
	least, most int                  // the least and greatest number of inputs
	attributes  string               // the names of the supported attributes, with spaces between
	make        func(*call) []*value // computes all outputs; nil if all inputs must be constants
	fold        func(*call) *tensor  // computes the only output if all inputs are constants; may be nil
}

// followNode computes the outputs of node n and adds them to t.values.
func (t *tracer) followNode(n node) error {
	if t.steps++; t.steps > maxNodes {
		return fmt.Errorf("more than %d nodes, with those of functions", maxNodes)
	}
	if f := t.model.functions[fullName(n.domain, n.op)]; f != nil {
		return t.call(n, f)
	}
	op := operations[n.op]
	if err := t.model.unknown(n); err != nil {
		return err
	}
	err := fail.Catch(func() { fail.If(t.define(n, t.prepare(n, op).make(op))) })
	if err != nil && !strings.Contains(err.Error(), strconv.Quote(n.name)+": ") { // the graph's errors name the node
		err = fmt.Errorf("%s %q: %w", n.op, n.name, err)
	}
	return err
}

// unknown returns the error for a node whose operation is not supported, or nil.
func (m *model) unknown(n node) error {
	_, ok := operations[n.op]
	switch {
	case m.functions[fullName(n.domain, n.op)] != nil || ok && isStandard(n.domain):
		return nil
	case !isStandard(n.domain):
		return fmt.Errorf("node %q: the operation %s.%s is not supported", n.name, n.domain, n.op)
	}
	return fmt.Errorf("node %q: the operation %s is not supported", n.name, n.op)
}

// prepare returns the call of a node. It fails if op does not take the node's inputs or attributes. It appends nil for
// inputs that the file leaves out, up to op.most or 8: an operation that takes more goes through c.in.
func (t *tracer) prepare(n node, op operation) *call {
	c := &call{tracer: t, name: n.name, op: n.op, outputs: len(n.outputs), attributes: n.attributes}
	for _, name := range n.inputs {
		v := t.values[name]
		fail.When(v == nil && name != "", "takes %q, which no node before it makes", name)
		if v != nil && v.pending != nil && v.reduction != n.op {
			fail.If(v.partial())
		}
		fail.When(v != nil && v.list != nil && n.op != "SequenceAt", "of a sequence is not supported")
		if v != nil && v.constant != nil && n.op != "DequantizeLinear" && n.op != "QuantizeLinear" {
			constant := fail.Need(v.constant.unpacked(&t.wholesLeft))
			if constant != v.constant {
				v = &value{constant: constant}
			}
		}
		c.in = append(c.in, v)
	}
	for len(c.in) > 0 && c.in[len(c.in)-1] == nil {
		c.in = c.in[:len(c.in)-1]
	}
	fail.When(len(c.in) < op.least || len(c.in) > op.most || slices.Contains(c.in[:op.least], nil),
		"has %d inputs", len(c.in))
	for len(c.in) < min(op.most, 8) { // inputs that are left out are nil
		c.in = append(c.in, nil)
	}
	known := strings.Fields(op.attributes)
	for _, name := range slices.Sorted(maps.Keys(n.attributes)) {
		fail.When(!slices.Contains(known, name), "the attribute %q is not supported", name)
	}
	return c
}

// takeConstants are the operations that may have a constant as their first input and samples as another.
var takeConstants = strings.Fields("Add CastLike Concat Div Dropout Greater GreaterOrEqual Identity Less LessOrEqual " +
	"MatMul Max Min Mul ScatterElements ScatterND Split Sub Sum Where")

// make computes the outputs: by op.fold if all inputs are constants and op has that, else by op.make.
func (c *call) make(op operation) []*value {
	isSampled := func(v *value) bool { return v != nil && v.constant == nil }
	allConstant := !slices.ContainsFunc(c.in, isSampled)
	if allConstant && op.fold != nil || op.make == nil {
		fail.When(!allConstant, "of samples is not supported")
		return []*value{{constant: op.fold(c)}}
	}
	fail.When(c.in[0].constant != nil && !slices.Contains(takeConstants, c.op),
		"a constant in place of samples is not supported")
	return op.make(c)
}

// define stores the values of a node under the names of its outputs.
func (t *tracer) define(n node, out []*value) error {
	for i, name := range n.outputs {
		if name == "" {
			continue
		}
		if i >= len(out) {
			return fmt.Errorf("has %d outputs, expected %d", len(n.outputs), len(out))
		}
		if _, twice := t.values[name]; twice {
			return fmt.Errorf("makes %q, which is there already", name)
		}
		if len(t.values) >= 2*maxNodes {
			return fmt.Errorf("more than %d values", 2*maxNodes)
		}
		if t.values[name] = out[i]; out[i] != nil && out[i].constant != nil {
			out[i].constant.retain()
		}
	}
	return nil
}

// add adds a node with the given inputs to the graph and returns its samples.
func (c *call) add(op graph.Op, inputs ...*value) []*value {
	nodes := make([]int, len(inputs))
	for i, v := range inputs {
		nodes[i] = fail.Need(c.node(v))
	}
	return []*value{c.sampled(c.put(op, nodes...))}
}

// put adds a node that takes the given nodes to the graph and returns it.
func (c *call) put(op graph.Op, in ...int) (node int) {
	return fail.Need(c.builder.Add(c.name, op, in...))
}

// chain adds operations, each on the result of the one before, and returns the last node.
func (c *call) chain(node int, ops ...graph.Op) int {
	for _, op := range ops {
		node = c.put(op, node)
	}
	return node
}

// samples returns the node of the graph that has the samples of v, not yet rearranged as v's layout says.
func (c *call) samples(v *value) (node int) { return fail.Need(v.samples.resolve(c.tracer)) }

// shape returns the shape of the first input's node, which it adds if there is none yet.
func (c *call) shape() graph.Shape { return c.builder.Shape(fail.Need(c.node(c.in[0]))) }

// int returns the whole number of the named attribute, limited to the range of int32, or byDefault if there is none.
func (c *call) int(name string, byDefault int) int {
	if a, ok := c.attributes[name]; ok {
		return int(max(min(a.number, 1<<31-1), -1<<31))
	}
	return byDefault
}

// real returns the real number of the named attribute, or byDefault if there is none.
func (c *call) real(name string, byDefault float64) float64 {
	if a, ok := c.attributes[name]; ok {
		return float64(a.real)
	}
	return byDefault
}

// text returns the text of the named attribute, or byDefault if there is none.
func (c *call) text(name, byDefault string) string {
	if a, ok := c.attributes[name]; ok {
		return a.text
	}
	return byDefault
}

// list returns the whole numbers of the named attribute; nil if there is none.
func (c *call) list(name string) []int {
	a, ok := c.attributes[name]
	if !ok {
		return nil
	}
	return fail.Need(vector(a.numbers...).numbers())
}

// listOr returns the whole numbers of an input or, if that is left out, of the named attribute.
func (c *call) listOr(input int, name string) []int {
	if input >= len(c.in) || c.in[input] == nil {
		return c.list(name)
	}
	constant := c.in[input].constant
	fail.When(constant == nil, "with %s that are computed of samples is not supported", name)
	return fail.Need(constant.numbers())
}

// number returns the single number of an input, which must be constant, or byDefault if the input is left out.
func (c *call) number(input int, byDefault float64) float64 {
	if input >= len(c.in) || c.in[input] == nil {
		return byDefault
	}
	if constant := c.in[input].constant; constant != nil && constant.size() == 1 {
		return constant.real(0)
	}
	panic(fail.With("takes an input %d that is no single constant, which is not supported", input+1))
}
