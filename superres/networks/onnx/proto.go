package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"superres/superres/networks/graph"
)

// model holds the parts of an ONNX file that are needed.
//
// Note: nodes, inputs and results stay in the message of the graph, and are parsed whenever they are needed. As values
// in memory they would take up to a hundred times their bytes.
type model struct {
	opset     int
	metadata  [][2]string          // keys and values
	body      []byte               // the message of the graph; part of the file
	constants map[string]*tensor   // the tensors of the file by name
	functions map[string]*function // by their full names
	beside    *externalFiles
	work      int // how many numbers were computed from constants so far, in all attempts to follow the nodes
	// resizesLike says to turn each Resize by a factor into a Resize to the size of an earlier node, if one fits.
	resizesLike bool
}

// node is an operation of the file.
type node struct {
	name, op, domain string
	inputs, outputs  []string
	attributes       map[string]attribute
}

// attribute is a parameter of a node.
type attribute struct {
	number  int64
	real    float32
	text    string
	tensor  *tensor
	numbers []int64
	reals   []float32
	of      string // the attribute of the function's caller that gives this one its value; empty if it has its own
}

// input describes an input, or a result, of the network.
type input struct {
	name     string
	kind     int
	dims     []int // −1 where any size is accepted
	isTensor bool
}

// The limits of a file.
const (
	maxNodes      = 4 * graph.MaxNodes // nodes, many of which only compute sizes, and as many constants
	maxNames      = graph.MaxChannels  // inputs of a node, and as many outputs
	maxAttributes = 64                 // attributes of a node
	maxList       = 1 << 14            // numbers of an attribute
	maxFunctions  = 1000
	maxWholes     = 1 << 20 // integers in all constants: each takes 8 bytes in memory, but maybe 1 in the file
)

var errBroken = errors.New("the file is no ONNX, or is cut off")

// field is a field of a message of protocol buffers.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // if the field is a number
	bytes  []byte // if the field is bytes, a text or a message; part of the file
}

// fields calls visit for each field of a message, and returns the first error of visit, or errBroken if one is damaged.
func fields(message []byte, visit func(field) error) error {
	for len(message) > 0 {
		var f field
		n := 0
		if f.number, f.kind, n = protowire.ConsumeTag(message); n < 0 {
			return errBroken
		}
		message = message[n:]
		switch f.kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.value = uint64(v)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			return errBroken
		}
		if n < 0 {
			return errBroken
		}
		message = message[n:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// numbers calls visit for the numbers of a repeated field: for all numbers that it packs in bytes, or for the one that
// it holds, as kind says. It returns the first error.
func (f field) numbers(kind protowire.Type, visit func(uint64) error) error {
	if f.kind == kind {
		return visit(f.value)
	}
	for b := f.bytes; len(b) > 0; {
		v, n := uint64(0), 0
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(b)
			v = uint64(short)
		default:
			v, n = protowire.ConsumeFixed64(b)
		}
		if n < 0 {
			return errBroken
		}
		if err := visit(v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// parseModel parses an ONNX file by the fields of ModelProto. Weights may be in files of the folder, which may be nil.
func parseModel(data []byte, folder fs.FS) (*model, error) {
	m := &model{constants: map[string]*tensor{}, functions: map[string]*function{}, beside: newExternalFiles(folder)}
	hasGraph := false
	err := fields(data, func(f field) error {
		switch f.number {
		case 6:
			m.addDescription(string(f.bytes))
		case 7:
			if hasGraph {
				return errBroken
			}
			hasGraph = true
			m.body = f.bytes
			return m.parseConstants()
		case 8:
			return m.parseOpset(f.bytes)
		case 14:
			key, value, err := parseEntry(f.bytes)
			m.addMetadata(key, value)
			return err
		case 25:
			return m.parseFunction(f.bytes)
		}
		return nil
	})
	if err == nil && !hasGraph {
		err = errBroken
	}
	return m, err
}

// addDescription adds lines "key: value" of the description, where some programs state the licence, to the metadata.
func (m *model) addDescription(text string) {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found {
			m.addMetadata(strings.TrimSpace(key), value)
		}
	}
}

func (m *model) addMetadata(key, value string) {
	const most = 100
	if len(m.metadata) < most {
		m.metadata = append(m.metadata, [2]string{key, value})
	}
}

// parseOpset sets m.opset to the version of ONNX's own operations, if message, an OperatorSetIdProto, states it.
func (m *model) parseOpset(message []byte) error {
	domain, version := "", 0
	err := fields(message, func(f field) error {
		switch f.number {
		case 1:
			domain = string(f.bytes)
		case 2:
			version = int(min(f.value, math.MaxInt32))
		}
		return nil
	})
	if isStandard(domain) {
		m.opset = version
	}
	return err
}

func isStandard(domain string) bool { return domain == "" || domain == "ai.onnx" }

// parseEntry returns the key and the value of message, a StringStringEntryProto.
func parseEntry(message []byte) (key, value string, err error) {
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			key = string(f.bytes)
		case 2:
			value = string(f.bytes)
		}
		return nil
	})
	return key, value, err
}

