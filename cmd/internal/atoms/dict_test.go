package atoms

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/golden"
	"superres/internal/npz"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/cmd/internal/mosaic"
	"superres/superres/coupled"
	embedded "superres/superres/models"
	"superres/superres/stage"
)

// ok runs the program and expects it to succeed.
func ok(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", args...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// hopper puts the test picture into a folder.
func hopper(t *testing.T, dir string) {
	t.Helper()
	consoletest.Put(t, filepath.Join(dir, "hopper.png"), consoletest.Read(t, golden.Root(t), "testdata", "hopper.png"))
}

// coupledBuiltins lists the models that need no file and are one coupled stage, and
// their scales.
func coupledBuiltins(t *testing.T) map[string]int {
	t.Helper()
	list := map[string]int{}
	for _, name := range embedded.Names() {
		m, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if stages, err := coupledStages(name, m); err == nil && len(stages) == 1 {
			if _, whole := coupled.RecipeOf(m.Scale, m.Degradation, m.Kernel, m.Stages, stages[0]); whole {
				list[name] = m.Scale
			}
		}
	}
	return list
}

// halvesOf returns small halves D_L (4×3) and D_H (16×3) for 2×2 patches at scale 2:
// an edge, a dot, and what is nearly the edge again.
func halvesOf() (low, high *mat.Dense) {
	low, high = mat.NewDense(4, 3, nil), mat.NewDense(16, 3, nil)
	low.SetCol(0, []float64{1, -1, 1, -1})
	low.SetCol(1, []float64{0, 0, 0, 0.5})
	low.SetCol(2, []float64{1, -1, 1, -0.95})
	for i := range 16 {
		high.Set(i, 0, float64([]int{2, 2, -2, -2}[i%4]))
		high.Set(i, 1, float64(i/15))
		high.Set(i, 2, float64(3-i%4)/2)
	}
	return low, high
}

// putHalves writes an .npz file with the halves, under names of their own.
func putHalves(t *testing.T, path, lowName, highName string, texts ...npz.Text) {
	t.Helper()
	low, high := halvesOf()
	var b bytes.Buffer
	if err := npz.Write(&b, texts, []npz.Matrix{{Name: lowName, Data: low}, {Name: highName, Data: high}}); err != nil {
		t.Fatal(err)
	}
	consoletest.Put(t, path, b.Bytes())
}

// putStacked writes D = [D_L; D_H].
func putStacked(t *testing.T, path string) {
	t.Helper()
	low, high := halvesOf()
	var d mat.Dense
	d.Stack(low, high)
	consoletest.PutMatrix(t, path, &d)
}

// A model that was exported and imported again enlarges to the same bytes: from an
// .npz file without any flag, from the others by the command that export shows.
func TestDictRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	dir := t.TempDir()
	hopper(t, dir)
	small := []string{"train", "hopper.png", "--atoms", "30", "--iterations", "2", "--patches", "500"}
	ok(t, dir, append(small, "-o", "extended.npz", "--scale", "3")...)
	ok(t, dir, append(small, "-o", "paper.npz", "--mean=false", "--detail=false", "--refit=false", "--back-projection", "0", "--patch", "4")...)
	ok(t, dir, append(small, "-o", "tolerant.npz", "--detail=false", "--coder", "omp:tolerance=0.05", "--sparsity", "0", "--degradation", "box")...)
	models := coupledBuiltins(t)
	models["extended.npz"], models["paper.npz"], models["tolerant.npz"] = 3, 2, 2
	for model, scale := range models {
		by := fmt.Sprint(scale)
		ok(t, dir, "upscale", "--provenance=false", "-s", by, "-m", model, "hopper.png", "-o", "want.png", "--on-exist", "overwrite")
		for _, format := range []string{"npz", "npy", "csv"} {
			file := "D." + format
			_, told := ok(t, dir, "dict", "export", model, "-o", file, "--on-exist", "overwrite")
			args := []string{"dict", "import", file, "-o", "again.npz"}
			if format != "npz" {
				_, again, found := strings.Cut(told, "a model again by: superres ")
				if !found {
					t.Fatal(told)
				}
				args = strings.Fields(strings.ReplaceAll(again, "MODEL.npz", "again.npz"))
			}
			if _, told := ok(t, dir, append(args, "--on-exist", "overwrite")...); !strings.Contains(told, "again.npz: ×") || strings.Contains(told, "warning") {
				t.Error(told)
			}
			ok(t, dir, "upscale", "--provenance=false", "-s", by, "-m", "again.npz", "hopper.png", "-o", "got.png", "--on-exist", "overwrite")
			if !bytes.Equal(consoletest.Read(t, dir, "want.png"), consoletest.Read(t, dir, "got.png")) {
				t.Errorf("%s by %s: other bytes", model, format)
			}
			described, _ := ok(t, dir, "models", "again.npz")
			var d struct {
				Provenance struct {
					Command  string
					Imported struct {
						File, SHA256 string
						From         *struct{ Command string }
					}
				}
			}
			if err := json.Unmarshal([]byte(described), &d); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(consoletest.Read(t, dir, file))
			im := d.Provenance.Imported
			if im.File != file || im.SHA256 != hex.EncodeToString(sum[:]) || (im.From != nil) != (format == "npz") || im.From != nil && !strings.HasPrefix(im.From.Command, "superres train ") {
				t.Errorf("%s by %s: %s", model, format, described)
			}
			// The recorded command makes the same model once more.
			ok(t, dir, append(strings.Fields(d.Provenance.Command)[1:], "-o", "third.npz", "--on-exist", "overwrite", "-q")...)
			if !bytes.Equal(consoletest.Read(t, dir, "again.npz"), consoletest.Read(t, dir, "third.npz")) {
				t.Errorf("%s by %s: the recorded command makes another model", model, format)
			}
		}
	}
	// To a pipe, and from one.
	ok(t, dir, "dict", "export", "extended.npz", "-o", "D.npy", "--on-exist", "overwrite")
	stacked, _ := ok(t, dir, "dict", "export", "extended.npz", "-o", "-")
	if stacked != string(consoletest.Read(t, dir, "D.npy")) {
		t.Error("a pipe gets other bytes")
	}
	if _, stderr, code := call(t, dir, stacked, "dict", "import", "-", "-o", "piped.npz"); code != 0 || !strings.Contains(stderr, "30 atoms imported from standard input") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// The file says what it is; the flags say what it does not, or otherwise.
func TestDictImportParameters(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) npz.Text { return npz.StringArray("parameters", s) }
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	putHalves(t, filepath.Join(dir, "odd.npz"), "Dl", "Dh")
	putHalves(t, filepath.Join(dir, "told.npz"), "low", "high", text(`{"mean": true, "degradation": "box", "coder": "omp:sparsity=1"}`))
	putHalves(t, filepath.Join(dir, "some.npz"), "low", "high", text(`{"scale": 2, "patch": 2, "detail": true}`))
	putStacked(t, filepath.Join(dir, "D.npy"))
	low, high := halvesOf()
	var d mat.Dense
	d.Stack(low, high)
	consoletest.PutMatrix(t, filepath.Join(dir, "T.csv"), d.T())
	for _, c := range []struct{ args, want string }{
		{"bare.npz", "--mean=false --detail=false, omp:sparsity=3"},
		{"bare.npz --scale 2 --patch 2", "patches of 2×2"},
		{"bare.npz --sparsity 2 --mean", "--mean=true --detail=false, omp:sparsity=2"},
		{"bare.npz --coder omp:tolerance=0.1 --sparsity 0", "omp:tolerance=0.1"},
		{"bare.npz --back-projection 0", "×2 from bicubic, coupled, 3 atoms imported from bare.npz"},
		{"odd.npz --low Dl --high Dh", "×2 from bicubic, coupled + backproject, 3 atoms"},
		{"told.npz", "×2 from box, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, --mean=true --detail=false, omp:sparsity=1"},
		{"told.npz --mean=false --detail --degradation bicubic", "×2 from bicubic, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, --mean=false --detail=true, omp:sparsity=1"},
		{"told.npz --sparsity 2", "omp:sparsity=1,sparsity=2"},
		{"told.npz --coder omp", "omp:sparsity=3"},
		{"some.npz", "--mean=false --detail=true, omp:sparsity=3"},
		{"D.npy", "3 atoms imported from D.npy"},
		{"T.csv --transpose", "3 atoms imported from T.csv"},
	} {
		_, stderr := ok(t, dir, append([]string{"dict", "import", "-o", "m.npz", "--on-exist", "overwrite"}, strings.Fields(c.args)...)...)
		if !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %s, expected %q", c.args, stderr, c.want)
		}
	}
	// What is odd about atoms from elsewhere is said.
	zero := mat.DenseCopyOf(&d)
	zero.SetCol(1, make([]float64, 20))
	zero.Set(3, 2, -1)
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.npy"), zero)
	_, stderr := ok(t, dir, "dict", "import", "zero.npy", "-o", "z.npz")
	for _, want := range []string{"1 atom of D_L is zero", "--mean is missing"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%s, expected %q", stderr, want)
		}
	}
	if stdout, stderr := ok(t, dir, "dict", "import", "D.npy", "-o", "q.npz", "-q"); stdout+stderr != "" {
		t.Error(stdout, stderr)
	}
}

