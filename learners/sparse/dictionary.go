// Package sparse codes signals sparsely over a dictionary.
//
// The notation is that of package learners: a dictionary D is n×K, its columns
// d_k are the atoms; the signals are the columns of Y, n×N; the codes X are K×N
// with few non-zeros a column, and Y ≈ D·X.
//
// A [Coder] finds X. To add one: write one file with a type whose fields are its
// parameters and whose zero value is usable, register it in init, and call
// sparsetest.Run in its test.
package sparse

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Dictionary is an n×K matrix whose columns are the atoms. It does not change
// once made, and concurrent use is safe.
//
// Learned dictionaries have atoms of length 1. Others are allowed, because the
// low-resolution half of a coupled dictionary has shorter ones: coders choose
// among the atoms as if all had length 1 and give coefficients for the atoms as
// they are. An atom of length 0 is never chosen.
type Dictionary struct {
	n, k  int
	atoms []float64 // atom after atom
	norms []float64

	once sync.Once
	unit []float64 // n×K by rows: the atoms at length 1, signals multiply its rows
	gram []float64 // K×K: unitᵀ·unit
}

// NewDictionary copies the columns of d. Every entry, and its square, must be
// finite.
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

// FromAtoms makes a dictionary of atoms of n entries that lie one after the
// other. It keeps the slice, which must not be changed afterwards.
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

// Atom returns atom k: the dictionary's own memory, not to be changed.
func (d *Dictionary) Atom(k int) []float64 { return d.atoms[k*d.n : (k+1)*d.n : (k+1)*d.n] }

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

// Rows returns the dictionary of the rows from..to-1 of every atom: the
// low-resolution half of a coupled dictionary, for example.
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

// Coherence returns the largest |cos| of the angle between two atoms, in 0..1;
// 0 when there is one atom.
func (d *Dictionary) Coherence() float64 {
	_, gram := d.prepare()
	largest := 0.0
	for i := range d.k {
		for _, v := range gram[i*d.k : i*d.k+i] {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}

// prepare returns the unit-length atoms, n×K by rows, and their Gram matrix. Both
// are computed once.
func (d *Dictionary) prepare() (unit, gram []float64) {
	d.once.Do(func() {
		d.unit = make([]float64, d.n*d.k)
		for k, length := range d.norms {
			if length == 0 {
				continue
			}
			for i, v := range d.Atom(k) {
				d.unit[i*d.k+k] = v / length
			}
		}
		d.gram = make([]float64, d.k*d.k)
		u := blas64.General{Rows: d.n, Cols: d.k, Stride: d.k, Data: d.unit}
		g := blas64.Symmetric{N: d.k, Stride: d.k, Data: d.gram, Uplo: blas.Upper}
		blas64.Syrk(blas.Trans, 1, u, 0, g)
		for i := range d.k {
			for j := range i {
				d.gram[i*d.k+j] = d.gram[j*d.k+i]
			}
		}
	})
	return d.unit, d.gram
}

// norm returns the Euclidean length of v, and NaN or Inf when v is not finite.
func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

var errNoSignals = errors.New("sparse: there are no signals to code")
