package superres

import (
	"context"
	"fmt"
	"image"

	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/score"
)

// Restore reduces img by scale with the model's degradation, to a picture of 8 bits, enlarges the reduced picture by
// scale, and returns the scores of the result against img. PSNR and SSIM leave out a border of scale pixels.
func (m *Model) Restore(ctx context.Context, img image.Image, scale int) (score.Metrics, error) {
	low, err := score.Reduce(img, scale, m.Degradation)
	if err != nil {
		return score.Metrics{}, err
	}
	high, err := m.Upscale(ctx, low, Options{Scale: float64(scale)})
	if err != nil {
		return score.Metrics{}, err
	}
	return score.Compare(img, high, scale, scale)
}

// RestoreExact reduces the brightness of img by scale with the model's degradation, enlarges it by scale, and
// returns the normalised squared error (NFE) and the result. As in the paper's Table 1, nothing is rounded to 8 bits
// before the error is taken; samples are limited to 0..1. It is an error if a side of img is less than scale.
func (m *Model) RestoreExact(ctx context.Context, img image.Image, scale int) (float64, *image.Gray, error) {
	if b := img.Bounds(); b.Dx() < scale || b.Dy() < scale || scale < 1 {
		return 0, nil, fmt.Errorf("superres: a %d×%d picture cannot be reduced by %d", b.Dx(), b.Dy(), scale)
	}
	truth := picture.Split(img).Luma()
	low := m.Degradation.Reduce(truth, scale)
	high, err := m.enlargePlane(ctx, low, low.W*scale, low.H*scale)
	if err != nil {
		return 0, nil, err
	}
	for i, v := range high.Pix {
		high.Pix[i] = picture.Clamp(v)
	}
	result := picture.Picture{Channels: []*plane.Plane{high}}.Image().(*image.Gray)
	return score.NFE(truth.Crop(0, 0, high.W, high.H), high), result, nil
}
