package superres

import (
	"fmt"
	"testing"
)

// BenchmarkAnchored enlarges a drawing of 256×192 by one stage of 1,024 anchors, on
// one worker when run with -cpu 1; the megapixels are of the result.
func BenchmarkAnchored(b *testing.B) {
	for _, scale := range []int{2, 4} {
		m, err := Train(b.Context(), drawings(8), TrainOptions{Scale: scale, Stages: 2, Atoms: 1024, BackProject: 1, Reductions: []float64{0.9, 0.8, 0.7, 0.6}})
		if err != nil {
			b.Fatal(err)
		}
		low := split(drawing(256, 192, 0.4)).luma()
		current := Resize(low, low.W*scale, low.H*scale, Bicubic)
		for i, s := range m.Stages {
			b.Run(fmt.Sprintf("scale=%d/stage=%d/%s", scale, i, s.Kind()), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Apply(b.Context(), low, current, func(float64) {}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N)/(float64(len(current.Pix))/1e6), "ms/MP")
			})
		}
	}
}
