package atoms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/mosaic"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/coupled"
	"superres/superres/resample"
	"superres/superres/stage"
)

var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

// putModels writes the models one.npz, two.npz and none.npz to dir: of one coupled stage and a back-projection, of two
// coupled stages, and of the back-projection alone. Their halves are D_L (4×3) and D_H (16×3) for 2×2 patches at scale
// 2: an edge, a dot, and nearly the same edge.
func putModels(t *testing.T, dir string) {
	t.Helper()
	low, high := mat.NewDense(4, 3, nil), mat.NewDense(16, 3, nil)
	low.SetCol(0, []float64{1, -1, 1, -1})
	low.SetCol(1, []float64{0, 0, 0, 0.5})
	low.SetCol(2, []float64{1, -1, 1, -0.95})
	for i := range 16 {
		high.Set(i, 0, float64([]int{2, 2, -2, -2}[i%4]))
		high.Set(i, 1, float64(i/15))
		high.Set(i, 2, float64(3-i%4)/2)
	}
	r := coupled.Recipe{Scale: 2, Patch: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Coder: "omp:sparsity=1", BackProjection: 3}
	made := must.Get(r.Stages(low, high))(t)
	for name, stages := range map[string][]stage.Stage{"one.npz": made, "two.npz": append(made, made[0]),
		"none.npz": made[1:2]} {
		m := superres.Model{Scale: 2, Degradation: r.Degradation, Kernel: r.Kernel, Stages: stages}
		var b bytes.Buffer
		must.Succeed(t, m.Save(&b))
		consoletest.Put(t, filepath.Join(dir, name), b.Bytes())
	}
}

// Wrong input, wrong usage and wrong files are refused with one clear line, the right exit code and no new file.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	putModels(t, dir)
	consoletest.PutMatrix(t, at("D.npy"), mat.NewDense(20, 3, nil))
	consoletest.PutMatrix(t, at("atoms.npy"), mat.NewDense(20, 4097, nil))
	consoletest.PutMatrix(t, at("big.npy"), mat.NewDense(2, 20000, nil))
	consoletest.Put(t, at("nan.csv"), []byte("1,2\n3,NaN\n"))
	consoletest.Put(t, at("bad.npz"), []byte("PK\x03\x04 no zip"))
	consoletest.Put(t, at("exists.png"), []byte("old"))
	model := consoletest.Read(t, dir, "one.npz")
	consoletest.Put(t, at("half.npz"), model[:len(model)/2])
	program.RefusesLines(t, dir, "dict", []consoletest.RefusedLine{
		{"", 2, "no model; superres dict --help shows examples"},
		{"D.npy one.npz", 2, `2 names, expected one model: "D.npy" and "one.npz"`},
		{"--jsno photo", 2, `did you mean "--json"?`},
		{"foto", 6, `did you mean "photo"?`},
		{"none.npy", 4, "none.npy: does not exist"},
		{"bad.npz", 4, "bad.npz: not an .npz file"},
		{"half.npz", 4, "half.npz: not an .npz file"},
		{"./", 4, "is a folder"},
		{"bicubic", 2, "bicubic is a plain interpolation and has no atoms; name a trained model"},
		{"none.npz", 2, "none.npz has no coupled dictionary to show, its stages are backproject"},
		{"D.npy --zoom 2", 2, "say where it goes with -o"},
		{"D.npy -o new.gif", 2, "-o new.gif: expected a name that ends in .png"},
		{"D.npy -o exists.png", 5, "exists.png exists; use --on-exist overwrite"},
		{"D.npy -o none/new.png", 5, "none/new.png: cannot be written"},
		{"big.npy --zoom 64 -o new.png", 7, "needs 3.0 GiB, the limit is 2.0 GiB; use --max-memory or fewer"},
		{"atoms.npy --zoom 64 -o new.png", 7,
			"new.png: the atoms take 22544×18040 pixels, more than 100 million; use a smaller --zoom"},
		{"nan.csv", 4, "NaN is not finite"},
	})
	t.Chdir(dir)
	errs, code := program.Into(consoletest.Broken{}, "dict", "one.npz", "-o", "-")
	if code != 5 || !strings.Contains(errs, "standard output cannot be written") {
		t.Errorf("to a broken pipe: exit %d, %s", code, errs)
	}
}

