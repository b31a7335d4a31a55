package kernel

import "math"

// Mul sets the first rows×cols entries of C to AᵀB. A is inner×rows, B is inner×cols; all three are stored row by row,
// with strides lda, ldb and ldc. rows is a multiple of Rows, cols of Width. Each entry is one sum in the order of the
// inner dimension, and has the same bits at any position in C.
func Mul(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int) {
	need(cols)
	if rows < 0 || rows%Rows != 0 || inner < 0 {
		panic("kernel: the rows of a product are not a multiple of 4")
	}
	if rows == 0 || cols == 0 {
		return
	}
	_ = c[(rows-1)*ldc+cols-1] // panics if c is too short, which assembly would not notice
	if inner > 0 {
		_, _ = a[(inner-1)*lda+rows-1], b[(inner-1)*ldb+cols-1] // so do a and b
	} else {
		a, b = c, c // not read: the sums are 0
	}
	mul(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

// mulGeneric is the definition of Mul: C = AᵀB, where row r of C is the sum of a_ir times row i of B.
func mulGeneric(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int) {
	for r := range rows {
		to := c[r*ldc : r*ldc+cols]
		clear(to)
		for i := range inner {
			left, right := a[i*lda+r], b[i*ldb:i*ldb+cols]
			for j, v := range right {
				to[j] += left * v
			}
		}
	}
}

// FindLargest returns the index of the first entry with the largest absolute value, and that absolute value. It ignores
// NaN, and returns (0, 0) if v is empty or has no entry but NaN.
func FindLargest(v []float64) (index int, value float64) {
	need(len(v))
	if len(v) == 0 {
		return 0, 0
	}
	return FindFirst(v, maxAbs(v))
}

// FindFirst returns the index of the first entry whose absolute value is value, and value itself. v must contain such
// an entry. For value 0 the index is 0, without a search.
func FindFirst(v []float64, value float64) (int, float64) {
	need(len(v))
	if value == 0 {
		return 0, 0
	}
	return indexAbs(v, value), value
}

// maxAbsGeneric returns the largest absolute value in v. It ignores NaN.
func maxAbsGeneric(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		if x > most { // two comparisons are faster than math.Abs here
			most = x
		} else if -x > most {
			most = -x
		}
	}
	return most
}

// indexAbsGeneric returns the index of the first entry with the given absolute value, or len(v) if there is none.
func indexAbsGeneric(v []float64, value float64) int {
	for i, x := range v {
		if math.Abs(x) == value {
			return i
		}
	}
	return len(v)
}

// Advance is a step of Batch-OMP, after an atom has joined the support. gram holds the products of this atom with all
// atoms, and corr the correlations of all atoms with the residual. row and then 1/scale are the row of this atom in the
// Cholesky factor. proj is the product of the signal with the direction that the atom adds to the span. Advance sets
//
//	p = scale·(gram − Σ_i row_i·basis_i),   corr ← corr − proj·p,
//
// where basis_i, the p of an earlier step, begins at entry i·ld of basis, and returns the new max |corr|.
func Advance(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64 {
	n := len(p)
	need(n)
	if n == 0 {
		return 0
	}
	_, _ = corr[n-1], gram[n-1] // panics if too short
	if len(row) > 0 {
		_ = basis[(len(row)-1)*ld+n-1] // panics if basis is too short
	}
	return advance(p, corr, gram, basis, ld, row, scale, proj)
}

// advanceGeneric is the definition of Advance: p = scale·(gram − Σ_i row_i·basis_i), corr ← corr − proj·p, max |corr|.
func advanceGeneric(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64 {
	copy(p, gram)
	for i, l := range row {
		for k, v := range basis[i*ld : i*ld+len(p)] {
			p[k] -= l * v
		}
	}
	corr = corr[:len(p)]
	for k := range p {
		p[k] *= scale
		corr[k] -= proj * p[k]
	}
	return maxAbsGeneric(corr)
}

// Score is the second half of a step of orthogonal least squares, after Advance, which has set p and corr. fresh
// holds for each atom the squared length of its part outside of the span of the support. Score computes for every atom
//
//	fresh ← fresh − p², or +Inf if fresh − p² ≤ least,
//	score = corr²/fresh, or 0 if |corr| ≤ floor.
//
// So atoms get 0 that depend on the support or share only rounding errors with the residual. Score returns the maximum.
func Score(score, fresh, p, corr []float64, least, floor float64) float64 {
	n := len(score)
	need(n)
	if n == 0 {
		return 0
	}
	_, _, _ = fresh[n-1], p[n-1], corr[n-1] // panics if too short
	return scores(score, fresh[:n], p[:n], corr[:n], least, floor)
}

// scoresGeneric is the definition of Score. fresh, an atom's squared length outside the support's span, loses p². Its
// score is corr²/fresh: 0 if the atom depends on the support (fresh ≤ least), or corr is a rounding error (≤ floor).
func scoresGeneric(score, fresh, p, corr []float64, least, floor float64) float64 {
	most := 0.0
	for k, v := range p {
		s := fresh[k] - v*v
		if s <= least {
			s = math.Inf(1)
		}
		fresh[k] = s
		a := corr[k]
		score[k] = a * a / s
		if math.Abs(a) <= floor {
			score[k] = 0
		}
		if score[k] > most {
			most = score[k]
		}
	}
	return most
}

// Add adds each entry of v to the same entry of dst.
func Add(dst, v []float64) {
	need(len(dst))
	if len(dst) > 0 {
		_ = v[len(dst)-1] // panics if v is too short
		add(dst, v[:len(dst)])
	}
}

func addGeneric(to, v []float64) {
	for i := range to {
		to[i] += v[i]
	}
}
