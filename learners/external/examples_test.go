package external_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/external"
	"superres/learners/learnertest"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// python returns the command of a Python that has the given package, or skips the test.
func python(t *testing.T, has string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3", "python"} {
		if exec.CommandContext(t.Context(), name, "-c", "import "+has).Run() == nil {
			return name
		}
	}
	t.Skipf("no Python with %s here", has)
	return ""
}

// learnBy runs one of the examples on a planted problem, twice by one process, and returns what it learned. Its error
// is to be so much of that of the first dictionary at most.
func learnBy(t *testing.T, command string, iterations int, most float64) *sparse.Dictionary {
	t.Helper()
	ownTemp(t)
	unset(t, "PYTHONUNBUFFERED") // they flush themselves
	p := must.Get(planted.New(planted.Panel{M: 16, K: 20, S: 2}, 300, 0, 1, 0))(t)
	ctx, end := external.Keep(t.Context())
	defer end()
	l := &external.Learner{Program: external.Program{Command: command, Limit: 2 * time.Minute}}
	var last *learners.Result
	for range 2 {
		opt := learners.Options{Atoms: 20, Iterations: iterations, Coder: sparse.OMP{Sparsity: 2}, Seed: 1}
		r := must.Get(l.Learn(ctx, p.Y, opt))(t)
		if last != nil && !mat.Equal(last.Dictionary.Matrix(), r.Dictionary.Matrix()) {
			t.Error("the same problem has two answers")
		}
		last = r
	}
	if n := external.Running(ctx); n != 1 {
		t.Errorf("%d programs for one problem at a time", n)
	}
	learnertest.Check(t, last, p.Y, 20)
	found := must.Get(planted.Measure(last.Dictionary, p.Dictionary))(t)
	start := must.Get(learners.Start(p.Y, 20, 1))(t)
	first, err := planted.Measure(start, p.Dictionary)
	if err != nil || found.Assigned > most*first.Assigned {
		t.Errorf("error %.4f, that of the first dictionary is %.4f, %v", found.Assigned, first.Assigned, err)
	}
	return last.Dictionary
}

func example(t *testing.T, name string) string {
	t.Helper()
	path := must.Get(filepath.Abs(filepath.Join("../../testdata/external", name)))(t)
	return `"` + path + `"`
}

// The example programs of testdata/external work, and learn the same.
func TestExamples(t *testing.T) {
	byPython := learnBy(t, python(t, "numpy")+" "+example(t, "mine.py"), 100, 0.8)
	t.Run("octave", func(t *testing.T) {
		octave, err := exec.LookPath("octave-cli")
		if errors.Is(err, exec.ErrNotFound) {
			t.Skip("no GNU Octave here")
		}
		byOctave := learnBy(t, octave+" --quiet "+example(t, "mine.m"), 100, 0.8)
		if !mat.EqualApprox(byPython.Matrix(), byOctave.Matrix(), 1e-6) {
			t.Error("mine.m and mine.py learn different dictionaries")
		}
	})
}

// The plain ROP of testdata/external finds what rop:paper finds, from nearly the same start.
func TestROPPeer(t *testing.T) {
	ownTemp(t)
	p := must.Get(planted.New(planted.Panel{M: 8, K: 12, S: 2}, 150, 0, 1, 0))(t)
	o := learners.Options{Atoms: 12, Iterations: 300, Coder: sparse.OMP{Sparsity: 2}, Seed: 1}
	program := external.Program{Command: python(t, "numpy") + " " + example(t, "rop_peer.py"), Limit: 2 * time.Minute}
	for _, l := range []learners.Learner{learners.ROP{Paper: true}, &external.Learner{Program: program}} {
		ctx, end := external.Keep(t.Context())
		r := must.Get(l.Learn(ctx, p.Y, o))(t)
		end()
		if found := must.Get(planted.Measure(r.Dictionary, p.Dictionary))(t); found.Assigned > 0.01 {
			t.Errorf("%T: error %.4f", l, found.Assigned)
		}
	}
}

// The benchmark of testdata/benchopt does what benchopt asks of it, with the solvers that are here.
func TestBenchopt(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs solvers for some seconds")
	}
	check := must.Get(filepath.Abs("../../testdata/benchopt/check.py"))(t)
	out, err := exec.CommandContext(t.Context(), python(t, "scipy.optimize"), check).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The peers of scikit-learn come nearer to planted atoms.
func TestScikitLearn(t *testing.T) {
	command := python(t, "sklearn.decomposition") + " " + example(t, "sklearn_peer.py")
	for which, most := range map[string]float64{"online": 0.9, "batch": 0.8} {
		t.Run(which, func(t *testing.T) { learnBy(t, command+" "+which, 5, most) })
	}
}
