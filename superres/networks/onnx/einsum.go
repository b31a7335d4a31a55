package onnx

import (
	"math"
	"slices"
	"strings"

	"superres/superres/networks/fail"
)

// einsum computes an Einsum that multiplies matrices. Letters name dimensions: besides batch letters, which are in both
// inputs and the result, the result has one letter of each input, and the inputs share the letter of the sum.
func (c *call) einsum() []*value {
	equation := strings.ReplaceAll(c.text("equation", ""), " ", "")
	inputs, out, _ := strings.Cut(equation, "->")
	x, y, isOfTwo := strings.Cut(inputs, ",")
	fault := fail.With("of %.60q is not supported", equation)
	if !isOfTwo || c.in[1] == nil || c.in[0].constant != nil || c.in[1].constant != nil ||
		len(x) != len(c.sizes(c.in[0])) || len(y) != len(c.sizes(c.in[1])) {
		panic(fault)
	}
	var batch, left, right, inner string
	for _, letter := range x + y {
		s := string(letter)
		inX, inY, inOut := strings.Count(x, s), strings.Count(y, s), strings.Count(out, s)
		switch {
		case max(inX, inY, inOut) > 1:
			panic(fault)
		case strings.Contains(batch+left+right+inner, s): // of x, and now of y
		case inX+inY == 2 && inOut == 1:
			batch += s
		case inX+inY == 2:
			inner += s
		case inX == 1 && inOut == 1:
			left += s
		case inOut == 1:
			right += s
		default:
			panic(fault)
		}
	}
	if len(left) != 1 || len(right) != 1 || len(inner) != 1 || len(out) != len(batch)+2 {
		panic(fault)
	}
	made := c.product(c.lettered(c.in[0], x, batch+left+inner), c.lettered(c.in[1], y, batch+inner+right))
	return []*value{c.lettered(made[0], batch+left+right, out)}
}

// lettered returns v with its dimensions rearranged. letters names them in their present order; order is the new one.
func (c *call) lettered(v *value, letters, order string) *value {
	var dims []int
	for _, letter := range order {
		dims = append(dims, strings.IndexRune(letters, letter))
	}
	return v.arranged(c.layout(v).transposed(dims))
}

// foldMatMul multiplies a constant by a constant matrix.
func foldMatMul(c *call) *tensor {
	return c.multiply(c.in[0].constant, c.in[1].constant, false, 1)
}

// foldGemm computes Gemm of constants: what foldMatMul computes, times a factor, plus a constant.
func foldGemm(c *call) *tensor {
	fail.When(c.int("transA", 0) != 0 || c.real("beta", 1) != 1,
		"of a matrix that is transposed, or with a multiple of a sum, is not supported")
	out := c.multiply(c.in[0].constant, c.in[1].constant, c.int("transB", 0) != 0, c.real("alpha", 1))
	if c.in[2] == nil {
		return out
	}
	return foldBinary(addInts, addReals)(&call{tracer: c.tracer, in: []*value{{constant: out}, c.in[2]}})
}

// multiply returns a·b, or a·bᵀ if isTransposed, times by. b is a matrix; the sum is over the last dimension of a.
func (t *tracer) multiply(a, b *tensor, isTransposed bool, by float64) *tensor {
	n := len(a.dims)
	fail.When(n == 0 || len(b.dims) != 2, "of constants of %v and %v numbers is not supported", a.dims, b.dims)
	inner, cols := b.dims[0], b.dims[1]
	if isTransposed {
		inner, cols = cols, inner
	}
	dims := append(slices.Clone(a.dims[:n-1]), cols)
	count := fail.Need(count(dims))
	fail.When(a.dims[n-1] != inner, "of constants of %v and %v numbers", a.dims, b.dims)
	if inner > maxFolded/max(count, 1) {
		fail.If(errBudget)
	}
	t.spendConstants(count * max(inner, 1)) // counts all products, which take the time, rather than the results
	out := &tensor{dims: dims, reals: make([]float32, count)}
	for i := range out.reals {
		sum := 0.
		for k := range inner {
			at := k*cols + i%cols // in b
			if isTransposed {
				at = i%cols*inner + k
			}
			sum += float64(a.real(i/cols*inner+k) * b.real(at))
		}
		out.reals[i] = float32(sum * by)
	}
	return out
}

