package ncnn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

const (
	magic = 7767517 // the first number of a .param
	// maxParam is the largest .param in bytes; real ones have some 80 bytes per layer.
	maxParam = 16 << 20
	// maxLine is the longest line of a layer in bytes.
	maxLine = 1 << 18
	// maxNames is the greatest number of inputs of a layer, and of outputs.
	maxNames = graph.MaxChannels
	// maxArray is the greatest length of an array in a .param.
	maxArray = 4096
	// arrayKey is the key of array 0: array k has the key arrayKey−k.
	arrayKey = -23300
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

// readParam calls visit for each layer of a .param and returns the first error. It does not keep the layers: all
// together would take many times the bytes of the file.
func readParam(data []byte, visit func(layer) error) error {
	if len(data) > maxParam {
		return fmt.Errorf("a .param of %d bytes, expected at most %d", len(data), maxParam)
	}
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) == magic {
		return errors.New("a .param in binary is not supported, only in text, as ncnn's programs write it beside that")
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(bytes.TrimSpace(first)) != strconv.Itoa(magic) {
		return errors.New("no .param of ncnn: it does not begin with 7767517")
	}
	second, rest, _ := bytes.Cut(rest, []byte("\n"))
	counts := strings.Fields(string(second[:min(len(second), maxLine)]))
	if len(counts) != 2 {
		return errors.New("the .param does not state the number of its layers")
	}
	count, err := strconv.Atoi(counts[0])
	if err := checkCount(count, err); err != nil {
		return err
	}
	layers := 0
	for line := range bytes.Lines(rest) {
		if len(line) > maxLine {
			return fmt.Errorf("layer %d of the .param: a line of %d bytes, expected at most %d", layers+1, len(line),
				maxLine)
		}
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		if layers == count {
			return fmt.Errorf("the .param has more than the %d layers that it states", count)
		}
		l, err := parseLayer(fields)
		if err != nil {
			return fmt.Errorf("layer %d of the .param: %w", layers+1, err)
		}
		layers++
		if err := visit(l); err != nil {
			return err
		}
	}
	if layers != count {
		return fmt.Errorf("the .param has %d layers, but states %d", layers, count)
	}
	return nil
}

// checkCount fails if err is not nil, or if count, the stated number of layers, is not in 2..graph.MaxNodes.
func checkCount(count int, err error) error {
	if err != nil || count < 2 || count > graph.MaxNodes {
		return fmt.Errorf("the .param states %d layers, expected 2 to %d", count, graph.MaxNodes)
	}
	return nil
}

// parseLayer parses the fields of a line: kind, name, numbers of inputs and of outputs, their names, parameters.
func parseLayer(fields []string) (l layer, err error) {
	if len(fields) < 4 {
		return l, errors.New("expected a layer, its name and the numbers of its inputs and outputs")
	}
	l.kind, l.name = fields[0], fields[1]
	in, err1 := strconv.Atoi(fields[2])
	out, err2 := strconv.Atoi(fields[3])
	fields = fields[4:]
	if err1 != nil || err2 != nil || in < 0 || out < 0 || in > len(fields) || out > len(fields)-in {
		return l, fmt.Errorf("layer %q lacks some of its inputs and outputs", l.name)
	}
	if max(in, out) > maxNames {
		return l, fmt.Errorf("layer %q has %d inputs and %d outputs, expected at most %d", l.name, in, out, maxNames)
	}
	l.inputs, l.outputs, fields = fields[:in], fields[in:in+out], fields[in+out:]
	l.params = make(map[int][]value, len(fields))
	for _, field := range fields {
		key, list, err := parseParameter(field)
		if _, twice := l.params[key]; err == nil && twice {
			err = fmt.Errorf("layer %q has parameter %d twice", l.name, key)
		}
		if err != nil {
			return l, err
		}
		l.params[key] = list
	}
	return l, nil
}

// parseParameter parses key=value, or, for an array, key=n,v1,v2,….
func parseParameter(field string) (key int, list []value, err error) {
	name, rest, found := strings.Cut(field, "=")
	key, err = strconv.Atoi(name)
	if !found || err != nil {
		return 0, nil, fmt.Errorf("%q is no parameter", field)
	}
	items := []string{rest}
	if text, isText := strings.CutPrefix(rest, `"`); isText && strings.HasSuffix(text, `"`) && key > arrayKey {
		return key, []value{{text: text[:len(text)-1]}}, nil
	}
	if key <= arrayKey {
		key = arrayKey - key
		count, others, _ := strings.Cut(rest, ",")
		items = nil
		if others != "" {
			items = strings.Split(others, ",")
		}
		if n, err := strconv.Atoi(count); err != nil || n != len(items) || n > maxArray {
			return 0, nil, fmt.Errorf("%q is no array of at most %d numbers", field, maxArray)
		}
	}
	for _, item := range items {
		v, err := parseValue(item)
		if err != nil {
			return 0, nil, err
		}
		list = append(list, v)
	}
	return key, list, nil
}

// parseValue parses a number. Numbers that fit int32 are kept exactly, since they may be sizes.
func parseValue(item string) (value, error) {
	if i, err := strconv.ParseInt(item, 10, 32); err == nil {
		return value{number: float64(i)}, nil
	}
	f, err := strconv.ParseFloat(item, 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return value{}, fmt.Errorf("%q is no number", item)
	}
	return value{number: f}, nil
}

// settings are the parameters of a layer. known lists the keys read.
type settings struct {
	params map[int][]value
	known  []int
}

// int returns the whole number with the given key, or byDefault if there is none.
func (s *settings) int(key, byDefault int) int {
	list := s.ints(key)
	if len(list) != 1 {
		return byDefault
	}
	return list[0]
}

// float returns the real number with the given key, or byDefault if there is none.
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
		if isWhole := v.number == math.Trunc(v.number) && math.Abs(v.number) < 1<<31; !isWhole {
			panic(fail.With("parameter %d is %g, expected a whole number", key, v.number))
		}
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
		if key != 30 && key != 31 && !slices.Contains(s.known, key) {
			panic(fail.With("parameter %d is not supported", key))
		}
	}
}
