package superres

import (
	"errors"
	"image"
	"testing"

	"superres/superres/resample"
)

// Upscale enlarges by the model that was set, which is opened once, and without one fails.
func TestUpscaleByTheDefaultModel(t *testing.T) {
	defer defaultModel.Store(defaultModel.Load())
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	defaultModel.Store(nil)
	if _, err := Upscale(t.Context(), img, Options{}); !errors.Is(err, ErrModel) {
		t.Error(err)
	}
	opened := 0
	SetDefault(func() (*Model, error) {
		opened++
		return Plain(resample.Nearest), nil
	})
	for range 2 {
		if large, err := Upscale(t.Context(), img, Options{Scale: 3}); err != nil ||
			large.Bounds().Size() != image.Pt(9, 6) {
			t.Error(large, err)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	SetDefault(func() (*Model, error) { return nil, ErrModel })
	if _, err := Upscale(t.Context(), img, Options{}); !errors.Is(err, ErrModel) {
		t.Error(err)
	}
}
