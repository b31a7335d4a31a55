package learners

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// InOrder is BLOTLESS with blocks of consecutive atoms.
type InOrder struct{ BLOTLESS }

// Learn implements Learner.
func (l InOrder) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	return alternate(ctx, y, opt, l.Keep, func(ctx context.Context, p *problem) error {
		return l.update(ctx, p, upTo(p.k))
	})
}

// LoadSteps returns the matrices of an independent NumPy program by their names: a problem, (M,K,S,N) = (6,8,2,30), and
// what one step of each learner makes of it.
func LoadSteps(t *testing.T) map[string]*mat.Dense {
	t.Helper()
	var raw map[string]json.RawMessage
	must.Succeed(t, json.Unmarshal(must.Get(os.ReadFile("testdata/steps.json"))(t), &raw))
	out := map[string]*mat.Dense{}
	for name, part := range raw {
		var rows [][]float64
		if json.Unmarshal(part, &rows) != nil {
			continue // a size
		}
		m := mat.NewDense(len(rows), len(rows[0]), nil)
		for i, row := range rows {
			m.SetRow(i, row)
		}
		out[name] = m
	}
	return out
}

// newProblem returns the problem that an update of d gets.
func newProblem(y *mat.Dense, d *sparse.Dictionary, codes *sparse.Codes) *problem {
	m, n := y.Dims()
	p := &problem{m: m, n: n, k: codes.Atoms, signals: columns(y), residual: make([]float64, m*n), iteration: 1,
		iterations: 1}
	p.load(d, codes)
	return p
}
