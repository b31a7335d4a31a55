package sequence_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
)

// A single frame that the still picture is no part of is an animation of one frame, on a transparent canvas.
func TestHiddenStillPicture(t *testing.T) {
	packed := func(rows ...[]byte) []byte {
		return imagetest.Encoded(t, func(b *bytes.Buffer) error {
			z := zlib.NewWriter(b)
			_, _ = z.Write(bytes.Join(rows, nil))
			return z.Close()
		})
	}
	chunk := func(kind string, parts ...[]byte) []byte {
		return metadata.AppendChunk(nil, kind, bytes.Join(parts, nil))
	}
	control := func(w, h, x, y uint32) []byte {
		return chunk("fcTL", big32(0, w, h, x, y), []byte{0, 1, 0, 10, 0, 0})
	}
	head := chunk("IHDR", big32(4, 4), []byte{8, 6, 0, 0, 0})
	still, end := chunk("IDAT", packed(make([]byte, 4*17))), chunk("IEND")
	pixel := chunk("fdAT", big32(1), packed([]byte{0, 9, 8, 7, 255}))
	actl := func(n uint32) []byte { return chunk("acTL", big32(n, 0)) }

	r := must.Get(open(pngFile(head, actl(1), still, control(1, 1, 2, 1), pixel, end), "a.png", imagefile.Limits{}))(t)
	img := must.Get(r.Next(t.Context()))(t).Image.(*image.NRGBA)
	if r.Frames != 1 || img.Bounds() != image.Rect(0, 0, 4, 4) || img.NRGBAAt(0, 0).A != 0 ||
		img.NRGBAAt(2, 1) != (color.NRGBA{R: 9, G: 8, B: 7, A: 255}) {
		t.Errorf("%d frames, %v", r.Frames, img)
	}
	for name, data := range map[string][]byte{
		"shown":              pngFile(head, actl(1), control(4, 4, 0, 0), still, end),
		"no frames":          pngFile(head, actl(0), still, end),
		"acTL behind pixels": pngFile(head, still, actl(1), control(1, 1, 2, 1), pixel, end),
	} {
		if _, err := open(data, "a.png", imagefile.Limits{}); err == nil || err.Error() != "holds one picture" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What of a frame of a GIF is beyond the canvas is cut off.
func TestGIFFrameBeyondCanvas(t *testing.T) {
	white := color.Palette{color.Black, color.White}
	frame := func(r image.Rectangle, index uint8) *image.Paletted {
		m := image.NewPaletted(r, white)
		for i := range m.Pix {
			m.Pix[i] = index
		}
		return m
	}
	data := imagetest.GIF(t, frame(image.Rect(0, 0, 5, 4), 0), frame(image.Rect(3, 2, 5, 4), 1))
	binary.LittleEndian.PutUint16(data[6:], 4) // the canvas is 4×3
	binary.LittleEndian.PutUint16(data[8:], 3)
	r := must.Get(open(data, "a.gif", imagefile.Limits{}))(t)
	for n, want := range []uint8{0, 255} {
		img := must.Get(r.Next(t.Context()))(t).Image.(*image.Gray)
		if img.Bounds() != image.Rect(0, 0, 4, 3) || img.GrayAt(3, 2).Y != want || img.GrayAt(2, 2).Y != 0 ||
			img.GrayAt(3, 1).Y != 0 {
			t.Errorf("frame %d: %v", n+1, img)
		}
	}
}
