package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Coder is a sparse coder that runs an external program.
type Coder struct {
	Program
	// Sparsity is the largest number of non-zeros in a code; larger codes are refused. The default, 0, is no limit.
	Sparsity int
	// Tolerance is the residual norm at which coding of a signal may end. Only the program uses it. 0: none is given.
	Tolerance float64
}

// Check returns an error for invalid parameters, and for a program that does not exist.
func (c *Coder) Check() error {
	limits := map[string]float64{"sparsity": float64(c.Sparsity), "tolerance": c.Tolerance}
	return cmp.Or(plugin.CheckNumbers("external", limits), c.Program.Check())
}

func (c *Coder) MostNonZeros() int { return c.Sparsity }

// Code implements sparse.Coder. The program itself must make sure that a code does not depend on other signals.
func (c *Coder) Code(ctx context.Context, d *sparse.Dictionary, y *mat.Dense) (*sparse.Codes, error) {
	m, k := d.Dims()
	if err := checkSignals(y, m); err != nil {
		return nil, err
	}
	if c.Sparsity > k {
		return nil, plugin.Errorf("external: sparsity %d is more than the %d atoms", c.Sparsity, k)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, n := y.Dims()
	answer, done, err := c.solve(ctx, statement{
		Task: "code", Entries: m, Signals: n, Atoms: k, Sparsity: c.Sparsity, Tolerance: c.Tolerance,
	}, map[string]*mat.Dense{signalsFile: y, atomsFile: d.Matrix()})
	defer done()
	if err != nil {
		return nil, err
	}
	codes, err := answer.readCodes(k, n, nil)
	switch {
	case err != nil:
		return nil, err
	case codes == nil:
		return nil, answer.failMissing()
	}
	answer.accept()
	return codes, nil
}

// checkSignals refuses an empty matrix of signals, signals without m entries, and signals whose squares are not finite.
func checkSignals(y *mat.Dense, m int) error {
	if y.IsEmpty() {
		return errors.New("external: there are no signals")
	}
	rows, n := y.Dims()
	if rows != m {
		return fmt.Errorf("external: signals of %d entries, the atoms have %d", rows, m)
	}
	for j := range n {
		sum := 0.0
		for i := range m {
			sum += y.At(i, j) * y.At(i, j)
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("external: signal %d is not finite, or too large to square", j)
		}
	}
	return nil
}
