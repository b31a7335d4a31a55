package learn

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners/external/externaltest"
)

// sparseSignals returns 120 signals of 8 entries that are each made of 2 among 12 atoms.
func sparseSignals() *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 0))
	atoms := mat.NewDense(8, 12, nil)
	atoms.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, atoms)
	codes := mat.NewDense(12, 120, nil)
	for j := range 120 {
		for _, k := range rng.Perm(12)[:2] {
			codes.Set(k, j, rng.NormFloat64())
		}
	}
	var y mat.Dense
	y.Mul(atoms, codes)
	return &y
}

// The same signals give the same bytes from any format, with any number of workers, to a file and to a pipe.
func TestLearnGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	for _, f := range []string{"Y.npy", "Y.npz", "Y.csv"} {
		consoletest.PutMatrix(t, filepath.Join(dir, f), y)
	}
	consoletest.PutMatrix(t, filepath.Join(dir, "T.csv"), y.T())
	text := must.Get(os.ReadFile(filepath.Join(dir, "Y.csv")))(t)
	consoletest.Put(t, filepath.Join(dir, "other.txt"), []byte("# by hand\n"+strings.ReplaceAll(string(text), ",",
		"  ")))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, learner := range []string{"ksvd", "mod", "rop"} {
		common := []string{"learn", "--learner", learner, "--atoms", "12", "--sparsity", "2", "--iterations", "12",
			"-q", "--on-exist", "overwrite"}
		want, stderr, code := call(t, dir, "", append(common, "Y.npy", "-o", "-")...)
		if code != 0 || len(want) < 8*8*12 || stderr != "" {
			t.Fatalf("%s: exit %d, %d bytes, %s", learner, code, len(want), stderr)
		}
		for _, c := range [][]string{{"Y.npy"}, {"Y.npy", "-j", "1"}, {"Y.npz", "--array", "Y"}, {"Y.csv"},
			{"T.csv", "--transpose"}, {"other.txt"}, {"-"}} {
			stdout, stderr, code := call(t, dir, string(text), append(append(common, c...), "-o", "D.npy")...)
			got, err := os.ReadFile(filepath.Join(dir, "D.npy"))
			if code != 0 || stdout != "" || stderr != "" || err != nil || string(got) != want {
				t.Errorf("%s %v: exit %d, %s%s %v", learner, c, code, stdout, stderr, err)
			}
		}
	}
}

// The outputs agree in every format: the error of D·X is the RMSE in the summary and in the last line of the trace.
func TestLearnOutputs(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	stdout, stderr := program.Succeeds(t, dir, "learn", "Y.npy", "--atoms", "12", "--sparsity", "2", "--json", "-o",
		"D.npy", "--codes", "X.csv", "--trace", "t.csv")
	sum := consoletest.Decode[summary](t, stdout)
	if sum.Entries != 8 || sum.Signals != 120 || sum.Atoms != 12 || sum.Coder != "omp:sparsity=2" ||
		sum.Stop == "" || sum.NonZeros > 2 {
		t.Errorf("%+v", sum)
	}
	for _, want := range []string{"D.npy: 12 atoms by ksvd with omp:sparsity=2 from 8×120 " +
		"data", sum.Stop, fmt.Sprintf("RMSE %.4g", sum.RMSE)} {
		if !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q lacks %q", stderr, want)
		}
	}
	var rest mat.Dense
	rest.Mul(consoletest.OpenMatrix(t, filepath.Join(dir, "D.npy")), consoletest.OpenMatrix(t, filepath.Join(dir,
		"X.csv")))
	rest.Sub(y, &rest)
	if rmse := mat.Norm(&rest, 2) / 31; rmse > sum.RMSE*1.001 || rmse < sum.RMSE*0.998 { // √960 is nearly 31
		t.Errorf("RMSE %g, the summary says %g", rmse, sum.RMSE)
	}
	trace, err := os.ReadFile(filepath.Join(dir, "t.csv"))
	lines := strings.Split(strings.TrimSpace(string(trace)), "\n")
	if err != nil || lines[0] != "iteration,rmse,nonzeros,primal,dual,replaced,seconds" ||
		len(lines) != sum.Iterations+1 ||
		!strings.HasPrefix(lines[sum.Iterations], fmt.Sprintf("%d,%v,", sum.Iterations, sum.RMSE)) {
		t.Errorf("%v %d lines, the last %s", err, len(lines), lines[len(lines)-1])
	}

	// Continued from D, in other formats: the error is no larger, and sparse codes are not read as a matrix.
	program.Ends(t, dir, 0, "12 atoms", "learn", "Y.npy", "--init", "D.npy", "--sparsity", "2", "-o", "D2.npz",
		"--codes", "X2.npz")
	if r, c := consoletest.OpenMatrix(t, filepath.Join(dir, "D2.npz")).Dims(); r != 8 || c != 12 {
		t.Errorf("D2 is %d×%d", r, c)
	}
	program.Ends(t, dir, 4, "is a sparse matrix of scipy", "learn", "Y.npy", "--init", "X2.npz", "-o", "D3.csv")
}

