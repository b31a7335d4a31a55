package imagefile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/safefile"
)

// Chunks that say something about a PNG, or nothing, and change no pixel of it.
var pngExtras = []struct {
	kind   string
	data   []byte
	behind bool // behind PLTE
}{
	{kind: "gAMA", data: []byte{0, 0, 0xb1, 0x8f}},
	{kind: "gAMA", data: []byte{0, 3, 0x0d, 0x40}},
	{kind: "cHRM", data: make([]byte, 32)},
	{kind: "sRGB", data: []byte{0}},
	{kind: "sBIT", data: []byte{1}},
	{kind: "pHYs", data: []byte{0, 0, 0, 1, 0, 0, 0, 4, 0}},
	{kind: "tIME", data: []byte{0x07, 0xd0, 1, 1, 12, 34, 56}},
	{kind: "tEXt", data: []byte("Title\x00PngSuite")},
	{kind: "zTXt", data: append([]byte("Title\x00\x00"), zlibBytes([]byte("packed"))...)},
	{kind: "iTXt", data: []byte("Title\x00\x00\x00en\x00\x00größe")},
	{kind: "bKGD", data: []byte{0, 1}, behind: true},
	{kind: "bKGD", data: []byte{0, 1, 0, 2, 0, 3}, behind: true},
	{kind: "bKGD", data: []byte{1}, behind: true},
	{kind: "hIST", data: []byte{0, 1, 0, 2}, behind: true},
	{kind: "sPLT", data: []byte("p\x00\x08\x01\x02\x03\x04\x00\x05"), behind: true},
	{kind: "vpAg", data: []byte{1, 2, 3}}, // one that nobody knows
}

// checkPixels decodes a file of kind k and compares all pixels.
func (k pngKind) checkPixels(t *testing.T, what string, file []byte) {
	t.Helper()
	p, err := decodeBytes(file, "a.png", Limits{})
	if err != nil {
		t.Errorf("%s, %v: %v", what, k, err)
		return
	}
	if b := p.Image.Bounds(); b.Dx() != k.w || b.Dy() != k.h {
		t.Errorf("%s, %v: bounds %v", what, k, b)
		return
	}
	for y := range k.h {
		for x := range k.w {
			want, got := k.want(x, y), straight(p.Image.At(x, y))
			if k.depth < 16 {
				want = eightBits(want)
			}
			if got != want && (want.A != 0 || got.A != 0) {
				t.Errorf("%s, %v: pixel %d,%d is %v, want %v", what, k, x, y, got, want)
				return
			}
		}
	}
}

// Extra chunks, any compression, any division of the data and any size change no pixel.
func TestVariantsOfPNG(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	var plain []pngKind
	for colourType, depth := range map[int]int{typeGrey: 2, typeRGB: 8, typeIndexed: 4, typeGreyAlpha: 16, typeRGBA: 8} {
		for _, interlaced := range []bool{false, true} {
			plain = append(plain, pngKind{colourType: colourType, depth: depth, interlaced: interlaced, w: 13, h: 9})
		}
	}
	build := func(k pngKind, extra []byte, behind bool, level, split int) []byte {
		before, pixels := k.body()
		if behind {
			before = append(before, extra...)
		} else {
			before = append(bytes.Clone(extra), before...)
		}
		var packed bytes.Buffer
		z, err := zlib.NewWriterLevel(&packed, level)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(pixels)
		z.Close()
		b := append([]byte(pngSignature), imagetest.PNGChunk("IHDR", k.header())...)
		b = append(b, before...)
		for data := packed.Bytes(); len(data) > 0; {
			n := min(split, len(data))
			b = append(b, imagetest.PNGChunk("IDAT", data[:n])...)
			data = data[n:]
		}
		return append(b, imagetest.PNGChunk("IEND", nil)...)
	}
	for _, k := range plain {
		for _, e := range pngExtras {
			k.checkPixels(t, e.kind, build(k, imagetest.PNGChunk(e.kind, e.data), e.behind, zlib.DefaultCompression, 1<<20))
		}
		for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level++ {
			k.checkPixels(t, fmt.Sprintf("level %d", level), build(k, nil, false, level, 1<<20))
		}
		for _, split := range []int{1, 2, 3, 50} {
			k.checkPixels(t, fmt.Sprintf("data of %d bytes", split), build(k, nil, false, zlib.BestSpeed, split))
		}
		for size := 1; size <= 40; size++ {
			k := k
			k.w, k.h = size, 41-size
			k.checkPixels(t, "size", k.file())
			k.w, k.h = size, size
			k.checkPixels(t, "size", k.file())
		}
	}
}

// A signature that a transfer has changed, in any byte, is refused.
func TestDamagedSignatures(t *testing.T) {
	good := pngKind{colourType: typeRGB, depth: 8, w: 3, h: 2}.file()
	for i := range 8 {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			p, err := decodeBytes(bad, "a.png", Limits{})
			if err == nil {
				t.Errorf("byte %d, bit %d: decoded to %v", i, bit, p.Image.Bounds())
				continue
			}
			checkRefusal(t, err, safefile.ErrInput, "a.png", "")
		}
	}
	for name, bad := range map[string][]byte{
		"LF for CR LF":     append([]byte("\x89PNG\n\x1a\n"), good[8:]...),
		"CR LF for LF":     append([]byte("\x89PNG\r\r\n\x1a\r\n"), good[8:]...),
		"a byte in front":  append([]byte{0}, good...),
		"without its last": append(bytes.Clone(good[:7]), good[8:]...),
	} {
		p, err := decodeBytes(bad, "a.png", Limits{})
		if err == nil {
			t.Errorf("%s: decoded to %v", name, p.Image.Bounds())
			continue
		}
		checkRefusal(t, err, safefile.ErrInput, "a.png", "")
	}
}