// foldReduce returns a function for operation.fold that reduces a constant along axes. It begins with start, combines
// it with one number after another by add, and passes what it then has, and the count of numbers, to result.
func foldReduce(start float64, add func(all, x float64) float64,
	result func(all float64, n int) float64) func(*call) *tensor {
	return func(c *call) *tensor {
		from := c.in[0].constant
		axes := c.listOr(1, "axes")
		c.spendConstants(from.size())
		if from.size() == 0 || len(axes) == 0 && c.int("noop_with_empty_axes", 0) != 0 {
			return from
		}
		to, isReduced := slices.Clone(from.dims), make([]bool, len(from.dims)) // to gets 1 where it is reduced
		for d := range to {
			isReduced[d] = len(axes) == 0
		}
		for _, a := range axes {
			isReduced[axis(a, len(to))] = true
		}
		out := &tensor{}
		for d, side := range from.dims {
			if isReduced[d] {
				to[d], side = 1, 1
			}
			if !isReduced[d] || c.int("keepdims", 1) != 0 {
				out.dims = append(out.dims, side)
			}
		}
		steps, toSteps := strides(from.dims), strides(to)
		all := slices.Repeat([]float64{start}, product(to))
		for i := range from.size() {
			offset := 0
			for d, side := range to {
				if side > 1 {
					offset += i / steps[d] % side * toSteps[d]
				}
			}
			all[offset] = add(all[offset], from.real(i))
		}
		for _, v := range all {
			if v = result(v, from.size()/len(all)); from.ints != nil {
				out.ints = append(out.ints, whole(v))
			} else {
				out.reals = append(out.reals, float32(v))
			}
		}
		return out
	}
}

// Arguments of foldReduce: meanOf and rootOf are for result, addSquare is for add.
func meanOf(all float64, n int) float64 { return all / float64(n) }
func rootOf(all float64, _ int) float64 { return math.Sqrt(all) }
func addSquare(all, x float64) float64  { return all + float64(x*x) }

// total is an argument of foldReduce for result: it returns the last value of add.
func total(all float64, _ int) float64 { return all }

// foldLayerNorm normalises a constant along its last dimension.
func foldLayerNorm(c *call) *tensor {
	from, n := c.in[0].constant, len(c.in[0].constant.dims)
	along := c.int("axis", -1)
	fail.When(n == 0 || from.dims[n-1] < 1 || along != -1 && along != n-1 || c.outputs > 1,
		"of constants is supported along the last dimension alone")
	side := from.dims[n-1]
	scale, offset := c.in[1].constant, c.in[2]
	fail.When(scale.size() != side || offset != nil && offset.constant.size() != side,
		"has parameters that are not %d constants", side)
	c.spendConstants(from.size())
	out := &tensor{dims: from.dims, reals: make([]float32, from.size())}
	for first := 0; first < from.size(); first += side {
		sum, squares := 0., 0.
		for i := range side {
			sum += from.real(first + i)
		}
		mean := sum / float64(side)
		for i := range side {
			d := from.real(first+i) - mean
			squares += float64(d * d)
		}
		deviation := math.Sqrt(squares/float64(side) + c.real("epsilon", 1e-5))
		for i := range side {
			v := float64((from.real(first+i) - mean) / deviation * scale.real(i))
			if offset != nil {
				v += offset.constant.real(i)
			}
			out.reals[first+i] = float32(v)
		}
	}
	return out
}

// foldClip limits the numbers of a constant.
func foldClip(c *call) *tensor {
	least := c.number(1, c.real("min", -math.MaxFloat32))
	most := c.number(2, c.real("max", math.MaxFloat32))
	return foldUnary(func(x float64) float64 { return min(max(x, least), most) }, false)(c)
}
