package ncnn

import (
	"strconv"
	"strings"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// expression reads sizes that a .param states in quotes. A size is a number; the width, height or channels of an input,
// such as 0w; or an operation in front of two sizes, such as *(0w,2) (ncnn's wiki, "expression").
type expression struct {
	rest      string
	shapes    []graph.Shape
	isOfInput bool         // whether the expression uses a size of an input
	depth     int          // how many expressions are open
	refusal   fail.Failure // if the text is not supported
}

// sizes returns the values, width and height, of the two expressions in text, for inputs of the given shapes.
// areOfInputs reports whether both expressions use a size of an input.
func sizes(text string, shapes []graph.Shape) (list [2]int, areOfInputs bool) {
	e := &expression{rest: text, shapes: shapes, refusal: fail.With("to the size %.60q is not supported", text)}
	areOfInputs = true
	for i := range list {
		e.refusal.When(i > 0 && !e.skip(","))
		e.isOfInput = false
		list[i] = int(e.value())
		areOfInputs = areOfInputs && e.isOfInput
	}
	e.refusal.When(e.rest != "")
	return list, areOfInputs
}

// skip removes text from the start of what remains to be read, and reports whether it stood there.
func (e *expression) skip(text string) bool {
	rest, found := strings.CutPrefix(e.rest, text)
	if found {
		e.rest = rest
	}
	return found
}

// value reads one expression from the start of the rest and returns its value. It refuses deeply nested ones.
func (e *expression) value() float64 {
	const deepest = 16
	e.depth++
	e.refusal.When(e.depth > deepest)
	defer func() { e.depth-- }()
	end := strings.IndexAny(e.rest, ",()")
	if end < 0 {
		end = len(e.rest)
	}
	word := e.rest[:end]
	e.rest = e.rest[end:]
	if e.skip("(") {
		x := e.value()
		e.refusal.When(!e.skip(","))
		y := e.value()
		e.refusal.When(!e.skip(")"))
		return e.operate(word, x, y)
	}
	if n := len(word) - 1; n > 0 && strings.Contains("whc", word[n:]) {
		i, err := strconv.Atoi(word[:n])
		e.refusal.When(err != nil || i < 0 || i >= len(e.shapes))
		e.isOfInput = true // for sizes
		s := e.shapes[i]
		return float64([]int{s.W, s.H, s.Channels}[strings.Index("whc", word[n:])])
	}
	v, err := strconv.ParseFloat(word, 64)
	e.refusal.When(err != nil || !(v > -1<<30 && v < 1<<30))
	return v
}

// operate returns the result of an operation on two numbers. It fails unless the result is between −2³⁰ and 2³⁰.
func (e *expression) operate(name string, x, y float64) (v float64) {
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
		panic(e.refusal)
	}
	e.refusal.When(!(v > -1<<30 && v < 1<<30))
	return v
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
