package superres

import (
	"image"
	"image/draw"
	"path/filepath"
	"testing"

	"superres/internal/golden"
	"superres/internal/kernel"
)

// All implementations of the kernels, with vector instructions and without, give the same pictures. Only coupled
// stages, which code patches in float64, may differ, by one level in a hundredth of a percent of the samples.
func TestKernelsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	if kernel.Tiers() == 1 {
		t.Skip("this machine has one implementation of the kernels")
	}
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	photograph := image.NewNRGBA(image.Rect(0, 0, 24, 20))
	draw.Draw(photograph, photograph.Rect, hopper, image.Pt(40, 40), draw.Src)
	for _, c := range []struct {
		model string
		img   image.Image
		scale float64
	}{
		{"photo", photograph, 2}, {"photo", photograph, 3}, {"photo-fast", photograph, 4},
		{"photo-real", photograph, 2}, {"photo-fast", sheet(), 2}, {"digits", stroke(), 2}, {"coupled", photograph, 2},
	} {
		var generic *image.NRGBA64
		for tier := range kernel.Tiers() {
			restore := kernel.Use(tier)
			name := kernel.Tier()
			out := deep(upscale(t, builtin(t, c.model), c.img, c.scale))
			restore()
			if generic == nil {
				generic = out
				continue
			}
			differ, most := 0, 0
			for i, v := range out.Pix {
				if d := int(v) - int(generic.Pix[i]); d != 0 {
					differ, most = differ+1, max(most, d, -d)
				}
			}
			if c.model != "coupled" && differ > 0 || most > 1 || differ > 2*(1+len(out.Pix)/20_000) {
				t.Errorf("%s ×%g, %s: %d samples differ by up to %d levels", c.model, c.scale, name, differ, most)
			}
		}
	}
}