// The figures, of atoms whose figures are known.
func TestDictShow(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	consoletest.PutMatrix(t, filepath.Join(dir, "I.npy"), mat.NewDiagDense(4, []float64{1, 2, 2, 4}))
	show := func(args ...string) (d shown, text string) {
		t.Helper()
		stdout, stderr := ok(t, dir, append([]string{"dict", "show", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(stdout), &d); err != nil || stderr != "" {
			t.Fatal(stdout, stderr, err)
		}
		text, _ = ok(t, dir, append([]string{"dict", "show"}, args...)...)
		return d, text
	}
	d, text := show("I.npy")
	want := measures{Of: "atoms", Entries: 4, NormMin: 1, NormMean: 2.25, NormMax: 4, Pairs: 6, Rank: 4, Condition: 4}
	if len(d.Parts) != 1 || d.Parts[0].Atoms != 4 || d.Parts[0].Measures[0] != want || !strings.Contains(text, "4 atoms") {
		t.Errorf("%+v\n%s", d.Parts[0], text)
	}
	d, _ = show("bare.npz")
	if p := d.Parts[0]; d.Scale != 2 || p.Patch != 2 || len(p.Measures) != 3 || p.Stage != nil {
		t.Errorf("%+v", p)
	} else if m := p.Measures[0]; m.Entries != 4 || m.Near != 1 || m.Pairs != 3 || m.Rank != 2 || math.Abs(m.Coherence-3.95/2/math.Sqrt(3.9025)) > 1e-9 {
		t.Errorf("%+v", m)
	}
	ok(t, dir, "dict", "import", "bare.npz", "-o", "m.npz", "--sparsity", "1")
	ok(t, dir, "dict", "export", "m.npz", "-o", "e.npz")
	consoletest.WritePicture(t, filepath.Join(dir, "pictures/a.png"), image.NewGray(image.Rect(0, 0, 9, 9))) // black: nothing to code
	dot := image.NewGray(image.Rect(0, 0, 6, 6))
	dot.SetGray(2, 2, color.Gray{255})
	consoletest.WritePicture(t, filepath.Join(dir, "pictures/b.png"), dot)
	for _, file := range []string{"m.npz", "e.npz"} {
		d, text = show(file, "pictures")
		p := d.Parts[0]
		// Of the 2×2 patches with the dot in them: it is below at the right of the atom in
		// one; in the others the edge, or what is nearly the edge, fits it best.
		if p.Usage == nil || p.Usage.Pictures != 2 || p.Usage.Patches != 64+25 || p.Usage.Uses[1] != 1 || p.Usage.Uses[0]+p.Usage.Uses[2] != 3 ||
			!strings.Contains(text, fmt.Sprintf("89 patches of 2 pictures: %d of 3 atoms used", p.Usage.Used)) {
			t.Errorf("%s: %+v\n%s", file, p.Usage, text)
		}
		if *p.Stage != 0 || p.Coder != "omp:sparsity=1" || *p.Mean || *p.Detail || !strings.Contains(text, "patches of 2×2 to 4×4, --mean=false --detail=false, omp:sparsity=1") {
			t.Errorf("%s: %+v\n%s", file, p, text)
		}
	}
	for name, scale := range coupledBuiltins(t) {
		d, text = show(name)
		p := d.Parts[0]
		n := p.Patch * p.Patch
		if p.Atoms < 2 || p.Measures[0].Entries != n || p.Measures[1].Entries != n*scale*scale || p.Measures[2].Entries != n*(1+scale*scale) || !strings.HasPrefix(text, fmt.Sprintf("%s: ×%d from ", name, scale)) {
			t.Errorf("%s: %+v\n%s", name, p, text)
		}
	}
}

// The picture, pixel by pixel.
func TestDictMosaic(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	ok(t, dir, "dict", "show", "bare.npz", "-o", "a.png", "--zoom", "3", "-q")
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
		{0, 0, blue, "the ground"}, {18, 10, blue, "the gap between the halves"}, {40, 40, blue, "the place of a fourth atom"},
		{6, 6, grey(255), "the edge, low"}, {12, 6, grey(1), "the edge, low, right"}, {17, 17, grey(1), "its last pixel"},
		{19, 6, grey(255), "the edge, high"}, {25, 6, grey(1), "the edge, high, right"}, {30, 17, grey(1), "its last pixel"},
		{37, 6, grey(128), "the dot, low"}, {43, 12, grey(255), "the dot itself"}, {50, 6, grey(128), "the dot, high"}, {61, 17, grey(255), "the dot itself, high"},
		{12, 30, grey(7), "nearly the edge: 128 − round(127·0.95)"}, {22, 24, grey(213), "nearly the edge, high: 128 + round(127·2/3)"},
	} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("%s at %d, %d: %v, expected %v", c.what, c.x, c.y, got, c.want)
		}
	}

	// By use: the dot first, for a picture of dots.
	ok(t, dir, "dict", "import", "bare.npz", "-o", "m.npz", "--sparsity", "1", "-q")
	white := image.NewGray(image.Rect(0, 0, 2, 2))
	white.SetGray(1, 1, color.Gray{255})
	consoletest.WritePicture(t, filepath.Join(dir, "dot.png"), white)
	png, stderr := ok(t, dir, "dict", "show", "m.npz", "dot.png", "-o", "-", "--zoom", "3")
	consoletest.Put(t, filepath.Join(dir, "b.png"), []byte(png))
	if got := golden.Open(t, filepath.Join(dir, "b.png")).At(12, 12); color.NRGBAModel.Convert(got) != grey(255) || !strings.Contains(stderr, "1 of 3 atoms used") {
		t.Errorf("%v, %s", got, stderr)
	}

	// Dictionaries: squares, shapes, columns; the zoom fits a screen.
	consoletest.PutMatrix(t, filepath.Join(dir, "nine.npy"), mat.NewDense(9, 2, nil))
	consoletest.PutMatrix(t, filepath.Join(dir, "six.csv"), mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, -6}))
	for _, c := range []struct {
		args string
		want image.Point
	}{
		{"nine.npy --zoom 2", image.Pt(4+2*(6+4), 4+6+4)},
		{"six.csv --zoom 2", image.Pt(4+2+4, 4+12+4)},
		{"six.csv --zoom 2 --shape 2x3", image.Pt(4+4+4, 4+6+4)},
		{"six.csv", image.Pt(8+16+8, 8+96+8)},
	} {
		ok(t, dir, append([]string{"dict", "show", "-o", "c.png", "--on-exist", "overwrite"}, strings.Fields(c.args)...)...)
		if got := consoletest.Size(t, filepath.Join(dir, "c.png")); got != c.want {
			t.Errorf("%s: %v, expected %v", c.args, got, c.want)
		}
	}
	for model := range coupledBuiltins(t) {
		ok(t, dir, "dict", "show", model, "-o", model+".png")
		if s := consoletest.Size(t, filepath.Join(dir, model+".png")); s.X > 1600 || s.Y > 1600 || s.X < 800 {
			t.Errorf("%s: %v", model, s)
		}
	}
	if _, stderr := ok(t, dir, "dict", "show", "m.npz", "-o", "a.jpg", "-q"); stderr != "" || !bytes.HasPrefix(consoletest.Read(t, dir, "a.jpg"), []byte("\xff\xd8")) {
		t.Error(stderr)
	}
}

