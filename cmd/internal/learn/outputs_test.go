package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
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

// The same signals give the same bytes from any file, by any number of workers, to
// a file as to a pipe.
func TestLearnGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	for _, f := range []string{"Y.npy", "Y.npz", "Y.csv"} {
		consoletest.PutMatrix(t, filepath.Join(dir, f), y)
	}
	consoletest.PutMatrix(t, filepath.Join(dir, "T.csv"), y.T())
	text, err := os.ReadFile(filepath.Join(dir, "Y.csv"))
	if err != nil {
		t.Fatal(err)
	}
	consoletest.Put(t, filepath.Join(dir, "other.txt"), []byte("# by hand\n"+strings.ReplaceAll(string(text), ",", "  ")))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, learner := range []string{"ksvd", "mod", "rop"} {
		common := []string{"learn", "--learner", learner, "--atoms", "12", "--sparsity", "2", "--iterations", "12", "-q", "--on-exist", "overwrite"}
		want, stderr, code := call(t, dir, "", append(common, "Y.npy", "-o", "-")...)
		if code != 0 || len(want) < 8*8*12 || stderr != "" {
			t.Fatalf("%s: exit %d, %d bytes, %s", learner, code, len(want), stderr)
		}
		for _, c := range [][]string{{"Y.npy"}, {"Y.npy", "-j", "1"}, {"Y.npz", "--array", "Y"}, {"Y.csv"}, {"T.csv", "--transpose"}, {"other.txt"}, {"-"}} {
			stdout, stderr, code := call(t, dir, string(text), append(append(common, c...), "-o", "D.npy")...)
			got, err := os.ReadFile(filepath.Join(dir, "D.npy"))
			if code != 0 || stdout != "" || stderr != "" || err != nil || string(got) != want {
				t.Errorf("%s %v: exit %d, %s%s %v", learner, c, code, stdout, stderr, err)
			}
		}
	}
}

// What is written agrees: D·X is near Y as far as the summary says, in every format,
// and the trace ends there.
func TestLearnOutputs(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	stdout, stderr, code := call(t, dir, "", "learn", "Y.npy", "--atoms", "12", "--sparsity", "2", "--json", "-o", "D.npy", "--codes", "X.csv", "--trace", "t.csv")
	var sum learned
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 0 {
		t.Fatalf("exit %d, %s %v", code, stderr, err)
	}
	if sum.Entries != 8 || sum.Signals != 120 || sum.Atoms != 12 || sum.Coder != "omp:sparsity=2" || sum.Stop == "" || sum.NonZeros > 2 {
		t.Errorf("%+v", sum)
	}
	for _, want := range []string{"D.npy: 12 atoms by ksvd with omp:sparsity=2 from 8×120 data", sum.Stop, fmt.Sprintf("RMSE %.4g", sum.RMSE)} {
		if !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q lacks %q", stderr, want)
		}
	}
	var rest mat.Dense
	rest.Mul(consoletest.OpenMatrix(t, filepath.Join(dir, "D.npy")), consoletest.OpenMatrix(t, filepath.Join(dir, "X.csv")))
	rest.Sub(y, &rest)
	if rmse := mat.Norm(&rest, 2) / 31; rmse > sum.RMSE*1.001 || rmse < sum.RMSE*0.998 { // √960 is nearly 31
		t.Errorf("RMSE %g, the summary says %g", rmse, sum.RMSE)
	}
	trace, err := os.ReadFile(filepath.Join(dir, "t.csv"))
	lines := strings.Split(strings.TrimSpace(string(trace)), "\n")
	if err != nil || lines[0] != "iteration,rmse,nonzeros,primal,dual,replaced,seconds" || len(lines) != sum.Iterations+1 ||
		!strings.HasPrefix(lines[sum.Iterations], fmt.Sprintf("%d,%v,", sum.Iterations, sum.RMSE)) {
		t.Errorf("%v %d lines, the last %s", err, len(lines), lines[len(lines)-1])
	}

	// From there on, in the other formats: no worse, and sparse codes are no matrix.
	if _, stderr, code := call(t, dir, "", "learn", "Y.npy", "--init", "D.npy", "--sparsity", "2", "-o", "D2.npz", "--codes", "X2.npz"); code != 0 || !strings.Contains(stderr, "12 atoms") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if r, c := consoletest.OpenMatrix(t, filepath.Join(dir, "D2.npz")).Dims(); r != 8 || c != 12 {
		t.Errorf("D2 is %d×%d", r, c)
	}
	if _, stderr, code := call(t, dir, "", "learn", "Y.npy", "--init", "X2.npz", "-o", "D3.csv"); code != 4 || !strings.Contains(stderr, "is a sparse matrix of scipy") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Small and odd data: defaults that fit them.
