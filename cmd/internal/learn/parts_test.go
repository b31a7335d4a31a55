package learn

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners"
)

// Every learner learns from a file in parts, from either order of it: the error of signals held out falls.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	y, few := mat.NewDense(8, 4000, nil), sparseSignals()
	for j := range 4000 {
		y.SetCol(j, mat.Col(nil, j*37%120, few))
	}
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	consoletest.PutMatrix(t, filepath.Join(dir, "T.npy"), y.T())
	for _, learner := range []string{"online", "ksvd", "rop"} {
		args := []string{"learn", "--learner", learner, "--atoms", "12", "--sparsity", "2", "--parts", "1000", "-q",
			"--on-exist", "overwrite", "--trace", "t.csv", "-o", "D.npy", "--iterations", "5"}
		learned := func(more ...string) string {
			t.Helper()
			if _, stderr, code := call(t, dir, "", append(args, more...)...); code != 0 {
				t.Fatalf("%s %v: exit %d, %s", learner, more, code, stderr)
			}
			return string(must.Get(os.ReadFile(filepath.Join(dir, "D.npy")))(t))
		}
		want := learned("Y.npy")
		trace := strings.Split(string(must.Get(os.ReadFile(filepath.Join(dir, "t.csv")))(t)), "\n")
		if len(trace) != 1+4+1 {
			t.Fatalf("%s: %d lines of trace, expected a head, four parts and the end", learner, len(trace))
		}
		rmse := func(line int) float64 {
			return must.Get(strconv.ParseFloat(strings.Split(trace[line], ",")[1], 64))(t)
		}
		if rmse(4) > 0.9*rmse(1) {
			t.Errorf("%s: RMSE %g of the first part, %g of the last", learner, rmse(1), rmse(4))
		}
		if learned("--transpose", "T.npy") != want || learned("--resume", "Y.npy") != want {
			t.Errorf("%s: other bytes by --transpose, or by --resume with nothing kept", learner)
		}
		if _, err := os.Stat(filepath.Join(dir, "D.npy.resume")); err == nil {
			t.Errorf("%s: D.npy.resume is left", learner)
		}
	}
	program.RefusesLines(t, dir, "learn", []consoletest.RefusedLine{
		{"Y.npy -o new.npy --resume", 2, "--resume is for --parts"},
		{"Y.npy -o new.npy --parts 10", 2, "at least 1000"},
		{"Y.npy -o new.npy --parts 1000 --codes X.npz", 2, "leave out --codes"},
		{"- -o new.npy --parts 1000", 2, "name both files"},
	})
}

// A run that goes on from what was kept gives the same bits as one that never ended, and does not begin with what was
// kept of other settings, or is damaged.
func TestKept(t *testing.T) {
	name := filepath.Join(t.TempDir(), "D.npy.resume")
	y := sparseSignals()
	for _, spec := range []string{"online", "mod"} {
		l := must.Get(learners.New(spec))(t)
		k := &kept{name: name, mode: 0o600, about: "these settings"}
		learn := func(k *kept, parts int) {
			for range parts {
				step, err := learners.LearnPart(t.Context(), l, y, learners.Options{Atoms: 12, Iterations: 3, Seed: 1},
					&k.past)
				must.Succeed(t, err)
				k.steps = append(k.steps, step)
			}
		}
		learn(k, 2)
		must.Succeed(t, k.write(0))
		on := &kept{name: name, about: k.about}
		must.Succeed(t, on.read(8, 12))
		learn(k, 2)
		learn(on, 2)
		if on.past.Parts != 4 || !mat.Equal(k.past.Dictionary.Matrix(), on.past.Dictionary.Matrix()) ||
			math.Float64bits(on.steps[3].RMSE) != math.Float64bits(k.steps[3].RMSE) || on.steps[1].RMSE !=
			k.steps[1].RMSE {
			t.Errorf("%s: another dictionary or error after going on", spec)
		}
	}
	if err := (&kept{name: name, about: "others"}).read(8, 12); err == nil || !strings.Contains(err.Error(),
		"other settings") {
		t.Errorf("with other settings: %v", err)
	}
	consoletest.Put(t, name, []byte("PK\x03\x04 damaged"))
	if err := (&kept{name: name}).read(8, 12); err == nil {
		t.Error("read a damaged file")
	}
}
