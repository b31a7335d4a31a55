package degrade

import (
	"image"
	"math/rand/v2"

	"github.com/disintegration/imaging"
)

// WithNoise returns a copy of a picture, in 8 bits, with independent normal noise in each colour of each pixel;
// deviation is its standard deviation in levels of 255. Alpha stays. The same seed gives the same noise.
func WithNoise(img image.Image, deviation float64, seed uint64) *image.NRGBA {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := imaging.Clone(img)
	for i := range out.Pix {
		if i%4 < 3 {
			out.Pix[i] = uint8(roundLevel(float32(float64(out.Pix[i]) + float64(deviation*rng.NormFloat64()))))
		}
	}
	return out
}