// Models of several coupled stages, and of none.
func TestDictStages(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	ok(t, dir, "dict", "import", "bare.npz", "-o", "one.npz")
	one, err := models.Open(filepath.Join(dir, "one.npz"))
	if err != nil {
		t.Fatal(err)
	}
	coupled, back := one.Stages[0], one.Stages[1]
	for name, stages := range map[string][]stage.Stage{"two.npz": {coupled, back, coupled}, "none.npz": {back}} {
		m := *one
		m.Stages = stages
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		consoletest.Put(t, filepath.Join(dir, name), b.Bytes())
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"show two.npz", 0, "stage 2, coupled: 3 atoms"},
		{"show two.npz --stage 2 -o a.png", 0, "stage 2, coupled: 3 atoms"},
		{"show two.npz -o b.png", 2, "two.npz has several coupled stages, [0 2] (from 0); choose one with --stage"},
		{"show two.npz --stage 1 -o b.png", 2, "--stage 1: the coupled stages of two.npz are [0 2]"},
		{"show -", 0, "standard input: ×2 from bicubic, coupled + backproject + coupled"},
		{"export two.npz -o b.npy", 2, "choose one with --stage"},
		{"export two.npz -o a.npy --stage 0", 0, "--back-projection 3 -o MODEL.npz a.npy; warning: stage 0 alone, the model has others"},
		{"export two.npz -o c.npy --stage 2", 0, "--back-projection 0 -o MODEL.npz c.npy; warning: stage 2 alone"},
		{"show none.npz", 2, "none.npz has no coupled dictionary to show or export, its stages are backproject"},
		{"export none.npz -o b.npy", 2, "no coupled dictionary"},
	} {
		stdout, stderr, code := call(t, dir, string(consoletest.Read(t, dir, "two.npz")), append([]string{"dict"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s, expected %d with %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
	if got, want := consoletest.Tree(t, dir), []string{"a.npy", "a.png", "bare.npz", "c.npy", "none.npz", "one.npz", "two.npz"}; !slices.Equal(got, want) {
		t.Errorf("files %v, expected %v", got, want)
	}
}

// NumPy opens what we export, and what NumPy writes is imported.
func TestDictNumpy(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("python3-numpy is not installed")
	}
	dir := t.TempDir()
	hopper(t, dir)
	ok(t, dir, "train", "hopper.png", "--atoms", "30", "--iterations", "2", "--patches", "500", "-o", "trained.npz")
	for _, f := range []string{"a.npz", "a.npy", "a.csv"} {
		ok(t, dir, "dict", "export", "trained.npz", "-o", f)
	}
	cmd := exec.Command(python, "-c", `
import json, numpy
f = numpy.load("a.npz")
p = json.loads(str(f["parameters"]))
low, high = f["low"], f["high"]
stacked = numpy.load("a.npy")
print(low.shape, high.shape, low.dtype, p["scale"], p["patch"], p["mean"], p["detail"], p["degradation"], p["coder"], p["back_projection"])
print((stacked == numpy.vstack([low, high])).all(), (stacked == numpy.loadtxt("a.csv", delimiter=",")).all())
del p["provenance"]
numpy.savez("b.npz", low=low, high=high, parameters=json.dumps(p))
numpy.savez_compressed("c.npz", Dl=low.astype("f4"), Dh=numpy.asfortranarray(high), parameters=numpy.array(json.dumps(p).encode()))
numpy.save("d.npy", stacked.astype(">f8"))
numpy.savez("e.npz", stacked)
`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if want := "(9, 30) (36, 30) float64 2 3 True True bicubic omp:sparsity=2 3\nTrue True\n"; err != nil || string(out) != want {
		t.Fatalf("%v %s, expected %s", err, out, want)
	}
	ok(t, dir, "upscale", "--provenance=false", "-m", "trained.npz", "hopper.png", "-o", "want.png")
	flags := strings.Fields("--mean --detail --sparsity 2")
	for _, args := range [][]string{{"b.npz"}, {"c.npz", "--low", "Dl", "--high", "Dh"}, append(flags, "d.npy"), append(flags, "e.npz")} {
		ok(t, dir, append([]string{"dict", "import", "-o", "m.npz", "--on-exist", "overwrite"}, args...)...)
		ok(t, dir, "upscale", "--provenance=false", "-m", "m.npz", "hopper.png", "-o", "got.png", "--on-exist", "overwrite")
		if !bytes.Equal(consoletest.Read(t, dir, "want.png"), consoletest.Read(t, dir, "got.png")) {
			t.Errorf("%v: other bytes", args)
		}
	}
}

func TestDictHelp(t *testing.T) {
	for _, args := range [][]string{{"dict"}, {"dict", "help"}, {"dict", "--help"}, {"dict", "-h"}, {"help", "dict"}} {
		if stdout, stderr := ok(t, ".", args...); stderr != "" || !regexp.MustCompile(`(?s)^superres dict: .*EXAMPLES\n   superres dict show .*COMMANDS\n   show .*   export .*   import `).MatchString(stdout) {
			t.Errorf("%v: %s%s", args, stdout, stderr)
		}
	}
	for _, c := range []string{"show", "export", "import"} {
		for _, args := range [][]string{{"dict", c, "--help"}, {"dict", c, "-h", "x"}} {
			if stdout, stderr := ok(t, ".", args...); stderr != "" || !strings.HasPrefix(stdout, "superres dict "+c+": ") || !strings.Contains(stdout, "EXAMPLES\n   superres dict "+c) {
				t.Errorf("%v: %s%s", args, stdout, stderr)
			}
		}
	}
}
