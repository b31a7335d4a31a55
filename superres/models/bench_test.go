package models_test

import (
	"image"
	"testing"

	"superres/internal/testimage"
	"superres/superres"
	"superres/superres/models"
)

// BenchmarkPhoto enlarges 768×512 pixels twice by model photo at each effort; -cpu 1 takes one processor.
func BenchmarkPhoto(b *testing.B) {
	picture := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 768, 512)), true)
	for _, effort := range superres.Efforts() {
		b.Run(string(effort), func(b *testing.B) {
			m, err := models.Open("photo")
			if err == nil {
				m, err = m.Effort(effort)
			}
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Upscale(b.Context(), picture, superres.Options{Scale: 2}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*1536*1024/1e6/b.Elapsed().Seconds(), "megapixels/s")
		})
	}
}
