package coupled

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	_ "superres/learners/external" // its coders are the ones refused
	"superres/learners/sparse"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// makeStages returns the stages of a dictionary of random atoms: in the paper's form, or with Mean, Detail and two
// back-projections if extended is true.
func makeStages(t testing.TB, scale int, extended bool) []stage.Stage {
	t.Helper()
	r := Recipe{Scale: scale, Patch: 3, Mean: extended, Detail: extended, Degradation: resample.Cubic,
		Kernel: resample.Bicubic, Coder: "omp:sparsity=3"}
	if extended {
		r.BackProjection = 2
	}
	rng := rand.New(rand.NewPCG(5, uint64(scale)))
	low, high := mat.NewDense(9, 40, nil), mat.NewDense(9*scale*scale, 40, nil)
	for _, half := range []*mat.Dense{low, high} {
		half.Apply(func(int, int, float64) float64 { return 0.3 * rng.NormFloat64() }, half)
	}
	return must.Get(r.Stages(low, high))(t)
}

// makeStage returns the first stage of makeStages.
func makeStage(t testing.TB, scale int, extended bool) *Stage {
	t.Helper()
	return makeStages(t, scale, extended)[0].(*Stage)
}

func TestStage(t *testing.T) {
	for _, scale := range []int{2, 3} {
		for _, extended := range []bool{false, true} {
			stagetest.Run(t, scale, makeStage(t, scale, extended))
		}
	}
}

// Apply and Usage agree with their definition, computed patch by patch in float64.
func TestDefinition(t *testing.T) {
	for _, extended := range []bool{false, true} {
		c := makeStage(t, 2, extended)
		img := testimage.Drawing(13, 11, 0.3)
		low := picture.Split(img).Luma()
		current := resample.Resize(low, 26, 22, resample.Bicubic)
		got := must.Get(c.Apply(t.Context(), low, current, nil))(t)
		sum, count := mat.NewDense(22, 26, nil), mat.NewDense(22, 26, nil)
		for y := range 9 {
			for x := range 11 {
				patch := mat.NewDense(9, 1, nil)
				mean := 0.0
				for i := range 9 {
					patch.Set(i, 0, float64(low.Pix[(y+i/3)*13+x+i%3]))
					mean += patch.At(i, 0) / 9
				}
				if c.Mean {
					patch.Apply(func(_, _ int, v float64) float64 { return v - mean }, patch)
				}
				codes := must.Get(sparse.OMP{Sparsity: 3}.Code(t.Context(), c.Low, patch))(t)
				high := codes.Rebuild(c.High)
				for i := range 36 {
					v := high.At(i, 0)
					if c.Detail {
						v += float64(current.Pix[(2*y+i/6)*26+2*x+i%6])
					} else if c.Mean {
						v += mean
					}
					sum.Set(2*y+i/6, 2*x+i%6, sum.At(2*y+i/6, 2*x+i%6)+v)
					count.Set(2*y+i/6, 2*x+i%6, count.At(2*y+i/6, 2*x+i%6)+1)
				}
			}
		}
		for i, v := range got.Pix {
			if want := sum.At(i/26, i%26) / count.At(i/26, i%26); math.Abs(want-float64(v)) > 1e-5 {
				t.Fatalf("extended %v, sample %d: %g, expected %g", extended, i, v, want)
			}
		}
	}
}

// A model file may not name an external program as its coder.
func TestFileNamesNoProgram(t *testing.T) {
	self := must.Get(os.Executable())(t)
	for _, coder := range []string{`exec:"` + self + `"`, `exec:'` + self + `',sparsity=3`} {
		text := must.Get(json.Marshal(params{Patch: 3, Coder: coder}))(t)
		if _, err := load(2, text, nil); err == nil || !strings.Contains(err.Error(), "no model may name") {
			t.Errorf("%s: %v", coder, err)
		}
	}
}
