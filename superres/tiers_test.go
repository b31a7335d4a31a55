package superres

import (
	"image"
	"path/filepath"
	"testing"

	"superres/internal/golden"
	"superres/internal/kernel"
	"superres/internal/testimage"
)

// All forms of the kernels give the same pictures; those of coupled stages, which code
// patches in float64, but for one level in a hundredth of a percent of the samples.
func TestFormsOfKernelsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	if kernel.Tiers() == 1 {
		t.Skip("this machine has one form of the kernels")
	}
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")).(interface {
		SubImage(r image.Rectangle) image.Image
	}).SubImage(image.Rect(30, 20, 94, 80))
	cases := []struct {
		model string
		img   image.Image
		scale float64
	}{{"photo", hopper, 2}, {"photo", hopper, 3}, {"photo", testimage.Drawing(80, 60, 2), 4}, {"photo-real", hopper, 2}, {"photo", sheet(), 2}, {"digits", stroke(), 2}, {"coupled", hopper, 2}}
	var list []image.Image
	for form := range kernel.Tiers() {
		restore := kernel.Use(form)
		name := kernel.Tier()
		var got []image.Image
		for _, c := range cases {
			m := builtin(t, c.model)
			got = append(got, upscale(t, m, c.img, c.scale))
		}
		restore()
		if list == nil {
			list = got
			continue
		}
		for i, img := range got {
			b := img.Bounds()
			differ, most := 0, 0
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					r0, g0, b0, _ := list[i].At(x, y).RGBA()
					r1, g1, b1, _ := img.At(x, y).RGBA()
					for _, d := range []int{int(r0>>8) - int(r1>>8), int(g0>>8) - int(g1>>8), int(b0>>8) - int(b1>>8)} {
						if d != 0 {
							differ, most = differ+1, max(most, d, -d)
						}
					}
				}
			}
			t.Logf("picture %d, %s: %d of %d samples differ from the generic form, by up to %d levels", i, name, differ, 3*b.Dx()*b.Dy(), most)
			if cases[i].model != "coupled" && differ > 0 || most > 1 || differ > 1+3*b.Dx()*b.Dy()/10_000 {
				t.Errorf("picture %d, %s: too many", i, name)
			}
		}
	}
}