// The figures are right for atoms whose figures are known.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	putModels(t, dir)
	consoletest.PutMatrix(t, filepath.Join(dir, "I.npy"), mat.NewDiagDense(4, []float64{1, 2, 2, 4}))
	show := func(name string) (d description, text string) {
		t.Helper()
		stdout, _ := program.Succeeds(t, dir, "dict", "--json", name)
		must.Succeed(t, json.Unmarshal([]byte(stdout), &d))
		text, _ = program.Succeeds(t, dir, "dict", name)
		return d, text
	}
	d, text := show("I.npy")
	want := measures{Of: "atoms", Entries: 4, NormMin: 1, NormMean: 2.25, NormMax: 4, Pairs: 6, Rank: 4, Condition: 4}
	if len(d.Dictionaries) != 1 || d.Dictionaries[0].Atoms != 4 || d.Dictionaries[0].Measures[0] != want ||
		!strings.Contains(text, "4 atoms") {
		t.Errorf("%+v\n%s", d.Dictionaries[0], text)
	}
	d, text = show("one.npz")
	p := d.Dictionaries[0]
	if d.Scale != 2 || p.Patch != 2 || len(p.Measures) != 3 || *p.Stage != 0 || *p.Mean || *p.Detail ||
		!strings.Contains(text, "patches of 2×2 to 4×4, --mean=false --detail=false, omp:sparsity=1") {
		t.Errorf("%+v\n%s", p, text)
	}
	if m := p.Measures[0]; m.Entries != 4 || m.Near != 1 || m.Pairs != 3 || m.Rank != 2 ||
		math.Abs(m.Coherence-3.95/2/math.Sqrt(3.9025)) > 1e-6 {
		t.Errorf("%+v", m)
	}
	if _, text = show("two.npz"); !strings.Contains(text, "stage 2, coupled: 3 atoms") {
		t.Error(text)
	}
	d, text = show("coupled")
	p = d.Dictionaries[0]
	if n := p.Patch * p.Patch; p.Atoms < 2 || p.Measures[0].Entries != n || p.Measures[1].Entries != n*4 ||
		p.Measures[2].Entries != n*5 || !strings.HasPrefix(text, fmt.Sprintf("coupled: ×%d from ", d.Scale)) {
		t.Errorf("%+v\n%s", p, text)
	}
}

// The drawing is right pixel by pixel.
func TestDrawing(t *testing.T) {
	dir := t.TempDir()
	putModels(t, dir)
	program.Succeeds(t, dir, "dict", "one.npz", "-o", "a.png", "--zoom", "3", "-q")
	img := golden.Open(t, filepath.Join(dir, "a.png"))
	// Cells of 12+1+12 by 12 pixels, 6 apart, in two columns.
	if img.Bounds().Size() != image.Pt(2*(25+6)+6, 2*(12+6)+6) {
		t.Fatalf("%v", img.Bounds())
	}
	grey := func(v uint8) color.Color { return color.NRGBAModel.Convert(color.Gray{v}) }
	blue := color.NRGBAModel.Convert(mosaic.Palette[mosaic.Ground])
	for _, c := range []struct {
		x, y int
		want color.Color
		what string
	}{
		{0, 0, blue, "the ground"}, {18, 10, blue, "the gap between the halves"},
		{40, 40, blue, "the place of a fourth atom"},
		{6, 6, grey(255), "the edge, low"}, {12, 6, grey(1), "the edge, low, right"},
		{17, 17, grey(1), "its last pixel"},
		{19, 6, grey(255), "the edge, high"}, {25, 6, grey(1), "the edge, high, right"},
		{30, 17, grey(1), "its last pixel"},
		{37, 6, grey(128), "the dot, low"}, {43, 12, grey(255), "the dot itself"}, {50, 6, grey(128), "the dot, high"},
		{61, 17, grey(255), "the dot itself, high"},
		{12, 30, grey(7), "nearly the edge: 128 − round(127·0.95)"},
		{22, 24, grey(213), "nearly the edge, high: 128 + round(127·2/3)"},
	} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("%s at %d, %d: %v, expected %v", c.what, c.x, c.y, got, c.want)
		}
	}

	png, stderr := program.Succeeds(t, dir, "dict", "one.npz", "-o", "-", "--zoom", "3")
	if png != string(consoletest.Read(t, dir, "a.png")) || !strings.Contains(stderr, "3 atoms") {
		t.Error("standard output gets another picture", stderr)
	}
	// Dictionaries: squares, columns; the zoom fits a screen.
	consoletest.PutMatrix(t, filepath.Join(dir, "nine.npy"), mat.NewDense(9, 2, nil))
	consoletest.PutMatrix(t, filepath.Join(dir, "six.csv"), mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, -6}))
	for _, c := range []struct {
		args string
		want image.Point
	}{
		{"nine.npy --zoom 2", image.Pt(4+2*(6+4), 4+6+4)},
		{"six.csv --zoom 2", image.Pt(4+2+4, 4+12+4)},
		{"six.csv", image.Pt(8+16+8, 8+96+8)},
	} {
		program.Succeeds(t, dir, append([]string{"dict", "-o", "c.png", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)...)
		if got := consoletest.Size(t, filepath.Join(dir, "c.png")); got != c.want {
			t.Errorf("%s: %v, expected %v", c.args, got, c.want)
		}
	}
	program.Succeeds(t, dir, "dict", "coupled", "-o", "coupled.png")
	if s := consoletest.Size(t, filepath.Join(dir, "coupled.png")); s.X > 1600 || s.Y > 1600 || s.X < 800 {
		t.Errorf("%v", s)
	}
	if _, stderr := program.Succeeds(t, dir, "dict", "one.npz", "-o", "a.jpg", "-q"); stderr != "" ||
		!bytes.HasPrefix(consoletest.Read(t, dir, "a.jpg"), []byte("\xff\xd8")) {
		t.Error(stderr)
	}
}
