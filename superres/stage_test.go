package superres

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"

	"superres/patches"
)

// What every stage must do, whatever it computes.
func TestStages(t *testing.T) {
	models := map[string]*Model{"paper": small(t, 2, false), "extended": small(t, 2, true), "×3": small(t, 3, true),
		"cascade": cascade(t, 2, AllSymmetries), "cascade ×3": cascade(t, 3, NoSymmetries)}
	seen := map[string]bool{}
	for name, m := range models {
		for i, s := range m.Stages {
			seen[s.Kind()] = true
			low := split(drawing(23, 17, 1)).luma()
			current := Resize(low, 23*m.Scale, 17*m.Scale, Bicubic)
			before := [2][]float32{slices.Clone(low.Pix), slices.Clone(current.Pix)}
			last := 0.0
			got, err := s.Apply(t.Context(), low, current, func(share float64) {
				if share < last || share > 1 {
					t.Errorf("%s stage %d: progress %g after %g", name, i, share, last)
				}
				last = share
			})
			if err != nil || got.W != current.W || got.H != current.H || last != 1 {
				t.Fatalf("%s stage %d: %v, progress %g", name, i, err, last)
			}
			if !slices.Equal(before[0], low.Pix) || !slices.Equal(before[1], current.Pix) {
				t.Errorf("%s stage %d changes its input", name, i)
			}
			if &got.Pix[0] == &low.Pix[0] || &got.Pix[0] == &current.Pix[0] {
				t.Errorf("%s stage %d returns the memory of its input", name, i)
			}
			again, err := s.Apply(t.Context(), low, current, func(float64) {})
			if err != nil || !slices.Equal(again.Pix, got.Pix) {
				t.Errorf("%s stage %d gives another result the second time (%v)", name, i, err)
			}
			for _, side := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {2, 2}} {
				tiny := patches.NewPlane(side[0], side[1])
				out, err := s.Apply(t.Context(), tiny, Resize(tiny, side[0]*m.Scale, side[1]*m.Scale, Bicubic), func(float64) {})
				if err != nil || out.W != side[0]*m.Scale || out.H != side[1]*m.Scale {
					t.Errorf("%s stage %d on %v: %v", name, i, side, err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Apply(ctx, low, current, func(float64) {}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s stage %d, cancelled: %v", name, i, err)
			}
		}
	}
	for _, kind := range stageKinds() {
		if !seen[kind] {
			t.Errorf("stage %s is not tested", kind)
		}
	}
}

// A picture that is opaque inside stays so, for every form of model.
func TestOpaqueInside(t *testing.T) {
	in := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	g := drawing(20, 20, 2)
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
