package degrade

import (
	"image"
	"math/rand/v2"

	"github.com/disintegration/imaging"
)

// WithNoise returns a picture of 8 bits with independent normal noise of a standard deviation in
// levels of 255 in each colour of each pixel; alpha stays. The same seed gives the same noise.
func WithNoise(img image.Image, deviation float64, seed uint64) *image.NRGBA {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := imaging.Clone(img)
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = uint8(rounded(float32(float64(out.Pix[i]) + float64(deviation*rng.NormFloat64()))))
		}
	}
	return out
}
