package networks

import (
	"math"

	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// resizeRows returns the operation that resizes rows as r says, with integers clipped to ±most.
func resizeRows(r graph.Resize, most int16) *lines.Resize {
	op := &lines.Resize{Up: r.Up, Down: r.Down, Most: most}
	if r.AlignCorners && r.By != graph.Nearest {
		op.AlignCorners = func(position float64) lines.Taps { return tapsAt(r, position) }
		return op
	}
	for phase := range r.Up {
		if r.By == graph.Nearest {
			op.Taps = append(op.Taps, lines.Taps{Weight: []float32{1}})
			continue
		}
		// The centre of a sample, in samples of the input.
		position := (float64(phase)+0.5)*float64(r.Down)/float64(r.Up) - 0.5
		base := math.Floor(position)
		t := tapsAt(r, position-base)
		t.First += int(base)
		op.Taps = append(op.Taps, t)
	}
	return op
}

// tapsAt returns the weights of the samples around a position, 0 to 1, between sample 0 and sample 1.
func tapsAt(r graph.Resize, t float64) lines.Taps {
	if r.By == graph.Bilinear {
		return lines.Taps{Weight: []float32{float32(1 - t), float32(t)}}
	}
	// R. Keys: Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29 (1981).
	near := func(x float64) float64 {
		return float64(float64(float64((r.A+2)*x)-float64(r.A+3))*float64(x*x)) + 1
	}
	far := func(x float64) float64 {
		inner := float64(float64(r.A*x)-5*r.A)*x + 0
		return float64(float64(inner+8*r.A)*x) - 4*r.A
	}
	weight := []float32{
		float32(far(t + 1)), float32(near(t)), float32(near(1 - t)), float32(far(2 - t)),
	}
	return lines.Taps{First: -1, Weight: weight}
}
