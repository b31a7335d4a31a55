package onnx

import (
	"fmt"
	"maps"
)

// function is a local function of a file: nodes that take the place of each node that calls the function.
type function struct {
	inputs, outputs []string
	body            []byte               // the message of the function; part of the file
	defaults        map[string]attribute // the attributes that a call may leave out
}

// maxDepth is the greatest number of calls of functions nested in each other.
const maxDepth = 16

// fullName returns the name by which a node calls a function.
func fullName(domain, name string) string {
	if isStandard(domain) {
		domain = ""
	}
	return domain + "." + name
}

// parseFunction adds a local function to m.functions, with unparsed nodes. The case numbers are FunctionProto's fields.
func (m *model) parseFunction(message []byte) error {
	f := &function{body: message, defaults: map[string]attribute{}}
	name, domain := "", ""
	wholesLeft := maxWholes // parseAttribute fails if all attributes together hold more whole numbers
	err := fields(message, func(part field) error {
		switch part.number {
		case 1:
			name = string(part.bytes)
		case 4:
			f.inputs = append(f.inputs, string(part.bytes))
		case 5:
			f.outputs = append(f.outputs, string(part.bytes))
		case 10:
			domain = string(part.bytes)
		case 11:
			name, a, err := m.parseAttribute(part.bytes, &wholesLeft)
			if f.defaults[name] = a; err != nil {
				return err
			}
		}
		if max(len(f.inputs), len(f.outputs)) > maxNames || len(f.defaults) > maxAttributes {
			return fmt.Errorf("function %q: more than %d inputs, as many outputs or %d attributes", name, maxNames,
				maxAttributes)
		}
		return nil
	})
	if err != nil {
		return err
	}
	name = fullName(domain, name)
	if _, twice := m.functions[name]; twice || len(m.functions) == maxFunctions {
		return fmt.Errorf("function %q: is there twice, or there are more than %d", name, maxFunctions)
	}
	m.functions[name] = f
	return nil
}

// call follows the nodes of function f for node n, which calls f. The nodes see only the inputs and attributes of n,
// and the defaults for attributes that n lacks. It leaves out attributes of the nodes that refer to none of these.
func (t *tracer) call(n node, f *function) error {
	if t.depth == maxDepth || len(n.inputs) > len(f.inputs) {
		return fmt.Errorf("%s %q: has %d inputs, or calls functions more than %d deep", n.op, n.name, len(n.inputs),
			maxDepth)
	}
	outer, inner := t.values, map[string]*value{}
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		if inner[f.inputs[i]] = outer[name]; outer[name] == nil {
			return fmt.Errorf("%s %q: takes %q, which no node before it makes", n.op, n.name, name)
		}
	}
	attributes := maps.Clone(f.defaults)
	maps.Copy(attributes, n.attributes)
	t.values = inner
	t.depth++
	err := t.model.eachNode(f.body, functionNodesField, func(n node) error {
		for name, a := range n.attributes {
			if a.of == "" {
				continue
			}
			if given, ok := attributes[a.of]; ok {
				n.attributes[name] = given
			} else {
				delete(n.attributes, name)
			}
		}
		return t.followNode(n)
	})
	t.values = outer
	t.depth--
	if err != nil {
		return err
	}
	var out []*value
	for i, name := range n.outputs[:min(len(n.outputs), len(f.outputs))] {
		if inner[f.outputs[i]] == nil && name != "" {
			return fmt.Errorf("%s %q: no node of the function makes %q", n.op, n.name, f.outputs[i])
		}
		out = append(out, inner[f.outputs[i]])
	}
	return t.define(n, out)
}
