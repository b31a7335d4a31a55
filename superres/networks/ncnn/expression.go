package ncnn

import (
	"fmt"
	"strconv"
	"strings"

	"superres/superres/networks/graph"
)

// expression reads sizes that a .param states in quotes. A size is a number; the width, height or channels of an input,
// such as 0w; or an operation in front of two sizes, such as *(0w,2) (ncnn's wiki, "expression").
type expression struct {
	rest   string
	shapes []graph.Shape
	// isOfInput is true if the expression uses a size of an input.
	isOfInput bool
	depth     int
}

// sizes returns the values of the expressions in text, for inputs of the given shapes. areOfInputs reports whether each
// expression uses a size of an input.
func sizes(text string, shapes []graph.Shape) (list []int, areOfInputs bool, err error) {
	const mostSizes = 4
	e := &expression{rest: text, shapes: shapes}
	areOfInputs = true
	for {
		e.isOfInput = false
		v, err := e.value()
		if err != nil || len(list) == mostSizes {
			return nil, false, fmt.Errorf("the size %.60q is not supported", text)
		}
		list, areOfInputs = append(list, int(v)), areOfInputs && e.isOfInput
		if e.rest == "" {
			return list, areOfInputs, nil
		}
		if !e.skip(",") {
			return nil, false, fmt.Errorf("the size %.60q is not supported", text)
		}
	}
}

// skip removes text from the start of what remains to be read, and reports whether it stood there.
func (e *expression) skip(text string) bool {
	rest, found := strings.CutPrefix(e.rest, text)
	if found {
		e.rest = rest
	}
	return found
}

// value reads one expression from the text and returns its value.
func (e *expression) value() (v float64, err error) {
	const deepest = 16
	broken := fmt.Errorf("%.60q is no expression", e.rest)
	if e.depth++; e.depth > deepest {
		return 0, broken
	}
	defer func() { e.depth-- }()
	end := strings.IndexAny(e.rest, ",()")
	if end < 0 {
		end = len(e.rest)
	}
	word := e.rest[:end]
	e.rest = e.rest[end:]
	if e.skip("(") {
		x, err := e.value()
		if err != nil || !e.skip(",") {
			return 0, broken
		}
		y, err := e.value()
		if err != nil || !e.skip(")") {
			return 0, broken
		}
		return operate(word, x, y)
	}
	if n := len(word) - 1; n > 0 && strings.Contains("whc", word[n:]) {
		i, err := strconv.Atoi(word[:n])
		if err != nil || i < 0 || i >= len(e.shapes) {
			return 0, broken
		}
		e.isOfInput = true
		s := e.shapes[i]
		return float64([]int{s.W, s.H, s.Channels}[strings.Index("whc", word[n:])]), nil
	}
	if v, err = strconv.ParseFloat(word, 64); err != nil || !(v > -1<<30 && v < 1<<30) {
		return 0, broken
	}
	return v, nil
}

// operate returns the result of an operation on two numbers. It fails unless the result is between −2³⁰ and 2³⁰.
func operate(name string, x, y float64) (v float64, err error) {
	switch name {
	case "+":
		v = x + y
	case "-":
		v = x - y
	case "*":
		v = x * y
	case "/":
		v = x / y
	case "//":
		v = float64(floor(x / y))
	case "max":
		v = max(x, y)
	case "min":
		v = min(x, y)
	default:
		return 0, fmt.Errorf("%q is no operation", name)
	}
	if !(v > -1<<30 && v < 1<<30) {
		return 0, fmt.Errorf("%g is no size", v)
	}
	return v, nil
}

// floor returns ⌊x⌋, or 2³⁰ for numbers that are not between −2³⁰ and 2³⁰, including NaN.
func floor(x float64) int {
	if !(x > -1<<30 && x < 1<<30) {
		return 1 << 30
	}
	i := int(x)
	if float64(i) > x {
		i--
	}
	return i
}
