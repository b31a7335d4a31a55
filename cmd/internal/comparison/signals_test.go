package comparison

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/matfile"
	"superres/internal/must"
)

// As many cosines as entries are an orthonormal basis, and products of such too; more are of length 1.
func TestOvercompleteDCT(t *testing.T) {
	for _, c := range []struct {
		m, k   int
		square bool
	}{{16, 16, false}, {16, 16, true}, {16, 40, false}, {16, 25, true}, {16, 23, true}, {64, 1, true}} {
		d := must.Get(overcompleteDCT(c.m, c.k, c.square, 1))(t)
		for a := range c.k {
			for b := range a + 1 {
				product := 0.0
				for i, v := range d.Atom(a) {
					product += v * d.Atom(b)[i]
				}
				if a == b && math.Abs(product-1) > 1e-12 || a != b && c.m == c.k && math.Abs(product) > 1e-12 {
					t.Errorf("%+v: product of atoms %d and %d: %g", c, a, b, product)
				}
			}
		}
	}
}

// signalFile writes a matrix of signals, each a sum of three pulses, as CSV, and returns its name.
func signalFile(t *testing.T, dir string, m, n int) string {
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	rows := make([][]string, m)
	for range n {
		signal := make([]float64, m)
		for range 3 {
			at, size := rng.Float64()*float64(m), rng.NormFloat64()
			for i := range signal {
				signal[i] += size * math.Exp(-math.Pow(float64(i)-at, 2)/4)
			}
		}
		for i, v := range signal {
			rows[i] = append(rows[i], fmt.Sprintf("%.5f", v))
		}
	}
	for _, row := range rows {
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	name := filepath.Join(dir, fmt.Sprintf("signals%d.csv", m))
	consoletest.Put(t, name, []byte(b.String()))
	return name
}

// Signals of a matrix, or windows of one long one: learners are beside an overcomplete DCT, a learned dictionary is
// nearer to such signals than that, and any number of workers gives the same figures.
func TestCompareSignals(t *testing.T) {
	dir := t.TempDir()
	args := []string{"compare", "--protocol", "signals", "--learners", "my own=mod,ksvd", "--seeds", "3", "--atoms",
		"24", "--iterations", "15", "--sparsity", "3", "-q"}
	file := signalFile(t, dir, 16, 400)
	out, errs := program.Succeeds(t, dir, append(args, "-o", "a", "-j", "1", file)...)
	consoletest.InOrder(t, out, "held-out RMSE, omp:sparsity=3: ", "ksvd", "learns nothing", "behind", "dct")
	if errs != "" {
		t.Error(errs)
	}
	program.Succeeds(t, dir, append(args, "-o", "b", "-j", "3", file)...)
	type runs struct{ Runs []signalResult }
	read := func(folder string) []signalResult {
		var r runs
		must.Succeed(t, json.Unmarshal(consoletest.Read(t, dir, folder, "runs.json"), &r))
		for i := range r.Runs {
			r.Runs[i].Seconds = 0
		}
		return r.Runs
	}
	first := read("a")
	if len(first) != 3*4 || fmt.Sprint(first) != fmt.Sprint(read("b")) {
		t.Errorf("%d runs, or others with 3 workers", len(first))
	}
	mean := map[string]float64{}
	for _, r := range first {
		mean[r.Learner] += r.HeldOut
		if r.Denoised[0] <= 0 || r.Denoised[0] >= r.Denoised[1] {
			t.Errorf("%s: denoised %v", r.Learner, r.Denoised)
		}
	}
	if mean["my own"] >= mean["dct"] || mean["ksvd"] >= mean["samples"] {
		t.Errorf("held-out errors %v", mean)
	}
	for name, want := range map[string]string{"table.tex": `\begin{tabular}{lrrrr}`, "report.html": "my own",
		"table.csv": "my own"} {
		if !strings.Contains(string(consoletest.Read(t, dir, "a", name)), want) {
			t.Errorf("%s lacks %s", name, want)
		}
	}
	if info := must.Get(os.Stat(filepath.Join(dir, "a", "report.html")))(t); info.Mode().Perm()&0o400 == 0 {
		t.Errorf("the report has mode %v", info.Mode())
	}
	long := signalFile(t, dir, 1, 6400)
	program.Succeeds(t, dir, append(args, "-o", "c", long)...)
	program.Ends(t, dir, console.ExitUsage, "one file with signals", append(args, "-o", "d")...)
	program.Ends(t, dir, console.ExitUsage, "restores no pictures", append(args, "--images", "x", "-o", "d", file)...)
}

// Patches of pictures are of other pictures than those that are learned from, and have no mean.
func TestComparePatches(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		consoletest.WritePicture(t, filepath.Join(dir, "photos", fmt.Sprintf("%d.png", i)),
			consoletest.Blob(90+7*i, 70))
	}
	program.Succeeds(t, dir, "compare", "--protocol", "patches", "--learners", "mod", "--seeds", "2", "--atoms", "70",
		"--iterations", "3", "--patches", "300", "-q", "-o", "out", "photos")
	page := string(consoletest.Read(t, dir, "out", "report.html"))
	consoletest.InOrder(t, page, "denoised, σ = 25 levels", "<table>", "dct", "samples", "mod")
	groups := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}
	all := must.Get(matfile.Open(signalFile(t, dir, 4, len(groups)), matfile.Options{Column: "signal"}))(t)
	for run := range 5 {
		d := split(all, groups, task{Patches: 100, Run: run, Protocol: "patches"})
		_, train := d.train.Dims()
		_, held := d.heldOut.Dims()
		if train != 8 || held != 2 || !d.square {
			t.Errorf("run %d: %d to learn from, %d held out", run, train, held)
		}
		var from []float64
		for j := range 2 {
			from = append(from, d.heldOut.At(0, j))
		}
		i := slices.Index(all.RawRowView(0), from[0])
		if k := slices.Index(all.RawRowView(0), from[1]); i/2 != k/2 {
			t.Errorf("run %d: patches %d and %d of different pictures are held out", run, i, k)
		}
	}
}
