package anchored

import "math"

// canonical brings patches of side×side samples p into a form that is the same for
// all 16 symmetric ones. With the Gaussian window w (σ, unit sum) and u, v the
// column and row from the centre,
//
//	m = Σ w·p,  g_x = Σ u·w·p,  g_y = Σ v·w·p,  e = Σ c·p − m,
//
// c the window of σ/2: p − m is negated when e < 0, then flipped so that g_x ≥ 0 and
// g_y ≥ 0, then transposed so that g_x ≥ g_y. What comes out of a canonical patch is
// brought back the same way. An anchor so serves 16 patches, which is as good as 16
// times the training pictures, and a model treats a picture and its mirror image
// alike.
type canonical struct {
	window  []float32 // w
	weights []float32 // samples×4: of the moments m, g_x, g_y, e
}

func newCanonical(side int, sigma float64) canonical {
	w, c := gaussian(side, sigma), gaussian(side, sigma/2)
	f := canonical{window: make([]float32, side*side), weights: make([]float32, 4*side*side)}
	for i := range f.window {
		u, v := float64(i%side)-float64(side-1)/2, float64(i/side)-float64(side-1)/2
		f.window[i] = float32(w[i])
		copy(f.weights[4*i:], []float32{float32(w[i]), float32(u * w[i]), float32(v * w[i]), float32(c[i] - w[i])})
	}
	return f
}

// gaussian returns a window of side×side with unit sum.
func gaussian(side int, sigma float64) []float64 {
	g := make([]float64, side*side)
	sum := 0.0
	for i := range g {
		u, v := float64(i%side)-float64(side-1)/2, float64(i/side)-float64(side-1)/2
		g[i] = math.Exp(-(u*u + v*v) / (2 * sigma * sigma))
		sum += g[i]
	}
	for i := range g {
		g[i] /= sum
	}
	return g
}
