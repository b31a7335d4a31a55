package imagefile_test

import (
	"encoding/binary"
	"errors"
	"image"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/safefile"
)

// A picture above the default number of pixels is left to Accept if its file has a byte for every 200 pixels, and is
// refused as a bomb if it has less. A limit that was set holds for all files, and so does the default without Accept.
func TestPixelsOfFile(t *testing.T) {
	claim := func(w, h uint32, length int) []byte {
		head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
		data := append([]byte("\x89PNG\r\n\x1a\n"), imagetest.PNGChunk("IHDR", append(head, 8, 2, 0, 0, 0))...)
		return append(append(data, imagetest.PNGChunk("IDAT", nil)...), make([]byte, max(length-len(data)-12, 0))...)
	}
	reached := errors.New("accept was called")
	accept := func(cfg image.Config, _ int64) error { return reached }
	const bytes100MP = 100e6 / 200
	for _, c := range []struct {
		name   string
		data   []byte
		limits imagefile.Limits
		want   string // of the error; empty: Accept was called
	}{
		{"100 megapixels", claim(10000, 10000, bytes100MP), imagefile.Limits{Accept: accept}, ""},
		{"a byte less", claim(10000, 10000, bytes100MP-1), imagefile.Limits{Accept: accept},
			"10000×10000 is 100000000 pixels, the limit is 99999800 for a file of 499999 bytes"},
		{"a bomb", claim(50000, 50000, 0), imagefile.Limits{Accept: accept},
			"50000×50000 is 2500 megapixels, the limit is 50 for a file of 45 bytes"},
		{"a small file of 50 megapixels", claim(10000, 5000, 0), imagefile.Limits{Accept: accept}, ""},
		{"a limit above", claim(50000, 50000, 0), imagefile.Limits{Accept: accept, Pixels: 3e9}, ""},
		{"a limit below", claim(10000, 10000, bytes100MP), imagefile.Limits{Accept: accept, Pixels: 90e6},
			"10000×10000 is 100 megapixels, the limit is 90"},
		{"without Accept", claim(10000, 10000, bytes100MP), imagefile.Limits{},
			"10000×10000 is 100 megapixels, the limit is 50"},
	} {
		_, err := imagefile.DecodeBytes(t.Context(), c.data, "a.png", c.limits)
		if !errors.Is(err, safefile.ErrLimit) || errors.Is(err, reached) != (c.want == "") ||
			!strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
	}
}
