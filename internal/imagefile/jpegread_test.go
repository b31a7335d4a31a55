package imagefile

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"superres/internal/must"
)

// The estimate is the quality that Go's encoder was asked for, to a step or two; what
// is no JPEG, or is cut, gives none.
func TestJPEGQuality(t *testing.T) {
	for q := 5; q <= 100; q++ {
		var b bytes.Buffer
		must.Succeed(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 9)), &jpeg.Options{Quality: q}))
		if got := jpegQuality(bytes.NewReader(b.Bytes())); math.Abs(float64(got-q)) > 2 {
			t.Errorf("quality %d is taken for %d", q, got)
		}
		for cut := range 120 {
			if got := jpegQuality(bytes.NewReader(b.Bytes()[:cut])); got != 0 && math.Abs(float64(got-q)) > 2 {
				t.Fatalf("the first %d bytes of quality %d are taken for %d", cut, q, got)
			}
		}
	}
	if got := jpegQuality(strings.NewReader("\xff\xd8\xff\xdb\x00\x05\x20\x01\x01")); got != 0 {
		t.Errorf("a damaged table has quality %d", got)
	}
}
