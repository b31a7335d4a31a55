package learn

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
)

// Invalid values of --sweep, and data that are too small for it, are refused before any work.
func TestSweepRefusals(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	consoletest.Put(t, filepath.Join(dir, "few.csv"), []byte("2,1,3,4\n1,2,4,3\n"))
	consoletest.Put(t, filepath.Join(dir, "row.csv"), []byte("1,2,3,4,5,6,7,8,9,10\n"))
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.csv"), mat.NewDense(3, 20, nil))
	large := mat.NewDense(6, 40, nil)
	large.Apply(func(i, j int, _ float64) float64 { return float64((7*i+13*j)%19-9) * 1e141 }, large)
	consoletest.PutMatrix(t, filepath.Join(dir, "large.npy"), large)
	program.RefusesLines(t, dir, "learn --iterations 3", []consoletest.RefusedLine{
		{"Y.npy --sweep 3", 2, "one value leaves nothing to choose"},
		{"Y.npy --sweep 3,3", 2, "one value leaves nothing to choose"},
		{"Y.npy --sweep=", 2, `"" is no number of atoms`},
		{"Y.npy --sweep 1,x", 2, `"x" is no number of atoms`},
		{"Y.npy --sweep 0,1", 2, `"0" is no number of atoms`},
		{"Y.npy --sweep lambda=1,x --coder lasso", 2, `"x" is no number`},
		{"Y.npy --sweep lambda=1,NaN --coder lasso", 2, `"NaN" is no number`},
		{"Y.npy --sweep lambda=1,2", 2, `parameter "lambda" (known: sparsity tolerance)`},
		{"Y.npy --sweep lambda=-1,2 --coder lasso", 2, "lambda -1"},
		{"Y.npy --sweep 1,2 --coder opm", 2, `did you mean "omp"?`},
		{"Y.npy --sweep 1,2 --sparsity 2", 2, "both say how sparse"},
		{"Y.npy --sweep 1,2 --coder omp:sparsity=2", 2, "says itself"},
		{"Y.npy --sweep 1,2 --coder lasso:lambda=2", 2, "says itself"},
		{"Y.npy --sweep lambda=1,2 --coder lasso:lambda=2", 2, "says itself"},
		{"Y.npy --sweep 1,17", 2, "sparsity 17 is more than the 16 atoms"},
		{"Y.npy --sweep 1,2 -o -", 2, "both write to standard output"},
		{"Y.npy --sweep 1,2 --codes X.npz", 2, "say with -o where it goes"},
		{"Y.npy --sweep 1,2 --trace t.csv", 2, "say with -o where it goes"},
		{"Y.npy --sweep 1,2 --report s.png", 2, "ends in .html, .csv or .json"},
		{"Y.npy --sweep 1,2 --holdout 1", 2, "--holdout 1: expected a share"},
		{"Y.npy --sweep 1,2 --holdout NaN", 2, "expected a share"},
		{"Y.npy --sweep 1,2 --holdout 0.001", 2, "120 signals, of which --holdout 0.001 holds out 0"},
		{"Y.npy --sweep 1,2 --holdout 0.999", 2, "holds out 120"},
		{"few.csv --sweep 1,2", 2, "4 signals, of which --holdout 0.2 holds out 1"},
		{"row.csv --sweep 1,2", 2, "signals of 1 entry"},
		{"Y.npy -o D.npy --report s.html", 2, "are for --sweep"},
		{"Y.npy -o D.npy --holdout 0.5", 2, "are for --sweep"},
		{"zero.csv --sweep 1,2 -o D.npy --report s.html", 4, "with sparsity 1, without the 4 signals held out: " +
			"zero.csv: all training signals are zero"},
		{"large.npy --sweep 1,2 --report s.html", 4, "errors are too large to be squared; scale the data"},
		{"Y.npy --sweep 1,2 --report Y.npy --on-exist overwrite", 2, "ends in .html"},
		{"row.csv --sweep 1,2 --report row.csv --on-exist overwrite", 5, "would write over the input"},
		{"Y.npy --sweep 1,2 --report few.csv", 5, "few.csv exists"},
		{"Y.npy --sweep 1,2 --report s.csv --trace s.csv -o D.npy", 5, "both --trace and --report write to it"},
		{"Y.npy --sweep 1,2 --report none/s.csv", 5, "cannot be written"},
		{"Y.npy --sweep 1,2 --max-memory 1", 7, "the limit is 1 MiB"},
	})
}

// An interrupted sweep leaves no new file, and keeps earlier files as they were.
func TestSweepCancelled(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	for _, name := range []string{"D.npy", "s.html", "s.csv"} {
		consoletest.Put(t, filepath.Join(dir, name), []byte("old"))
	}
	t.Chdir(dir)
	for sign, iterations := range map[string]string{consoletest.AtOnce: "9", "learning": "100000", "1 of 2": "40"} {
		how := "bar"
		if sign == "1 of 2" {
			how = "plain"
		}
		program.Interrupted(t, dir, sign, "learn", "Y.npy", "--sweep", "2,3", "-o", "D.npy", "--codes", "X.npz",
			"--report", "s.html", "--report", "s.csv",
			"--on-exist", "overwrite", "--learner", "simco", "--iterations", iterations, "--progress", how)
		for _, name := range []string{"D.npy", "s.html", "s.csv"} {
			if string(consoletest.Read(t, name)) != "old" {
				t.Errorf("%q: %s is another", sign, name)
			}
		}
	}
}
