package superres

import (
	"image"
	"testing"

	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
)

// BenchmarkRest enlarges a colour picture of 768×512 by interpolation and four
// back-projections.
func BenchmarkRest(b *testing.B) {
	m := &Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic}
	for range 4 {
		s, err := stage.NewBackProject(2, 2, resample.Cubic)
		if err != nil {
			b.Fatal(err)
		}
		m.Stages = append(m.Stages, s)
	}
	img := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 768, 512)), true)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Upscale(b.Context(), img, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
