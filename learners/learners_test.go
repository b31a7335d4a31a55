package learners_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/planted"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// learn returns the result of a learner, and ends the test if there is an error.
func learn(t *testing.T, l learners.Learner, y *mat.Dense, opt learners.Options) *learners.Result {
	t.Helper()
	return must.Get(l.Learn(context.Background(), y, opt))(t)
}

func TestLearners(t *testing.T) {
	for name, l := range map[string]learners.Learner{
		"mod": learners.MOD{}, "ksvd": learners.KSVD{}, "approximate ksvd": learners.KSVD{Approximate: true},
		"rop": learners.ROP{}, "paper's rop": learners.ROP{Paper: true, Penalty: 100},
		"online": learners.Online{}, "blotless": learners.BLOTLESS{},
		"plain blotless": learners.BLOTLESS{Plain: true}, "simco": learners.SimCO{},
		"lasso":             learners.Lasso{},
		"regularised simco": learners.SimCO{Mu: 0.1, Steps: 2},
	} {
		t.Run(name, func(t *testing.T) { learnertest.Run(t, l) })
	}
}

// One coding and one update reproduce an independent NumPy program to 1e-9. Its BLOTLESS takes consecutive blocks and
// inverts V2. The signs of its atoms are arbitrary.
func TestOneStepAgainstAnotherProgram(t *testing.T) {
	f := learners.LoadSteps(t)
	start := must.Get(sparse.NewDictionary(f["D"]))(t)
	omp := sparse.OMP{Sparsity: 2}
	if x := sparsetest.Code(t, omp, start, f["Y"]); !mat.EqualApprox(x.Dense(), f["omp_X"], 1e-9) {
		t.Error("OMP differs")
	}
	for name, l := range map[string]learners.Learner{
		"mod": learners.MOD{}, "ksvd": learners.KSVD{},
		"blotless_inner1": inOrder(1), "blotless_inner5": inOrder(5), "blotless_inner20": inOrder(20),
	} {
		r := learn(t, l, f["Y"], learners.Options{Init: start, Coder: omp, Iterations: 1})
		d, codes := r.Dictionary.Matrix(), r.Codes.Dense()
		for k := range 8 {
			atom := d.ColView(k).(*mat.VecDense)
			if mat.Dot(atom, f[name+"_D"].ColView(k)) < 0 {
				atom.ScaleVec(-1, atom)
				row := codes.RowView(k).(*mat.VecDense)
				row.ScaleVec(-1, row)
			}
		}
		if !mat.EqualApprox(d, f[name+"_D"], 1e-9) || !mat.EqualApprox(codes, f[name+"_X"], 1e-9) {
			t.Errorf("%s differs", name)
		}
	}
}

func inOrder(inner int) learners.Learner {
	return learners.InOrder{BLOTLESS: learners.BLOTLESS{Inner: inner, Plain: true}}
}

// A planted orthonormal basis with 1-sparse signals is found exactly, by online learning in batches of any size.
func TestPlantedBasisIsFound(t *testing.T) {
	y := mat.NewDense(4, 40, nil)
	for j := range 40 {
		y.Set(j%4, j, float64(j+1)*math.Pow(-1, float64(j)))
	}
	for _, spec := range []string{"mod", "ksvd", "ksvd:exact=false", "online", "online:batch=7", "online:batch=1"} {
		l := must.Get(learners.New(spec))(t)
		r := learn(t, l, y, learners.Options{Atoms: 4, Seed: 2, Coder: sparse.OMP{Sparsity: 1}})
		if r.Stop != learners.Exact {
			t.Errorf("%s: %s at RMSE %g", spec, r.Stop, r.Steps[len(r.Steps)-1].RMSE)
		}
	}
}

// Small batches are drawn by the seed alone, and the result has the codes that the coder gives over its dictionary.
func TestOnlineBatches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	y := learnertest.Planted(8, 12, 2, 90, 1)
	coder := sparse.OMP{Sparsity: 2}
	learn := func(procs int, seed uint64) *learners.Result {
		runtime.GOMAXPROCS(procs)
		opt := learners.Options{Atoms: 12, Iterations: 6, Coder: coder, Seed: seed}
		return learn(t, learners.Online{Batch: 16}, y, opt)
	}
	a, b, c := learn(1, 3), learn(8, 3), learn(1, 4)
	if !mat.Equal(a.Dictionary.Matrix(), b.Dictionary.Matrix()) || !reflect.DeepEqual(a.Codes, b.Codes) {
		t.Error("8 workers give another result than 1")
	}
	if mat.Equal(a.Dictionary.Matrix(), c.Dictionary.Matrix()) {
		t.Error("another seed gives the same result")
	}
	if codes := sparsetest.Code(t, coder, a.Dictionary, y); !mat.EqualApprox(codes.Dense(), a.Codes.Dense(), 1e-12) {
		t.Error("coding again gives other codes")
	}
}

