package learn

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners/sparse"
)

// With --iterations 0 the codes are those of the coder over the given dictionary, whose atoms need not have length 1,
// and the same for a signal alone.
func TestCoding(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	atoms := mat.DenseCopyOf(y.Slice(0, 8, 0, 12))
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	consoletest.PutMatrix(t, filepath.Join(dir, "one.npy"), y.Slice(0, 8, 30, 31))
	consoletest.PutMatrix(t, filepath.Join(dir, "D.npy"), atoms)
	for _, spec := range []string{"omp:sparsity=2", "lasso:lambda=0.3", "mp:sparsity=3"} {
		stdout, stderr := program.Succeeds(t, dir, "learn", "--init", "D.npy", "--iterations", "0", "--coder", spec,
			"--codes", "X.npy", "--on-exist", "overwrite", "--json", "-q", "Y.npy")
		sum := consoletest.Decode[summary](t, stdout)
		d := must.Get(sparse.NewDictionary(atoms))(t)
		want := must.Get(must.Get(sparse.New(spec))(t).Code(t.Context(), d, y))(t)
		got := consoletest.OpenMatrix(t, filepath.Join(dir, "X.npy"))
		if !mat.Equal(got, want.Dense()) {
			t.Errorf("%s: the codes are not those of the coder", spec)
		}
		var rest mat.Dense
		rest.Sub(y, want.Rebuild(d))
		if rmse := mat.Norm(&rest, 2) / math.Sqrt(960); math.Abs(rmse-sum.RMSE) > 1e-9 || sum.Coder != spec ||
			stderr != "" || sum.Dictionary != "D.npy" || sum.Learner != "" ||
			sum.NonZeros != float64(len(want.Index))/120 {
			t.Errorf("%s: RMSE %g, %s", spec, rmse, stdout)
		}
		consoletest.Put(t, filepath.Join(dir, "x.csv"), nil)
		program.Succeeds(t, dir, "learn", "--init", "D.npy", "--iterations", "0", "--coder", spec, "--codes", "x.csv",
			"--on-exist", "overwrite", "one.npy")
		if one := consoletest.OpenMatrix(t, filepath.Join(dir, "x.csv")); !mat.Equal(one, got.Slice(0, 12, 30, 31)) {
			t.Errorf("%s: a signal alone has another code", spec)
		}
	}
}
