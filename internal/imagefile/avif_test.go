package imagefile

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/metadata"
	"superres/internal/must"
)

// The boxes irot and imir turn a picture: by quarters to the left, and then its rows or columns the other way round.
// An orientation in the EXIF block turns nothing, and becomes 1.
func TestTurnedAVIF(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/kinds/av_turned.avif"))(t)
	angle, mirror := bytes.Index(data, []byte("irot"))+4, bytes.Index(data, []byte("imir"))+4
	turned := func(quarters, axis byte) image.Image {
		b := bytes.Clone(data)
		b[angle], b[mirror] = quarters, axis
		return must.Get(decodeBytes(b, "a.avif", Limits{}))(t).Image
	}
	mirrored := turned(0, 0) // from top to bottom
	for quarters := range byte(4) {
		for axis := range byte(2) {
			got := turned(quarters, axis)
			size := got.Bounds().Size()
			for y := range size.Y {
				for x := range size.X {
					u, v, w, h := x, y, size.X, size.Y // undone from the last to the first
					if axis == 0 {
						v = h - 1 - v
					} else {
						u = w - 1 - u
					}
					for range quarters { // (u, v) came from (w'−1−v, u) of a picture w' = h wide
						u, v, w, h = h-1-v, u, h, w
					}
					if got.At(x, y) != mirrored.At(u, h-1-v) {
						t.Fatalf("%d quarters, axis %d: pixel %d,%d differs from %d,%d", quarters, axis, x, y, u, v)
					}
				}
			}
		}
	}
}

// A written file is read again: colours within the loss of the quality, grey as grey, transparency, and metadata. The
// same picture gives the same bytes.
func TestWrittenAVIF(t *testing.T) {
	photo := must.Get(imaging.Open("../../testdata/hopper.png"))(t)
	photo = imaging.CropCenter(photo, 96, 70)
	grey, alpha := image.NewGray(photo.Bounds()), imaging.Clone(photo)
	draw.Draw(grey, grey.Rect, photo, image.Point{}, draw.Src)
	for i := 3; i < len(alpha.Pix); i += 4 {
		alpha.Pix[i] = uint8(max(60, i/4%96*255/95))
	}
	m := metadata.Metadata{Format: "avif", XMP: []byte("<x:xmpmeta/>"),
		Resolution: metadata.Resolution{X: 300, Y: 300, Unit: metadata.Inch}}
	for name, img := range map[string]image.Image{"colour": photo, "grey": grey, "alpha": alpha} {
		var b, again bytes.Buffer
		opt := EncodeOptions{Metadata: m, Software: "superres"}
		must.Succeed(t, Encode(&b, img, AVIF, opt))
		must.Succeed(t, Encode(&again, img, AVIF, opt))
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s: other bytes for the same picture", name)
		}
		p := must.Get(decodeBytes(b.Bytes(), "a.avif", Limits{}))(t)
		if _, is := p.Image.(*image.Gray); is != (name == "grey") || p.Image.Bounds().Size() != photo.Bounds().Size() {
			t.Fatalf("%s: %T of %v", name, p.Image, p.Image.Bounds())
		}
		sum, n := 0.0, 0
		got, want := imaging.Clone(p.Image), imaging.Clone(img)
		for i, v := range want.Pix {
			d := float64(got.Pix[i]) - float64(v)
			if sum, n = sum+d*d, n+1; i%4 == 3 && math.Abs(d) > 6 {
				t.Fatalf("%s: an opacity of %d, expected %d", name, got.Pix[i], v)
			}
		}
		if rms := math.Sqrt(sum / float64(n)); rms > 2.2 { // 41 dB
			t.Errorf("%s: %.2f levels off", name, rms)
		}
		if !bytes.Equal(p.Metadata.XMP, m.XMP) || !bytes.Contains(p.Metadata.EXIF, []byte("superres")) ||
			p.Metadata.Resolution != m.Resolution {
			t.Errorf("%s: %+v", name, p.Metadata)
		}
	}
	wide := image.NewUniform(color.Gray{})
	if err := AVIF.codec().canHold(9000, 9000, wide); err == nil || !strings.Contains(err.Error(), "72 megapixels") {
		t.Errorf("81 megapixels: %v", err)
	}
}

