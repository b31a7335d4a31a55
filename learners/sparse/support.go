package sparse

import (
	"math"

	"superres/internal/elementary"
)

// rounding, times the length of a signal, is the largest correlation or coefficient that counts as rounding error.
const rounding = 1e-11

// independent is the smallest sin² of the angle between an atom and the span of a support at which the atom may join.
// Below it the solution would not be accurate.
const independent = 1e-9

// leastSquares solves min ‖y − D_I·x‖₂ on a support I of unit atoms with the Cholesky factor L, a row for each member,
// of the Gram matrix G_II = L·Lᵀ.
//
// The normal equations square the condition of D_I. One step of iterative refinement, from a directly computed
// residual, restores the digits if atoms are nearly parallel.
type leastSquares struct {
	d    *Dictionary
	gram []float64
	most int       // the size of the largest support
	chol []float64 // most×most lower triangle: L
	step []float64 // the right-hand side in refine
	miss []float64 // y − D_I·x, set by residual
}

// newLeastSquares returns a solver. most is the largest number of atoms in a support.
func newLeastSquares(d *Dictionary, most int) leastSquares {
	return leastSquares{
		d: d, gram: d.prepare(), most: most,
		chol: make([]float64, most*most), step: make([]float64, most), miss: make([]float64, d.n),
	}
}

// row returns the row of the Gram matrix for an atom: K entries, then zeros.
func (s *leastSquares) row(atom int) []float64 {
	return s.gram[atom*s.d.padded : (atom+1)*s.d.padded]
}

// fit finds the least-squares solution for y on the given atoms. An atom that depends linearly on atoms before it is
// left out: fit moves the others to the front of atoms, sets x to their coefficients, and returns their number. corr is
// Dᵀy over the unit atoms. At most s.most atoms are taken.
func (s *leastSquares) fit(y, corr []float64, atoms []int32, x []float64) int {
	count := 0
	for _, atom := range atoms {
		if count == s.most {
			break
		}
		if s.extend(atom, atoms[:count]) {
			atoms[count], x[count] = atom, corr[atom]
			count++
		}
	}
	s.forward(x[:count], x)
	s.solveTransposed(x[:count], x)
	s.refine(y, atoms[:count], x, nil)
	return count
}

// extend adds the row of atom to L. It returns false, and leaves L unchanged, if atom depends on the support.
func (s *leastSquares) extend(atom int32, support []int32) bool {
	count := len(support)
	row := s.chol[count*s.most : count*s.most+count+1]
	for j, other := range support {
		row[j] = s.gram[int(atom)*s.d.padded+int(other)]
	}
	s.forward(row[:count], row)
	pivot := 1.0
	for _, v := range row[:count] {
		pivot -= v * v
	}
	if pivot <= independent {
		return false
	}
	row[count] = math.Sqrt(pivot)
	return true
}

// remove removes the row of a member from L, which has count rows: the rows below it move up, and Givens rotations of
// neighbouring columns make L triangular again.
func (s *leastSquares) remove(member, count int) {
	for i := member; i+1 < count; i++ {
		copy(s.chol[i*s.most:i*s.most+i+2], s.chol[(i+1)*s.most:])
	}
	for j := member; j+1 < count; j++ {
		a, b := s.chol[j*s.most+j], s.chol[j*s.most+j+1]
		length := elementary.Hypot(a, b)
		cos, sin := a/length, b/length
		for i := j; i+1 < count; i++ {
			row := s.chol[i*s.most+j : i*s.most+j+2]
			row[0], row[1] = cos*row[0]+sin*row[1], cos*row[1]-sin*row[0]
		}
	}
}

// forward solves L·x = b. x and b may be the same slice.
func (s *leastSquares) forward(b, x []float64) {
	for j, v := range b {
		row := s.chol[j*s.most : j*s.most+j+1]
		for i, l := range row[:j] {
			v -= l * x[i]
		}
		x[j] = v / row[j]
	}
}

// solveTransposed solves Lᵀ·x = b for x by back substitution. x and b may be the same slice.
func (s *leastSquares) solveTransposed(b, x []float64) {
	for j := len(b) - 1; j >= 0; j-- {
		v := b[j]
		for i := j + 1; i < len(b); i++ {
			v -= s.chol[i*s.most+j] * x[i]
		}
		x[j] = v / s.chol[j*s.most+j]
	}
}

// residual sets s.miss to y − Σ x_j d_j over the unit atoms and returns its energy.
func (s *leastSquares) residual(y []float64, support []int32, x []float64) float64 {
	copy(s.miss, y)
	for j, atom := range support {
		axpy(-x[j]/s.d.norms[atom], s.d.Atom(int(atom)), s.miss)
	}
	return dot(s.miss, s.miss)
}

// refine makes D_Iᵀ(y − D_I·x) equal to keep, nil for zeros, to more digits: x ← x + (LLᵀ)⁻¹ (D_Iᵀ(y − D_I·x) − keep).
func (s *leastSquares) refine(y []float64, support []int32, x, keep []float64) {
	s.residual(y, support, x)
	step := s.step[:len(support)]
	for j, atom := range support {
		step[j] = dot(s.d.Atom(int(atom)), s.miss) / s.d.norms[atom]
		if keep != nil {
			step[j] -= keep[j]
		}
	}
	s.forward(step, step)
	s.solveTransposed(step, step)
	for j, v := range step {
		x[j] += v
	}
}

// unscale converts value from coefficients of unit atoms to coefficients of the atoms at their actual lengths, and sets
// coefficients that are at most floor, which is rounding error, to zero.
func unscale(d *Dictionary, index []int32, value []float64, floor float64) {
	for j, atom := range index {
		if math.Abs(value[j]) <= floor {
			value[j] = 0
		}
		value[j] /= d.norms[atom]
	}
}

// appendLargest appends to list the indices of the m entries of v with the largest absolute values above floor, in
// descending order; equal values keep their order.
func appendLargest(list []int32, v []float64, m int, floor float64) []int32 {
	first, bar := len(list), floor // an entry joins if it is above bar: floor, then the m-th largest so far
	for i, x := range v {
		if x <= bar && -x <= bar || m == 0 {
			continue
		}
		if len(list)-first == m {
			list = list[:len(list)-1]
		}
		list = append(list, int32(i))
		j := len(list) - 1
		for ; j > first && math.Abs(v[list[j-1]]) < math.Abs(x); j-- {
			list[j] = list[j-1]
		}
		list[j] = int32(i)
		if len(list)-first == m {
			bar = math.Abs(v[list[len(list)-1]])
		}
	}
	return list
}
