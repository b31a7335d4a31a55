package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
)

// Wrong input, wrong usage, wrong files: one clear line, the right exit code, no new file.
func TestLearnErrors(t *testing.T) {
	dir := t.TempDir()
	y := sparseSignals()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	consoletest.PutMatrix(t, filepath.Join(dir, "T.npy"), y.T())
	consoletest.PutMatrix(t, filepath.Join(dir, "D.npy"), y.Slice(0, 8, 0, 12))
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.csv"), mat.NewDense(8, 9, nil))
	huge := mat.NewDense(8, 9, nil)
	huge.Apply(func(_, _ int, _ float64) float64 { return 1e200 }, huge)
	consoletest.PutMatrix(t, filepath.Join(dir, "huge.npy"), huge)
	consoletest.Put(t, filepath.Join(dir, "bad.csv"), []byte("1,2\n3,x\n"))
	consoletest.Put(t, filepath.Join(dir, "nan.csv"), []byte("1,2\n3,NaN\n"))
	consoletest.Put(t, filepath.Join(dir, "empty.csv"), nil)
	if err := os.Symlink("D.npy", filepath.Join(dir, "link.npy")); err != nil {
		t.Skip("no symbolic links here")
	}
	program.RefusesLines(t, dir, "learn", []consoletest.RefusedLine{
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
		{"Y.npy -o new.npy --iterations -1", 2, "--iterations -1"},
		{"Y.npy --iterations 0 --codes new.npy", 2, "name the dictionary with --init"},
		{"Y.npy --iterations 0 --init D.npy", 2, "say where the codes go with --codes"},
		{"Y.npy --iterations 0 --init D.npy --codes new.npz -o new.npy", 2, "leave out --output"},
		{"Y.npy --iterations 0 --init D.npy --codes new.npz --learner rop", 2, "leave out --learner"},
		{"T.npy --iterations 0 --init D.npy --codes new.npz", 2, "--transpose"},
		{"Y.npy -o new.npy --jobs -1", 2, "--jobs -1"},
		{"Y.npy -o new.npy --progress dots", 2, `--progress: unknown value "dots"`},
		{"Y.npy -o new.npy --learner ksdv", 2, `did you mean "ksvd"?`},
		{"Y.npy -o new.npy --coder opm", 2, `did you mean "omp"?`},
		{"Y.npy -o new.npy --learner rop:penalty=-1", 2, "penalty -1"},
		{"none.npy -o new.npy --learner online:batch=-3", 2, "batch -3, expected 0 or more"},
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
		{"Y.npy -o new.npy --learner rop --atoms 1000000", 7, "needs 24.7 GiB, the limit is 2.0 GiB"},
		{"Y.npy -o new.npy --max-memory 1", 7, "the limit is 1 MiB"},
	})
	if _, stderr, code := call(t, dir, strings.Repeat("1 ", 1<<20), "learn", "-", "-o", "new.npy", "--max-memory",
		"1"); code != 7 || !strings.Contains(stderr, "half of the limit") {
		t.Errorf("a large pipe: exit %d, %s", code, stderr)
	}
	t.Chdir(dir)
	errs, code := program.Into(consoletest.Broken{}, "learn", "Y.npy", "-o", "-", "--iterations", "2")
	if code != 5 || !strings.Contains(errs, "standard output cannot be written") {
		t.Errorf("a broken pipe: exit %d, %s", code, errs)
	}
}
