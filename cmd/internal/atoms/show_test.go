package atoms

import (
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
)

// The figures, of atoms whose figures are known.
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
	// black: nothing to code
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
