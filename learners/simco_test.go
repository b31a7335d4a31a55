package learners_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/sparse"
)

func TestSimCO(t *testing.T)            { learnertest.Run(t, learners.SimCO{}) }
func TestRegularisedSimCO(t *testing.T) { learnertest.Run(t, learners.SimCO{Mu: 0.1, Steps: 2}) }

// knownSupport is a coder that returns the given supports, with ones for coefficients.
type knownSupport [][]int32

func (s knownSupport) Code(_ context.Context, d *sparse.Dictionary, _ *mat.Dense) (*sparse.Codes, error) {
	_, k := d.Dims()
	codes := &sparse.Codes{Atoms: k, Start: []int{0}}
	for _, support := range s {
		codes.Index = append(codes.Index, support...)
		codes.Start = append(codes.Start, len(codes.Index))
	}
	codes.Value = slices.Repeat([]float64{1}, len(codes.Index))
	return codes, nil
}

// plantedSupport returns signals, the dictionary they were made of, where their codes are not zero, and a Gaussian
// dictionary to begin with.
func plantedSupport(m, k, s, n int, seed uint64) (y, truth *mat.Dense, support knownSupport, start *sparse.Dictionary) {
	rng := rand.New(rand.NewPCG(seed, 2))
	gaussian := func() *mat.Dense {
		d := mat.NewDense(m, k, nil)
		d.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d)
		for j := range k {
			col := d.ColView(j).(*mat.VecDense)
			col.ScaleVec(1/mat.Norm(col, 2), col)
		}
		return d
	}
	truth, x := gaussian(), mat.NewDense(k, n, nil)
	for j := range n {
		var atoms []int32
		for _, i := range rng.Perm(k)[:s] {
			atoms = append(atoms, int32(i))
			x.Set(i, j, rng.NormFloat64())
		}
		slices.Sort(atoms)
		support = append(support, atoms)
	}
	y = new(mat.Dense)
	y.Mul(truth, x)
	start, _ = sparse.NewDictionary(gaussian())
	return y, truth, support, start
}

// Where the support is known, regularised SimCO finds the dictionary to rounding error from any start; atom k of the
// one is atom k of the other.
func TestSimCOOnAKnownSupport(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for _, size := range []struct{ m, k, s, n int }{{16, 16, 3, 100}, {16, 32, 3, 400}} {
		for _, mu := range []float64{0.1, 4} {
			for seed := range uint64(2) {
				y, truth, support, start := plantedSupport(size.m, size.k, size.s, size.n, seed)
				r := learners.Must(learners.SimCO{Mu: mu}.Learn(context.Background(), y,
					learners.Options{Init: start, Coder: support, Iterations: 300}))(t)
				miss := 0.0
				for k := range size.k {
					miss += (1 - math.Abs(mat.Dot(truth.ColView(k),
						mat.NewVecDense(size.m, r.Dictionary.Atom(k))))) / float64(size.k)
				}
				if miss > 1e-9 {
					t.Errorf("%v, mu %g, seed %d: error %g, %s after %d", size, mu, seed, miss, r.Stop, len(r.Steps))
				}
			}
		}
	}
}

// While μ is not zero nothing but a zero residual ends the iterations.
func TestSimCOIsRegularisedForHalfOfTheIterations(t *testing.T) {
	y := learnertest.Planted(4, 3, 3, 30, 3)
	opt := learners.Options{Atoms: 3, Iterations: 400, Coder: sparse.OMP{Sparsity: 1}}
	for mu, least := range map[float64]int{0: 1, 0.1: 201} {
		r := learners.Must(learners.SimCO{Mu: mu}.Learn(context.Background(), y, opt))(t)
		if len(r.Steps) < least || len(r.Steps) >= least+150 || r.Stop == learners.IterationLimit {
			t.Errorf("mu %g: %s after %d", mu, r.Stop, len(r.Steps))
		}
	}
}
