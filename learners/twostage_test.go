package learners_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/sparse"
)

func TestMOD(t *testing.T)             { learnertest.Run(t, learners.MOD{}) }
func TestKSVD(t *testing.T)            { learnertest.Run(t, learners.KSVD{}) }
func TestROP(t *testing.T)             { learnertest.Run(t, learners.ROP{}) }
func TestApproximateKSVD(t *testing.T) { learnertest.Run(t, learners.KSVD{Approximate: true}) }

// load reads the matrices of an independent NumPy program.
func load(t *testing.T) map[string]*mat.Dense {
	t.Helper()
	text := learners.Must(os.ReadFile("testdata/steps.json"))(t)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
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

// One coding and one update reproduce an independent NumPy program (M, K, S, N = 6, 8, 2, 30) to 1e-9; the signs of
// its K-SVD atoms are arbitrary.
func TestOneStepAgainstAnotherProgram(t *testing.T) {
	f := load(t)
	start := learners.Must(sparse.NewDictionary(f["D"]))(t)
	omp := sparse.OMP{Sparsity: 2}
	x := learners.Must(omp.Code(context.Background(), start, f["Y"]))(t)
	if !mat.EqualApprox(x.Dense(), f["omp_X"], 1e-9) {
		t.Error("OMP differs")
	}
	for name, l := range map[string]learners.Learner{"mod": learners.MOD{}, "ksvd": learners.KSVD{}} {
		r := learners.Must(l.Learn(context.Background(), f["Y"],
			learners.Options{Init: start, Coder: omp, Iterations: 1}))(t)
		d, codes := r.Dictionary.Matrix(), r.Codes.Dense()
		for k := range 8 {
			a, b := d.ColView(k).(*mat.VecDense), f[name+"_D"].ColView(k)
			if mat.Dot(a, b) < 0 {
				a.ScaleVec(-1, a)
				row := codes.RowView(k).(*mat.VecDense)
				row.ScaleVec(-1, row)
			}
		}
		if !mat.EqualApprox(d, f[name+"_D"], 1e-9) || !mat.EqualApprox(codes, f[name+"_X"], 1e-9) {
			t.Errorf("%s differs", name)
		}
	}
}

// Neither update raises ‖Y − DX‖ on a fixed support.
func TestUpdatesLowerTheResidual(t *testing.T) {
	y := learnertest.Planted(10, 24, 3, 300, 4)
	start := learners.Must(learners.Start(y, 24, 1))(t)
	coder := sparse.OMP{Sparsity: 3}
	x := learners.Must(coder.Code(context.Background(), start, y))(t)
	var rest mat.Dense
	rest.Sub(y, x.Rebuild(start))
	before := mat.Norm(&rest, 2) / math.Sqrt(3000)
	for name, l := range map[string]learners.Learner{"mod": learners.MOD{}, "ksvd": learners.KSVD{},
		"approximate": learners.KSVD{Approximate: true}} {
		r := learners.Must(l.Learn(context.Background(), y,
			learners.Options{Init: start, Coder: coder, Iterations: 1}))(t)
		if after := r.Steps[0].RMSE; after > before*(1-1e-3) {
			t.Errorf("%s: RMSE %g before the update, %g after", name, before, after)
		}
	}
}

// A planted orthonormal basis with 1-sparse signals is found exactly.
func TestPlantedBasisIsFound(t *testing.T) {
	y := mat.NewDense(4, 40, nil)
	for j := range 40 {
		y.Set(j%4, j, float64(j+1)*math.Pow(-1, float64(j)))
	}
	for _, spec := range []string{"mod", "ksvd", "ksvd:exact=false"} {
		l := learners.Must(learners.New(spec))(t)
		r := learners.Must(l.Learn(context.Background(), y,
			learners.Options{Atoms: 4, Seed: 2, Coder: sparse.OMP{Sparsity: 1}}))(t)
		if r.Stop != learners.Exact {
			t.Errorf("%s: %s at RMSE %g", spec, r.Stop, r.Steps[len(r.Steps)-1].RMSE)
		}
	}
}

// Atoms that nothing uses are replaced, and counted.
func TestUnusedAtomsAreReplaced(t *testing.T) {
	y := learnertest.Planted(6, 10, 2, 80, 9)
	far := mat.NewDense(6, 10, nil)
	for k := range 10 { // ten copies of one atom: nine are never chosen
		far.Set(0, k, 1)
	}
	start := learners.Must(sparse.NewDictionary(far))(t)
	r := learners.Must(learners.MOD{}.Learn(context.Background(), y,
		learners.Options{Init: start, Iterations: 30, Coder: sparse.OMP{Sparsity: 2}}))(t)
	if r.Steps[0].Replaced != 9 || len(r.Warnings) != 0 {
		t.Errorf("replaced %d in the first step, warnings %v", r.Steps[0].Replaced, r.Warnings)
	}
}

func ExampleNew() {
	learner, err := learners.New("ksvd:exact=false")
	fmt.Printf("%+v %v\n", learner, err)
	_, err = learners.New("ksvd:exat=false")
	fmt.Println(err)
	// Output:
	// &{Approximate:true} <nil>
	// unknown learner ksvd: parameter "exat"; did you mean "exact"? (known: exact)
}
