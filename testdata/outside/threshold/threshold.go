// Package threshold is a sparse coder: least squares on the atoms with the largest products with the signal.
package threshold

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Threshold is the coder of this package.
type Threshold struct {
	// Sparsity is the most atoms for one signal; 0: as many as it has entries, or as there are atoms.
	Sparsity int
	// Tolerance is the norm of the residual at which no atom is added; 0: rounding error.
	Tolerance float64
}

// init registers the coder, with its name, its texts for help and its parameters.
func init() {
	sparse.Register(sparse.Info{
		Name:      "threshold",
		Summary:   "the atoms with the largest products, refitted",
		Reference: "Schnass, Vandergheynst 2007",
		New: func(fs *flag.FlagSet) sparse.Coder {
			c := &Threshold{}
			fs.IntVar(&c.Sparsity, "sparsity", 3, "non-zeros a signal at most")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal ends")
			return c
		},
	})
}

// Check returns a usage error if a parameter is negative or NaN.
func (c Threshold) Check() error {
	if c.Sparsity < 0 || !(c.Tolerance >= 0) {
		return plugin.Errorf("threshold: sparsity %d, tolerance %g, expected 0 or more", c.Sparsity, c.Tolerance)
	}
	return nil
}

// Code implements sparse.Coder. It fails if y is empty, does not fit d, or has a signal that is not finite.
func (c Threshold) Code(ctx context.Context, d *sparse.Dictionary, y *mat.Dense) (*sparse.Codes, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if y.IsEmpty() {
		return nil, errors.New("threshold: there are no signals")
	}
	n, k := d.Dims()
	rows, signals := y.Dims()
	most := cmp.Or(c.Sparsity, min(n, k))
	if rows != n || most > k {
		return nil, plugin.Errorf("threshold: signals of %d entries and %d atoms each, the dictionary is %d×%d", rows,
			most, n, k)
	}
	codes := &sparse.Codes{Atoms: k, Start: []int{0}}
	for j := range signals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		signal := mat.Col(nil, j, y)
		if e := mat.Dot(mat.NewVecDense(n, signal), mat.NewVecDense(n, signal)); math.IsNaN(e) || math.IsInf(e, 0) {
			return nil, fmt.Errorf("threshold: signal %d is not finite, or too large to square", j)
		}
		index, value := c.codeSignal(d, signal, min(most, n))
		codes.Index, codes.Value = append(codes.Index, index...), append(codes.Value, value...)
		codes.Start = append(codes.Start, len(codes.Index))
	}
	return codes, nil
}

// codeSignal returns the atoms and coefficients for the signal y: no more than most, and only until the residual is
// small enough; none for a signal of zeros, or if the least squares have no solution.
func (c Threshold) codeSignal(d *sparse.Dictionary, y []float64, most int) (index []int32, value []float64) {
	n, k := d.Dims()
	target := mat.NewVecDense(n, y)
	product := make([]float64, k)
	order := make([]int32, 0, k)
	for a := range k {
		if length := d.Norm(a); length > 0 {
			product[a] = math.Abs(mat.Dot(mat.NewVecDense(n, d.Atom(a)), target)) / length
			order = append(order, int32(a))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(product[b], product[a]) })
	rest := slices.Clone(y)
	enough := math.Max(c.Tolerance, 1e-12*mat.Norm(target, 2))
	var basis [][]float64 // an orthonormal basis of the chosen atoms
	for _, a := range order {
		if len(index) == most || mat.Norm(mat.NewVecDense(n, rest), 2) <= enough {
			break
		}
		q := slices.Clone(d.Atom(int(a)))
		for range 2 { // once leaves rounding errors, twice is enough (Gram-Schmidt)
			for _, b := range basis {
				subtract(q, b)
			}
		}
		length := mat.Norm(mat.NewVecDense(n, q), 2)
		if length < 1e-9*d.Norm(int(a)) {
			continue // the atom is a combination of the atoms chosen
		}
		for i := range q {
			q[i] /= length
		}
		basis, index = append(basis, q), append(index, a)
		subtract(rest, q)
	}
	if len(index) == 0 {
		return nil, nil
	}
	slices.Sort(index)
	chosen := mat.NewDense(n, len(index), nil)
	for i, a := range index {
		chosen.SetCol(i, d.Atom(int(a)))
	}
	var x mat.Dense
	if err := x.Solve(chosen, target); err != nil {
		if _, warning := err.(mat.Condition); !warning {
			return nil, nil
		}
	}
	for i := range index {
		value = append(value, x.At(i, 0))
	}
	return index, value
}

// subtract removes from v its component in the direction q, which has length 1.
func subtract(v, q []float64) {
	sum := 0.0
	for i := range v {
		sum += v[i] * q[i]
	}
	for i := range v {
		v[i] -= sum * q[i]
	}
}
