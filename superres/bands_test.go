package superres

import (
	"fmt"
	"image"
	"reflect"
	"testing"

	"superres/internal/testimage"
	"superres/superres/stage"
)

// The result is the same bytes however many rows are worked on together: all scales,
// direct and through others, all stages, grey, colour, transparency, 8 and 16 bits.
func TestBandsChangeNothing(t *testing.T) {
	three := 3
	tuned, err := small(t, 2, true).Tune(stage.Tuning{BackProject: &three})
	if err != nil {
		t.Fatal(err)
	}
	tall := image.Rect(0, 0, 9, 130)
	grey := testimage.Drawing(8, 140, 1)
	colour := testimage.Fill(image.NewNRGBA(tall), true)
	clear := disc(50, 17, colour.NRGBAAt(3, 3), colour.NRGBAAt(4, 4))
	for _, c := range []struct {
		name   string
		model  *Model
		img    image.Image
		scales []float64
	}{
		{"photo", builtin(t, "photo"), grey, []float64{2, 3, 4, 2.6}},
		{"photo, colour", builtin(t, "photo"), colour, []float64{2, 2.6, 3, 6}},
		{"photo-real", builtin(t, "photo-real"), colour, []float64{2}},
		{"digits", builtin(t, "digits"), grey, []float64{2}},
		{"paper", small(t, 2, false), grey, []float64{2, 5}},
		{"extended ×3", small(t, 3, true), colour, []float64{3}},
		{"three back-projections", tuned, testimage.Fill(image.NewNRGBA64(tall), true), []float64{2}},
		{"chain", chain(t, 2), clear, []float64{1, 1.7, 3.3}},
		{"chain ×3", chain(t, 3), testimage.Fill(image.NewGray16(tall), true), []float64{3, 4.4}},
		{"chain, transparent", chain(t, 2), testimage.Fill(image.NewNRGBA64(tall), false), []float64{2}},
		{"bicubic", builtin(t, "bicubic"), clear, []float64{1, 1.3, 2, 3, 4, 7}},
		{"lanczos", builtin(t, "lanczos"), testimage.Fill(image.NewNRGBA64(tall), true), []float64{1, 1.3, 2, 3}},
		{"nearest", builtin(t, "nearest"), colour, []float64{1, 1.3, 2}},
	} {
		for _, scale := range c.scales {
			t.Run(fmt.Sprintf("%s ×%g", c.name, scale), func(t *testing.T) {
				h := c.img.Bounds().Dy()
				want, err := c.model.Upscale(t.Context(), c.img, Options{Scale: scale, BandRows: h})
				if err != nil {
					t.Fatal(err)
				}
				bands := []int{5, 12, 31, h - 1}
				if len(c.model.Stages) < 4 {
					bands = append(bands, 1)
				}
				for _, band := range bands {
					last := 0.0
					got, err := c.model.Upscale(t.Context(), c.img, Options{Scale: scale, BandRows: band, Progress: func(share float64) {
						if share < last || share > 1+1e-9 {
							t.Errorf("bands of %d: progress %g after %g", band, share, last)
						}
						last = share
					}})
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("bands of %d give another picture", band)
					}
					if last < 1-1e-9 {
						t.Errorf("bands of %d: progress ends at %g", band, last)
					}
				}
			})
		}
	}
}
