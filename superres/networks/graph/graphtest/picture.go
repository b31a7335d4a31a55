package graphtest

import (
	"math"
	"math/rand/v2"

	"superres/superres/networks/graph"
)

// Picture returns a random picture of samples from 0 to 1: a gradient, discs with sharp edges and a little noise.
func Picture(w, h, channels int, seed uint64) graph.Samples {
	r := rand.New(rand.NewPCG(seed, 1))
	s := graph.NewSamples(graph.Shape{W: w, H: h, Channels: channels})
	colour := func() (c [3]float64) {
		for i := range c {
			c[i] = r.Float64()
		}
		return c
	}
	from, to := colour(), colour()
	type disc struct {
		x, y, radius float64
		colour       [3]float64
	}
	var discs []disc
	for range 6 {
		discs = append(discs, disc{r.Float64() * float64(w), r.Float64() * float64(h),
			(0.05 + 0.2*r.Float64()) * float64(max(w, h)), colour()})
	}
	for y := range h {
		for x := range w {
			t := (float64(x)/float64(w) + float64(y)/float64(h)) / 2
			for c := range channels {
				v := from[c] + float64(t*(to[c]-from[c]))
				for _, d := range discs {
					if math.Hypot(float64(x)-d.x, float64(y)-d.y) < d.radius {
						v = d.colour[c]
					}
				}
				v += float64(0.01 * r.NormFloat64())
				s.At(x, y)[c] = float32(min(max(v, 0), 1))
			}
		}
	}
	return s
}