// What belongs to an AVIF comes along.
func TestMetadataOfAVIF(t *testing.T) {
	p := must.Get(decodeBytes(must.Get(os.ReadFile("../mutate/seeds/metadata.avif"))(t), "a.avif", Limits{}))(t)
	m := p.Metadata
	if got := p.Image.Bounds().Size(); got != image.Pt(48, 64) || m.Orientation != 6 {
		t.Errorf("%v, turned as %d", got, m.Orientation)
	}
	if len(m.ICC) != 588 || !bytes.Contains(m.XMP, []byte(`tiff:Orientation="1"`)) || len(m.EXIF) != 64 ||
		!bytes.Contains(m.EXIF, []byte("MakerX")) || !bytes.Contains(m.EXIF, []byte{1, 18, 0, 3, 0, 0, 0, 1, 0, 1}) {
		t.Errorf("a profile of %d bytes, EXIF %q, XMP %q", len(m.ICC), m.EXIF, m.XMP)
	}
	p = must.Get(decodeBytes(must.Get(os.ReadFile("testdata/kinds/av_l2020.avif"))(t), "a.avif", Limits{}))(t)
	out, warnings := p.Metadata.For("png", false)
	if !bytes.Contains(out.ICC, []byte("B\x00T\x00.\x002\x000\x002\x000")) &&
		!bytes.Contains(out.ICC, []byte("BT.2020")) || len(warnings) > 0 {
		t.Errorf("code points of BT.2020 became %d bytes, with %v", len(out.ICC), warnings)
	}
}

// A gain map of ISO 21496-1 becomes the gain map of a JPEG, with its numbers and, but for a level, the samples that
// avifdec returns of it. One for other colours, or for a picture of high range, is left out.
func TestGainMapOfAVIF(t *testing.T) {
	data := must.Get(os.ReadFile("../mutate/seeds/gainmap.avif"))(t)
	p := must.Get(decodeBytes(data, "a.avif", Limits{}))(t)
	m, warnings := p.Metadata.For("jpeg", false)
	var file bytes.Buffer
	must.Succeed(t, Encode(&file, p.Image, JPEG, EncodeOptions{Quality: 90, Metadata: m}))
	file.Write(m.GainMap)
	again := must.Get(decodeBytes(file.Bytes(), "b.jpg", Limits{}))(t)
	about, _ := metadata.SplitJPEG(again.Metadata.GainMap)
	at := bytes.Index(data, []byte{0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 1}) // behind the version of the item
	if numbers := data[at+1:][:5+14*4]; len(warnings)+len(p.Warnings)+len(again.Warnings) > 0 ||
		string(about) != "\xff\xe2\x00\x5burn:iso:std:iso:ts:21496:-1\x00"+string(numbers) {
		t.Errorf("%v, %v, %v: %q", warnings, p.Warnings, again.Warnings, about)
	}
	gains := must.Get(decodeBytes(again.Metadata.GainMap, "c.jpg", Limits{}))(t).Image.(*image.Gray)
	for at, want := range map[image.Point]int{{}: 176, {X: 31}: 125, {X: 16, Y: 12}: 64, {X: 5, Y: 20}: 69} {
		if got := int(gains.GrayAt(at.X, at.Y).Y); gains.Rect.Dx() != 32 || got < want-1 || got > want+1 {
			t.Errorf("%v of %v: %d, want %d", at, gains.Rect, got, want)
		}
	}
	for _, i := range []int{5, 9} { // flags, headroom of the picture
		other := bytes.Clone(data)
		other[at+i] ^= 0x40
		p := must.Get(decodeBytes(other, "a.avif", Limits{}))(t)
		if p.Metadata.GainMap != nil || len(p.Warnings) != 1 || p.Warnings[0] != "its gain map is left out" {
			t.Errorf("%d: %v", i, p.Warnings)
		}
	}
}

// Colours are those before the multiplication by alpha, under alpha of 0 as well where the file has them apart.
func TestAlphaOfAVIF(t *testing.T) {
	p := must.Get(decodeBytes(must.Get(os.ReadFile("../mutate/seeds/prem.avif"))(t), "a.avif", Limits{}))(t)
	whole := must.Get(decodeBytes(must.Get(os.ReadFile("../mutate/seeds/metadata.avif"))(t), "b.avif", Limits{}))(t)
	img := p.Image.(*image.NRGBA)
	sums, n := [2]int{}, 0
	for y := range 48 {
		for x := range 64 {
			if c := img.NRGBAAt(x, y); c.A > 128 {
				n++
				sums[0] += int(c.R) + int(c.G) + int(c.B)
				r, g, b, _ := whole.Image.At(47-y, x).RGBA() // turned to the right
				sums[1] += int(r>>8 + g>>8 + b>>8)
			}
		}
	}
	if d := (sums[0] - sums[1]) / n; d < -6 || d > 6 {
		t.Errorf("the colours differ by %d levels on average", d)
	}
}

// Damage to what the decoder is asked of is an error, and no picture of what its memory had.
func TestDamagedAVIF(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/kinds/av_d10.avif"))(t)
	at := bytes.Index(data, []byte("mdat")) + 4
	clear(data[at:])
	if _, err := decodeBytes(data, "a.avif", Limits{}); err == nil {
		t.Error("pixels of zeros were read")
	}
	if _, err := metadata.ReadStill(bytes.NewReader(data[:40])); err == nil {
		t.Error("a file without a list of pictures was read")
	}
}
