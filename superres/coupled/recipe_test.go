package coupled

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/superres/resample"
)

// ones returns an r×c matrix of ones.
func ones(r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	m.Apply(func(int, int, float64) float64 { return 1 }, m)
	return m
}

func TestRecipeRefusals(t *testing.T) {
	good := Recipe{Scale: 2, Patch: 3, Degradation: resample.Cubic, Kernel: resample.Bicubic, Coder: "omp:sparsity=2",
		BackProjection: 1}
	if _, err := good.Stages(ones(9, 5), ones(36, 5)); err != nil {
		t.Fatal(err)
	}
	nan := ones(36, 5)
	nan.Set(2, 2, math.NaN())
	huge := ones(9, 5)
	huge.Set(2, 2, 1e60) // finite, but not as a float32
	for want, c := range map[string]struct {
		change    func(*Recipe)
		low, high *mat.Dense
	}{
		"unknown degradation":           {func(r *Recipe) { r.Degradation = "blur" }, ones(9, 5), ones(36, 5)},
		"unknown kernel":                {func(r *Recipe) { r.Kernel = "" }, ones(9, 5), ones(36, 5)},
		"unknown coder":                 {func(r *Recipe) { r.Coder = "opm" }, ones(9, 5), ones(36, 5)},
		"-1 back-projections":           {func(r *Recipe) { r.BackProjection = -1 }, ones(9, 5), ones(36, 5)},
		"more than the 5 atoms":         {func(r *Recipe) { r.Coder = "omp:sparsity=6" }, ones(9, 5), ones(36, 5)},
		"scale 5":                       {func(r *Recipe) { r.Scale = 5 }, ones(9, 5), ones(225, 5)},
		"of 9×5 and 35×5 atoms":         {func(*Recipe) {}, ones(9, 5), ones(35, 5)},
		"of 9×5 and 36×4 atoms":         {func(*Recipe) {}, ones(9, 5), ones(36, 4)},
		"the high half: sparse: atom 2": {func(*Recipe) {}, ones(9, 5), nan},
		"the low half: sparse: atom 2":  {func(*Recipe) {}, huge, ones(36, 5)},
		"of 9×4097 and 36×4097 atoms":   {func(*Recipe) {}, ones(9, 4097), ones(36, 4097)},
		"a model of 132 MiB": {func(r *Recipe) { r.Patch, r.Scale, r.Coder = 16, 4, "mp:sparsity=1" },
			ones(256, 3999), ones(4096, 3999)},
	} {
		r := good
		c.change(&r)
		if _, err := r.Stages(c.low, c.high); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
