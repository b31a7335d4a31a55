package onnx

import (
	"errors"
	"math"
	"slices"

	"superres/superres/networks/fail"
)

// The limits of numbers that are computed from constants. A network may hold leastFolded of them at a time, and a large
// file more, up to maxFolded. maxWork is how many may be computed in all.
const (
	leastFolded = 4 << 20
	maxFolded   = 1 << 24
	maxWork     = 1 << 28
)

var errBudget = errors.New("the constants are too large to compute with")

// spendConstants takes n numbers from the budget for constants and counts them as work. It fails beyond either limit.
func (t *tracer) spendConstants(n int) {
	if n < 0 || n > t.budget {
		fail.If(errBudget)
	}
	t.budget -= n
	fail.If(t.spendWork(n))
}

// spendWork adds n to the count of computed numbers, and fails if the count is then greater than maxWork.
func (t *tracer) spendWork(n int) error {
	if t.model.work += n; t.model.work > maxWork {
		return errBudget
	}
	return nil
}

// usage says how many numbers a constant takes from the budget, and how many names and weights still use the constant.
// Once none does, its numbers go back to the budget.
type usage struct{ numbers, names int }

// retain counts one more name for t, or one more weight in the graph that shares the numbers of t.
func (t *tensor) retain() {
	if t.usage != nil {
		t.usage.names++
	}
}

// release is called after node n. It forgets each constant that n was the last node to take, and returns its numbers to
// the budget unless it has other names. uses holds how often nodes are still to take each name; release lowers it.
func (t *tracer) release(n node, uses map[string]int) {
	for _, name := range n.inputs {
		v := t.values[name]
		if uses[name]--; uses[name] > 0 || v == nil || v.constant == nil || v.constant.usage == nil {
			continue // still needed, or not from the budget
		}
		t.values[name] = nil // the name stays in the map, so that no other node can use it
		h := v.constant.usage
		if h.names--; h.names == 0 {
			t.budget += h.numbers
		}
	}
}

