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

// model is the description of a network: a list of layers, each on the result of the one before, or a functional.
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

// parse parses a model.json. It refuses long files and deep lists before it takes memory for them, and graph-models.
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
	layers, output, err := f.Topology.Config.layers()
	if err != nil {
		return nil, fmt.Errorf("keras: %w", err)
	}
	r := &reader{nodes: map[string]int{}}
	if r.weights, err = readWeights(f.Manifest, folder); err != nil {
		return nil, fmt.Errorf("keras: %w", err)
	}
	for i, l := range layers {
		previous := ""
		if i > 0 {
			previous = layers[i-1].Name
		}
		if err := fail.Catch(func() { r.add(l, previous) }); err != nil {
			return nil, fmt.Errorf("keras: %s %.60q: %w", l.Class, l.Name, err)
		}
	}
	node, ok := r.nodes[output]
	if !ok {
		return nil, fmt.Errorf("keras: no layer makes the result %.60q", output)
	}
	return r.builder.Graph(node)
}

// layers returns the layers of a network in the order of the file, and the name of the layer that is the output.
func (m *model) layers() (list []layer, output string, err error) {
	var f functional
	switch m.Class {
	case "Sequential":
		if err = json.Unmarshal(m.Config, &f); err != nil {
			err = json.Unmarshal(m.Config, &f.Layers)
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
		if err = json.Unmarshal(m.Config, &f); err == nil && len(f.Outputs) != 1 {
			err = fmt.Errorf("%d results, expected 1", len(f.Outputs))
		}
		if err == nil {
			output, err = nameOf(f.Outputs[0])
		}
	default:
		err = fmt.Errorf("a network of the class %.60q, expected Functional or Sequential", m.Class)
	}
	if err == nil && (len(f.Layers) < 2 || len(f.Layers) > graph.MaxNodes) {
		err = fmt.Errorf("%d layers, expected 2 to %d", len(f.Layers), graph.MaxNodes)
	}
	return f.Layers, output, err
}

// nameOf returns the first item of list, the name of a layer. The next two items, a use and a result, must be 0.
func nameOf(list json.RawMessage) (string, error) {
	var parts []json.RawMessage
	name, node, tensor := "", 0, 0
	if err := json.Unmarshal(list, &parts); err != nil || len(parts) < 3 {
		return "", errors.New("inputs that are not named are not supported")
	}
	for i, to := range []any{&name, &node, &tensor} {
		if err := json.Unmarshal(parts[i], to); err != nil {
			return "", err
		}
	}
	if node != 0 || tensor != 0 {
		return "", fmt.Errorf("result %d of use %d of %.60q is not supported", tensor, node, name)
	}
	return name, nil
}

// reader makes a graph from layers.
type reader struct {
	builder *graph.Builder
	weights map[string]weight
	nodes   map[string]int // by the names of the layers
}

// add adds the nodes of layer l to r. If l names no inputs, its input is the result of the layer called previous. It
// ends at the first error, as package fail describes.
func (r *reader) add(l layer, previous string) {
	c := &call{reader: r, name: l.Name, class: l.Class}
	fail.If(json.Unmarshal(l.Config, &c.config))
	if _, twice := r.nodes[l.Name]; twice {
		panic(fail.With("is there twice"))
	}
	if l.Class == "InputLayer" {
		if r.builder != nil {
			panic(fail.With("the network takes more than one picture"))
		}
		r.builder = c.input()
		r.nodes[l.Name] = 0
		return
	}
	known, ok := makers[l.Class]
	if !ok {
		panic(fail.With("the layer %.60q is not supported", l.Class))
	}
	if r.builder == nil {
		panic(fail.With("comes before the InputLayer"))
	}
	names := []string{previous}
	if len(l.Inputs) > 0 {
		var lists []json.RawMessage
		if err := json.Unmarshal(l.Inputs[0], &lists); err != nil || len(l.Inputs) > 1 {
			panic(fail.With("is used more than once, or by other names, which is not supported"))
		}
		names = nil
		for _, list := range lists {
			names = append(names, fail.Need(nameOf(list)))
		}
	}
	for _, name := range names {
		node, ok := r.nodes[name]
		if !ok {
			panic(fail.With("takes %.60q, which no layer before it makes", name))
		}
		c.in = append(c.in, node)
	}
	if len(c.in) == 0 || len(c.in) > 1 && !known.takesMany {
		panic(fail.With("has %d inputs", len(c.in)))
	}
	r.nodes[l.Name] = c.activate(known.make(c))
}
