package sequence_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/mutate"
	"superres/internal/safefile"
	"superres/internal/sequence"
)

// pngFile makes a PNG of chunks, each with a checksum that is right.
func pngFile(chunks ...[]byte) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Join(chunks, nil)...)
}

// big32 is numbers of 32 bits, one behind the other.
func big32(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// hostile is a file that lies about the order, the number or the size of its parts.
type hostile struct {
	name string
	data []byte
	want string // what the error says: an ErrLimit if it names a limit, else an ErrInput
}

// hostilePNGs are animated PNGs of 4×4 pixels, each of which breaks one rule of animations.
func hostilePNGs(t testing.TB) []hostile {
	pixels := apngOf(t, 4, 4, 2, 0, imagetest.Ramp(4, 4), nil)
	var idat []byte
	_ = metadata.Chunks(bytes.NewReader(pixels), func(c metadata.Chunk) bool {
		if string(c.Kind) == "IDAT" {
			idat = pixels[c.At()-8 : c.At()+c.Len+4]
		}
		return true
	})
	body := idat[8 : len(idat)-4]
	head := func(w, h uint32) []byte {
		return metadata.AppendChunk(nil, "IHDR", append(big32(w, h), 8, 6, 0, 0, 0))
	}
	control := func(n, w, h, x, y uint32) []byte {
		return metadata.AppendChunk(nil, "fcTL", append(big32(n, w, h, x, y), 0, 1, 0, 10, 0, 0))
	}
	data := func(n uint32) []byte { return metadata.AppendChunk(nil, "fdAT", append(big32(n), body...)) }
	act, end := metadata.AppendChunk(nil, "acTL", big32(2, 0)), metadata.AppendChunk(nil, "IEND", nil)
	ihdr, first, second, late := head(4, 4), control(0, 4, 4, 0, 0), control(1, 4, 4, 0, 0), data(2)
	note := metadata.AppendChunk(nil, "tEXt", []byte("a\x00b"))
	const huge = 1<<31 - 1
	return []hostile{
		{"huge", pngFile(head(huge, huge), act, first, idat, second, late, end),
			"has a side beyond the limit of 65535"},
		{"large", pngFile(head(65535, 65535), act, first, idat, second, late, end),
			"65535×65535 is 4295 megapixels, the limit is"},
		{"empty", pngFile(head(0, 4), act, first, idat, second, late, end), "has no pixels (its size is 0×4)"},
		{"frame outside", pngFile(ihdr, act, first, idat, control(1, 65535, 65535, 1<<31, 1<<31), late, end),
			"frame 2, of 65535×65535 at 2147483648,2147483648, is not inside of its 4×4"},
		{"frame too wide", pngFile(ihdr, act, control(0, 5, 4, 0, 0), idat, second, late, end),
			"frame 1, of 5×4 at 0,0, is not inside of its 4×4"},
		{"frame of nothing", pngFile(ihdr, act, first, idat, control(1, 0, 4, 0, 0), late, end),
			"frame 2, of 0×4 at 0,0, is not inside of its 4×4"},
		{"frame too far", pngFile(ihdr, act, first, idat, control(1, 1, 1, 4, 0), late, end),
			"frame 2, of 1×1 at 4,0, is not inside"},
		{"no number", pngFile(ihdr, act, first, idat, second, metadata.AppendChunk(nil, "fdAT", nil), end),
			"its frames are out of order"},
		{"a gap", pngFile(ihdr, act, first, idat, second, data(3), end), "its frames are out of order"},
		{"short fcTL", pngFile(ihdr, act, metadata.AppendChunk(nil, "fcTL", big32(0, 4, 4)), idat, end),
			"a chunk fcTL of 12 bytes, expected 26"},
		{"two fcTL", pngFile(ihdr, act, first, second, idat, late, end), "a frame without pixels"},
		{"last fcTL", pngFile(ihdr, act, first, idat, second, end), "a frame without pixels"},
		{"fdAT before IDAT", pngFile(ihdr, act, first, data(1), idat, control(2, 4, 4, 0, 0), end),
			"pixels of another frame come before"},
		{"fdAT of no frame", pngFile(ihdr, act, idat, data(0), end), "pixels of no frame"},
		{"both pixels", pngFile(ihdr, act, first, idat, data(1), end), "pixels of another frame come before"},
		{"parted IDAT", pngFile(ihdr, act, first, idat, note, idat, end), "other chunks lie among the pixels"},
		{"long chunk", pngFile(ihdr, act, first, append(big32(1<<31), "IDATxxxx"...)),
			"at most 2147483647 are allowed"},
		{"chunk beyond the file", pngFile(ihdr, act, first, append(big32(1<<30), "IDATxxxx"...)), "unexpected EOF"},
		{"frame of too few pixels", pngFile(head(4, 5), act, control(0, 4, 5, 0, 0), idat, end), "damaged PNG"},
	}
}

// hostileGIFs are GIFs of two images, of which the second breaks a rule.
func hostileGIFs() []hostile {
	file := func(w, h uint16, left, top, width, height uint16) []byte {
		screen := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16([]byte("GIF89a"), w), h)
		frame := func(l, t, w, h uint16) []byte {
			b := []byte{0x2c}
			for _, v := range []uint16{l, t, w, h} {
				b = binary.LittleEndian.AppendUint16(b, v)
			}
			return append(b, 0x80, 0, 0, 0, 255, 255, 255, 2, 2, 0x44, 1, 0)
		}
		parts := [][]byte{append(screen, 0, 0, 0), frame(0, 0, 1, 1), frame(left, top, width, height), {0x3b}}
		return bytes.Join(parts, nil)
	}
	return []hostile{
		{"outside", file(2, 2, 2, 0, 3, 1), "frame 2, of 3×1 at 2,0, is not inside of its 2×2"},
		{"far", file(2, 2, 65535, 65535, 65535, 65535), "frame 2, of 65535×65535 at 65535,65535, is not inside"},
		{"huge", file(65535, 65535, 0, 0, 65535, 65535), "65535×65535 is 4295 megapixels, the limit is"},
		{"cut", file(2, 2, 0, 0, 1, 1)[:30], "unexpected EOF"},
	}
}

