// Package onnx reads networks in the format ONNX.
//
// It follows the nodes of a file in their order, as if it ran the network, but with shapes in place of samples. It
// computes values that depend on no sample, such as sizes, right away.
package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"unicode"

	"superres/superres/networks/graph"
)

// The least and the greatest supported version of ONNX's set of operations (opset).
const (
	leastOpset = 9
	mostOpset  = 26
)

// Read returns the network in data, the contents of an .onnx file. It fails for an operation that is not supported,
// which the error names, and if graph.Graph.Check fails. Weights may be in files of the folder, which may be nil; Read
// opens no files outside it. The contents may be forged. Read does not keep data.
func Read(data []byte, folder fs.FS) (*graph.Graph, error) {
	m, err := parseModel(data, folder)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	if m.opset < leastOpset || m.opset > mostOpset {
		return nil, fmt.Errorf("onnx: the file has operations of version %d, expected %d to %d", m.opset, leastOpset,
			mostOpset)
	}
	g, err := m.graph()
	if err != nil {
		if unknown := m.eachNode(m.body, nodesField, m.unknown); unknown != nil {
			err = unknown // rather than the fault of an earlier node
		}
		return nil, fmt.Errorf("onnx: %w", err)
	}
	g.Terms = m.terms()
	return g, nil
}

// maxTerms is the greatest length of the terms of use in characters.
const maxTerms = 200

// terms returns the terms of use that the metadata state, on one line and cut to maxTerms; empty if they state none.
func (m *model) terms() string {
	for _, entry := range m.metadata {
		switch strings.ToLower(entry[0]) {
		case "license", "licence", "terms":
			text := strings.Map(func(r rune) rune {
				if !unicode.IsPrint(r) {
					return ' '
				}
				return r
			}, strings.ToValidUTF8(entry[1], ""))
			text = strings.Join(strings.Fields(text), " ")
			if runes := []rune(text); len(runes) > maxTerms {
				text = string(runes[:maxTerms]) + "…"
			}
			return text
		}
	}
	return ""
}

// examples are the width and height of two pictures. If a file leaves a side open, the network is followed for both,
// and the results must agree. The sides are multiples of 48, since a network may demand divisible sides.
var examples = [2][2]int{{240, 336}, {384, 192}}

// usualSides are sides of square pictures to try if a network does not take the examples, though it states no size.
var usualSides = [...]int{64, 48, 32, 128, 96, 256}

// graph returns the network as a graph. If the file leaves the size open, the graphs for two sizes must be the same. If
// the network does not take one of these, the first usual size that it takes decides.
func (m *model) graph() (*graph.Graph, error) {
	in, err := m.picture()
	if err != nil {
		return nil, err
	}
	var graphs []*graph.Graph
	for _, size := range examples {
		g, err := m.graphFor(in, size)
		if err != nil {
			return m.graphOfUsual(in, err)
		}
		if graphs = append(graphs, g); in.isSized {
			return g, nil
		}
	}
	if !reflect.DeepEqual(graphs[0], graphs[1]) {
		return nil, errors.New("the operations depend on the size of the picture, which is not supported")
	}
	return graphs[0], nil
}

// graphOfUsual returns the graph for the first of usualSides that the network takes. It returns fault, the error for
// the size that was tried before, if the network takes none of them, if the file states the size, or if fault has
// nothing to do with sizes: it is not of a Reshape or Expand, and not about constants too large to compute with.
func (m *model) graphOfUsual(in picture, fault error) (*graph.Graph, error) {
	isOfSize := strings.Contains(fault.Error(), "Reshape") || strings.Contains(fault.Error(), "Expand") ||
		errors.Is(fault, errBudget)
	if in.isSized || !isOfSize {
		return nil, fault
	}
	for _, side := range usualSides {
		if g, err := m.graphFor(in, [2]int{side, side}); err == nil {
			return g, nil
		}
	}
	return nil, fault
}

// picture describes the input of a network.
type picture struct {
	name          string
	channels      int  // 0 if the file leaves the number open
	lastChannels  bool // the channels are the last dimension, not the second
	width, height int  // 0 for a side that the file leaves open
	isSized       bool // the file states both sides
}

