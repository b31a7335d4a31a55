package learners

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// block is a block of atoms during its update. X_b are the rows of X of these atoms, and R_b is the residual of all
// other atoms: see BLOTLESS. Between open and close, p.residual holds R_b.
type block struct {
	p     *problem
	atoms []int // ascending
	users []int // the signals that use an atom of the block
	start []int // for each user, where its non-zeros begin in local and pos, then the end
	local []int // the atom of each non-zero, as an index into atoms
	pos   []int // the index of each non-zero in codes.Value

	// r holds the columns of R_b, one after the other, m entries each. If there are fewer signals than entries, the m
	// entries are coordinates in the basis R_b·basis of the span of R_b. Otherwise basis is nil.
	m     int
	r     []float64
	basis *mat.Dense // N×m

	value, hat, next []float64     // X_b; X_b − V2·W of the last step; the next X_b
	rr               *mat.SymDense // R_b·R_bᵀ, m×m
	xx, nextXX       *mat.SymDense // X_b·X_bᵀ, s×s
	xr, nextXR       *mat.Dense    // X_b·R_bᵀ, s×m
	fitted           *mat.Dense    // X_b·R̂ᵀ, s×m
	rank             int           // the rank of R_b, to the accuracy of rr
	steps            int           // the number of steps taken
}

// newBlock returns the block of the given atoms of a problem: the signals that use one of them (users), and their
// non-zeros for these atoms, from start[i] to start[i+1] for users[i]: atom (local), place in codes (pos) and value.
func newBlock(p *problem, atoms []int) *block {
	b := &block{p: p, atoms: slices.Sorted(slices.Values(atoms)), start: make([]int, 1, p.n+1)}
	local := make([]int, p.k) // 1 + the index of an atom in the block; 0 outside of the block
	count := 0
	for i, k := range b.atoms {
		local[k] = i + 1
		count += p.rowStart[k+1] - p.rowStart[k]
	}
	b.users = make([]int, 0, min(count, p.n))
	b.local, b.pos, b.value = make([]int, 0, count), make([]int, 0, count), make([]float64, 0, count)
	for j := range p.n {
		for pos := p.codes.Start[j]; pos < p.codes.Start[j+1]; pos++ {
			if i := local[p.codes.Index[pos]]; i > 0 {
				b.local, b.pos = append(b.local, i-1), append(b.pos, pos)
				b.value = append(b.value, p.codes.Value[pos])
			}
		}
		if len(b.local) > b.start[len(b.users)] {
			b.users, b.start = append(b.users, j), append(b.start, len(b.local))
		}
	}
	b.hat, b.next = make([]float64, count), make([]float64, count)
	return b
}

// add adds a·D_b·X_b to p.residual, with the present atoms and codes of the problem: old before fit, new after it.
func (b *block) add(a float64) {
	for u, j := range b.users {
		for i := b.start[u]; i < b.start[u+1]; i++ {
			axpy(a*b.p.codes.Value[b.pos[i]], b.p.atom(b.atoms[b.local[i]]), b.p.residualOf(j))
		}
	}
}

// open adds D_b·X_b to p.residual, which becomes R_b, and computes the products that the first step needs: rr, xx and
// xr. If there are fewer signals than entries, it replaces the entries of R_b by coordinates (reduce).
func (b *block) open() (err error) {
	b.add(1)
	n, m, s := b.p.n, b.p.m, len(b.atoms)
	rows := blas64.General{Rows: n, Cols: m, Stride: m, Data: b.p.residual}
	if n < m {
		err = b.reduce(rows)
	} else {
		b.m, b.r, b.rr = m, b.p.residual, mat.NewSymDense(m, nil)
		blas64.Syrk(blas.Trans, 1, rows, 0, b.rr.RawSymmetric())
		_, b.rank, err = decompose(b.rr)
	}
	if err != nil {
		return err
	}
	b.xx, b.nextXX = mat.NewSymDense(s, nil), mat.NewSymDense(s, nil)
	b.xr, b.nextXR, b.fitted = mat.NewDense(s, b.m, nil), mat.NewDense(s, b.m, nil), mat.NewDense(s, b.m, nil)
	b.products(b.value, b.xx, b.xr)
	return nil
}

// close makes p.residual equal to Y − DX again.
func (b *block) close() { b.add(-1) }

// products sets xx = X·Xᵀ (its upper triangle) and xr = X·R_bᵀ. x holds the non-zeros of X in the order of b.local.
func (b *block) products(x []float64, xx *mat.SymDense, xr *mat.Dense) {
	xx.Zero()
	xr.Zero()
	s, upper := len(b.atoms), xx.RawSymmetric().Data
	for u, j := range b.users {
		local, x := b.local[b.start[u]:b.start[u+1]], x[b.start[u]:b.start[u+1]]
		for i, a := range local {
			axpy(x[i], b.column(j), xr.RawRowView(a))
			for h, c := range local[i:] { // c ≥ a: the upper triangle
				upper[a*s+c] += x[i] * x[i+h]
			}
		}
	}
}