// uses returns how often each name is the input of a node, or the result.
func (m *model) uses() (map[string]int, error) {
	count := map[string]int{}
	err := m.eachNode(m.body, nodesField, func(n node) error {
		for _, name := range n.inputs {
			count[name]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	name, err := m.result()
	count[name]++ // so that it is never released
	return count, err
}

// spendCopies subtracts n from the number of weights that may be copied from constants, and fails if fewer are left.
func (t *tracer) spendCopies(n int) {
	t.copies -= n
	fail.When(t.copies < 0, "uses its constants too often to make weights of them")
}

// rearranged returns a constant of the given dimensions. The value at index, a list of one index for each dimension, is
// the value of from at offset(index). It fails for an offset beyond from. offset must not keep the list.
func (t *tracer) rearranged(from *tensor, dims []int, offset func(index []int) int) *tensor {
	return t.fill(dims, from.ints != nil, func(out *tensor, i int, index []int) {
		k := offset(index)
		fail.When(k < 0 || k >= from.size(), "reaches beyond a constant")
		out.copyFrom(i, from, k)
	})
}

// copyFrom sets value i of t to value k of the constant from, which must have the same type.
func (t *tensor) copyFrom(i int, from *tensor, k int) {
	if t.ints != nil {
		t.ints[i] = from.ints[k]
	} else {
		t.reals[i] = from.reals[k]
	}
}

// fill returns a constant of the given dimensions, of whole or real numbers. It calls set for each value i in turn,
// with the indexes of the value along the dimensions. set must set the value, and must not keep index.
func (t *tracer) fill(dims []int, areWhole bool, set func(out *tensor, i int, index []int)) *tensor {
	n := fail.Need(count(dims))
	t.spendConstants(n)
	out := &tensor{dims: dims, usage: &usage{numbers: n}} // which release returns to the budget
	if areWhole {
		out.ints = make([]int64, n)
	} else {
		out.reals = make([]float32, n)
	}
	index := make([]int, len(dims))
	for i := range n {
		set(out, i, index)
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < dims[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// strides returns the distance, in values, between neighbours along each dimension of an array.
func strides(dims []int) []int {
	list := make([]int, len(dims))
	n := 1
	for d := len(dims) - 1; d >= 0; d-- {
		list[d] = n
		n *= dims[d]
	}
	return list
}

// axis returns n as an index of one of rank dimensions. A negative n counts from the end.
func axis(n, rank int) int {
	if n < 0 {
		n += rank
	}
	fail.When(n < 0 || n >= rank, "along axis %d of %d", n, rank)
	return n
}

// broadcast returns the dimensions of the result of combining arrays of dimensions a and b by ONNX's rules of
// broadcasting: dimensions are matched from the last on, and a dimension of 1 is repeated.
func broadcast(a, b []int) []int {
	out := make([]int, max(len(a), len(b)))
	for i := range out {
		x, y := 1, 1
		if k := len(a) - 1 - i; k >= 0 {
			x = a[k]
		}
		if k := len(b) - 1 - i; k >= 0 {
			y = b[k]
		}
		fail.When(x != y && x != 1 && y != 1, "of constants of %v and %v numbers", a, b)
		out[len(out)-1-i] = max(x, y)
		if x == 0 || y == 0 {
			out[len(out)-1-i] = 0
		}
	}
	return out
}

// repeated returns a function that, given the indexes in an array to which t is broadcast, returns the offset in t. The
// rank of that array must be at least the rank of t.
func (t *tensor) repeated() func(index []int) int {
	steps := strides(t.dims)
	return func(index []int) (offset int) {
		for d, step := range steps {
			if t.dims[d] > 1 {
				offset += step * index[len(index)-len(steps)+d]
			}
		}
		return offset
	}
}

// foldConstant returns the numbers of a Constant. It has one attribute: a tensor called value, or numbers of one type.
func foldConstant(c *call) *tensor {
	fail.When(len(c.attributes) != 1, "has %d attributes, expected 1", len(c.attributes))
	for name, a := range c.attributes {
		switch {
		case name == "value_float":
			return scalar(a.real)
		case name == "value_floats":
			return &tensor{dims: []int{len(a.reals)}, reals: append([]float32{}, a.reals...)}
		case name == "value_int":
			return &tensor{ints: []int64{a.number}}
		case name == "value_ints":
			return vector(a.numbers...)
		case a.tensor != nil:
			return a.tensor
		}
	}
	panic(fail.With("has no numbers"))
}

// foldConstantOfShape returns a constant of the dimensions in the input, filled with one value; 0 by default.
func foldConstantOfShape(c *call) *tensor {
	dims := fail.Need(c.in[0].constant.numbers())
	value := scalar(0)
	if a, ok := c.attributes["value"]; ok && a.tensor != nil {
		value = a.tensor
		fail.When(value.size() != 1, "has no single value")
	}
	return c.rearranged(value, dims, func([]int) int { return 0 })
}

func foldCast(c *call) *tensor { return c.cast(c.in[0].constant, c.int("to", 0)) }

func foldCastLike(c *call) *tensor {
	if c.in[1].constant.ints != nil {
		return c.cast(c.in[0].constant, typeInt64)
	}
	return c.cast(c.in[0].constant, typeFloat32)
}

// cast returns a constant converted to the type kind. Real numbers become integers, rounded towards 0, or, for bool, 1
// unless they are 0. Integers stay as they are. For a real type of 16 bits, numbers are rounded, but kept as float32.
func (t *tracer) cast(from *tensor, kind int) *tensor {
	fail.When(sizeOf(kind) == 0, "to type %s is not supported", typeName(kind))
	isShort := kind == typeFloat16 || kind == typeBfloat16
	if isReal(kind) == (from.reals != nil) && !isShort {
		return from
	}
	t.spendConstants(from.size())
	out := &tensor{dims: from.dims}
	out.allocate(from.size(), kind)
	for i := range from.size() {
		switch v := from.real(i); {
		case isShort:
			out.reals[i] = shortened(float32(v), kind)
		case isReal(kind):
			out.reals[i] = float32(v)
		case kind == typeBool:
			if v != 0 {
				out.ints[i] = 1
			}
		default:
			out.ints[i] = whole(v)
		}
	}
	return out
}

// shortened returns v rounded to float16 or bfloat16; ±∞ if it is too large for float16.
func shortened(v float32, kind int) float32 {
	least, drop := math.Ldexp(1, -14), 13 // least normal number; binary digits to drop
	if kind == typeBfloat16 {
		least, drop = math.Ldexp(1, -126), 16
	}
	if x := math.Abs(float64(v)); x < least { // subnormal: a multiple of step
		step := math.Ldexp(least, drop-23)
		return float32(math.RoundToEven(float64(v)/step) * step)
	}
	bits := math.Float32bits(v)
	bits += 1<<(drop-1) - 1 + bits>>drop&1 // rounds to the nearest, from halfway to the even one
	if v = math.Float32frombits(bits &^ (1<<drop - 1)); kind == typeFloat16 && math.Abs(float64(v)) > 65504 {
		return float32(math.Inf(1 - 2*int(bits>>31)))
	}
	return v
}

// foldWhere takes each number from the second constant where the first, the condition, is not 0, else from the third.
func foldWhere(c *call) *tensor {
	condition, a, b := c.in[0].constant, c.in[1].constant, c.in[2].constant
	dims := broadcast(broadcast(a.dims, b.dims), condition.dims)
	fail.When(a.ints == nil != (b.ints == nil), "of constants of two types")
	which, first, second := condition.repeated(), a.repeated(), b.repeated()
	return c.fill(dims, a.ints != nil, func(out *tensor, i int, index []int) {
		if condition.real(which(index)) != 0 {
			out.copyFrom(i, a, first(index))
		} else {
			out.copyFrom(i, b, second(index))
		}
	})
}

// foldExpand repeats a constant along its dimensions of size 1 to the sizes in the second input; other sizes stay.
func foldExpand(c *call) *tensor {
	want := fail.Need(c.in[1].constant.numbers())
	from := c.in[0].constant
	dims := broadcast(from.dims, want)
	if slices.Equal(from.dims, dims) {
		return from
	}
	return c.rearranged(from, dims, from.repeated())
}

// foldRange returns the integers start, start + step, … before limit; the inputs are start, limit and step.
func foldRange(c *call) *tensor {
	var list [3]int
	for i := range list {
		numbers := fail.Need(c.in[i].constant.numbers())
		fail.When(len(numbers) != 1, "of lists of numbers is not supported")
		list[i] = numbers[0]
	}
	fail.When(list[2] == 0, "has a step of 0")
	n := slicing{start: list[0], end: list[1], step: list[2]}.size()
	c.spendConstants(n)
	out := &tensor{dims: []int{n}, ints: make([]int64, n)}
	for i := range out.ints {
		out.ints[i] = int64(list[0] + i*list[2])
	}
	return out
}
