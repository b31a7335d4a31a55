package imagefile

import (
	"bytes"
	"image/png"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

// BenchmarkPNG compares with image/png, in time and in size.
func BenchmarkPNG(b *testing.B) {
	names, _ := filepath.Glob("../../testdata/*.png")
	more, _ := filepath.Glob("../../../shared/data/*/kodim0[1-5].png")
	for _, name := range append(names, more...) {
		pic := must.Get(Open(b.Context(), name, Limits{}))(b)
		size := [2]int{}
		for i, encode := range []func(*bytes.Buffer) error{
			func(w *bytes.Buffer) error { return png.Encode(w, pic.Image) },
			func(w *bytes.Buffer) error { return encodePNG(w, pic.Image, EncodeOptions{}) },
		} {
			b.Run(filepath.Base(name)+[]string{"/std", "/ours"}[i], func(b *testing.B) {
				var file bytes.Buffer
				for b.Loop() {
					file.Reset()
					must.Succeed(b, encode(&file))
				}
				size[i] = file.Len()
				at := pic.Image.Bounds().Size()
				b.ReportMetric(float64(at.X*at.Y)*float64(b.N)/1e6/b.Elapsed().Seconds(), "MP/s")
				b.ReportMetric(float64(size[i])/float64(size[0]), "size/std")
			})
		}
	}
}
