package kernel

import "testing"

// Convolutions and gradients of taps by tiles are those of Convolve32 and Correlate.
func TestTilesConvolve(t *testing.T) {
	const in, out, side = 16, 32, 4
	samples, taps, gradients := random32(36*in, 1), random32(9*in*out, 2), random32(side*side*out, 3)
	eachTier(t, func(t *testing.T) {
		var v, u, m, d, sums, wantSums, weight, wantWeight [36 * in * out]float32
		// Both directions of a tile of rows×rows places of k entries.
		both := func(by winogradMap, dst, src []float32, from, to, k int) {
			half := make([]float32, to*from*k)
			by(half, from*k, 0, src, from*k, 0, from*k, 1)
			by(dst, k, to*k, half, k, from*k, k, to)
		}
		both(SpreadSamples, v[:], samples, 6, 6, in)
		both(SpreadTaps, u[:], taps, 3, 6, in*out)
		both(SpreadGradients, d[:], gradients, side, 6, out)
		zero := make([]float32, out)
		var product [36 * in * out]float32
		for i := range 36 {
			Convolve32(m[i*out:], v[i*in:], in, 0, 1, in, u[i*in*out:][:in*out], zero, 1)
			Correlate(product[i*in*out:], out, v[i*in:], in, 0, d[i*out:], 0, 1, 1, in)
		}
		both(GatherSums, sums[:], m[:], 6, side, out)
		both(GatherTaps, weight[:], product[:], 6, 3, in*out)
		for y := range side {
			Convolve32(wantSums[y*side*out:], samples[y*6*in:], in, 6*in, 3, 3*in, taps, zero, side)
			for r := range 3 {
				Correlate(wantWeight[r*3*in*out:], out, samples[(y+r)*6*in:], in, 0, gradients[y*side*out:], 0, 1, side,
					3*in)
			}
		}
		compare := func(name string, got, want []float32) {
			for i, w := range want {
				if e := got[i] - w; e > 1e-4 || e < -1e-4 {
					t.Fatalf("%s: entry %d is %g, expected %g", name, i, got[i], w)
				}
			}
		}
		compare("sums", sums[:side*side*out], wantSums[:side*side*out])
		compare("gradient of taps", weight[:9*in*out], wantWeight[:9*in*out])
	})
}
