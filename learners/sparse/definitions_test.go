package sparse_test

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// The definitions of the coders: residuals are formed at every step, and least squares is solved by QR. Atoms have
// length 1.

// slowMP is the definition: the residual and all its correlations at each step.
func slowMP(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	_, k := d.Dims()
	n := len(y)
	code := make([]float64, k)
	r := y
	for range 100 * n {
		c := slowCorrelations(d, r)
		best := slowLargest(c, 1)[0]
		if math.Abs(c[best]) < 1e-11*length(y) {
			break
		}
		if code[best] == 0 {
			if len(support) == sparsity {
				break
			}
			support = append(support, best)
		}
		code[best] += c[best]
		r = slowResidual(d, r, []int{best}, []float64{c[best]})
	}
	for _, k := range support {
		x = append(x, code[k])
	}
	return support, x
}

// slowOMP is the definition, with residuals formed and least squares by QR.
func slowOMP(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	for r := y; len(support) < sparsity; {
		c := slowCorrelations(d, r)
		best := slowLargest(c, 1)[0]
		if math.Abs(c[best]) < 1e-10 {
			break
		}
		support = append(support, best)
		x, r = slowFit(d, y, support)
	}
	return support, x
}

// slowOLS is the definition: try every atom, solve least squares by QR, and keep the one that leaves the least.
func slowOLS(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	_, k := d.Dims()
	for len(support) < min(sparsity, len(y)) {
		best, least := -1, length(y)
		for j := range k {
			if slices.Contains(support, j) {
				continue
			}
			if _, r := slowFit(d, y, append(slices.Clone(support), j)); length(r) < least {
				best, least = j, length(r)
			}
		}
		support = append(support, best)
		if least < 1e-11*length(y) {
			break
		}
	}
	x, _ = slowFit(d, y, support)
	return support, x
}

// slowSP is the definition, with residuals formed and least squares by QR.
func slowSP(d *sparse.Dictionary, y []float64, s int) (support []int, x []float64) {
	support = slowLargest(slowCorrelations(d, y), s)
	x, r := slowFit(d, y, support)
	for length(r) > 1e-11*length(y) {
		c := slowCorrelations(d, r)
		for _, k := range support {
			c[k] = 0
		}
		wide := slices.Clone(support)
		for _, k := range slowLargest(c, s) {
			if c[k] != 0 {
				wide = append(wide, k)
			}
		}
		wideX, _ := slowFit(d, y, wide)
		var next []int
		for _, at := range slowLargest(wideX, s) {
			next = append(next, wide[at])
		}
		nextX, nextR := slowFit(d, y, next)
		if length(nextR) >= length(r)*(1-1e-11) {
			break
		}
		support, x, r = next, nextX, nextR
	}
	return support, x
}

// slowCoSaMP is the definition, with residuals formed and least squares by QR.
func slowCoSaMP(d *sparse.Dictionary, y []float64, s int) (support []int, x []float64) {
	r, left := y, length(y) // r of the pruned code, left of the solution
	for left > 1e-11*length(y) {
		wide := slices.Clone(support)
		for _, k := range slowLargest(slowCorrelations(d, r), 2*s) {
			if !slices.Contains(wide, k) {
				wide = append(wide, k)
			}
		}
		wide = wide[:min(len(wide), len(y))] // random: more depend on the first n
		wideX, _ := slowFit(d, y, wide)
		var next []int
		var pruned []float64
		for _, at := range slowLargest(wideX, s) {
			next, pruned = append(next, wide[at]), append(pruned, wideX[at])
		}
		nextX, nextR := slowFit(d, y, next)
		if length(nextR) >= left*(1-1e-11) {
			break
		}
		support, x, left = next, nextX, length(nextR)
		r = slowResidual(d, y, next, pruned)
	}
	return support, x
}

// slowFit solves least squares on a support by QR and returns x and y − D_I·x.
func slowFit(d *sparse.Dictionary, y []float64, support []int) (x, r []float64) {
	n, _ := d.Dims()
	r = slices.Clone(y)
	if len(support) == 0 {
		return nil, r
	}
	m := mat.NewDense(n, len(support), nil)
	for i, k := range support {
		m.SetCol(i, d.Atom(k))
	}
	var v mat.VecDense
	if err := v.SolveVec(m, mat.NewVecDense(n, slices.Clone(y))); err != nil {
		panic(err)
	}
	return v.RawVector().Data, slowResidual(d, y, support, v.RawVector().Data)
}

func slowResidual(d *sparse.Dictionary, y []float64, support []int, x []float64) []float64 {
	r := slices.Clone(y)
	for j, k := range support {
		for i, v := range d.Atom(k) {
			r[i] -= x[j] * v
		}
	}
	return r
}

// slowLargest returns the places of the m largest |v|, largest first.
func slowLargest(v []float64, m int) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(v[b]), math.Abs(v[a])) })
	return order[:min(m, len(v))]
}

func slowCorrelations(d *sparse.Dictionary, r []float64) []float64 {
	_, k := d.Dims()
	c := make([]float64, k)
	for j := range c {
		c[j] = inner(d.Atom(j), r)
	}
	return c
}

func inner(a, b []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b))
}

func length(r []float64) float64 { return math.Sqrt(inner(r, r)) }
