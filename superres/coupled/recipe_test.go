package coupled

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/superres/resample"
	"superres/superres/stage"
)

// The recipe of stages and the halves of their dictionary make the same stages again.
func TestRecipe(t *testing.T) {
	for _, scale := range []int{2, 3, 4} {
		for _, extended := range []bool{false, true} {
			stages := makeStages(t, scale, extended)
			c := stages[0].(*Stage)
			r, whole := RecipeOf(scale, resample.Cubic, resample.Bicubic, stages, 0)
			if !whole || r.Scale != scale || r.Patch != 3 || (r.BackProjection == 2) != extended ||
				r.Mean != extended || r.Detail != extended {
				t.Errorf("%+v %v", r, whole)
			}
			again, err := r.Stages(c.Low.Matrix(), c.High.Matrix())
			if err != nil || len(again) != len(stages) {
				t.Fatal(len(again), err)
			}
			d := again[0].(*Stage)
			if stage.Describe(again[0]) != stage.Describe(c) || !mat.Equal(c.Low.Matrix(), d.Low.Matrix()) ||
				!mat.Equal(c.High.Matrix(), d.High.Matrix()) {
				t.Errorf("×%d extended %v: another stage", scale, extended)
			}
			if extended && stage.Describe(again[1]) != stage.Describe(stages[1]) {
				t.Errorf("×%d: another back-projection", scale)
			}
		}
	}
	stages := makeStages(t, 2, true)
	if _, whole := RecipeOf(2, resample.Cubic, resample.Bicubic, append(stages, stages[0]), 0); whole {
		t.Error("there is a third stage")
	}
}

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

// The numbers of rows determine the patch size and the scale.
func TestFit(t *testing.T) {
	seen := map[int]bool{}
	for patch := 1; patch <= MaxPatch; patch++ {
		for scale := 2; scale <= 4; scale++ {
			n, m := patch*patch, patch*patch*scale*scale
			if p, s, err := FitHalves(n, m, 9); p != patch || s != scale || err != nil {
				t.Errorf("%d and %d rows: patch %d, scale %d, %v", n, m, p, s, err)
			}
			if p, s, err := FitStacked(n+m, 9); p != patch || s != scale || err != nil || seen[n+m] {
				t.Errorf("%d rows: patch %d, scale %d, %v", n+m, p, s, err)
			}
			seen[n+m] = true
		}
	}
	for rows := range 5000 {
		if _, _, err := FitStacked(rows, 9); (err == nil) != seen[rows] {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	for _, c := range [][3]int{{9, 35, 1}, {8, 32, 1}, {9, 9, 1}, {9, 225, 1}, {289, 1156, 1}, {0, 0, 1}, {36, 9, 1},
		{9, 36, MaxAtoms + 1}} {
		if _, _, err := FitHalves(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v fits", c)
		}
	}
	if _, _, err := FitStacked(45, MaxAtoms+1); err == nil {
		t.Error("too many atoms fit")
	}
}
