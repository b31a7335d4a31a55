package upscale

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
)

// The same pixels give the same enlargement, to the bit, in any lossless format, as a palette and in any orientation.
func TestSamePictureAnyFile(t *testing.T) {
	dir := t.TempDir()
	const w, h = 15, 11
	img := image.NewPaletted(image.Rect(0, 0, w, h), nil)
	for i := range 64 {
		img.Palette = append(img.Palette, color.NRGBA{uint8(4 * i), uint8(255 - 3*i), uint8(i * i), 255})
	}
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i % 64)
	}
	plain := imaging.Clone(img)
	encode := func(img image.Image, format string) []byte {
		return imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return imagefile.Encode(b, img, imagefile.Format(format), imagefile.EncodeOptions{})
		})
	}
	consoletest.Put(t, filepath.Join(dir, "in/plain.png"), encode(plain, "png"))
	consoletest.Put(t, filepath.Join(dir, "in/palette.png"), encode(img, "png"))
	consoletest.Put(t, filepath.Join(dir, "in/bitmap.bmp"), encode(plain, "bmp"))
	consoletest.Put(t, filepath.Join(dir, "in/a.tif"), encode(plain, "tiff"))
	// As it lies in a file whose tag says how it is to be turned.
	for i, lie := range []func(image.Image) *image.NRGBA{
		imaging.FlipH, imaging.Rotate180, imaging.FlipV, imaging.Transpose, imaging.Rotate90, imaging.Transverse,
		imaging.Rotate270,
	} {
		still := encode(lie(plain), "png")
		exif := imagetest.WithExif([]byte{0xff, 0xd8}, i+2, binary.LittleEndian)[12:]
		consoletest.Put(t, filepath.Join(dir, fmt.Sprintf("in/turned%d.png", i+2)),
			slices.Concat(still[:33], imagetest.PNGChunk("eXIf", exif), still[33:]))
	}
	_, stderr, code := call(t, dir, "", "upscale", "in", "-f", "png", "-o", "out", "--name", "{stem}", "--metadata",
		"strip", "-q")
	if code != 0 {
		t.Fatal(stderr)
	}
	all := consoletest.Results(t, filepath.Join(dir, "out"))
	for f, data := range all {
		if data != all["plain.png"] {
			t.Errorf("%s is another picture", f)
		}
	}
	if len(all) != 11 {
		t.Errorf("%d results", len(all))
	}
}
