package learn

import (
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
)

// noisySignals returns 700 signals of 16 entries that are each made of 2 among 20 atoms, and
// of noise.
func noisySignals() *mat.Dense {
	rng := rand.New(rand.NewPCG(4, 0))
	normal := func(_, _ int, _ float64) float64 { return rng.NormFloat64() }
	atoms, codes := mat.NewDense(16, 20, nil), mat.NewDense(20, 700, nil)
	atoms.Apply(normal, atoms)
	for j := range 700 {
		for _, k := range rng.Perm(20)[:2] {
			codes.Set(k, j, rng.NormFloat64())
		}
	}
	var y mat.Dense
	y.Mul(atoms, codes)
	y.Apply(func(_, _ int, v float64) float64 { return v + 0.2*rng.NormFloat64() }, &y)
	return &y
}

// timeless is the JSON of a sweep without what differs from run to run.
func timeless(t *testing.T, text string) findings {
	t.Helper()
	var f findings
	if err := json.Unmarshal([]byte(text), &f); err != nil || len(f.Settings) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	for i := range f.Settings {
		f.Settings[i].Seconds = 0
	}
	if f.Learned != nil {
		f.Learned.Seconds = 0
	}
	return f
}

// same tells whether two sweeps found the same.
func same(a, b findings) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// A sweep finds how many atoms made the signals, which the errors of signals that are seen
// whole do not tell, and its dictionary is the one that this sparsity gives by itself.
func TestSweepFindsTheSparsity(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	common := []string{"learn", "Y.npy", "--atoms", "20", "--iterations", "40", "-o"}
	stdout, stderr, code := call(t, dir, "", append(common, "D.npy", "--sweep", "8,1,4, 2,3,2", "--codes", "X.npz", "--trace", "t.csv", "--json")...)
	if code != 0 || !strings.HasPrefix(stderr, "D.npy: 20 atoms by ksvd with omp:sparsity=2 ") || strings.Count(stderr, "\n") != 1 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f := timeless(t, stdout)
	if len(f.Settings) != 5 || f.Training != 560 || f.HeldOut != 140 || f.Param != "sparsity" || f.Learned == nil || f.Learned.Coder != "omp:sparsity=2" {
		t.Fatalf("%+v", f)
	}
	for i, s := range f.Settings {
		if s.Coder != "omp:sparsity="+strconv.Itoa([]int{1, 2, 3, 4, 8}[i]) || s.NonZeros > s.Value || s.Hidden <= s.HeldOut || s.HiddenSE <= 0 {
			t.Errorf("%+v", s)
		}
		if i > 0 && s.HeldOut >= f.Settings[i-1].HeldOut {
			t.Errorf("the error of signals held out does not fall: %+v", s)
		}
	}
	if last := f.Settings[4]; f.best().Value != 2 || last.Hidden < 1.2*f.best().Hidden {
		t.Errorf("the best is %+v; with 8 atoms %+v", f.best(), last)
	}
	if _, stderr, code := call(t, dir, "", append(common, "E.npy", "--sparsity", "2", "--codes", "Z.npz")...); code != 0 {
		t.Fatal(stderr)
	}
	for _, pair := range [][2]string{{"D.npy", "E.npy"}, {"X.npz", "Z.npz"}} {
		if string(consoletest.Read(t, dir, pair[0])) != string(consoletest.Read(t, dir, pair[1])) {
			t.Errorf("%s is not what --sparsity 2 gives", pair[0])
		}
	}
}

