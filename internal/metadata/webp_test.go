package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// A WebP has no place of its own for the software and the resolution, so EXIF says them. All else in the block stays
// where it was, and so do the links to its other directories.
func TestSoftwareOfWebP(t *testing.T) {
	resolution := metadata.Resolution{X: 300, Y: 300, Unit: metadata.Inch}
	for _, exif := range [][]byte{nil, exifBlock(binary.LittleEndian, 1), exifBlock(binary.BigEndian, 1)} {
		m := metadata.Metadata{EXIF: exif, Resolution: resolution}
		file := encoded(t, colours(), "webp", imagefile.EncodeOptions{Metadata: m, Software: "superres 9"})
		got := decoded(t, file)
		if got.Metadata.Resolution != resolution || len(got.Warnings) > 0 {
			t.Errorf("%v, %v", got.Metadata.Resolution, got.Warnings)
		}
		block := got.Metadata.EXIF
		if have := tags(t, block); have["/0x131"] != fmt.Sprintf("2×11 %x", "superres 9\x00") {
			t.Errorf("software %q of %v", have["/0x131"], have)
		}
		if exif != nil {
			if len(block) < len(exif) || !bytes.Equal(block[8:len(exif)], exif[8:]) {
				t.Error("the block has moved")
			}
			without := tags(t, exif)
			for tag, v := range tags(t, block) {
				if !slices.Contains([]string{"/0x131", "/0x11a", "/0x11b", "/0x128"}, tag) && v != without[tag] {
					t.Errorf("tag %s is %q, want %q", tag, v, without[tag])
				}
			}
		}
	}
}

// Chunks of an odd length are padded, a picture without metadata has none but its pixels, and all are read again.
func TestChunksOfWebP(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		img := image.NewNRGBA(image.Rect(0, 0, 1+n, 2)) // of pixels, of even and odd lengths
		for i := range img.Pix {
			img.Pix[i] = byte(r.Uint32())
		}
		m := metadata.Metadata{ICC: imagetest.Profile("RGB ", 200+n), XMP: fmt.Appendf(nil, "<x>%0*d</x>", 5+n/3, n)}
		if n%4 == 0 {
			m = metadata.Metadata{}
		}
		file := encoded(t, img, "webp", imagefile.EncodeOptions{Metadata: m})
		if size := int(binary.LittleEndian.Uint32(file[4:])) + 8; size != len(file) || size%2 > 0 {
			t.Fatalf("%d bytes, the header says %d", len(file), size)
		}
		if simple := string(file[12:16]) == "VP8L"; simple != (n%4 == 0) {
			t.Errorf("%q, with metadata %v", file[12:16], m)
		}
		got := decoded(t, file)
		if !bytes.Equal(got.Metadata.ICC, m.ICC) || !bytes.Equal(got.Metadata.XMP, m.XMP) || len(got.Warnings) > 0 {
			t.Errorf("%v, expected %v; %v", got.Metadata, m, got.Warnings)
		}
		for i, v := range got.Image.(*image.NRGBA).Pix { // hidden colours, too
			if v != img.Pix[i] {
				t.Fatalf("sample %d is %d, expected %d", i, v, img.Pix[i])
			}
		}
	}
}