func TestLearnSmall(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		args []string
		want string
	}{
		"one signal":        {"1\n2\n3\n", nil, "1 atom by ksvd with omp:sparsity=1 from 3×1 data"},
		"one entry":         {"1 2 -3 4", nil, "2 atoms by ksvd with omp:sparsity=2 from 1×4 data"},
		"one number":        {"7", nil, "1 atom"},
		"twice the entries": {"1 2 3 4 5 6 7\n7 6 5 3 4 2 1", nil, "4 atoms"},
		"more than signals": {"1 2\n3 5", []string{"--atoms", "5"}, "3 of 5 atoms are used by no training signal"},
		"one atom":          {"1 2\n3 5", []string{"--atoms", "1"}, "1 atom by ksvd with omp:sparsity=1"},
		"more than entries": {"1 2 3 4\n4 3 2 2", []string{"--sparsity", "4"}, "4 atoms"},
		"a coder's own":     {"1 2 3 4\n4 3 2 2", []string{"--coder", "omp:tolerance=0.1", "--sparsity", "0"}, "with omp:tolerance=0.1"},
		"spec first":        {"1 2 3 4\n4 3 2 2", []string{"--coder", "omp:sparsity=1", "--sparsity", "2"}, "with omp:sparsity=1"},
		"no coder":          {"1 2 3 4\n4 3 2 2", []string{"--learner", "rop", "--sparsity", "2"}, "warning: rop uses no coder, --sparsity had no effect"},
		"plain":             {"1 2 3 4\n4 3 2 2", []string{"--learner", "rop", "--progress", "plain", "--iterations", "20"}, "iteration 2 of 20: RMSE"},
	} {
		dir := t.TempDir()
		consoletest.Put(t, filepath.Join(dir, "Y.txt"), []byte(c.data))
		stdout, stderr, code := call(t, dir, "", append([]string{"learn", "Y.txt", "-o", "D.csv"}, c.args...)...)
		if code != 0 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s, expected %q", name, code, stdout, stderr, c.want)
		}
	}
}

