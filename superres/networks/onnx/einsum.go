package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// einsum is a product of two values whose dimensions have letters, as of matrices: of letters in both, and in the
// result, one after another, and one letter alone in the first, the second, and both but not the result.
func (c *call) einsum() ([]*value, error) {
	equation := strings.ReplaceAll(c.text("equation", ""), " ", "")
	inputs, out, _ := strings.Cut(equation, "->")
	x, y, isOfTwo := strings.Cut(inputs, ",")
	fault := fmt.Errorf("of %.60q is not supported", equation)
	if !isOfTwo || c.in[1] == nil || c.in[0].constant != nil || c.in[1].constant != nil ||
		len(x) != len(c.sizes(c.in[0])) || len(y) != len(c.sizes(c.in[1])) {
		return nil, fault
	}
	var batch, left, right, inner string
	for _, letter := range x + y {
		s := string(letter)
		inX, inY, inOut := strings.Count(x, s), strings.Count(y, s), strings.Count(out, s)
		switch {
		case max(inX, inY, inOut) > 1:
			return nil, fault
		case strings.Contains(batch+left+right+inner, s):
		case inX+inY == 2 && inOut == 1:
			batch += s
		case inX+inY == 2:
			inner += s
		case inX == 1 && inOut == 1:
			left += s
		case inOut == 1:
			right += s
		default:
			return nil, fault
		}
	}
	if len(left) != 1 || len(right) != 1 || len(inner) != 1 || len(out) != len(batch)+2 {
		return nil, fault
	}
	made, err := c.product(c.lettered(c.in[0], x, batch+left+inner), c.lettered(c.in[1], y, batch+inner+right))
	if err != nil {
		return nil, err
	}
	return []*value{c.lettered(made[0], batch+left+right, out)}, nil
}

// lettered returns v, whose dimensions have the letters from, with those in another order.
func (c *call) lettered(v *value, from, to string) *value {
	var order []int
	for _, letter := range to {
		order = append(order, strings.IndexRune(from, letter))
	}
	return v.arranged(c.layout(v).transposed(order))
}

// foldMatMul multiplies a constant by a matrix.
func foldMatMul(c *call) (*tensor, error) {
	return c.multiply(c.in[0].constant, c.in[1].constant, false, 1)
}

// foldGemm is foldMatMul with a factor and a sum.
func foldGemm(c *call) (*tensor, error) {
	if c.int("transA", 0) != 0 || c.real("beta", 1) != 1 {
		return nil, errors.New("of a matrix that is transposed, or with a multiple of a sum, is not supported")
	}
	out, err := c.multiply(c.in[0].constant, c.in[1].constant, c.int("transB", 0) != 0, c.real("alpha", 1))
	if err != nil || c.in[2] == nil {
		return out, err
	}
	return foldBinary(addInts, addReals)(&call{tracer: c.tracer, in: []*value{{constant: out}, c.in[2]}})
}

// multiply returns the product of a, whose last dimension is added up, and a matrix, times a factor.
func (t *tracer) multiply(a, b *tensor, isTransposed bool, by float64) (*tensor, error) {
	n := len(a.dims)
	if n == 0 || len(b.dims) != 2 {
		return nil, fmt.Errorf("of constants of %v and %v numbers is not supported", a.dims, b.dims)
	}
	inner, cols := b.dims[0], b.dims[1]
	if isTransposed {
		inner, cols = cols, inner
	}
	dims := append(slices.Clone(a.dims[:n-1]), cols)
	count, err := count(dims)
	if err == nil && a.dims[n-1] != inner {
		err = fmt.Errorf("of constants of %v and %v numbers", a.dims, b.dims)
	}
	if err == nil && inner > maxFolded/max(count, 1) {
		err = t.spend(maxFolded + 1)
	}
	if err == nil {
		err = t.spend(count * max(inner, 1))
	}
	if err != nil {
		return nil, err
	}
	out := &tensor{dims: dims, reals: make([]float32, count)}
	for i := range out.reals {
		sum := 0.
		for k := range inner {
			at := k*cols + i%cols
			if isTransposed {
				at = i%cols*inner + k
			}
			sum += float64(a.real(i/cols*inner+k) * b.real(at))
		}
		out.reals[i] = float32(sum * by)
	}
	return out, nil
}

// foldMean is ReduceMean of a constant along its last dimension.
func foldMean(c *call) (*tensor, error) {
	from := c.in[0].constant
	n := len(from.dims)
	axes, err := c.listOr(1, "axes")
	if err != nil || len(axes) != 1 || axes[0] != -1 && axes[0] != n-1 || n == 0 || from.dims[n-1] < 1 {
		return nil, errors.New("of constants is supported along the last dimension alone")
	}
	side := from.dims[n-1]
	if err := c.spend(from.size()); err != nil {
		return nil, err
	}
	out := &tensor{dims: slices.Clone(from.dims[:n-1]), reals: make([]float32, from.size()/side)}
	if c.int("keepdims", 1) != 0 {
		out.dims = append(out.dims, 1)
	}
	for i := range out.reals {
		sum := 0.
		for k := range side {
			sum += from.real(i*side + k)
		}
		out.reals[i] = float32(sum / float64(side))
	}
	return out, nil
}

// foldProduct is ReduceProd of a list of whole numbers, as a number of samples is computed.
func foldProduct(c *call) (*tensor, error) {
	list, err := c.in[0].constant.numbers()
	if err != nil || len(c.in[0].constant.dims) != 1 {
		return nil, errors.New("of constants is supported of a list of whole numbers alone")
	}
	product := int64(1)
	for _, n := range list {
		if product *= int64(n); product > math.MaxInt32 || product < 0 {
			return nil, errors.New("makes a number that is too large")
		}
	}
	out := &tensor{ints: []int64{product}}
	if c.int("keepdims", 1) != 0 {
		out.dims = []int{1}
	}
	return out, nil
}