// A sweep finds the same by any number of workers and from any file, another with another
// seed, and the command line that it records is one that finds it, too.
func TestSweepGivesTheSame(t *testing.T) {
	dir := t.TempDir()
	y := noisySignals()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	consoletest.PutMatrix(t, filepath.Join(dir, "T.csv"), y.T())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	sweep := func(args ...string) findings {
		t.Helper()
		stdout, stderr, code := call(t, dir, "", args...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return timeless(t, stdout)
	}
	for _, how := range []string{"--sweep 1,2", "--learner online --coder lasso --sweep lambda=0.5,1", "--sweep tolerance=0.5,1.5", "--learner rop --coder ols --sweep 1,2"} {
		args := append(strings.Fields("learn --json --iterations 5 "+how), "Y.npy")
		want := sweep(args...)
		if f := sweep(append(args, "-j", "1")...); !same(f, want) {
			t.Errorf("%s: %+v with one worker, %+v", how, f, want)
		}
		again := sweep(append(strings.Fields(want.Command)[1:], "--json")...)
		if again.Command, again.Data = want.Command, want.Data; !same(again, want) {
			t.Errorf("%s gives %+v, expected %+v", want.Command, again, want)
		}
		other := sweep(append(args, "--seed", "2")...)
		if other.Settings[0].Hidden == want.Settings[0].Hidden {
			t.Errorf("%s: two seeds hold out the same signals", how)
		}
		f := sweep(append(args[:len(args)-1], "T.csv", "--transpose")...)
		if f.Command, f.Data = want.Command, want.Data; !same(f, want) {
			t.Errorf("%s: %+v from rows, %+v", how, f, want)
		}
		if rop := strings.Contains(how, "rop"); want.OneForAll != rop || rop != strings.Contains(strings.Join(want.Warnings, " "), "rop uses no coder") {
			t.Errorf("%s: %+v", how, want)
		}
	}
}

// The table, the page and the CSV say what the JSON does, and a dictionary is not needed.
func TestSweepReports(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	stdout, stderr, code := call(t, dir, "", "learn", "Y.npy", "--sweep", "1,2,5", "--iterations", "10", "--progress", "plain", "--report", "s.html", "--report", "S.CSV", "--report", "s.json")
	if code != 0 || !strings.Contains(stderr, "sparsity 5, 3 of 3: RMSE ") || strings.Count(stderr, "\n") != 3 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f := timeless(t, string(consoletest.Read(t, dir, "s.json")))
	file, err := os.Open(filepath.Join(dir, "S.CSV"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][0] != "sparsity" || rows[0][4] != "hidden" || rows[0][11] != "best" {
		t.Fatalf("%v %v", rows, err)
	}
	page := string(consoletest.Read(t, dir, "s.html"))
	for i, s := range f.Settings {
		for _, cell := range f.table().Rows[i][:5] {
			if !strings.Contains(stdout, cell.Text) || !strings.Contains(page, ">"+cell.Text+"<") {
				t.Errorf("%q is not told of %+v:\n%s", cell.Text, s, stdout)
			}
		}
		row := rows[i+1]
		if hidden, err := strconv.ParseFloat(row[4], 64); err != nil || hidden != s.Hidden || row[1] != s.Coder || row[11] != strconv.FormatBool(i == f.Best) {
			t.Errorf("%v: %+v %v", row, s, err)
		}
	}
	for _, want := range []string{"<svg", "Best: " + f.verdict(), "best: sparsity 2", "superres learn Y.npy --sweep 1,2,5"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, outside := range []string{"src=\"http", "href=\"http", "url("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q", outside)
		}
	}
	if !strings.Contains(stdout, "\nbest: "+f.verdict()+"\n") {
		t.Error(stdout)
	}
}

// What the best of a sweep means is said where it is in doubt.
func TestSweepWarnings(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	rng := rand.New(rand.NewPCG(4, 0))
	white := mat.NewDense(6, 300, nil)
	white.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, white)
	consoletest.PutMatrix(t, filepath.Join(dir, "white.npy"), white)
	for args, want := range map[string]string{
		"Y.npy --sweep 3,6":                          "sparsity 3 is the smallest that was tried",
		"Y.npy --coder ols --sweep 1,2":              "sparsity 2 is the largest that was tried",
		"white.npy --sweep 1,2":                      "told no better than by zeros",
		"Y.npy --sweep 1,2,3":                        "",
		"Y.npy --sweep 1,2,3 --learner rop -o D.npy": "rop uses no coder: all settings have one dictionary",
	} {
		stdout, stderr, code := call(t, dir, "", append([]string{"learn", "--atoms", "20", "--iterations", "20"}, strings.Fields(args)...)...)
		if code != 0 || strings.Contains(stdout, "warning: ") != (want != "") || !strings.Contains(stdout, want) || strings.Contains(stderr, "no effect") {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// What cannot be swept is refused before any work.
func TestSweepRefusals(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	consoletest.Put(t, filepath.Join(dir, "few.csv"), []byte("1,2,3,4\n2,1,4,3\n"))
	consoletest.Put(t, filepath.Join(dir, "row.csv"), []byte("1,2,3,4,5,6,7,8,9,10\n"))
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.csv"), mat.NewDense(3, 20, nil))
	large := mat.NewDense(6, 40, nil)
	large.Apply(func(i, j int, _ float64) float64 { return float64((7*i+13*j)%19-9) * 1e141 }, large)
	consoletest.PutMatrix(t, filepath.Join(dir, "large.npy"), large)
	var list []consoletest.Refusal
	for _, c := range []struct {
		args string
		code int
		want string
	}{
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
		{"zero.csv --sweep 1,2 -o D.npy --report s.html", 4, "with sparsity 1, without the 4 signals held out: zero.csv: all training signals are zero"},
		{"large.npy --sweep 1,2 --report s.html", 4, "errors are too large to be squared; scale the data"},
		{"Y.npy --sweep 1,2 --report Y.npy --on-exist overwrite", 2, "ends in .html"},
		{"row.csv --sweep 1,2 --report row.csv --on-exist overwrite", 5, "would write over the input"},
		{"Y.npy --sweep 1,2 --report few.csv", 5, "few.csv exists"},
		{"Y.npy --sweep 1,2 --report s.csv --trace s.csv -o D.npy", 5, "both --trace and --report write to it"},
		{"Y.npy --sweep 1,2 --report none/s.csv", 5, "cannot be written"},
		{"Y.npy --sweep 1,2 --max-memory 1", 7, "the limit is 1 MiB"},
	} {
		list = append(list, consoletest.Refusal{Args: append([]string{"learn", "--iterations", "3"}, strings.Fields(c.args)...), Code: c.code, Want: c.want})
	}
	program.Refuses(t, dir, list)
}

// An interrupted sweep leaves nothing behind, and the files from before as they were.
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
		program.Interrupted(t, dir, sign, "learn", "Y.npy", "--sweep", "2,3", "-o", "D.npy", "--codes", "X.npz", "--report", "s.html", "--report", "s.csv",
			"--on-exist", "overwrite", "--learner", "simco", "--iterations", iterations, "--progress", how)
		for _, name := range []string{"D.npy", "s.html", "s.csv"} {
			if string(consoletest.Read(t, name)) != "old" {
				t.Errorf("%q: %s is another", sign, name)
			}
		}
	}
}

// To continue is to begin with a dictionary.
func TestContinue(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	for _, args := range []string{"-o D.npy", "-o A.npy --init D.npy", "-o B.npy --continue D.npy"} {
		if _, stderr, code := call(t, dir, "", append(strings.Fields("learn Y.npy --iterations 4 --learner mod"), strings.Fields(args)...)...); code != 0 {
			t.Fatalf("%s: exit %d, %s", args, code, stderr)
		}
	}
	d, a, b := consoletest.Read(t, dir, "D.npy"), consoletest.Read(t, dir, "A.npy"), consoletest.Read(t, dir, "B.npy")
	if string(a) != string(b) || string(a) == string(d) {
		t.Error("--continue does not do what --init does")
	}
}

// The best has the fewest non-zeros within one standard error of the least.
func TestPick(t *testing.T) {
	at := func(square, se, nonZeros float64) setting {
		return setting{square: square, squareSE: se, NonZeros: nonZeros}
	}
	for name, c := range map[string]struct {
		settings    []setting
		least, best int
	}{
		"within":            {[]setting{at(9, 1, 1), at(5.5, 1, 2), at(5, 1, 3), at(7, 1, 4)}, 2, 1},
		"without":           {[]setting{at(9, 1, 1), at(6.5, 4, 2), at(5, 1, 3), at(7, 1, 4)}, 2, 2},
		"just":              {[]setting{at(6, 1, 1), at(5, 1, 3)}, 1, 0},
		"a penalty":         {[]setting{at(5, 1, 9), at(5.1, 1, 4), at(5.2, 1, 2), at(9, 1, 1)}, 0, 2},
		"none differ":       {[]setting{at(0, 0, 2), at(0, 0, 2)}, 0, 0},
		"fewer, not least":  {[]setting{at(5, 0, 3), at(5, 0, 2)}, 0, 1},
		"as many non-zeros": {[]setting{at(5.9, 1, 2), at(5.5, 1, 2), at(5, 1, 3)}, 2, 1},
	} {
		if least, best := pick(c.settings); least != c.least || best != c.best {
			t.Errorf("%s: %d and %d, expected %d and %d", name, least, best, c.least, c.best)
		}
	}
}
