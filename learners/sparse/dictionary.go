// Package sparse codes signals sparsely over a dictionary.
//
// The notation is that of package learners: a dictionary D is n×K, its columns d_k are the atoms; the signals are the
// columns of Y, n×N; the codes X are K×N with few non-zeros in a column, and Y ≈ D·X.
//
// A [Coder] finds X. To add a coder: write one file with a type that has its parameters as fields and a usable zero
// value, register it in init, and call sparsetest.Run in its test.
//
// Read it in this order: dictionary.go (D), codes.go (X), coder.go (the interface of coders, their registry, and the
// loop over signals that they share), support.go (least squares on a support), then a coder: mp.go, omp.go and ols.go
// add atom after atom, sp.go and cosamp.go improve a support of fixed size, and lasso.go follows a path of solutions.
package sparse

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// Dictionary is an n×K matrix. Its columns are the atoms. It is immutable, and safe for concurrent use.
//
// Learned dictionaries have atoms of length 1. Other lengths are allowed, because the atoms of the low-resolution half
// of a coupled dictionary are shorter: coders choose atoms as if all had length 1, and return coefficients for the
// atoms at their actual lengths. They never choose an atom of length 0.
type Dictionary struct {
	n, k  int
	atoms []float64 // atom after atom
	norms []float64 // the lengths of the atoms

	once   sync.Once
	padded int       // K rounded up to a multiple of the vector width of package kernel; atoms beyond K are zero
	unit   []float64 // the atoms at length 1, in panels of panel atoms, each n×panel by rows
	gram   []float64 // padded×padded: the products of the atoms at length 1
}

// panel is how many atoms multiply the signals at a time. With n = 64, a panel fits into the fastest cache.
const panel = 32

// NewDictionary returns a dictionary of copies of the columns of d. The sums of squares of the columns must be finite.
func NewDictionary(d mat.Matrix) (*Dictionary, error) {
	n, k := d.Dims()
	atoms := make([]float64, n*k)
	for j := range k {
		for i := range n {
			atoms[j*n+i] = d.At(i, j)
		}
	}
	return FromAtoms(n, atoms)
}

// FromAtoms returns a dictionary of atoms of n entries each, which follow each other in the slice atoms. The dictionary
// keeps the slice, which must not be changed afterwards.
func FromAtoms(n int, atoms []float64) (*Dictionary, error) {
	if n < 1 || len(atoms) == 0 || len(atoms)%n != 0 {
		return nil, fmt.Errorf("sparse: %d entries do not make atoms of %d", len(atoms), n)
	}
	d := &Dictionary{n: n, k: len(atoms) / n, atoms: atoms, norms: make([]float64, len(atoms)/n)}
	for k := range d.k {
		d.norms[k] = norm(d.Atom(k))
		if math.IsNaN(d.norms[k]) || math.IsInf(d.norms[k], 0) {
			return nil, fmt.Errorf("sparse: atom %d of the dictionary is not finite, or too large to square", k)
		}
	}
	return d, nil
}

// Dims returns the length n of an atom and the number K of atoms.
func (d *Dictionary) Dims() (n, k int) { return d.n, d.k }

// Atom returns atom k, which shares the memory of the dictionary and must not be changed.
func (d *Dictionary) Atom(k int) []float64 { return d.atoms[k*d.n : (k+1)*d.n : (k+1)*d.n] }

// Atoms returns a copy of all atoms, one after another.
func (d *Dictionary) Atoms() []float64 { return slices.Clone(d.atoms) }

// Norm returns the Euclidean length of atom k.
func (d *Dictionary) Norm(k int) float64 { return d.norms[k] }

// Matrix returns a copy of the dictionary as an n×K matrix.
func (d *Dictionary) Matrix() *mat.Dense {
	m := mat.NewDense(d.n, d.k, nil)
	for k := range d.k {
		m.SetCol(k, d.Atom(k))
	}
	return m
}

// Rows returns the dictionary of the rows [from, to) of all atoms, such as a coupled dictionary's low-resolution half.
func (d *Dictionary) Rows(from, to int) (*Dictionary, error) {
	if from < 0 || to > d.n || from >= to {
		return nil, fmt.Errorf("sparse: rows %d to %d of a dictionary with %d", from, to, d.n)
	}
	atoms := make([]float64, 0, (to-from)*d.k)
	for k := range d.k {
		atoms = append(atoms, d.Atom(k)[from:to]...)
	}
	return FromAtoms(to-from, atoms)
}

