package comparison

import (
	"encoding/binary"
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

// The samples of a record are read back, in both formats; damaged and foreign records are refused.
func TestWFDB(t *testing.T) {
	dir := t.TempDir()
	want := []int{0, 1, -1, 2047, -2048, 700, -700, 5}
	var b16, b212 []byte
	for i, v := range want {
		for _, v := range []int{v, 99} { // two channels, of which the first is read
			b16 = binary.LittleEndian.AppendUint16(b16, uint16(int16(v)))
		}
		if i%2 == 0 {
			a, b := v&0xfff, want[i+1]&0xfff
			b212 = append(b212, byte(a), byte(a>>8|b>>8<<4), byte(b))
		}
	}
	consoletest.Put(t, filepath.Join(dir, "a.dat"), b16)
	consoletest.Put(t, filepath.Join(dir, "b.dat"), b212)
	header := func(name, text string) string {
		name = filepath.Join(dir, name)
		consoletest.Put(t, name, []byte(text))
		return name
	}
	for name, text := range map[string]string{
		"a.hea": "# a comment\na 2 360 8\na.dat 16 200 11 1024\na.dat 16 200 11 1024\n",
		"b.hea": "b 1 360 8\nb.dat 212 200\n",
	} {
		got := must.Get(readWFDB(header(name, text)))(t)
		want := fmt.Sprint(want)
		if name == "b.hea" { // the least value says that there is no sample
			want = strings.Replace(want, "-2048", "NaN", 1)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
	}
	for text, want := range map[string]string{
		"": "no header", "c x\nc.dat 16\n": "no number", "c 2\nc.dat 16\n": "no number",
		"c 1\nc.dat 16\n": "does not exist", "c 1\na.dat 80\n": "format 80",
		"c 2\na.dat 16\nb.dat 16\n": "several files", "c 1\n../a.dat 16\n": "another folder",
		"c 1\n.. 16\n": "another folder", "c/2 1 360 16\nc1 8\nc2 8\n": "a record of 2 segments",
		"c 2 360 9\na.dat 16\na.dat 16\n": "has 8 samples of each signal, the header says 9",
		"c 2 360 7\na.dat 16\na.dat 16\n": "the header says 7", "c 1 360 x\na.dat 16\n": `a number of samples of "x"`,
		"c 1 360 13\nb.dat 212\n": "the header says 13", "c 1\na.dat 16x0\n": "0 samples in a frame",
		"c 1\na.dat 16+33\n": "has 32 bytes, of which 33", "c 1\na.dat 16-3\n": "format 16-3",
		"c 2\na.dat 16+4\na.dat 16+8\n": "several files",
	} {
		if _, err := readWFDB(header("c.hea", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Samples a frame, the bytes before the first sample and the skew are read, and an odd number of samples in format 212;
// windows in which a sample is missing are left out, and told.
func TestWFDBFrames(t *testing.T) {
	dir := t.TempDir()
	put := func(name, header string, data []byte) string {
		consoletest.Put(t, filepath.Join(dir, name+".dat"), data)
		consoletest.Put(t, filepath.Join(dir, name+".hea"), []byte(header))
		return filepath.Join(dir, name+".hea")
	}
	b16 := func(list ...int) (data []byte) {
		for _, v := range list {
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(v)))
		}
		return data
	}
	head := make([]byte, 24)
	for name, c := range map[string]struct {
		header string
		data   []byte
		want   string
	}{
		"offset": {"a 1 360 3\noffset.dat 16+24 200\n", append(head, b16(1, -32768, -2048)...), "[1 NaN -2048]"},
		"one":    {"a 1 360 2\none.dat 16x1 200\n", b16(5, 6), "[5 6]"},
		"two": {"a 2 360 2\ntwo.dat 16x2:1+24 200\ntwo.dat 16:3+24 200\n", append(head, b16(1, 2, 90, 3, 4, 91)...),
			"[1 2 3 4]"},
		"second": {"a 2 360 2\nsecond.dat 16 200\nsecond.dat 16x2 200\n", b16(1, 90, 91, 2, 92, 93), "[1 2]"},
		"odd":    {"a 1 360 3\nodd.dat 212 200\n", []byte{1, 0, 2, 3, 0}, "[1 2 3]"},
		"padded": {"a 1 360 3\npadded.dat 212 200\n", []byte{1, 0, 2, 0xff, 0x0f, 0}, "[1 2 -1]"},
		"none":   {"a 1 360 0\nnone.dat 212 200\n", []byte{0, 0x78, 0xff, 1, 0x08, 0}, "[NaN 2047 -2047 0]"},
	} {
		got, err := readWFDB(put(name, c.header, c.data))
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, %v, expected %s", name, got, err, c.want)
		}
	}
	var list []int
	for i := range 3*windowSize + 5 {
		list = append(list, i%7)
	}
	list[windowSize+3] = -32768
	name := put("gap", "a 1\ngap.dat 16\n", b16(list...))
	y, note, err := openSignals(name)
	must.Succeed(t, err)
	if m, n := y.Dims(); m != windowSize || n != 2 || !strings.HasSuffix(note, "gap.hea: 1 of 3 windows of 64 values "+
		"are left out: the recorder had no sample in them") || y.At(1, 1)-y.At(0, 1) != 1 {
		t.Errorf("%d×%d, %q", m, n, note)
	}
	for i := range list {
		list[i] = -32768
	}
	if _, _, err := openSignals(put("gaps", "a 1\ngaps.dat 16\n", b16(list...))); err == nil ||
		!strings.Contains(err.Error(), "3 of 3 windows") {
		t.Error(err)
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