func TestLearnErrors(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	consoletest.PutMatrix(t, filepath.Join(dir, "T.npy"), y.T())
	consoletest.PutMatrix(t, filepath.Join(dir, "D.npy"), y.Slice(0, 8, 0, 12))
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.csv"), mat.NewDense(8, 3, nil))
	huge := mat.NewDense(8, 3, nil)
	huge.Apply(func(_, _ int, _ float64) float64 { return 1e200 }, huge)
	consoletest.PutMatrix(t, filepath.Join(dir, "huge.npy"), huge)
	consoletest.Put(t, filepath.Join(dir, "bad.csv"), []byte("1,2\n3,x\n"))
	consoletest.Put(t, filepath.Join(dir, "nan.csv"), []byte("1,2\n3,NaN\n"))
	consoletest.Put(t, filepath.Join(dir, "empty.csv"), nil)
	if err := os.Symlink("D.npy", filepath.Join(dir, "link.npy")); err != nil {
		t.Skip("no symbolic links here")
	}
	before := consoletest.Tree(t, dir)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"Y.npy", 2, "say where the dictionary goes with -o"},
		{"-o new.npy", 2, "no data to learn from"},
		{"Y.npy T.npy -o new.npy", 2, `2 files, expected one: "Y.npy" and "T.npy"`},
		{"Y.npy -o new", 2, "expected .npy, .npz or .csv"},
		{"Y.npy -o new.png", 2, "-o new.png: its extension says no format"},
		{"Y.npy -o new.npy --codes X.mtx", 2, "--codes X.mtx: its extension says no format"},
		{"Y.npy -o new.npy --codes -", 2, "--codes -: its extension"},
		{"Y.npy -o new.npy --trace t.txt", 2, "ends in .csv"},
		{"Y.npy -o - --json", 2, "both write to standard output"},
		{"Y.npy -o new.npy --on-exist ask", 2, "(known: fail overwrite)"},
		{"Y.npy -o new.npy --atoms -1", 2, "--atoms -1"},
		{"Y.npy -o new.npy --sparsity -1", 2, "--sparsity -1"},
		{"Y.npy -o new.npy --iterations 0", 2, "--iterations 0"},
		{"Y.npy -o new.npy --jobs -1", 2, "--jobs -1"},
		{"Y.npy -o new.npy --progress dots", 2, `--progress: unknown value "dots"`},
		{"Y.npy -o new.npy --learner ksdv", 2, `did you mean "ksvd"?`},
		{"Y.npy -o new.npy --coder opm", 2, `did you mean "omp"?`},
		{"Y.npy -o new.npy --learner rop:penalty=-1", 2, "penalty -1"},
		{"none.npy -o new.npy --learner online:batch=-3", 2, "batches of -3"},
		{"none.npy -o new.npy --coder lasso:lambda=-1", 2, "lambda -1"},
		{"Y.npy -o new.npy --sparsity 40", 2, "sparsity 40 is more than the 16 atoms"},
		{"Y.npy -o new.npy --array Y", 2, "is no .npz file"},
		{"Y.npy -o new.npy --init D.npy --atoms 5", 2, "--atoms 5, but D.npy has 12"},
		{"T.npy -o new.npy --init D.npy", 2, "--transpose"},
		{"Y.npy -o new.npy --init zero.csv", 4, "zero.csv: atom 0 (counted from 0) is zero"},
		{"Y.npy -o new.npy --init huge.npy", 4, "huge.npy: atom 0"},
		{"Y.npy -o new.npy --init none.npy", 4, "none.npy: does not exist"},
		{"none.npy -o new.npy", 4, "none.npy: does not exist"},
		{". -o new.npy", 4, "is a folder"},
		{"bad.csv -o new.npy", 4, `bad.csv: line 2, column 2: "x" is no number`},
		{"nan.csv -o new.npy", 4, "line 2, column 2: NaN is not finite"},
		{"empty.csv -o new.npy", 4, "empty.csv: is empty"},
		{"- -o new.npy", 4, "standard input: is empty"},
		{"zero.csv -o new.npy", 4, "zero.csv: all training signals are zero"},
		{"huge.npy -o new.npy", 4, "huge.npy: training signal 0 is not finite, or too large to square"},
		{"Y.npy -o D.npy", 5, "D.npy exists; use --on-exist overwrite"},
		{"Y.npy -o Y.npy --on-exist overwrite", 5, "Y.npy: -o would write over the input"},
		{"Y.npy -o new.npy --codes ./Y.npy --on-exist overwrite", 5, "--codes would write over the input"},
		{"Y.npy -o D.npy --init D.npy --on-exist overwrite", 5, "-o would write over the input"},
		{"Y.npy -o new.npy --codes ../" + filepath.Base(dir) + "/new.npy", 5, "both -o and --codes write to it"},
		{"Y.npy -o new.csv --trace new.csv", 5, "both -o and --trace write to it"},
		{"Y.npy -o none/D.npy", 5, "none/D.npy: cannot be written"},
		{"Y.npy -o new.npy --codes none/X.npz", 5, "none/X.npz: cannot be written"},
		{"Y.npy -o link.npy --on-exist overwrite", 5, "is a symbolic link"},
		{"Y.npy -o new.npy --atoms 9000000000000000000", 7, "use --max-memory, fewer --atoms"},
		{"Y.npy -o new.npy --learner rop --atoms 1000000", 7, "needs 17.0 GiB, the limit is 2.0 GiB"},
		{"Y.npy -o new.npy --max-memory 1", 7, "the limit is 1 MiB"},
	} {
		stdout, stderr, code := call(t, dir, "", append([]string{"learn"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "superres: ") || stdout != "" {
			t.Errorf("%s: exit %d, expected %d with %q\n%s%s", c.args, code, c.code, c.want, stdout, stderr)
		}
		if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
			t.Fatalf("%s left files: %v", c.args, after)
		}
	}
	if _, stderr, code := call(t, dir, strings.Repeat("1 ", 1<<20), "learn", "-", "-o", "new.npy", "--max-memory", "1"); code != 7 || !strings.Contains(stderr, "half of the limit") {
		t.Errorf("a large pipe: exit %d, %s", code, stderr)
	}
	t.Chdir(dir)
	var errs bytes.Buffer
	if code := program.Run(context.Background(), strings.NewReader(""), consoletest.Broken{}, &errs, []string{"superres", "learn", "Y.npy", "-o", "-", "--iterations", "2"}); code != 5 || !strings.Contains(errs.String(), "standard output cannot be written") {
		t.Errorf("a broken pipe: exit %d, %s", code, errs.String())
	}
}

// An interruption leaves nothing behind, and the files from before as they were.
func TestLearnCancelled(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	consoletest.Put(t, filepath.Join(dir, "D.npy"), []byte("old"))
	t.Chdir(dir)
	for learner, sign := range map[string]string{"ksvd": consoletest.AtOnce, "rop": "learning"} {
		program.Interrupted(t, dir, sign, "learn", "Y.npy", "-o", "D.npy", "--codes", "X.npz", "--trace", "t.csv", "--on-exist", "overwrite",
			"--learner", learner, "--iterations", "100000", "--progress", "bar")
		if string(consoletest.Read(t, "D.npy")) != "old" {
			t.Errorf("%s: the output is another", learner)
		}
	}
}