// step replaces X_b by its next iterate, by the formulas at BLOTLESS. If the rows of the new X_b are dependent, step
// leaves X_b unchanged and returns false. It never stores R̂: it takes X_b − V2·W from the eigenvectors one non-zero at
// a time and adds momentum times its change since the step before, if there was one.
func (b *block) step(momentum float64) (bool, error) {
	m, s := b.m, len(b.atoms)
	low := m + s - b.rank // the number of eigenvectors: s, and one more for each dimension that R_b lacks
	vectors, err := b.eigenvectors()
	if err != nil {
		return false, err
	}
	v1 := vectors.Slice(0, m, 0, low).(*mat.Dense)
	w := make([]float64, low)       // a column of W
	xw := mat.NewDense(s, low, nil) // X_b·Wᵀ for the new X_b
	for u, j := range b.users {
		from, to := b.start[u], b.start[u+1]
		blas64.Gemv(blas.Trans, 1, v1.RawMatrix(), vector(b.column(j)), 0, vector(w))
		for i := from; i < to; i++ {
			axpy(b.value[i], vectors.RawRowView(m + b.local[i])[:low], w)
		}
		for i := from; i < to; i++ {
			hat := b.value[i] - blas64.Dot(vector(vectors.RawRowView(m + b.local[i])[:low]), vector(w)) // X_b − V2·W
			b.next[i] = hat
			if b.steps > 0 {
				b.next[i] += momentum * (hat - b.hat[i])
			}
			b.hat[i] = hat
			axpy(b.next[i], w, xw.RawRowView(b.local[i]))
		}
	}
	b.products(b.next, b.nextXX, b.nextXR)
	if !isPositiveDefinite(b.nextXX) {
		return false, nil
	}
	b.value, b.next, b.xx, b.nextXX, b.xr, b.nextXR = b.next, b.value, b.nextXX, b.xx, b.nextXR, b.xr
	b.fitted.Mul(xw, v1.T()) // X_b·R̂ᵀ = X_b·R_bᵀ − X_b·Wᵀ·V1ᵀ
	b.fitted.Sub(b.xr, b.fitted)
	b.steps++
	return true, nil
}

// eigenvectors returns the eigenvectors of [R_b; X_b]·[R_b; X_b]ᵀ by ascending eigenvalue.
func (b *block) eigenvectors() (*mat.Dense, error) {
	m, s := b.m, len(b.atoms)
	gram := mat.NewSymDense(m+s, nil)
	for i := range m {
		for j := i; j < m; j++ {
			gram.SetSym(i, j, b.rr.At(i, j))
		}
		for j := range s {
			gram.SetSym(i, m+j, b.xr.At(j, i))
		}
	}
	for i := range s {
		for j := i; j < s; j++ {
			gram.SetSym(m+i, m+j, b.xx.At(i, j))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return nil, errEigen
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	return &vectors, nil
}

// fit writes the new atoms, R̂·X_bᵀ(X_b·X_bᵀ)⁻¹ at length 1, and their codes to the problem. If the length of a new
// atom is below 1e-10, which is rounding error, it leaves the problem as it is.
func (b *block) fit() error {
	var solved mat.Dense
	if err := solveSym(&solved, b.xx, b.fitted); err != nil { // X_b·X_bᵀ and X_b·R̂ᵀ
		return err
	}
	d := b.toEntries(&solved) // s×M: the new atoms by rows
	length := make([]float64, len(b.atoms))
	for i := range length {
		if length[i] = Normalise(d.RawRowView(i)); length[i] < 1e-10 {
			return nil
		}
	}
	for i, k := range b.atoms {
		copy(b.p.atom(k), d.RawRowView(i))
	}
	for i, k := range b.local {
		b.p.codes.Value[b.pos[i]] = b.value[i] * length[k]
	}
	return nil
}

// isPositiveDefinite reports whether a = X·Xᵀ, scaled to a unit diagonal, is positive definite with a condition number
// below 1e12. A larger one, or a zero on the diagonal, means that the rows of X are dependent.
func isPositiveDefinite(a *mat.SymDense) bool {
	n := a.SymmetricDim()
	unit := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			unit.SetSym(i, j, a.At(i, j)/math.Sqrt(a.At(i, i))/math.Sqrt(a.At(j, j)))
		}
	}
	var chol mat.Cholesky
	return chol.Factorize(unit) && chol.Cond() < 1e12
}
