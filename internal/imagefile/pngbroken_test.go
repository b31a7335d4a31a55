package imagefile

import (
	"bytes"
	"image"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/safefile"
)

// A PNG that breaks a rule is refused, in one line.
func TestBrokenPNGs(t *testing.T) {
	k := pngKind{colourType: typeIndexed, depth: 4, w: 9, h: 7}
	before, pixels := k.body()
	z := zlibBytes(pixels)
	file := func(parts ...[]byte) []byte { return append([]byte(pngSignature), bytes.Join(parts, nil)...) }
	head, idat, end := imagetest.PNGChunk("IHDR", k.header()), imagetest.PNGChunk("IDAT", z), imagetest.PNGChunk("IEND", nil)
	if _, err := decodeBytes(file(head, before, idat, end), "a.png", Limits{}); err != nil {
		t.Fatal(err)
	}
	with := func(at int, v byte) []byte {
		h := k.header()
		h[at] = v
		return imagetest.PNGChunk("IHDR", h)
	}
	flipped := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[(at+len(b))%len(b)] ^= 0x40
		return b
	}
	filter := bytes.Clone(pixels)
	filter[0] = 5
	broken := map[string][]byte{
		"checksum of IHDR":       file(flipped(head, -1), before, idat, end),
		"checksum of PLTE":       file(head, flipped(before, -1), idat, end),
		"checksum of IDAT":       file(head, before, flipped(idat, -1), end),
		"checksum of IEND":       file(head, before, idat, flipped(end, -1)),
		"long IHDR":              file(imagetest.PNGChunk("IHDR", append(k.header(), 0)), before, idat, end),
		"short IHDR":             file(imagetest.PNGChunk("IHDR", k.header()[:12]), before, idat, end),
		"no IHDR":                file(before, idat, end),
		"two of IHDR":            file(head, head, before, idat, end),
		"width 0":                file(with(3, 0), before, idat, end),
		"height 0":               file(with(7, 0), before, idat, end),
		"negative width":         file(with(0, 0x80), before, idat, end),
		"depth 0":                file(with(8, 0), before, idat, end),
		"depth 3":                file(with(8, 3), before, idat, end),
		"depth 99":               file(with(8, 99), before, idat, end),
		"depth 16 of a palette":  file(with(8, 16), before, idat, end),
		"colour type 1":          file(with(9, 1), before, idat, end),
		"colour type 5":          file(with(9, 5), before, idat, end),
		"colour type 7":          file(with(9, 7), before, idat, end),
		"compression 1":          file(with(10, 1), before, idat, end),
		"filter method 1":        file(with(11, 1), before, idat, end),
		"interlace 2":            file(with(12, 2), before, idat, end),
		"no PLTE":                file(head, idat, end),
		"odd PLTE":               file(head, imagetest.PNGChunk("PLTE", []byte{1, 2, 3, 4}), idat, end),
		"long PLTE":              file(head, imagetest.PNGChunk("PLTE", make([]byte, 17*3)), idat, end),
		"two of PLTE":            file(head, before, before, idat, end),
		"PLTE behind the pixels": file(head, idat, before, end),
		"long tRNS":              file(head, before, imagetest.PNGChunk("tRNS", make([]byte, 257)), idat, end),
		"no IDAT":                file(head, before, end),
		"empty IDAT":             file(head, before, imagetest.PNGChunk("IDAT", nil), end),
		"zlib's header":          file(head, before, imagetest.PNGChunk("IDAT", flipped(z, 0)), end),
		"zlib's data":            file(head, before, imagetest.PNGChunk("IDAT", flipped(z, 4)), end),
		"zlib's checksum":        file(head, before, imagetest.PNGChunk("IDAT", flipped(z, -1)), end),
		"too few rows":           file(head, before, imagetest.PNGChunk("IDAT", zlibBytes(pixels[:len(pixels)-6])), end),
		"half a row":             file(head, before, imagetest.PNGChunk("IDAT", zlibBytes(pixels[:len(pixels)-2])), end),
		"too many rows":          file(head, before, imagetest.PNGChunk("IDAT", zlibBytes(append(bytes.Clone(pixels), pixels...))), end),
		"filter 5":               file(head, before, imagetest.PNGChunk("IDAT", zlibBytes(filter)), end),
		"no IEND":                file(head, before, idat),
		"long IEND":              file(head, before, idat, imagetest.PNGChunk("IEND", []byte{0})),
		"cut":                    file(head, before, idat[:len(idat)-5]),
		"a hole in IDAT":         file(head, before, imagetest.PNGChunk("IDAT", z[:9]), imagetest.PNGChunk("gAMA", make([]byte, 4)), imagetest.PNGChunk("IDAT", z[9:]), end),
		"huge chunk":             file(head, before, []byte{0x7f, 0xff, 0xff, 0xff}, []byte("IDAT"), z),
		"signature in CR":        append([]byte("\x89PNG\r\r\x1a\n"), file(head, before, idat, end)[8:]...),
		"signature in LF":        append([]byte("\x89PNG\n\n\x1a\n"), file(head, before, idat, end)[8:]...),
		"signature of 7 bits":    append([]byte("\x09PNG\r\n\x1a\n"), file(head, before, idat, end)[8:]...),
	}
	for name, data := range broken {
		p, err := decodeBytes(data, "a.png", Limits{})
		if err == nil {
			t.Errorf("%s: decoded to %v", name, p.Image.Bounds())
			continue
		}
		checkRefusal(t, err, safefile.ErrInput, "a.png", "")
	}
}

// The order of a PNG's chunks is checked by its header already, before anybody is asked for
// memory, and the message says which chunk is wrong.
func TestPNGOrder(t *testing.T) {
	k := pngKind{colourType: typeIndexed, depth: 4, w: 9, h: 7}
	before, pixels := k.body()
	chunk := imagetest.PNGChunk
	head, idat, end := chunk("IHDR", k.header()), chunk("IDAT", zlibBytes(pixels)), chunk("IEND", nil)
	act := imagetest.PNGChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})
	file := func(parts ...[]byte) []byte { return append([]byte(pngSignature), bytes.Join(parts, nil)...) }
	huge := k.header()
	copy(huge, []byte{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff})
	for want, data := range map[string][]byte{
		`its first chunk is "acTL", expected IHDR`:      file(act, head, before, idat, end),
		`its first chunk is "tEXt", expected IHDR`:      file(imagetest.PNGChunk("tEXt", nil), head, before, idat, end),
		"it has two chunks IHDR, expected one":          file(head, chunk("IHDR", huge), before, idat, end),
		"its chunk IHDR has 14 bytes, expected 13":      file(chunk("IHDR", append(k.header(), 0)), before, idat, end),
		"it has two chunks acTL, expected one":          file(head, act, act, before, idat, end),
		"a chunk \"tEXt\" of 2147483648 bytes, at most": file(head, []byte("\x80\x00\x00\x00tEXt"), before, idat, end),
	} {
		for _, several := range []func(Format){nil, func(Format) {}} {
			asked := false
			accept := func(image.Config, int64) error { asked = true; return nil }
			_, err := decodeBytes(data, "a.png", Limits{Several: several, Accept: accept})
			checkRefusal(t, err, safefile.ErrInput, "a.png", "damaged PNG: "+want)
			if asked {
				t.Errorf("%s: was accepted by its header", want)
			}
		}
	}
	// What stands behind the pixels makes no animation of a picture.
	if _, err := decodeBytes(file(head, before, idat, act, act, end), "a.png", Limits{}); err != nil {
		t.Error(err)
	}
}