// knownSupport is a coder that returns given codes.
type knownSupport struct{ codes *sparse.Codes }

func (s knownSupport) Code(context.Context, *sparse.Dictionary, *mat.Dense) (*sparse.Codes, error) {
	codes := *s.codes
	codes.Value = slices.Repeat([]float64{1}, len(codes.Index))
	return &codes, nil
}

// Where the support is known, regularised SimCO finds the dictionary to rounding error; atom k of the one is atom k of
// the other.
func TestSimCOOnAKnownSupport(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for n, panel := range map[int]planted.Panel{100: {M: 16, K: 16, S: 3}, 400: {M: 16, K: 32, S: 3}} {
		p := must.Get(planted.New(panel, n, 0, 1, 0))(t)
		other := must.Get(planted.New(panel, n, 0, 2, 0))(t)
		opt := learners.Options{Init: other.Dictionary, Coder: knownSupport{p.Codes}, Iterations: 300}
		for _, mu := range []float64{0.1, 4} {
			r := learn(t, learners.SimCO{Mu: mu, Keep: true}, p.Y, opt)
			miss := 0.0
			for k := range panel.K {
				truth, got := mat.NewVecDense(16, p.Dictionary.Atom(k)), mat.NewVecDense(16, r.Dictionary.Atom(k))
				miss += (1 - math.Abs(mat.Dot(truth, got))) / float64(panel.K)
			}
			if miss > 1e-9 {
				t.Errorf("%v, mu %g: error %g, %s after %d", panel, mu, miss, r.Stop, len(r.Steps))
			}
		}
	}
}

// While μ is not zero nothing but a zero residual ends the iterations.
func TestSimCOIsRegularisedForHalfOfTheIterations(t *testing.T) {
	y := learnertest.Planted(4, 3, 3, 30, 3)
	opt := learners.Options{Atoms: 3, Iterations: 400, Coder: sparse.OMP{Sparsity: 1}}
	for mu, least := range map[float64]int{0: 1, 0.1: 201} {
		r := learn(t, learners.SimCO{Mu: mu}, y, opt)
		if len(r.Steps) < least || len(r.Steps) >= least+150 || r.Stop == learners.IterationLimit {
			t.Errorf("mu %g: %s after %d", mu, r.Stop, len(r.Steps))
		}
	}
}

// problem returns a planted problem with n signals.
func problem(t *testing.T, p planted.Panel, n int) *planted.Problem {
	t.Helper()
	return must.Get(planted.New(p, n, 0, 5, 0))(t)
}

// recovered returns the error and the share of the true atoms that a learner finds.
func recovered(t *testing.T, l learners.Learner, p *planted.Problem, o learners.Options) planted.Recovery {
	t.Helper()
	return must.Get(planted.Measure(learn(t, l, p.Y, o).Dictionary, p.Dictionary))(t)
}

// The lasso finds a planted dictionary without the sparsity, whatever coder it is given; its objective at the end has
// the last weight, and a larger last weight leaves fewer non-zeros.
func TestLassoLearner(t *testing.T) {
	p := problem(t, planted.Panel{M: 16, K: 24, S: 2}, 400)
	o := learners.Options{Atoms: 24, Iterations: 200, Coder: sparse.OMP{Sparsity: 7}}
	if got := recovered(t, learners.Lasso{}, p, o); got.Recovered < 0.9 {
		t.Errorf("%+v", got)
	}
	few, many := learn(t, learners.Lasso{Lambda: 0.2}, p.Y, o), learn(t, learners.Lasso{Lambda: 0.001}, p.Y, o)
	if a, b := last(few).NonZeros, last(many).NonZeros; a >= b {
		t.Errorf("lambda 0.2 has %g non-zeros, 0.001 has %g", a, b)
	}
	for _, l := range []learners.Lasso{{Lambda: 1}, {Lambda: -1}, {First: 0.001}, {Lambda: math.NaN()}} {
		if err := l.Check(); !errors.Is(err, plugin.ErrSettings) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// last returns the last step of a result.
func last(r *learners.Result) learners.Step { return r.Steps[len(r.Steps)-1] }
