package imagefile

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/must"
)

// Files of kinds that real files have and few encoders write, and what other programs see in them: FILE and FILE.png.
// At least two of Pillow 9.4, ImageMagick 6.9.11, FFmpeg 5.1 and libvips 8.14 agree on each, but for five: Pillow alone
// reads pal8_off0 and pal8_used0_short, FFmpeg alone takes the empty alpha of bf8888z_v5 for none, libvips alone has
// all of bf101010_v4 right, and two each see alpha and none in x_vp8x_noflag_alph. The pictures beside the AVIFs are
// decoded by avifdec 0.11 to 16 bits, then cropped and turned by their boxes, which it ignores.
func TestForeignFiles(t *testing.T) {
	names := must.Get(filepath.Glob("testdata/kinds/*.png.png"))(t)
	for _, ext := range []string{"bmp", "dib", "gif", "webp", "avif"} {
		names = append(names, must.Get(filepath.Glob("testdata/kinds/*."+ext+".png"))(t)...)
	}
	if len(names) < 70 {
		t.Fatalf("%d files", len(names))
	}
	for _, name := range names {
		want := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile(name))(t))))(t)
		name = strings.TrimSuffix(name, ".png")
		tolerance := 1
		if strings.HasSuffix(name, ".webp") {
			tolerance = 6
		}
		p, err := decodeBytes(must.Get(os.ReadFile(name))(t), name, Limits{})
		if err != nil {
			t.Error(err)
		} else if !looksAlike(p.Image, want, tolerance) {
			t.Errorf("%s: another picture than other programs see", name)
		}
	}
}
