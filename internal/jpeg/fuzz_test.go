package jpeg

import (
	"context"
	"image"
	"testing"

	"superres/internal/mutate"
)

// No file makes the decoder panic, and what it gives has the size in the header.
func FuzzDecode(f *testing.F) {
	files, _ := sound(f)
	for _, data := range files {
		f.Add(data, byte(0))
		f.Add(data[:len(data)/2], byte(1))
	}
	m := mutate.New(f).Of(".jpg", ".jpeg")
	for n := range uint64(400) {
		f.Add(m.Mutant(n).Data, byte(n))
	}
	f.Fuzz(func(t *testing.T, data []byte, colours byte) {
		opt := Options{Pixels: 1 << 12, Scans: 20, Colours: Colours(colours % 3)}
		cfg, headerErr := DecodeConfig(data, opt)
		img, _, err := Decode(context.Background(), data, opt)
		if err == nil && (headerErr != nil || img.Bounds() != image.Rect(0, 0, cfg.Width, cfg.Height) ||
			img.Bounds().Empty() || img.ColorModel() != cfg.ColorModel) {
			t.Errorf("%T of %v, in the header %d×%d: %v", img, img.Bounds(), cfg.Width, cfg.Height, headerErr)
		}
		if err == nil {
			img.At(img.Bounds().Dx()-1, img.Bounds().Dy()-1).RGBA()
		}
	})
}
