package superres

import (
	"image"
	"testing"
)

// BenchmarkRest enlarges a colour picture of 768×512 by all that photo does but its
// anchored stages.
func BenchmarkRest(b *testing.B) {
	m := &Model{Scale: 2, Degradation: Cubic, Kernel: Bicubic}
	for range 4 {
		s, err := NewBackProject(2, 2, Cubic)
		if err != nil {
			b.Fatal(err)
		}
		m.Stages = append(m.Stages, s)
	}
	img := fill(image.NewNRGBA(image.Rect(0, 0, 768, 512)), true)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Upscale(b.Context(), img, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
