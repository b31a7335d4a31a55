package planted_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/parallel"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

func problem(t *testing.T, noise float64, seed uint64, trial int) *planted.Problem {
	t.Helper()
	return must.Get(planted.New(planted.Panel{M: 8, K: 12, S: 3}, 4000, noise, seed, trial))(t)
}

func TestNewIsThePapersModel(t *testing.T) {
	p := problem(t, 0, 1, 0)
	must.Succeed(t, p.Codes.Check())
	if !mat.EqualApprox(p.Y, p.Codes.Rebuild(p.Dictionary), 1e-12) {
		t.Error("Y is not D·X")
	}
	for k, count := range p.Codes.Usage() { // 4000·3/12 each
		if math.Abs(float64(count)-1000) > 120 {
			t.Errorf("atom %d is used %d times, expected about 1000", k, count)
		}
		if math.Abs(p.Dictionary.Norm(k)-1) > 1e-12 {
			t.Errorf("atom %d has length %g", k, p.Dictionary.Norm(k))
		}
	}
	sum, square := 0.0, 0.0
	for j := range 4000 {
		if index, _ := p.Codes.Column(j); len(index) != 3 {
			t.Fatalf("signal %d has %d non-zeros", j, len(index))
		}
	}
	for _, v := range p.Codes.Value {
		sum, square = sum+v/12000, square+v*v/12000
	}
	if math.Abs(sum) > 0.04 || math.Abs(square-1) > 0.06 {
		t.Errorf("values have mean %g and mean square %g", sum, square)
	}
}

