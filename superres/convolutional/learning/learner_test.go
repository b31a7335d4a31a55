package learning

import (
	"fmt"
	"testing"
)

// What a step costs, and how much of it is what the layers must compute: a multiply-add for
// a weight and a sample forward, two more back.
func BenchmarkStep(b *testing.B) {
	for _, size := range [][2]int{{16, 5}, {32, 10}} {
		b.Run(fmt.Sprintf("channels=%d/depth=%d", size[0], size[1]), func(b *testing.B) {
			o := small()
			o.Channels, o.Depth, o.Patch, o.Batch = size[0], size[1], 20, 10
			l, d := begun(b, o)
			if err := l.step(b.Context(), d); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := l.step(b.Context(), d); err != nil {
					b.Fatal(err)
				}
			}
			p := l.workers[0]
			work := 0
			for i, s := range p.shapes {
				one := s.side * s.side * s.in * s.out
				work += 3 * one * p.sides[i+1] * p.sides[i+1]
			}
			b.ReportMetric(float64(l.opt.Batch*work)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
