package atoms

import (
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/npz"
)

// The file says what it is; the flags say what it does not, or otherwise.
func TestDictImportParameters(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) npz.Text { return npz.StringArray("parameters", s) }
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	putHalves(t, filepath.Join(dir, "odd.npz"), "Dl", "Dh")
	putHalves(t, filepath.Join(dir, "told.npz"), "low", "high",
		text(`{"mean": true, "degradation": "box", "coder": "omp:sparsity=1"}`))
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
		{"told.npz", "×2 from box, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, " +
			"--mean=true --detail=false, omp:sparsity=1"},
		{"told.npz --mean=false --detail --degradation bicubic",
			"×2 from bicubic, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, --mean=false " +
				"--detail=true, omp:sparsity=1"},
		{"told.npz --sparsity 2", "omp:sparsity=1,sparsity=2"},
		{"told.npz --coder omp", "omp:sparsity=3"},
		{"some.npz", "--mean=false --detail=true, omp:sparsity=3"},
		{"D.npy", "3 atoms imported from D.npy"},
		{"T.csv --transpose", "3 atoms imported from T.csv"},
	} {
		_, stderr := ok(t, dir, append([]string{"dict", "import", "-o", "m.npz", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)...)
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