func TestNoiseIsAddedToTheSameProblem(t *testing.T) {
	clean, noisy := problem(t, 0, 1, 0), problem(t, 0.1, 1, 0)
	if !mat.Equal(clean.Dictionary.Matrix(), noisy.Dictionary.Matrix()) {
		t.Error("another dictionary")
	}
	var e mat.Dense
	e.Sub(noisy.Y, clean.Y)
	if got := mat.Norm(&e, 2) / mat.Norm(clean.Y, 2); math.Abs(got-0.1) > 0.003 {
		t.Errorf("noise of %g of the signal, asked for 0.1", got)
	}
	for name, other := range map[string]*planted.Problem{"seed": problem(t, 0, 2, 0), "trial": problem(t, 0, 1, 1)} {
		if mat.EqualApprox(other.Y, clean.Y, 0.1) {
			t.Errorf("another %s gives the same problem", name)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		p     planted.Panel
		n     int
		noise float64
	}{
		{planted.Panel{M: 0, K: 2, S: 1}, 5, 0}, {planted.Panel{M: 3, K: 2, S: 3}, 5, 0},
		{planted.Panel{M: 3, K: 2, S: 0}, 5, 0},
		{planted.Panel{M: 3, K: 2, S: 1}, 0, 0}, {planted.Panel{M: 3, K: 2, S: 1}, 5, -1},
		{planted.Panel{M: 3, K: 2, S: 1}, 5, math.NaN()},
	} {
		if _, err := planted.New(c.p, c.n, c.noise, 1, 0); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// The errors of a dictionary that an independent NumPy program made and measured.
func TestMeasureAgainstAnotherProgram(t *testing.T) {
	text := must.Get(os.ReadFile("../testdata/steps.json"))(t)
	var f struct {
		D, D0   [][]float64
		InOrder [][]float64 `json:"err_seq"`
		Least   [][]float64 `json:"err_hung"`
	}
	must.Succeed(t, json.Unmarshal(text, &f))
	dictionary := func(rows [][]float64) *sparse.Dictionary {
		m := mat.NewDense(len(rows), len(rows[0]), nil)
		for i, r := range rows {
			m.SetRow(i, r)
		}
		return must.Get(sparse.NewDictionary(m))(t)
	}
	r := must.Get(planted.Measure(dictionary(f.D), dictionary(f.D0)))(t)
	if math.Abs(r.InOrder-f.InOrder[0][0]) > 1e-12 || math.Abs(r.Assigned-f.Least[0][0]) > 1e-12 {
		t.Errorf("%+v, expected %g in order and %g assigned", r, f.InOrder[0][0], f.Least[0][0])
	}
}

func TestMeasureForgivesOrderSignAndLength(t *testing.T) {
	truth := problem(t, 0, 1, 0).Dictionary
	m := truth.Matrix()
	other := mat.NewDense(8, 12, nil)
	for k := range 12 {
		col := mat.Col(nil, k, m)
		for i := range col {
			col[i] *= 1 - 3*float64(k%2)
		}
		other.SetCol((k*5+2)%12, col)
	}
	d := must.Get(sparse.NewDictionary(other))(t)
	r, err := planted.Measure(d, truth)
	if err != nil || r.Assigned > 1e-15 || r.InOrder > 1e-15 || r.Recovered < 1-1e-12 {
		t.Errorf("%+v, %v", r, err)
	}
	// A true atom that is missing has error 1; an atom too many has none.
	fewer, _ := sparse.NewDictionary(other.Slice(0, 8, 0, 11))
	r, err = planted.Measure(fewer, truth)
	if want := 1 / 12.; err != nil || math.Abs(r.Assigned-want) > 1e-12 || math.Abs(r.InOrder-want) > 1e-12 ||
		math.Abs(r.Recovered-11/12.) > 1e-12 {
		t.Errorf("one atom fewer: %+v, %v", r, err)
	}
	var more mat.Dense
	more.Augment(mat.NewDense(8, 1, []float64{1, 0, 0, 0, 0, 0, 0, 0}), other)
	larger, _ := sparse.NewDictionary(&more)
	if r, err = planted.Measure(larger, truth); err != nil || r.Assigned > 1e-15 || r.Recovered < 1-1e-12 {
		t.Errorf("one atom more: %+v, %v", r, err)
	}
	long, _ := sparse.NewDictionary(mat.NewDense(9, 12, nil))
	if _, err := planted.Measure(long, truth); err == nil {
		t.Error("atoms of another length are measured")
	}
}

func tasks() []planted.Task {
	var list []planted.Task
	for _, learner := range []string{"mod", "rop"} {
		for trial := range 3 {
			list = append(list, planted.Task{
				M: 8, K: 12, S: 2, N: 60, Trial: trial, Seed: 5, Learner: learner, Coder: "omp:sparsity=2", Limit: 50,
			})
		}
	}
	return list
}

func TestTrialsAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first map[planted.Task]planted.Trial
	for _, procs := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(procs)
		got := map[planted.Task]planted.Trial{}
		run := func(ctx context.Context, task planted.Task) (planted.Trial, error) { return task.Run(ctx) }
		err := parallel.Each(t.Context(), tasks(), run, func(r planted.Trial) error {
			r.Seconds = 0
			got[r.Task] = r
			return nil
		})
		if err != nil || len(got) != 6 {
			t.Fatalf("%d trials, %v", len(got), err)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(first, got) {
			t.Errorf("%d workers give other numbers", procs)
		}
	}
	for task, r := range first {
		if r.Failure != "" || r.Iterations == 0 || r.Stop == "" || r.Assigned > r.InOrder+1e-12 {
			t.Errorf("%+v: %+v", task, r)
		}
	}
}

func TestTrialTellsFailures(t *testing.T) {
	task := tasks()[0]
	task.Coder = "omp:sparsity=40"
	if r, err := task.Run(t.Context()); err != nil || r.Failure == "" {
		t.Errorf("40 of 12 atoms: %+v, %v", r, err)
	}
	task = tasks()[0]
	task.Learner = "diverging"
	r, err := task.Run(t.Context())
	if err != nil || !strings.Contains(r.Failure, "not finite") {
		t.Errorf("a result that is not finite: %+v, %v", r, err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("its trial cannot be kept: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tasks()[0].Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func init() {
	learners.Register(learners.Info{Name: "diverging",
		New: func(*flag.FlagSet) learners.Learner { return diverging{} }})
}

// diverging is a learner that ends with a residual that is no number.
type diverging struct{ learners.MOD }

func (d diverging) Learn(ctx context.Context, y *mat.Dense, opt learners.Options) (*learners.Result, error) {
	r, err := d.MOD.Learn(ctx, y, opt)
	if err == nil {
		r.Steps[len(r.Steps)-1].RMSE = math.NaN()
	}
	return r, err
}
