package app

import (
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"superres/cmd/internal/console/consoletest"
	"testing"
)

// A photograph of 24 megapixels is enlarged by 4 within the default limit.
func TestLargePhotograph(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "photo.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jpeg.Encode(f, image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420),
		nil); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"jpeg", "png"} {
		stdout, _ := tested.Succeeds(t, dir, "upscale", "photo.jpg", "-s", "4", "-m", "photo", "-f", format,
			"--dry-run", "--json")
		line, _, _ := strings.Cut(stdout, "\n")
		plan := consoletest.Decode[struct {
			Width, Height int
			Memory        int64
		}](t, line)
		if plan.Width != 24000 || plan.Height != 16000 || plan.Memory > 1<<30 {
			t.Errorf("%s: %+v", format, plan)
		}
	}
}
