package imagefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/png"
	"reflect"
	"slices"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

func zlibBytes(b []byte) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(b)
	z.Close()
	return packed.Bytes()
}

// chunksOf cuts a sound PNG into its chunks, the first without the signature.
func chunksOf(data []byte) (list [][]byte) {
	for data = data[len(pngSignature):]; len(data) > 0; {
		n := 12 + binary.BigEndian.Uint32(data)
		list, data = append(list, data[:n]), data[n:]
	}
	return list
}

// pngFileOf is a PNG of chunks.
func pngFileOf(chunks ...[]byte) []byte {
	return append([]byte(pngSignature), bytes.Join(chunks, nil)...)
}

// The decoder sees only the chunks that it needs. Whatever else a PNG has, and however its pixels are
// divided, it sees the same picture.
func TestExtraChunksOfPNG(t *testing.T) {
	for _, k := range writtenPNGs {
		file := imagetest.PNG(t, k.picture(13, 9, 9))
		want := must.Get(png.Decode(bytes.NewReader(file)))(t)
		chunks := chunksOf(file)
		pixels := len(chunks) - 2 // the number of IDAT
		check := func(what string, file []byte) {
			p, err := decodeBytes(file, "a.png", Limits{})
			if err != nil || !reflect.DeepEqual(p.Image, want) {
				t.Errorf("%s, %s: %v", k.name, what, err)
			}
		}
		for kind, data := range map[string][]byte{
			"gAMA": {0, 0, 0xb1, 0x8f}, "cHRM": make([]byte, 32), "sRGB": {0}, "sBIT": {1}, "bKGD": {0, 1},
			"hIST": {0, 1, 0, 2},
			"pHYs": {0, 0, 0, 1, 0, 0, 0, 4, 0}, "tIME": {0x07, 0xd0, 1, 1, 12, 34, 56},
			"tEXt": []byte("Title\x00text"),
			// one that nobody knows
			"zTXt": append([]byte("Title\x00\x00"), zlibBytes([]byte("packed"))...), "vpAg": {1, 2, 3},
			"sPLT": []byte("p\x00\x08\x01\x02\x03\x04\x00\x05"), "IDAT": nil,
		} {
			check(kind, pngFileOf(slices.Insert(slices.Clone(chunks), pixels, imagetest.PNGChunk(kind, data))...))
		}
		split := bytes.Join(chunks[:pixels], nil)
		for i, data := 0, chunks[pixels][8:len(chunks[pixels])-4]; len(data) > 0; i++ {
			n := min(1+i%5, len(data))
			split, data = append(split, imagetest.PNGChunk("IDAT", data[:n])...), data[n:]
		}
		check("split", pngFileOf(split, chunks[pixels+1]))
	}
}

// Grey with a transparent value is grey with alpha.
func TestTransparentGrey(t *testing.T) {
	for _, img := range []image.Image{imagetest.GreyRamp(9, 6), image.NewGray16(image.Rect(0, 0, 3, 2))} {
		chunks := chunksOf(imagetest.PNG(t, img))
		p, err := decodeBytes(pngFileOf(chunks[0], imagetest.PNGChunk("tRNS", []byte{0, 0}), chunks[1], chunks[2]),
			"a.png", Limits{})
		if err != nil || !p.GreyAlpha {
			t.Errorf("%T: %v", img, err)
		}
	}
}

// A PNG that breaks a rule is refused, in one line. By the order of its chunks it is refused by its
// header already, before anybody is asked for memory.
func TestBrokenPNGs(t *testing.T) {
	chunk := imagetest.PNGChunk
	c := chunksOf(imagetest.PNG(t, imagetest.Indexed(9, 7)))
	head, colours, idat, end := c[0], c[1], c[2], c[3]
	flipped := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[(at+len(b))%len(b)] ^= 0x40
		return b
	}
	act := chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})
	huge := bytes.Clone(head[8:21])
	copy(huge, []byte{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff})
	for _, b := range []struct {
		want string // of the order of chunks; empty: the decoder refuses it
		data []byte
	}{
		{`its first chunk is "acTL", expected IHDR`, pngFileOf(act, head, colours, idat, end)},
		{`its first chunk is "tEXt", expected IHDR`, pngFileOf(chunk("tEXt", nil), head, colours, idat, end)},
		{"it has two chunks IHDR, expected one", pngFileOf(head, chunk("IHDR", huge), colours, idat, end)},
		{"its chunk IHDR has 14 bytes, expected 13", pngFileOf(chunk("IHDR", append(bytes.Clone(head[8:21]), 0)),
			colours, idat, end)},
		{"it has two chunks acTL, expected one", pngFileOf(head, act, act, colours, idat, end)},
		{`a chunk "tEXt" of 2147483648 bytes, at most`, pngFileOf(head, []byte("\x80\x00\x00\x00tEXt"), colours, idat,
			end)},
		{"", pngFileOf(flipped(head, -1), colours, idat, end)},
		{"", pngFileOf(head, flipped(colours, -1), idat, end)},
		{"", pngFileOf(head, idat, end)},
		{"", pngFileOf(head, colours, flipped(idat, -1), end)},
		{"", pngFileOf(head, colours, idat, flipped(end, -1))},
		{"", pngFileOf(head, colours, colours, idat, end)},
		{"", pngFileOf(head, colours, end)},
		{"", pngFileOf(head, colours, chunk("IDAT", nil), end)},
		{"", pngFileOf(head, colours, chunk("IDAT", flipped(idat[8:len(idat)-4], -1)), end)},
		{"", pngFileOf(head, colours, chunk("IDAT", idat[8:20]), chunk("gAMA", make([]byte, 4)),
			chunk("IDAT", idat[20:len(idat)-4]), end)},
		{"", pngFileOf(head, colours, idat)},
		{"", pngFileOf(head, colours, []byte{0x7f, 0xff, 0xff, 0xff}, idat[4:])},
	} {
		for _, several := range []func(Format){nil, func(Format) {}} {
			asked := false
			accept := func(image.Config, int64) error { asked = true; return nil }
			_, err := decodeBytes(b.data, "a.png", Limits{Several: several, Accept: accept})
			checkRefusal(t, err, safefile.ErrInput, "a.png", "damaged PNG: "+b.want)
			if b.want != "" && asked {
				t.Errorf("%s: was accepted by its header", b.want)
			}
		}
	}
	// What stands behind the pixels makes no animation of a picture.
	good := pngFileOf(head, colours, idat, act, act, end)
	if _, err := decodeBytes(good, "a.png", Limits{}); err != nil {
		t.Error(err)
	}
	for i := range len(pngSignature) { // which a transfer has changed
		_, err := decodeBytes(flipped(good, i), "a.png", Limits{})
		checkRefusal(t, err, safefile.ErrInput, "a.png", "not an image")
	}
}