// Coherence returns the largest |cos| of the angle between two atoms, in 0..1; it is 0 if there is only one atom.
func (d *Dictionary) Coherence() float64 {
	gram := d.prepare()
	largest := 0.0
	for i := range d.k {
		for _, v := range gram[i*d.padded : i*d.padded+i] {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}

// prepare computes the unit atoms and their Gram matrix, on the first call only. It returns the padded Gram matrix.
func (d *Dictionary) prepare() (gram []float64) {
	d.once.Do(func() {
		d.padded = kernel.Pad(d.k)
		rows := make([]float64, d.n*d.padded)
		for k, length := range d.norms {
			if length == 0 {
				continue // the unit atom stays zero
			}
			for i, v := range d.Atom(k) {
				rows[i*d.padded+k] = v / length
			}
		}
		d.gram = make([]float64, d.padded*d.padded)
		kernel.Mul(d.gram, d.padded, rows, d.padded, rows, d.padded, d.padded, d.n, d.padded)
		if d.padded <= panel {
			d.unit = rows // one panel
			return
		}
		d.unit = make([]float64, 0, len(rows)) // the columns of rows in panels, each panel row by row
		for from := 0; from < d.padded; from += panel {
			for i := range d.n {
				d.unit = append(d.unit, rows[i*d.padded+from:i*d.padded+min(d.padded, from+panel)]...)
			}
		}
	})
	return d.gram
}

// correlate sets the rows of corr, of d.padded entries each, to Dᵀy over the unit atoms for every signal y. The
// argument y holds the signals, a multiple of kernel.Rows in number, as columns of an n×stride matrix by rows.
func (d *Dictionary) correlate(corr, y []float64, stride, signals int) {
	for from := 0; from < d.padded; from += panel {
		cols := min(panel, d.padded-from)
		kernel.Mul(corr[from:], d.padded, y, stride, d.unit[d.n*from:], cols, signals, d.n, cols)
	}
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func dot(a, b []float64) float64 {
	return blas64.Implementation().Ddot(len(a), a, 1, b, 1)
}

var errNoSignals = errors.New("sparse: there are no signals to code")

// Angles summarises the |cos| of the angles between all pairs of non-zero atoms of a dictionary. The smaller they are,
// the easier it is to find sparse codes. The largest |cos| of K atoms of n entries is at least √((K−n)/(n(K−1)))
// (Welch, doi:10.1109/TIT.1974.1055219).
type Angles struct {
	// Pairs is the number of pairs of non-zero atoms.
	Pairs int
	// Max and Mean are the largest and the mean |cos|, or 0 if there is no pair.
	Max, Mean float64
	// Near is the number of pairs with a |cos| above a limit.
	Near int
}

// Angles measures the |cos| of all pairs of non-zero atoms. A pair is near if it is above limit. It needs 8·K² bytes.
func (d *Dictionary) Angles(limit float64) Angles {
	gram := d.prepare()
	var a Angles
	sum := 0.0
	for i := range d.k {
		if d.norms[i] == 0 {
			continue
		}
		for j, v := range gram[i*d.padded : i*d.padded+i] {
			if d.norms[j] == 0 {
				continue
			}
			v = min(math.Abs(v), 1) // rounding may give more than 1
			a.Pairs++
			sum += v
			a.Max = max(a.Max, v)
			if v > limit {
				a.Near++
			}
		}
	}
	if a.Pairs > 0 {
		a.Mean = sum / float64(a.Pairs)
	}
	return a
}

// Condition returns the rank of a dictionary, which is the number of its singular values above a millionth of the
// largest, and the largest singular value divided by the smallest above that limit. Atoms with mean 0, for example,
// have rank n−1 at most. Both results are 0 if all atoms are zero, or if the decomposition does not converge.
func (d *Dictionary) Condition() (rank int, condition float64) {
	var svd mat.SVD
	// The atoms in memory are the rows of Dᵀ, which has the same singular values.
	if !svd.Factorize(mat.NewDense(d.k, d.n, d.atoms), mat.SVDNone) {
		return 0, 0 // it did not converge
	}
	values := svd.Values(nil)
	for _, v := range values {
		if v > 1e-6*values[0] {
			rank, condition = rank+1, values[0]/v
		}
	}
	return rank, condition
}