// hostileWebPs are animated WebPs of 8×6 pixels.
func hostileWebPs(t testing.TB) []hostile {
	little24 := func(b []byte, list ...int) []byte {
		for _, v := range list {
			b = append(b, byte(v), byte(v>>8), byte(v>>16))
		}
		return b
	}
	frame := func(x, y, w, h int, still []byte) []byte {
		head := append(little24(nil, x, y, w-1, h-1), 40, 0, 0, 0)
		return imagetest.RIFFChunk("ANMF", append(head, still...))
	}
	file := func(parts ...[]byte) []byte {
		return imagetest.RIFFChunk("RIFF", append([]byte("WEBP"), bytes.Join(parts, nil)...))
	}
	head := func(w, h int) []byte {
		return imagetest.RIFFChunk("VP8X", little24([]byte{2, 0, 0, 0}, w-1, h-1))
	}
	still := imagetest.PlainWebP(8, 6)[12:]
	vp8x, anim, good := head(8, 6), imagetest.RIFFChunk("ANIM", []byte{0, 0, 0, 0, 1, 0}), frame(0, 0, 8, 6, still)
	if _, err := open(file(vp8x, anim, good), "a.webp", imagefile.Limits{}); err != nil {
		t.Fatal(err)
	}
	shorter, longer := file(vp8x, anim, good), file(vp8x, anim, good)
	binary.LittleEndian.PutUint32(shorter[4:], uint32(len(shorter)-20))
	binary.LittleEndian.PutUint32(longer[4:], 1<<32-1)
	nested := bytes.Clone(good)
	binary.LittleEndian.PutUint32(nested[8+16+4:], 1<<31)
	return []hostile{
		{"ANMF before ANIM", file(vp8x, good, anim), "a frame stands in front of the chunk ANIM"},
		{"no ANIM", file(vp8x, good), "a frame stands in front of the chunk ANIM"},
		{"two ANIM", file(vp8x, anim, anim, good), "two chunks ANIM"},
		{"two VP8X", file(vp8x, anim, head(16384, 16384), good), "its chunk VP8X is not the first"},
		{"ANMF before VP8X", file(good, vp8x, anim), "not an image"},
		{"no frames", file(vp8x, anim), "it has no frames"},
		{"RIFF too short", shorter, "where there are"},
		{"RIFF too long", longer, "unexpected EOF"},
		{"chunk beyond its frame", file(vp8x, anim, nested), "where there are"},
		{"no pixels", file(vp8x, anim, frame(0, 0, 8, 6, nil)), "a frame without pixels"},
		{"frame outside", file(vp8x, anim, frame(1, 0, 8, 6, still)),
			"frame 1, of 8×6 at 2,0, is not inside of its 8×6"},
		{"frame far outside", file(vp8x, anim, frame(1<<24-1, 1<<24-1, 1<<24, 1<<24, still)),
			"is not inside of its 8×6"},
		{"huge", file(head(1<<24, 64), anim, good), "has a side beyond the limit"},
		{"other pixels", file(head(8, 6), anim, frame(0, 0, 8, 6, imagetest.PlainWebP(16383, 16383)[12:])),
			"damaged WebP"},
	}
}

