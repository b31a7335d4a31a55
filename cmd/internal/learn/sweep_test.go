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
	"superres/internal/must"
)

// noisySignals returns 700 signals of 16 entries, each a sum of 2 of 20 atoms and noise.
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

// timeless returns the findings that text has as JSON, without the times, which differ from run to run.
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

// same reports whether two sweeps have the same findings.
func same(a, b findings) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// A sweep finds the number of atoms in a signal, which errors without hidden entries do not show, and its dictionary is
// the same as --sparsity with that number gives.
func TestSweepFindsTheSparsity(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	common := []string{"learn", "Y.npy", "--atoms", "20", "--iterations", "40", "-o"}
	stdout, stderr, code := call(t, dir, "", append(common, "D.npy", "--sweep", "8,1,4, 2,3,2", "--codes", "X.npz",
		"--trace", "t.csv", "--json")...)
	if code != 0 || !strings.HasPrefix(stderr, "D.npy: 20 atoms by ksvd with omp:sparsity=2 ") ||
		strings.Count(stderr, "\n") != 1 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f := timeless(t, stdout)
	if len(f.Settings) != 5 || f.Training != 560 || f.HeldOut != 140 || f.Param != "sparsity" || f.Learned == nil ||
		f.Learned.Coder != "omp:sparsity=2" {
		t.Fatalf("%+v", f)
	}
	for i, s := range f.Settings {
		if s.Coder != "omp:sparsity="+strconv.Itoa([]int{1, 2, 3, 4, 8}[i]) || s.NonZeros > s.Value ||
			s.Hidden <= s.HeldOut || s.HiddenSE <= 0 {
			t.Errorf("%+v", s)
		}
		if i > 0 && s.HeldOut >= f.Settings[i-1].HeldOut {
			t.Errorf("the error of signals held out does not fall: %+v", s)
		}
	}
	if last := f.Settings[4]; f.best().Value != 2 || last.Hidden < 1.2*f.best().Hidden {
		t.Errorf("the best is %+v; with 8 atoms %+v", f.best(), last)
	}
	if _, stderr, code := call(t, dir, "", append(common, "E.npy", "--sparsity", "2", "--codes",
		"Z.npz")...); code != 0 {
		t.Fatal(stderr)
	}
	for _, pair := range [][2]string{{"D.npy", "E.npy"}, {"X.npz", "Z.npz"}} {
		if string(consoletest.Read(t, dir, pair[0])) != string(consoletest.Read(t, dir, pair[1])) {
			t.Errorf("%s is not what --sparsity 2 gives", pair[0])
		}
	}
}

// A sweep has the same findings with any number of workers, from any format, and by the command line that it records;
// with another seed they differ.
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
	for _, how := range []string{"--sweep 1,2", "--learner online --coder lasso --sweep " +
		"lambda=0.5,1", "--sweep tolerance=0.5,1.5", "--learner rop --coder ols --sweep 1,2"} {
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
		if rop := strings.Contains(how, "rop"); want.OneForAll != rop ||
			rop != strings.Contains(strings.Join(want.Warnings, " "), "rop uses no coder") {
			t.Errorf("%s: %+v", how, want)
		}
	}
}

// The table, the HTML page and the CSV file agree with the JSON, and -o may be left out.
func TestSweepReports(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), noisySignals())
	stdout, stderr, code := call(t, dir, "", "learn", "Y.npy", "--sweep", "1,2,5", "--iterations", "10",
		"--progress", "plain", "--report", "s.html", "--report", "S.CSV", "--report", "s.json")
	if code != 0 || !strings.Contains(stderr, "sparsity 5, 3 of 3: RMSE ") || strings.Count(stderr, "\n") != 3 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f := timeless(t, string(consoletest.Read(t, dir, "s.json")))
	file := must.Get(os.Open(filepath.Join(dir, "S.CSV")))(t)
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
		if hidden, err := strconv.ParseFloat(row[4], 64); err != nil || hidden != s.Hidden || row[1] != s.Coder ||
			row[11] != strconv.FormatBool(i == f.Best) {
			t.Errorf("%v: %+v %v", row, s, err)
		}
	}
	for _, want := range []string{"<svg", "Best: " + f.verdict(), "best: sparsity 2</span>", "superres learn Y.npy " +
		"--sweep 1,2,5"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, outside := range []string{"src=\"http", "href=\"http", "url("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q", outside)
		}
	}
	if !strings.HasPrefix(stdout, "Best: "+f.verdict()+".\n") {
		t.Error(stdout)
	}
}

// The findings warn where the best setting may not be the best choice.
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
		stdout, stderr, code := call(t, dir, "", append([]string{"learn", "--atoms", "20", "--iterations", "20"},
			strings.Fields(args)...)...)
		if code != 0 || strings.Contains(stdout, "warning: ") != (want != "") || !strings.Contains(stdout, want) ||
			strings.Contains(stderr, "no effect") {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// pick chooses the fewest non-zeros within one standard error of the least error.
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
