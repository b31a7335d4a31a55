package sparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Codes is a sparse K×N matrix by columns: the non-zeros of signal j are Value[Start[j]:Start[j+1]], and
// Index[Start[j]:Start[j+1]] are their atoms, ascending.
type Codes struct {
	// Atoms is K.
	Atoms int
	// Start has N+1 entries: where the non-zeros of each signal begin, and finally the number of all non-zeros.
	Start []int
	// Index holds the atom of each non-zero.
	Index []int32
	// Value holds the coefficient of each non-zero.
	Value []float64
}

// Signals returns N.
func (c *Codes) Signals() int { return len(c.Start) - 1 }

// NonZeros returns the mean number of non-zeros in the code of a signal.
func (c *Codes) NonZeros() float64 { return float64(len(c.Index)) / float64(c.Signals()) }

// Column returns the non-zeros of signal j. They share the memory of the codes.
func (c *Codes) Column(j int) (index []int32, value []float64) {
	return c.Index[c.Start[j]:c.Start[j+1]], c.Value[c.Start[j]:c.Start[j+1]]
}

// Dense returns the codes as a K×N matrix.
func (c *Codes) Dense() *mat.Dense {
	x := mat.NewDense(c.Atoms, c.Signals(), nil)
	for j := range c.Signals() {
		index, value := c.Column(j)
		for i, k := range index {
			x.Set(int(k), j, value[i])
		}
	}
	return x
}

// Rebuild returns D·X, n×N.
func (c *Codes) Rebuild(d *Dictionary) *mat.Dense {
	y := mat.NewDense(d.n, c.Signals(), nil)
	signal := make([]float64, d.n)
	for j := range c.Signals() {
		index, value := c.Column(j)
		clear(signal)
		for i, k := range index {
			axpy(value[i], d.Atom(int(k)), signal)
		}
		y.SetCol(j, signal)
	}
	return y
}

// Usage returns how many signals use each of the K atoms.
func (c *Codes) Usage() []int {
	count := make([]int, c.Atoms)
	for _, k := range c.Index {
		count[k]++
	}
	return count
}

// Compact returns a copy of the codes without zero coefficients.
func (c *Codes) Compact() *Codes {
	out := &Codes{
		Atoms: c.Atoms, Start: make([]int, 1, len(c.Start)),
		Index: make([]int32, 0, len(c.Index)), Value: make([]float64, 0, len(c.Value)),
	}
	for j := range c.Signals() {
		index, value := c.Column(j)
		for i, v := range value {
			if v != 0 {
				out.Index, out.Value = append(out.Index, index[i]), append(out.Value, v)
			}
		}
		out.Start = append(out.Start, len(out.Index))
	}
	return out
}

// NormalEquations returns X·Xᵀ (K×K) and X·Yᵀ (K×M), the two sides of the least-squares problem min ‖Y − D·X‖_F for Dᵀ.
// signal returns column j of Y, of m entries; the slice is used only until the next call of signal.
func (c *Codes) NormalEquations(m int, signal func(j int) []float64) (xx *mat.SymDense, xy *mat.Dense) {
	k := c.Atoms
	xx, xy = mat.NewSymDense(k, nil), mat.NewDense(k, m, nil)
	upper := xx.RawSymmetric().Data
	for j := range c.Signals() {
		y := signal(j)
		index, value := c.Column(j)
		for i, a := range index {
			axpy(value[i], y, xy.RawRowView(int(a)))
			for h, b := range index[i:] { // b ≥ a: the upper triangle
				upper[int(a)*k+int(b)] += value[i] * value[i+h]
			}
		}
	}
	return xx, xy
}

// Check returns an error that describes the first fault in the structure, or nil.
func (c *Codes) Check() error {
	if len(c.Start) == 0 || c.Start[0] != 0 || c.Start[c.Signals()] != len(c.Index) || len(c.Index) != len(c.Value) {
		return fmt.Errorf("sparse: codes with %d starts, %d indices, %d values", len(c.Start), len(c.Index),
			len(c.Value))
	}
	for j := range c.Signals() {
		if c.Start[j+1] < c.Start[j] || c.Start[j+1] > len(c.Index) {
			return fmt.Errorf("sparse: codes of signal %d lie at %d to %d of %d", j, c.Start[j], c.Start[j+1],
				len(c.Index))
		}
		index, value := c.Column(j)
		for i, k := range index {
			if int(k) >= c.Atoms || k < 0 || i > 0 && index[i-1] >= k {
				return fmt.Errorf("sparse: codes of signal %d: atom %d of %d out of order or range", j, k, c.Atoms)
			}
			if value[i] == 0 || math.IsNaN(value[i]) || math.IsInf(value[i], 0) {
				return fmt.Errorf("sparse: codes of signal %d: coefficient %g of atom %d", j, value[i], k)
			}
		}
	}
	return nil
}
