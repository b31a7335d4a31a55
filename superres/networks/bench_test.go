package networks

import (
	"path/filepath"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/networks/graph/graphtest"
)

// BenchmarkPublished enlarges 768×128 pixels by networks of others, and tells how many products a second that takes.
func BenchmarkPublished(b *testing.B) {
	dir := golden.Data(b, "networks")
	for _, name := range []string{"RealESRGAN_General_x4_v3.param", "disp.onnx", "span26.onnx"} {
		b.Run(name, func(b *testing.B) {
			s := must.Get(Import(b.Context(), must.Get(Open(filepath.Join(dir, name), 0))(b), 0))(b)
			picture := planesOf(graphtest.Picture(768, 128, 3, 1))
			for b.Loop() {
				must.Get(s.Start(768, 128).Push(b.Context(), picture, nil))(b)
			}
			b.ReportMetric(768*128*s.measure.MACs*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

// BenchmarkImport imports networks of others.
func BenchmarkImport(b *testing.B) {
	dir := golden.Data(b, "networks")
	for _, name := range []string{"RealESRGAN_General_x4_v3.param", "disp.onnx", "span26.onnx"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Get(Import(b.Context(), must.Get(Open(filepath.Join(dir, name), 0))(b), 0))(b)
			}
		})
	}
}
