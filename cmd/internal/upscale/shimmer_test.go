package upscale

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/golden"
)

// Still areas with noise that changes from frame to frame shimmer less than with interpolation, however faint the
// noise: the mean standard deviation of a sample over time is less. Without noise nothing shimmers, and the first
// frame equals its enlargement as a picture.
func TestVideoShimmer(t *testing.T) {
	golden.NotShort(t, "computes for long")
	img := grey(t)
	const frameCount = 10
	for _, head := range []string{"W96 H96 Cmono", "W96 H96 C420p10"} {
		unit, sigmas := 1.0, []float64{0, 0.3, 2} // levels of 255
		if head != "W96 H96 Cmono" {
			unit, sigmas = 4, []float64{1}
		}
		for _, sigma := range sigmas {
			random := rand.New(rand.NewPCG(1, 1))
			still := stream(t, head, frameCount, func(_, plane, x, y int) int {
				if plane > 0 {
					return int(128 * unit)
				}
				return int(unit*(16+219*float64(img.GrayAt(x+16, y+16).Y)/255+sigma*random.NormFloat64()) + 0.5)
			})
			shimmer := func(flags string) float64 {
				h, frames := readVideo(t, piped(t, still, flags))
				sum, n := 0.0, h.Width*h.Height
				var values [frameCount][]float64
				for k, f := range frames {
					shown := h.Brightness(f)
					for i := range n {
						v, _, _, _ := shown.At(i%h.Width, i/h.Width).RGBA()
						values[k] = append(values[k], float64(v)/0x101)
					}
				}
				for i := range n {
					mean, square := 0.0, 0.0
					for k := range values {
						mean += values[k][i] / frameCount
						square += values[k][i] * values[k][i] / frameCount
					}
					sum += square - float64(mean*mean)
				}
				return math.Sqrt(max(sum, 0) / float64(n))
			}
			ours, plain := shimmer(""), shimmer("-m lanczos")
			t.Logf("%s, noise of %g levels: %.3f levels, with lanczos %.3f", head, sigma, ours, plain)
			if sigma > 0 && ours > plain || ours > 1e-4 && sigma == 0 {
				t.Errorf("%s, noise of %g levels: shimmers by %.3f levels, with lanczos by %.3f", head, sigma, ours,
					plain)
			}
			if sigma == 0 && piped(t, still, "") != piped(t, still, "--denoise 0") {
				t.Error("noise is taken away from what has none")
			}
		}
	}
}
