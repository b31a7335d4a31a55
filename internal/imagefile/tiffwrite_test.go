package imagefile

import (
	"bytes"
	"image"
	"testing"

	"superres/internal/must"
)

// Pages are numbered from 0 (TIFF 6.0, PageNumber).
func TestPageNumbers(t *testing.T) {
	var out bytes.Buffer
	p := NewPageWriter(&out, 2)
	for page := range 2 {
		must.Succeed(t, p.Put(image.NewGray(image.Rect(0, 0, 3, 2)), EncodeOptions{}))
		if field := []byte{0x29, 1, 3, 0, 2, 0, 0, 0, byte(page), 0, 2, 0}; !bytes.Contains(out.Bytes(), field) {
			t.Errorf("page %d has another number", page)
		}
	}
}
