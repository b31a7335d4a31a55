package superres

import (
	"context"
	"fmt"
	"image"

	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/score"
)

// Restore reduces img by the model's degradation as a protocol does, enlarges it
// again by scale, and scores the result against img. The border left out for PSNR
// and SSIM is scale pixels.
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

// RestoreExact reduces the brightness of img by the model's degradation, enlarges it
// again by scale, and returns the normalised squared error (NFE) and the result. Nothing
// is rounded to 8 bits before the error is taken, as in the paper's Table 1; samples are
// limited to 0..1.
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
	shown := picture.Picture{Channels: []*plane.Plane{high}}.Image().(*image.Gray)
	return score.NFE(truth.Crop(0, 0, high.W, high.H), high), shown, nil
}
