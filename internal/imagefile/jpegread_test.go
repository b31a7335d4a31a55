package imagefile

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

// The estimate is the quality that Go's encoder was asked for, to a step or two; a file that is no JPEG, or is cut,
// gives none.
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

// A kind of JPEG that is not read is named and not called damaged, and faults of one that is read are told.
func TestJPEGComplaints(t *testing.T) {
	sound := imagetest.JPEG(t, imagetest.Ramp(40, 30), 80)
	frame := bytes.Index(sound, []byte{0xff, 0xc0})
	for marker, want := range map[byte]string{
		0xc9: "JPEG with arithmetic coding, which cannot be read; save it as PNG first",
		0xc3: "JPEG with lossless coding, which cannot be read; save it as PNG first",
	} {
		other := bytes.Clone(sound)
		other[frame+1] = marker
		_, err := decodeBytes(other, "a.jpg", Limits{})
		checkRefusal(t, err, safefile.ErrInput, "a.jpg", want)
	}
	_, err := decodeBytes(sound[:len(sound)-100], "a.jpg", Limits{})
	checkRefusal(t, err, safefile.ErrInput, "a.jpg", "(is the file complete?)")
	for want, data := range map[string][]byte{
		"has no end marker; all of its pixels are there": sound[:len(sound)-2],
		"has surplus bytes behind its pixel data, which may be damaged": slices.Concat(sound[:len(sound)-2],
			[]byte{1, 2, 3}, sound[len(sound)-2:]),
	} {
		p := must.Get(decodeBytes(data, "a.jpg", Limits{}))(t)
		if !slices.Equal(p.Warnings, []string{want}) || !p.Subsampled {
			t.Errorf("%q, expected %q; chroma at half the resolution: %v", p.Warnings, want, p.Subsampled)
		}
	}
}
