package ncnn

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

const (
	magic    = 7767517           // the first number of a .param
	maxParam = 16 << 20          // the largest .param in bytes; real ones have some 80 bytes per layer
	maxLine  = 1 << 18           // the longest line of a layer in bytes
	maxNames = graph.MaxChannels // the greatest number of inputs of a layer, and of outputs
	maxArray = 4096              // the greatest length of an array in a .param
	arrayKey = -23300            // the key of array 0 in a .param; array k has arrayKey−k
)

// layer is a line of a .param.
type layer struct {
	kind, name string
	inputs     []string
	outputs    []string
	params     map[int][]value
}

// value is a number in a .param, or a text, which has quotes in the file.
type value struct {
	number float64
	text   string
}

// readParam calls visit for each layer of a .param. It panics with a fail.Failure at the first error. It does not keep
// the layers: all together would take many times the bytes of the file.
func readParam(data []byte, visit func(layer) error) {
	fail.When(len(data) > maxParam, "a .param of %d bytes, expected at most %d", len(data), maxParam)
	fail.When(len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic,
		"a .param in binary is not supported, only in text, as ncnn's programs write it beside that")
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	fail.When(string(bytes.TrimSpace(first)) != strconv.Itoa(magic),
		"no .param of ncnn: it does not begin with 7767517")
	second, rest, _ := bytes.Cut(rest, []byte("\n"))
	counts := strings.Fields(string(second[:min(len(second), maxLine)]))
	fail.When(len(counts) != 2, "the .param does not state the number of its layers")
	count, err := strconv.Atoi(counts[0])
	fail.When(err != nil || count < 2 || count > graph.MaxNodes,
		"the .param states %d layers, expected 2 to %d", count, graph.MaxNodes)
	layers := 0
	for line := range bytes.Lines(rest) {
		fail.When(len(line) > maxLine,
			"layer %d of the .param: a line of %d bytes, expected at most %d", layers+1, len(line), maxLine)
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		fail.When(layers == count, "the .param has more than the %d layers that it states", count)
		var l layer
		err := fail.Catch(func() { l = parseLayer(fields) })
		fail.When(err != nil, "layer %d of the .param: %w", layers+1, err)
		layers++
		fail.If(visit(l))
	}
	fail.When(layers != count, "the .param has %d layers, but states %d", layers, count)
}

// parseLayer parses the fields of a line: kind, name, numbers of inputs and of outputs, their names, parameters.
func parseLayer(fields []string) (l layer) {
	fail.When(len(fields) < 4, "expected a layer, its name and the numbers of its inputs and outputs")
	l.kind, l.name = fields[0], fields[1]
	in, err1 := strconv.Atoi(fields[2])
	out, err2 := strconv.Atoi(fields[3])
	fields = fields[4:]
	fail.When(err1 != nil || err2 != nil || in < 0 || out < 0 || in > len(fields) || out > len(fields)-in,
		"layer %q lacks some of its inputs and outputs", l.name)
	fail.When(max(in, out) > maxNames,
		"layer %q has %d inputs and %d outputs, expected at most %d", l.name, in, out, maxNames)
	l.inputs, l.outputs, fields = fields[:in], fields[in:in+out], fields[in+out:]
	l.params = make(map[int][]value, len(fields))
	for _, field := range fields {
		key, list := parseParameter(field)
		_, twice := l.params[key]
		fail.When(twice, "layer %q has parameter %d twice", l.name, key)
		l.params[key] = list
	}
	return l
}

// parseParameter parses key=value, with a number or a text in quotes as value, or key=n,v1,v2,…, an array of n numbers.
// Array k has the key arrayKey−k in the file; parseParameter returns k.
func parseParameter(field string) (key int, list []value) {
	name, rest, found := strings.Cut(field, "=")
	key, err := strconv.Atoi(name)
	fail.When(!found || err != nil, "%q is no parameter", field)
	items := []string{rest}
	if text, isText := strings.CutPrefix(rest, `"`); isText && strings.HasSuffix(text, `"`) && key > arrayKey {
		return key, []value{{text: text[:len(text)-1]}}
	}
	if key <= arrayKey {
		key = arrayKey - key
		count, others, _ := strings.Cut(rest, ",")
		items = nil
		if others != "" {
			items = strings.Split(others, ",")
		}
		n, err := strconv.Atoi(count)
		fail.When(err != nil || n != len(items) || n > maxArray,
			"%q is no array of at most %d numbers", field, maxArray)
	}
	for _, item := range items {
		list = append(list, parseValue(item))
	}
	return key, list
}

// parseValue parses a number. Integers that fit int32 are kept exactly, since they may be sizes; others become float32.
func parseValue(item string) value {
	if i, err := strconv.ParseInt(item, 10, 32); err == nil {
		return value{number: float64(i)}
	}
	f, err := strconv.ParseFloat(item, 32)
	fail.When(err != nil || math.IsNaN(f) || math.IsInf(f, 0), "%q is no number", item)
	return value{number: f}
}

// settings are the parameters of a layer. known lists the keys that were read.
type settings struct {
	params map[int][]value
	known  []int
}

// int returns the whole number with the given key, or byDefault unless there is exactly one.
func (s *settings) int(key, byDefault int) int {
	list := s.ints(key)
	if len(list) != 1 {
		return byDefault
	}
	return list[0]
}

// float returns the real number with the given key, or byDefault unless there is exactly one.
func (s *settings) float(key int, byDefault float32) float32 {
	list := s.floats(key)
	if len(list) != 1 {
		return byDefault
	}
	return list[0]
}

// text returns the text with the given key; empty if there is none.
func (s *settings) text(key int) string {
	s.known = append(s.known, key)
	if list := s.params[key]; len(list) == 1 {
		return list[0].text
	}
	return ""
}

// ints returns the array of whole numbers with the given key; nil if there is none. It fails for other numbers.
func (s *settings) ints(key int) (list []int) {
	s.known = append(s.known, key)
	for _, v := range s.params[key] {
		isWhole := v.number == math.Trunc(v.number) && math.Abs(v.number) < 1<<31
		fail.When(!isWhole, "parameter %d is %g, expected a whole number", key, v.number)
		list = append(list, int(v.number))
	}
	return list
}

// floats returns the array of real numbers with the given key; nil if there is none.
func (s *settings) floats(key int) (list []float32) {
	s.known = append(s.known, key)
	for _, v := range s.params[key] {
		list = append(list, float32(v.number))
	}
	return list
}

// checkAllKnown fails if a parameter was never read, because a parameter of unknown meaning might change the result.
// Keys 30 and 31, hints about shapes and memory, may be left unread.
func (s *settings) checkAllKnown() {
	for _, key := range slices.Sorted(maps.Keys(s.params)) {
		fail.When(key != 30 && key != 31 && !slices.Contains(s.known, key), "parameter %d is not supported", key)
	}
}