// Every file that lies about its parts is refused in one line, of the right class, before memory is taken for what
// it claims. It must be so both for files that come by way of imagefile and for those that do not.
func TestHostileSequences(t *testing.T) {
	files := map[string][]hostile{"png": hostilePNGs(t), "gif": hostileGIFs(), "webp": hostileWebPs(t)}
	for format, list := range files {
		for _, c := range list {
			name := "a." + format
			readers := map[string]func() error{
				"decoded": func() error {
					_, err := open(c.data, name, imagefile.Limits{})
					return err
				},
				"direct": func() error {
					pic := &imagefile.Picture{Format: imagefile.Format(format), File: c.data}
					_, err := sequence.NewReader(context.Background(), pic, name, imagefile.Limits{Pixels: 1e6})
					return err
				},
			}
			for way, read := range readers {
				what, err := fmt.Sprintf("%s, %s, %s", format, c.name, way), error(nil)
				mutate.Guard(t, what, 1<<20, func() { err = read() })
				if err == nil {
					t.Errorf("%s: no error", what)
					continue
				}
				limit, text := errors.Is(err, safefile.ErrLimit), err.Error()
				ofLimit := strings.Contains(c.want, "limit")
				if limit == errors.Is(err, safefile.ErrInput) || way == "direct" && limit != ofLimit ||
					!strings.HasPrefix(text, name+":") || strings.Contains(text, "\n") {
					t.Errorf("%s: %q of another class or form", what, text)
				}
				// Where the decoder finds it first, it has words of its own.
				if way == "direct" && !strings.Contains(text, c.want) && c.want != "not an image" {
					t.Errorf("%s: %q, expected %q", what, text, c.want)
				}
			}
		}
	}
}

// A frame that is not inside of the canvas is found before the pixels of any are decoded.
func TestPlanComesBeforePixels(t *testing.T) {
	list := steps(true)
	list[0].rect = image.Rect(0, 0, 11, 7)
	list[7].rect = image.Rect(10, 6, 12, 7)
	data := apngOf(t, 11, 7, len(list), 0, nil, list)
	at := bytes.Index(data, []byte("IDAT")) + 8
	data[at] ^= 1 // the first frame is damaged as well
	_, err := open(data, "a.png", imagefile.Limits{})
	if err == nil || !strings.Contains(err.Error(), "frame 8, of 2×1 at 10,6") {
		t.Errorf("%v, expected that frame 8 is not inside", err)
	}
}
