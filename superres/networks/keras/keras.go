// Package keras reads networks of Keras in the format layers-model of TensorFlow.js: a model.json that describes the
// layers, and files of weights beside it.
package keras

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// The limits of a model.json.
const (
	maxJSON  = 8 << 20
	maxLists = 200_000 // lists and objects, each of which takes more memory than its bytes in the file
)

// file holds the needed parts of a model.json.
type file struct {
	Format   string `json:"format"`
	Topology struct {
		Config model `json:"model_config"`
	} `json:"modelTopology"`
	Manifest []group `json:"weightsManifest"`
}

// model describes a network: a list of layers, each on the result of the one before, or a functional, as Class says.
type model struct {
	Class  string          `json:"class_name"`
	Config json.RawMessage `json:"config"` // in old files, a list of layers if Class is Sequential
}

// functional is the configuration of a network in which layers may be connected in any way.
type functional struct {
	Layers  []layer           `json:"layers"`
	Outputs []json.RawMessage `json:"output_layers"`
}

// layer is a layer of a network.
type layer struct {
	Class  string            `json:"class_name"`
	Name   string            `json:"name"`
	Config json.RawMessage   `json:"config"`
	Inputs []json.RawMessage `json:"inbound_nodes"`
}

// IsModel reports whether a file that begins with head may be a model.json.
func IsModel(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && (bytes.Contains(head, []byte(`"modelTopology"`)) ||
		bytes.Contains(head, []byte(`"layers-model"`)))
}

// FilesBeside returns the names of the files of weights to which a model.json refers, relative to its folder; none if
// data is no model.json. The names may be forged.
func FilesBeside(data []byte) (names []string) {
	f, err := parse(data)
	if err != nil {
		return nil
	}
	for _, g := range f.Manifest {
		names = append(names, g.Paths...)
	}
	return names
}

// parse parses a model.json. It refuses graph-models. It refuses long files and many lists before they take memory.
func parse(data []byte) (*file, error) {
	if len(data) > maxJSON || bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxLists {
		return nil, fmt.Errorf("keras: a model.json of %d bytes, expected at most %d, and at most %d lists", len(data),
			maxJSON, maxLists)
	}
	f := &file{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("keras: the model.json is broken: %w", err)
	}
	if f.Format == "graph-model" {
		return nil, errors.New("keras: a graph-model of TensorFlow.js, which superres does not read; save the " +
			"network as a layers-model, or as ONNX")
	}
	return f, nil
}

// Read returns the network in data, the contents of a model.json. The files of its weights are in folder. Read fails
// for a layer that is not supported, which the error names, and if graph.Graph.Check fails. The files may be forged.
func Read(data []byte, folder fs.FS) (*graph.Graph, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	r := &reader{nodes: map[string]int{}}
	var node int
	if err := fail.Catch(func() { node = r.follow(f, folder) }); err != nil {
		return nil, fmt.Errorf("keras: %w", err)
	}
	return r.builder.Graph(node)
}

// follow adds the nodes of all layers and returns the result's node. It panics with a fail.Failure at the first error.
func (r *reader) follow(f *file, folder fs.FS) (node int) {
	layers, output := f.Topology.Config.layers()
	r.weights = readWeights(f.Manifest, folder)
	previous := ""
	for _, l := range layers {
		err := fail.Catch(func() { r.add(l, previous) })
		fail.When(err != nil, "%s %.60q: %w", l.Class, l.Name, err)
		previous = l.Name
	}
	node, ok := r.nodes[output]
	fail.When(!ok, "no layer makes the result %.60q", output)
	return node
}

// layers returns the layers of a network in the order of the file, and the name of the layer that is the output.
func (m *model) layers() (list []layer, output string) {
	var f functional
	switch m.Class {
	case "Sequential":
		if json.Unmarshal(m.Config, &f) != nil {
			fail.If(json.Unmarshal(m.Config, &f.Layers))
		}
		for i, l := range f.Layers { // the layer's config has the name too
			var c config
			if l.Name == "" && json.Unmarshal(l.Config, &c) == nil {
				f.Layers[i].Name = c.Name
			}
		}
		if len(f.Layers) > 0 && f.Layers[0].Class != "InputLayer" { // the file may leave out the InputLayer
			input := layer{Class: "InputLayer", Name: "/input", Config: f.Layers[0].Config}
			f.Layers = slices.Insert(f.Layers, 0, input)
		}
		if n := len(f.Layers); n > 0 {
			output = f.Layers[n-1].Name
		}
	case "Functional", "Model":
		fail.If(json.Unmarshal(m.Config, &f))
		fail.When(len(f.Outputs) != 1, "%d results, expected 1", len(f.Outputs))
		output = nameOf(f.Outputs[0])
	default:
		panic(fail.With("a network of the class %.60q, expected Functional or Sequential", m.Class))
	}
	fail.When(len(f.Layers) < 2 || len(f.Layers) > graph.MaxNodes,
		"%d layers, expected 2 to %d", len(f.Layers), graph.MaxNodes)
	return f.Layers, output
}

// nameOf returns the first item of list, the name of a layer. The next two, a use of it and a result, must be 0.
func nameOf(list json.RawMessage) (name string) {
	var parts []json.RawMessage
	err := json.Unmarshal(list, &parts)
	fail.When(err != nil || len(parts) < 3, "inputs that are not named are not supported")
	node, tensor := 0, 0
	for i, to := range []any{&name, &node, &tensor} {
		fail.If(json.Unmarshal(parts[i], to))
	}
	fail.When(node != 0 || tensor != 0, "result %d of use %d of %.60q is not supported", tensor, node, name)
	return name
}

// reader makes a graph from layers.
type reader struct {
	builder *graph.Builder
	weights map[string]weight
	nodes   map[string]int // by the names of the layers
}

// add adds the nodes of layer l to r. If l names no inputs, its input is the result of the layer called previous. It
// panics with a fail.Failure at the first error.
func (r *reader) add(l layer, previous string) {
	c := &call{reader: r, name: l.Name, class: l.Class}
	fail.If(json.Unmarshal(l.Config, &c.config))
	_, twice := r.nodes[l.Name]
	fail.When(twice, "is there twice")
	if l.Class == "InputLayer" {
		fail.When(r.builder != nil, "the network takes more than one picture")
		r.builder = c.input()
		r.nodes[l.Name] = 0 // the builder's node for the picture
		return
	}
	known, ok := makers[l.Class]
	fail.When(!ok, "the layer %.60q is not supported", l.Class)
	fail.When(r.builder == nil, "comes before the InputLayer")
	names := []string{previous}
	if len(l.Inputs) > 0 {
		var lists []json.RawMessage
		err := json.Unmarshal(l.Inputs[0], &lists)
		fail.When(err != nil || len(l.Inputs) > 1, "is used more than once, or by other names, which is not supported")
		names = nil
		for _, list := range lists {
			names = append(names, nameOf(list))
		}
	}
	for _, name := range names {
		node, ok := r.nodes[name]
		fail.When(!ok, "takes %.60q, which no layer before it makes", name)
		c.in = append(c.in, node)
	}
	fail.When(len(c.in) == 0 || len(c.in) > 1 && !known.takesMany, "has %d inputs", len(c.in))
	r.nodes[l.Name] = c.activate(known.make(c))
}