// The defaults also fit small and unusual data.
func TestLearnSmall(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		args []string
		want string
	}{
		"one signal":        {"1\n2\n3\n", nil, "1 atom by ksvd with omp:sparsity=1 from 3×1 data"},
		"one entry":         {"1 2 -3 4", nil, "2 atoms by ksvd with omp:sparsity=2 from 1×4 data"},
		"one number":        {"7", nil, "1 atom"},
		"twice the entries": {"2 1 3 4 5 6 7\n6 7 5 3 4 2 1", nil, "4 atoms"},
		"more than signals": {"1 2\n3 5", []string{"--atoms", "5"}, "3 of 5 atoms are used by no training signal"},
		"one atom":          {"1 2\n3 5", []string{"--atoms", "1"}, "1 atom by ksvd with omp:sparsity=1"},
		"more than entries": {"2 1 3 4\n3 4 2 2", []string{"--sparsity", "4"}, "4 atoms"},
		"a coder's own": {"2 1 3 4\n3 4 2 2", []string{"--coder", "omp:tolerance=0.1", "--sparsity", "0"},
			"with omp:tolerance=0.1"},
		"spec first": {"2 1 3 4\n3 4 2 2", []string{"--coder", "omp:sparsity=1", "--sparsity", "2"},
			"with omp:sparsity=1"},
		"no coder": {"2 1 3 4\n3 4 2 2", []string{"--learner", "rop", "--sparsity", "2"},
			"warning: rop uses no coder, --sparsity had no effect"},
		"plain": {"2 1 3 4\n3 4 2 2", []string{"--learner", "rop", "--progress", "plain", "--iterations",
			"20"}, "iteration 2 of 20: RMSE"},
	} {
		dir := t.TempDir()
		consoletest.Put(t, filepath.Join(dir, "Y.txt"), []byte(c.data))
		stdout, stderr, code := call(t, dir, "", append([]string{"learn", "Y.txt", "-o", "D.csv"}, c.args...)...)
		if code != 0 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s, expected %q", name, code, stdout, stderr, c.want)
		}
	}
}

// An interruption leaves no new file, and keeps earlier files as they were.
func TestLearnCancelled(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	consoletest.Put(t, filepath.Join(dir, "D.npy"), []byte("old"))
	t.Chdir(dir)
	for learner, sign := range map[string]string{"ksvd": consoletest.AtOnce, "rop": "learning"} {
		program.Interrupted(t, dir, sign, "learn", "Y.npy", "-o", "D.npy", "--codes", "X.npz", "--trace", "t.csv",
			"--on-exist", "overwrite",
			"--learner", learner, "--iterations", "100000", "--progress", "bar")
		if string(consoletest.Read(t, "D.npy")) != "old" {
			t.Errorf("%s: the output is another", learner)
		}
	}
}

// External learners work in every form: with codes of their own or by the coder, and with a trace.
func TestLearnByAProgram(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	args := []string{"learn", "Y.npy", "--atoms", "12", "--sparsity", "2", "--iterations", "9", "--on-exist",
		"overwrite", "-o", "D.csv", "--trace", "t.csv", "--json"}
	var last [2]float64
	for i, learner := range []string{"mod", "exec:" + externaltest.Command("serve", "codes", "trace")} {
		out, errs, code := call(t, dir, "", append(args, "--learner", learner)...)
		var told summary
		if err := json.Unmarshal([]byte(out), &told); code != 0 || err != nil || told.Coder != "omp:sparsity=2" ||
			len(told.Warnings) > 0 {
			t.Fatalf("%s: exit %d, %s%s", learner, code, out, errs)
		}
		last[i] = told.RMSE
		trace, err := os.ReadFile(filepath.Join(dir, "t.csv"))
		if err != nil || strings.Count(string(trace), "\n") != 10 {
			t.Errorf("%s: %s%v", learner, trace, err)
		}
	}
	if d := last[0] - last[1]; d > 1e-12 || d < -1e-12 {
		t.Errorf("RMSE %g by MOD here, %g by MOD there", last[0], last[1])
	}
	out, errs, code := call(t, dir, "", append(args, "--learner", "exec:"+externaltest.Command("serve"))...)
	trace := string(consoletest.Read(t, filepath.Join(dir, "t.csv")))
	if code != 0 || strings.Contains(out, `"iterations"`) || strings.Contains(errs, "iteration") ||
		strings.Count(trace, "\n,") != 1 || strings.Count(trace, "\n") != 2 {
		t.Errorf("without a trace: exit %d, %s%s%s", code, out, errs, trace)
	}
	_, errs, code = call(t, dir, "", append(args, "--learner", "exec:"+externaltest.Command("wild", "count"))...)
	if code != 1 || !strings.Contains(errs, "Segmentation fault, as it were") ||
		strings.Contains(errs, "check the data") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// Data with fewer signals than entries are learned from where --transpose says which is which, or --atoms how much is
// to be learned; else the user is asked.
func TestFewerSignalsThanEntries(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	consoletest.PutMatrix(t, filepath.Join(dir, "Yr.npy"), sparseSignals().T())
	program.Ends(t, dir, 2, "Yr.npy: 8 signals of 120 entries each, so fewer signals than entries; if it has one "+
		"signal a row, as scikit-learn has its samples, use --transpose, else --transpose=false",
		"learn", "Yr.npy", "-o", "D.npy")
	const columns = "superres: Y.npy: 8 signals of 120 entries each, so fewer signals than entries; if DATA has " +
		"one signal a column, leave out --transpose\n"
	for args, want := range map[string]string{
		"Yr.npy --transpose=false": "", "Yr.npy --atoms 3": "", "Yr.npy --transpose": "", "Y.npy": "",
		"Y.npy --transpose": columns,
	} {
		_, stderr, code := call(t, dir, "", append(strings.Fields("learn --iterations 2 --on-exist overwrite -o "+
			"D.npy"), strings.Fields(args)...)...)
		if code != 0 || !strings.HasPrefix(stderr, want) || strings.Contains(stderr, "fewer signals") != (want != "") {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
}
