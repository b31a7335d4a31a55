package models_test

import (
	"testing"

	"superres/internal/testimage"
	"superres/superres"
)

// BenchmarkEffort enlarges a picture of 768×512 with the model for photographs.
func BenchmarkEffort(b *testing.B) {
	img := testimage.Drawing(768, 512, 0.4)
	for _, effort := range superres.Efforts() {
		m, err := open(b, "photo").Effort(effort)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(effort, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Upscale(b.Context(), img, superres.Options{Scale: 2}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
