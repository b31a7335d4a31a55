package bmp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"io"
	"slices"
	"testing"
)

// file makes a BMP of a header, without its length, what stands between it and the pixels, and the pixels.
func file(header, between, pixels []byte) []byte {
	at := uint32(fileHeader + 4 + len(header) + len(between))
	b := binary.LittleEndian.AppendUint32([]byte("BM????\x00\x00\x00\x00"), at)
	b = binary.LittleEndian.AppendUint32(b, uint32(4+len(header)))
	return slices.Concat(b, header, between, pixels)
}

// header makes a header of the given length of a 3×2 picture, without the length itself.
func header(length, depth, compression int, masks ...uint32) []byte {
	var b []byte
	for _, v := range []uint32{3, 2, 1 | uint32(depth)<<16, uint32(compression), 0, 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return slices.Concat(b, words(masks...), make([]byte, v5Header))[:length-4]
}

func words(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// decode returns the pixels as Decode fills them in.
func decode(data []byte) ([]byte, error) {
	d, err := NewDecoder(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	n := 4
	if _, ok := d.Config().ColorModel.(color.Palette); ok {
		n = 1
	}
	stride := n * d.Config().Width
	pix := make([]byte, stride*d.Config().Height)
	return pix, d.Decode(pix, stride)
}

// What hardly any program reads or writes, by the text of the format.
func TestRareKinds(t *testing.T) {
	const red, green, blue, alpha = 0xf000, 0x0f00, 0x00f0, 0x000f
	palette := make([]byte, 16)
	word := []byte{0x8f, 0x12, 0x40, 0xf0, 0, 0, 0, 0} // red 1, green 2, blue 8, alpha 15, and so on
	words16 := append(bytes.Clone(word), word...)
	shown := []byte{17, 34, 136, 255, 255, 0, 68, 0, 0, 0, 0, 0}
	opaque := []byte{17, 34, 136, 255, 255, 0, 68, 255, 0, 0, 0, 255}
	for name, c := range map[string]struct {
		data, want []byte
	}{
		"2 bits": {file(header(40, 2, 0), palette, []byte{0b00011000, 0, 0, 0, 0b11100100, 0, 0, 0}),
			[]byte{3, 2, 1, 0, 1, 2}},
		"OS/2 2.0, 16 bytes": {file(header(16, 2, 0), palette, []byte{0b00011000, 0, 0, 0, 0b11100100, 0, 0, 0}),
			[]byte{3, 2, 1, 0, 1, 2}},
		"OS/2 2.0, RLE24": {file(header(64, 24, 4), nil, []byte{2, 1, 2, 3, 1, 4, 5, 6, 0, 0,
			0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1}), []byte{3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255,
			3, 2, 1, 255, 3, 2, 1, 255, 6, 5, 4, 255}},
		"RLE24, skipped pixels": {file(header(64, 24, 4), nil, []byte{0, 2, 2, 1, 1, 1, 2, 3, 0, 1}),
			[]byte{0, 0, 0, 255, 0, 0, 0, 255, 3, 2, 1, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255}},
		"ALPHABITFIELDS": {file(header(40, 16, 6), words(red, green, blue, alpha), words16), append(shown, shown...)},
		"V2, no alpha":   {file(header(52, 16, 3, red, green, blue), nil, words16), append(opaque, opaque...)},
		"V3, with alpha": {file(header(56, 16, 3, red, green, blue, alpha), nil, words16), append(shown, shown...)},
		"alpha all zero": {file(header(56, 16, 3, red, green, blue, alpha), nil, make([]byte, 16)),
			bytes.Repeat([]byte{0, 0, 0, 255}, 6)},
	} {
		if got, err := decode(c.data); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v %v, expected %v", name, got, err, c.want)
		}
		if got, err := decode(c.data[fileHeader:]); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s, bare: %v %v, expected %v", name, got, err, c.want)
		}
		for n := range len(c.data) - 3 { // behind which is padding, or the end mark of RLE
			if _, err := decode(c.data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(c.data), err)
			}
		}
	}
}

// Every field of 1 to 32 bits has its smallest value as 0 and its largest as 255, and is nearest between.
func TestFields(t *testing.T) {
	for bits := 1; bits <= 32; bits++ {
		for shift := 0; shift+bits <= 32; shift++ {
			most := uint64(1)<<bits - 1
			f := newField(most << shift)
			for _, v := range []uint64{0, most, most / 2, most / 3} {
				got, want := f.sample(v<<shift|^(most<<shift)), byte(float64(v)/float64(most)*255+0.5)
				if got != want {
					t.Fatalf("%d bits at %d, %d: %d, expected %d", bits, shift, v, got, want)
				}
			}
		}
	}
}

// Errors name the kinds that are not read.
func TestUnsupported(t *testing.T) {
	for want, data := range map[string][]byte{
		"bmp: a JPEG inside of it":             file(header(40, 0, 4), nil, nil),
		"bmp: a PNG inside of it":              file(header(124, 0, 5), nil, nil),
		"bmp: a fax code of OS/2":              file(header(64, 1, 3), nil, nil),
		"bmp: CMYK colours":                    file(header(108, 32, 11), nil, nil),
		"bmp: 64 bits a pixel":                 file(header(40, 64, 0), nil, nil),
		"bmp: 4 bits a pixel in compression 1": file(header(40, 4, 1), nil, nil),
		"bmp: compression 9":                   file(header(40, 8, 9), nil, nil),
		"bmp: a header of 13 bytes":            file(header(13, 8, 0), nil, nil),
	} {
		_, err := NewDecoder(bytes.NewReader(append(data, make([]byte, 200)...)))
		if _, ok := errors.AsType[UnsupportedError](err); !ok || err.Error() != want {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
