package superres

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
	"superres/internal/synthetic"
	"superres/superres/resample"
	"superres/superres/score"
)

// Text, charts, pixel art and the like, reduced by block means as programs render them, come out better than by
// Lanczos: photographs alone teach a network little of that, and it is not seen in sets of them.
func TestDrawingsGainOnLanczos(t *testing.T) {
	lanczos := builtin(t, "lanczos")
	for scale := 2; scale <= 4; scale++ {
		for name, want := range map[string]float64{"photo": 4, "photo-fast": 3.7, "photo max": 4} {
			m, sum, least := builtinAtEffort(t, name), 0.0, math.Inf(1)
			count := 5.
			if testsInFull() {
				count = 20
			}
			for i := range uint64(count) {
				truth := synthetic.Sample(rand.New(rand.NewPCG(7, i)), 80*scale, 80*scale, scale).Image
				low := must.Get(score.Reduce(truth, scale, resample.Box))(t)
				psnr := func(m *Model) float64 {
					return must.Get(score.PSNR(truth, upscale(t, m, low, float64(scale)), scale, scale))(t)
				}
				gain := min(psnr(m), 60) - min(psnr(lanczos), 60)
				sum, least = sum+gain, min(least, gain)
			}
			t.Logf("×%d, %s: %.2f dB over Lanczos in the mean, at least %.2f", scale, name, sum/count, least)
			if sum/count < want || least < 0 {
				t.Errorf("×%d, %s: %.2f dB over Lanczos in the mean, at least %.2f, expected %g and 0", scale, name,
					sum/count, least, want)
			}
		}
	}
}
