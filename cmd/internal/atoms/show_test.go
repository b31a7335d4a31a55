package atoms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/cmd/internal/mosaic"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/stage"
)

// superres dict show prints the right figures for atoms whose figures are known.
func TestDictShow(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	consoletest.PutMatrix(t, filepath.Join(dir, "I.npy"), mat.NewDiagDense(4, []float64{1, 2, 2, 4}))
	show := func(args ...string) (d description, text string) {
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
	if len(d.Dictionaries) != 1 || d.Dictionaries[0].Atoms != 4 || d.Dictionaries[0].Measures[0] != want ||
		!strings.Contains(text, "4 atoms") {
		t.Errorf("%+v\n%s", d.Dictionaries[0], text)
	}
	d, _ = show("bare.npz")
	if p := d.Dictionaries[0]; d.Scale != 2 || p.Patch != 2 || len(p.Measures) != 3 || p.Stage != nil {
		t.Errorf("%+v", p)
	} else if m := p.Measures[0]; m.Entries != 4 || m.Near != 1 || m.Pairs != 3 || m.Rank != 2 ||
		math.Abs(m.Coherence-3.95/2/math.Sqrt(3.9025)) > 1e-9 {
		t.Errorf("%+v", m)
	}
	ok(t, dir, "dict", "import", "bare.npz", "-o", "m.npz", "--sparsity", "1")
	ok(t, dir, "dict", "export", "m.npz", "-o", "e.npz")
	// a black picture: no patch uses an atom
	consoletest.WritePicture(t, filepath.Join(dir, "pictures/a.png"), image.NewGray(image.Rect(0, 0, 9, 9)))
	dot := image.NewGray(image.Rect(0, 0, 6, 6))
	dot.SetGray(2, 2, color.Gray{255})
	consoletest.WritePicture(t, filepath.Join(dir, "pictures/b.png"), dot)
	for _, file := range []string{"m.npz", "e.npz"} {
		d, text = show(file, "pictures")
		p := d.Dictionaries[0]
		// Of the 2×2 patches with the dot in them: it is below at the right of the atom in one; in the others the
		// edge, or what is nearly the edge, fits it best.
		if p.Usage == nil || p.Usage.Pictures != 2 || p.Usage.Patches != 64+25 || p.Usage.Uses[1] != 1 ||
			p.Usage.Uses[0]+p.Usage.Uses[2] != 3 ||
			!strings.Contains(text, fmt.Sprintf("89 patches of 2 pictures: %d of 3 atoms used", p.Usage.Used)) {
			t.Errorf("%s: %+v\n%s", file, p.Usage, text)
		}
		if *p.Stage != 0 || p.Coder != "omp:sparsity=1" || *p.Mean || *p.Detail ||
			!strings.Contains(text, "patches of 2×2 to 4×4, --mean=false --detail=false, omp:sparsity=1") {
			t.Errorf("%s: %+v\n%s", file, p, text)
		}
	}
	for name, scale := range coupledBuiltins(t) {
		d, text = show(name)
		p := d.Dictionaries[0]
		n := p.Patch * p.Patch
		if p.Atoms < 2 || p.Measures[0].Entries != n || p.Measures[1].Entries != n*scale*scale ||
			p.Measures[2].Entries != n*(1+scale*scale) ||
			!strings.HasPrefix(text, fmt.Sprintf("%s: ×%d from ", name, scale)) {
			t.Errorf("%s: %+v\n%s", name, p, text)
		}
	}
}

// The drawing is right pixel by pixel.
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

	// Ordered by use, the dot comes first for a picture of dots.
	ok(t, dir, "dict", "import", "bare.npz", "-o", "m.npz", "--sparsity", "1", "-q")
	white := image.NewGray(image.Rect(0, 0, 2, 2))
	white.SetGray(1, 1, color.Gray{255})
	consoletest.WritePicture(t, filepath.Join(dir, "dot.png"), white)
	png, stderr := ok(t, dir, "dict", "show", "m.npz", "dot.png", "-o", "-", "--zoom", "3")
	consoletest.Put(t, filepath.Join(dir, "b.png"), []byte(png))
	if got := golden.Open(t, filepath.Join(dir, "b.png")).At(12, 12); color.NRGBAModel.Convert(got) != grey(255) ||
		!strings.Contains(stderr, "1 of 3 atoms used") {
		t.Errorf("%v, %s", got, stderr)
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
		ok(t, dir, append([]string{"dict", "show", "-o", "c.png", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)...)
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
	if _, stderr := ok(t, dir, "dict", "show", "m.npz", "-o", "a.jpg", "-q"); stderr != "" ||
		!bytes.HasPrefix(consoletest.Read(t, dir, "a.jpg"), []byte("\xff\xd8")) {
		t.Error(stderr)
	}
}

// Models with several coupled stages, and with none.
func TestDictStages(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	ok(t, dir, "dict", "import", "bare.npz", "-o", "one.npz")
	one := must.Get(models.Open(t.Context(), filepath.Join(dir, "one.npz")))(t)
	coupled, back := one.Stages[0], one.Stages[1]
	for name, stages := range map[string][]stage.Stage{"two.npz": {coupled, back, coupled}, "none.npz": {back}} {
		m := *one
		m.Stages = stages
		var b bytes.Buffer
		must.Succeed(t, m.Save(&b))
		consoletest.Put(t, filepath.Join(dir, name), b.Bytes())
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"show two.npz", 0, "stage 2, coupled: 3 atoms"},
		{"show two.npz -o a.png", 0, "stage 2, coupled: 3 atoms"},
		{"show -", 0, "standard input: ×2 from bicubic, coupled + backproject + coupled"},
		{"export two.npz -o a.npy", 0, "--back-projection 3 -o MODEL.npz a.npy; warning: stage 0 alone, " +
			"the model has others"},
		{"show none.npz", 2, "none.npz has no coupled dictionary to show or export, its stages are backproject"},
		{"export none.npz -o b.npy", 2, "no coupled dictionary"},
	} {
		stdout, stderr, code := call(t, dir, string(consoletest.Read(t, dir, "two.npz")),
			append([]string{"dict"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s, expected %d with %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
	if got, want := consoletest.Tree(t, dir), []string{"a.npy", "a.png", "bare.npz", "none.npz", "one.npz",
		"two.npz"}; !slices.Equal(got, want) {
		t.Errorf("files %v, expected %v", got, want)
	}
}
