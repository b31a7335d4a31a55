package learners

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// block is a block of atoms while it is updated: X_b by signals, and the products
// of R_b and X_b, all that a step needs of them but for W. R_b stands in
// p.residual from open to close.
type block struct {
	p     *problem
	atoms []int // ascending
	users []int // the signals that use an atom of the block
	start []int // where the non-zeros of each user begin, and the end
	local []int // the atom of a non-zero, as an index of atoms
	place []int // where it is in codes.Value

	// The columns of R_b one after the other: as they are, or, with fewer signals than
	// entries, in coordinates of their span. Then R_b times back is the basis of these.
	m    int // the length of a column
	r    []float64
	back *mat.Dense // N×m, or nil

	value, hat, next []float64     // X_b; X_b − V2·W of the last step; X_b to come
	rr               *mat.SymDense // R_b·R_bᵀ, m×m
	xx, nextXX       *mat.SymDense // X_b·X_bᵀ, s×s
	xr, nextXR       *mat.Dense    // X_b·R_bᵀ, s×m
	fitted           *mat.Dense    // X_b·R̂ᵀ, s×m
	rank             int           // of R_b, to the accuracy of rr
	steps            int           // taken
}

func newBlock(p *problem, atoms []int) *block {
	b := &block{p: p, atoms: slices.Sorted(slices.Values(atoms)), start: make([]int, 1, p.n+1)}
	local := make([]int, p.k) // 1 + the index in the block
	count := 0
	for i, k := range b.atoms {
		local[k] = i + 1
		count += p.rowStart[k+1] - p.rowStart[k]
	}
	b.users = make([]int, 0, min(count, p.n))
	b.local, b.place, b.value = make([]int, 0, count), make([]int, 0, count), make([]float64, 0, count)
	for j := range p.n {
		for at := p.codes.Start[j]; at < p.codes.Start[j+1]; at++ {
			if i := local[p.codes.Index[at]]; i > 0 {
				b.local, b.place = append(b.local, i-1), append(b.place, at)
				b.value = append(b.value, p.codes.Value[at])
			}
		}
		if len(b.local) > b.start[len(b.users)] {
			b.users, b.start = append(b.users, j), append(b.start, len(b.local))
		}
	}
	b.hat, b.next = make([]float64, count), make([]float64, count)
	return b
}

// add adds a·D_b·X_b to p.residual.
func (b *block) add(a float64) {
	for u, j := range b.users {
		for at := b.start[u]; at < b.start[u+1]; at++ {
			axpy(a*b.p.codes.Value[b.place[at]], b.p.atom(b.atoms[b.local[at]]), b.p.rest(j))
		}
	}
}

// open makes p.residual R_b and computes the products.
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

// close makes p.residual Y − DX again.
func (b *block) close() { b.add(-1) }

// products sets xx = X·Xᵀ and xr = X·R_bᵀ.
func (b *block) products(x []float64, xx *mat.SymDense, xr *mat.Dense) {
	xx.Zero()
	xr.Zero()
	s, upper := len(b.atoms), xx.RawSymmetric().Data
	for u, j := range b.users {
		local, x := b.local[b.start[u]:b.start[u+1]], x[b.start[u]:b.start[u+1]]
		for i, a := range local {
			axpy(x[i], b.rest(j), xr.RawRowView(a))
			for h, c := range local[i:] { // c ≥ a: the upper triangle
				upper[a*s+c] += x[i] * x[i+h]
			}
		}
	}
}

// step changes X_b by one step. It reports false, and changes nothing that counts,
// when the rows would depend on one another.
func (b *block) step(momentum float64) (bool, error) {
	m, s := b.m, len(b.atoms)
	low := m + s - b.rank // eigenvectors: s, and one for each direction that R_b lacks
	vectors, err := b.eigenvectors()
	if err != nil {
		return false, err
	}
	v1 := vectors.Slice(0, m, 0, low).(*mat.Dense)
	w := make([]float64, low)
	xw := mat.NewDense(s, low, nil) // X_b·Wᵀ for the new X_b
	for u, j := range b.users {
		from, to := b.start[u], b.start[u+1]
		blas64.Gemv(blas.Trans, 1, v1.RawMatrix(), vector(b.rest(j)), 0, vector(w))
		for at := from; at < to; at++ {
			axpy(b.value[at], vectors.RawRowView(m + b.local[at])[:low], w)
		}
		for at := from; at < to; at++ {
			hat := b.value[at] - blas64.Dot(vector(vectors.RawRowView(m + b.local[at])[:low]), vector(w))
			b.next[at] = hat
			if b.steps > 0 {
				b.next[at] += momentum * (hat - b.hat[at])
			}
			b.hat[at] = hat
			axpy(b.next[at], w, xw.RawRowView(b.local[at]))
		}
	}
	b.products(b.next, b.nextXX, b.nextXR)
	if !positive(b.nextXX) {
		return false, nil
	}
	b.value, b.next, b.xx, b.nextXX, b.xr, b.nextXR = b.next, b.value, b.nextXX, b.xx, b.nextXR, b.xr
	b.fitted.Mul(xw, v1.T())
	b.fitted.Sub(b.xr, b.fitted)
	b.steps++
	return true, nil
}

// eigenvectors returns those of [R_b; X_b]·[R_b; X_b]ᵀ, the lowest first.
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

// fit gives the problem the new atoms and codes; an atom of no length leaves it as
// it was.
func (b *block) fit() error {
	var solved mat.Dense
	if err := solveSym(&solved, b.xx, b.fitted); err != nil {
		return err
	}
	d := b.whole(&solved) // s×M: the new atoms by rows
	length := make([]float64, len(b.atoms))
	for i := range length {
		if length[i] = normalise(d.RawRowView(i)); length[i] < 1e-10 {
			return nil
		}
	}
	for i, k := range b.atoms {
		copy(b.p.atom(k), d.RawRowView(i))
	}
	for at, i := range b.local {
		b.p.codes.Value[b.place[at]] = b.value[at] * length[i]
	}
	return nil
}

// positive tells whether a, brought to a unit diagonal, is positive definite by
// more than rounding.
func positive(a *mat.SymDense) bool {
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
