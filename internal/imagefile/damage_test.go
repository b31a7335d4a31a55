package imagefile

import (
	"errors"
	"image"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

// small keeps a damaged header from costing the test much.
var small = Limits{Pixels: 1 << 18, Time: 5 * time.Second}

// quoted finds bytes of a file in a message, where anything may stand.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)

// checkOutcome fails the test unless a decode gave either a picture or an error of one line and one class.
func checkOutcome(t testing.TB, p *Picture, err error) {
	t.Helper()
	switch {
	case err == nil && p != nil:
		if b := p.Image.Bounds(); b.Min != (image.Point{}) || b.Empty() || b.Dx()*b.Dy() > 1<<18 {
			t.Errorf("decoded to the bounds %v", b)
		}
	case err != nil && p == nil:
		if errors.Is(err, safefile.ErrInput) == errors.Is(err, safefile.ErrLimit) {
			t.Errorf("%v has not one class", err)
		}
		text := quoted.ReplaceAllString(err.Error(), "...")
		if strings.ContainsAny(text, "\n\r") || strings.Count(text, ": ") > 3 {
			t.Errorf("unclear: %q", text)
		}
		for name := range packages {
			if strings.Contains(text, " "+name+": ") {
				t.Errorf("names a package: %q", text)
			}
		}
	default:
		t.Errorf("picture %v with error %v", p, err)
	}
}

// No part of a file is a picture, unless the missing bytes are no part of it. A JPEG may lack its end marker, with a
// word.
func TestEveryPrefix(t *testing.T) {
	for name, data := range imagetest.Sound(t) {
		whole := must.Get(decodeBytes(data, name, small))(t)
		for n := range data {
			p, err := decodeBytes(data[:n], name, small)
			checkOutcome(t, p, err)
			if err == nil && !reflect.DeepEqual(p.Image, whole.Image) {
				t.Errorf("%s: %d of %d bytes give another picture", name, n, len(data))
			}
			if err == nil && !reflect.DeepEqual(p.Metadata, whole.Metadata) && len(p.Warnings) == 0 {
				t.Errorf("%s: %d of %d bytes have other metadata, without a word", name, n, len(data))
			}
			const noEnd = "has no end marker; all of its pixels are there"
			if err == nil && (whole.Format == "png" || whole.Format == "webp" ||
				(whole.Format == "jpeg" || whole.Format == "gif") && !slices.Contains(p.Warnings, noEnd)) {
				t.Errorf("%s: %d of %d bytes are enough", name, n, len(data))
			}
		}
	}
}