// picture describes the one input of the network that is no constant. Its channels are the second dimension, or the
// last if only that has size 1 or 3. It fails if there are more inputs, or it is no picture.
func (m *model) picture() (p picture, err error) {
	var in input
	inputs := 0
	err = m.eachValue(inputField, func(found input) {
		if _, isConstant := m.constants[found.name]; !isConstant {
			in = found
			inputs++
		}
	})
	switch {
	case err != nil:
		return p, err
	case inputs != 1:
		return p, fmt.Errorf("the network has %d inputs, expected 1", inputs)
	}
	if len(in.dims) == 0 { // the file leaves them open
		in.dims = []int{-1, -1, -1, -1}
	}
	if !in.isTensor || !isReal(in.kind) && in.kind != typeUint8 || len(in.dims) != 4 || in.dims[0] > 1 {
		return p, fmt.Errorf("input %q is no picture of real numbers of 4 dimensions, the first of size 1", in.name)
	}
	d := in.dims
	p = picture{name: in.name, channels: d[1], height: d[2], width: d[3]}
	if !isColour(d[1]) && isColour(d[3]) {
		p = picture{name: in.name, channels: d[3], height: d[1], width: d[2], lastChannels: true}
	}
	p.channels, p.height, p.width = max(p.channels, 0), max(p.height, 0), max(p.width, 0)
	p.isSized = p.width > 0 && p.height > 0
	return p, nil
}

func isColour(n int) bool { return n == 1 || n == 3 }

// result returns the name of the network's result, and fails unless there is exactly one.
func (m *model) result() (name string, err error) {
	results := 0
	err = m.eachValue(outputField, func(found input) {
		name = found.name
		results++
	})
	if err == nil && results != 1 {
		err = fmt.Errorf("the network has %d results, expected 1", results)
	}
	return name, err
}

// graphFor returns the graph for a picture with the sides that the file states. A width that is left open is size[0], a
// height size[1]. If the file does not state the number of channels, it tries 3 and then 1.
func (m *model) graphFor(p picture, size [2]int) (g *graph.Graph, err error) {
	channels := []int{p.channels}
	if p.channels == 0 {
		channels = []int{3, 1}
	}
	s := graph.Shape{W: p.width, H: p.height}
	if p.width == 0 {
		s.W = size[0]
	}
	if p.height == 0 {
		s.H = size[1]
	}
	for i, c := range channels {
		s.Channels = c
		attempt, failure := m.follow(p, s)
		if failure != nil && p.isSized { // its factors may be right only for its size: try sizes of earlier nodes
			m.resizesLike = true
			if again, failed := m.follow(p, s); failed == nil {
				return again, nil
			}
			m.resizesLike = false
		}
		if failure == nil {
			return attempt, nil
		}
		if i == 0 { // the error for three channels is likelier to be the right one
			err = failure
		}
	}
	return nil, err
}

// follow returns the graph of the network for a picture of shape s. A result with the channels last is transposed.
func (m *model) follow(p picture, s graph.Shape) (*graph.Graph, error) {
	b, err := graph.NewBuilder(p.name, s)
	if err != nil {
		return nil, err
	}
	t := m.newTracer()
	t.builder = b
	t.values[p.name] = t.sampled(0)
	if p.lastChannels {
		t.values[p.name] = t.sampled(0).arranged(usualLayout(s).transposed([]int{0, 2, 3, 1}))
	}
	uses, err := m.uses()
	if err != nil {
		return nil, err
	}
	err = m.eachNode(m.body, nodesField, func(n node) error {
		err := t.followNode(n)
		t.release(n, uses) // drops constants that no later node takes
		return err
	})
	if err != nil {
		return nil, err
	}
	name, err := m.result()
	if err != nil {
		return nil, err
	}
	result := t.values[name]
	switch {
	case result == nil || result.list != nil:
		return nil, fmt.Errorf("no node makes the result %q, or it is no picture", name)
	case result.pending != nil:
		return nil, fmt.Errorf("the result: %w", result.partial())
	}
	sizes := t.sizes(result)
	if len(sizes) == 4 && result.constant == nil && !isColour(sizes[1]) && isColour(sizes[3]) {
		result = result.arranged(t.layout(result).transposed([]int{0, 3, 1, 2}))
	}
	node, err := t.node(result)
	if err != nil {
		return nil, fmt.Errorf("the result: %w", err)
	}
	return b.Graph(node)
}
