package superres

import (
	"image"
	"testing"

	"superres/internal/testimage"
)

// A picture that is opaque inside stays so, for every form of model.
func TestOpaqueInside(t *testing.T) {
	in := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	g := testimage.Drawing(20, 20, 2)
	for i, v := range g.Pix {
		alpha := uint8(255)
		if i%20 < 4 {
			alpha = 0
		}
		copy(in.Pix[4*i:], []uint8{v, v / 2, 255 - v, alpha})
	}
	for _, extended := range []bool{false, true} {
		out := upscale(t, small(t, 2, extended), in, 2).(*image.NRGBA)
		for i := 3; i < len(out.Pix); i += 4 {
			if x := i / 4 % 40; x >= 12 && out.Pix[i] != 255 || x < 4 && out.Pix[i] != 0 {
				t.Fatalf("extended %v: alpha %d at column %d", extended, out.Pix[i], x)
			}
		}
	}
}
