package stage_test

import (
	"math"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

func TestBackProject(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		for _, d := range []resample.Degradation{resample.Box, resample.Cubic} {
			b := must.Get(stage.NewBackProject(scale, 3, d))(t)
			stagetest.Run(t, scale, b)
		}
	}
}

// Back-projection makes the reduced result agree with the input, where clipping does not stand in the way.
func TestBackProjectAgreesWithTheInput(t *testing.T) {
	low := picture.Split(testimage.Drawing(20, 16, 1)).Luma()
	for i, v := range low.Pix {
		low.Pix[i] = 0.3 + 0.4*v
	}
	for _, d := range []resample.Degradation{resample.Box, resample.Cubic} {
		for scale := 2; scale <= 4; scale++ {
			b := must.Get(stage.NewBackProject(scale, 60, d))(t)
			got := must.Get(b.Apply(t.Context(), low, resample.Resize(low, 20*scale, 16*scale, resample.Nearest),
				nil))(t)
			for i, v := range d.Reduce(got, scale).Pix {
				if math.Abs(float64(v-low.Pix[i])) > 2e-3 {
					t.Fatalf("%s ×%d: sample %d reduces to %g, expected %g", d, scale, i, v, low.Pix[i])
				}
			}
		}
	}
}