// parseConstants reads the graph's constants, by the fields of GraphProto. It fails for too many nodes or constants.
func (m *model) parseConstants() error {
	nodes, wholesLeft := 0, maxWholes // parseTensor fails if all constants together hold more whole numbers
	return fields(m.body, func(f field) error {
		switch f.number {
		case 1:
			if nodes++; nodes > maxNodes {
				return fmt.Errorf("more than %d nodes", maxNodes)
			}
		case 5:
			if len(m.constants) == maxNodes {
				return fmt.Errorf("more than %d constants", maxNodes)
			}
			name, t, err := m.parseTensor(f.bytes, &wholesLeft)
			if _, twice := m.constants[name]; err == nil && twice {
				err = fmt.Errorf("two constants of the name %q", name)
			}
			m.constants[name] = t
			return err
		case 15:
			return errors.New("sparse constants are not supported")
		}
		return nil
	})
}

// The field numbers of nodes in the messages of a graph and of a function.
const (
	nodesField         = 1
	functionNodesField = 7
)

// eachNode calls visit for each node in the fields of a message with the given number, and returns the first error.
func (m *model) eachNode(message []byte, number protowire.Number, visit func(node) error) error {
	wholesLeft := maxWholes // parseNode fails if the constants of all nodes together hold more whole numbers
	return fields(message, func(f field) error {
		if f.number != number {
			return nil
		}
		n, err := m.parseNode(f.bytes, &wholesLeft)
		if err != nil {
			return err
		}
		return visit(n)
	})
}

// The field numbers of the inputs and of the results in the message of a graph.
const (
	inputField  = 11
	outputField = 12
)

// eachValue calls visit for each input of the graph if number is inputField, or each result if it is outputField.
func (m *model) eachValue(number protowire.Number, visit func(input)) error {
	return fields(m.body, func(f field) error {
		if f.number != number {
			return nil
		}
		in, err := parseInput(f.bytes)
		if err == nil {
			visit(in)
		}
		return err
	})
}

// parseNode parses a node. Whole numbers in its constants reduce wholesLeft, and it fails if that falls below 0. A node
// without name gets the name of its first output. The case numbers are the fields of NodeProto.
func (m *model) parseNode(message []byte, wholesLeft *int) (n node, err error) {
	n.attributes = map[string]attribute{}
	attributes := 0
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 3:
			n.name = string(f.bytes)
		case 4:
			n.op = string(f.bytes)
		case 5:
			attributes++
			name, a, err := m.parseAttribute(f.bytes, wholesLeft)
			n.attributes[name] = a
			if err != nil {
				return err
			}
		case 7:
			n.domain = string(f.bytes)
		}
		if max(len(n.inputs), len(n.outputs)) > maxNames || attributes > maxAttributes {
			return fmt.Errorf("node %q: more than %d inputs, as many outputs or %d attributes", n.name, maxNames,
				maxAttributes)
		}
		return nil
	})
	if n.name == "" && len(n.outputs) > 0 {
		n.name = n.outputs[0]
	}
	return n, err
}

// parseAttribute parses an attribute of a node or function. Its whole numbers reduce wholesLeft, and it fails if that
// falls below 0. The case numbers are the fields of AttributeProto.
func (m *model) parseAttribute(message []byte, wholesLeft *int) (name string, a attribute, err error) {
	err = fields(message, func(f field) (err error) {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 2:
			a.real = math.Float32frombits(uint32(f.value))
		case 3:
			a.number = int64(f.value)
		case 4:
			a.text = string(f.bytes)
		case 5:
			_, a.tensor, err = m.parseTensor(f.bytes, wholesLeft)
		case 7:
			err = f.numbers(protowire.Fixed32Type, func(v uint64) error {
				a.reals = append(a.reals, math.Float32frombits(uint32(v)))
				return a.check(name)
			})
		case 8:
			err = f.numbers(protowire.VarintType, func(v uint64) error {
				a.numbers = append(a.numbers, int64(v))
				return cmp.Or(spendWholes(wholesLeft, 1), a.check(name))
			})
		case 21:
			a.of = string(f.bytes)
		}
		return err
	})
	return name, a, err
}

// check fails if an attribute has too many numbers.
func (a *attribute) check(name string) error {
	if max(len(a.numbers), len(a.reals)) > maxList {
		return fmt.Errorf("attribute %q: more than %d numbers", name, maxList)
	}
	return nil
}

// parseInput parses a ValueInfoProto, an input or a result: its name, and the type and the sizes of a tensor.
func parseInput(message []byte) (in input, err error) {
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			in.name = string(f.bytes)
		case 2: // type
			return fields(f.bytes, func(f field) error {
				if f.number != 1 { // tensor_type
					return nil
				}
				in.isTensor = true
				return fields(f.bytes, func(f field) error {
					switch f.number {
					case 1:
						in.kind = int(min(f.value, math.MaxInt32))
					case 2:
						return in.parseDims(f.bytes)
					}
					return nil
				})
			})
		}
		return nil
	})
	return in, err
}

// parseDims appends to in.dims the dimensions in message, a TensorShapeProto. One that states no positive size is −1.
func (in *input) parseDims(message []byte) error {
	return fields(message, func(f field) error {
		if f.number != 1 {
			return nil
		}
		size := -1
		err := fields(f.bytes, func(f field) error {
			if f.number == 1 && f.value > 0 {
				size = int(min(f.value, math.MaxInt32))
			}
			return nil
		})
		if in.dims = append(in.dims, size); len(in.dims) > maxRank {
			return fmt.Errorf("input %q has more than %d dimensions", in.name, maxRank)
		}
		return err
	})
}
