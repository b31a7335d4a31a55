package upscale

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	embedded "superres/superres/models"
)

// encoded returns img as a file of a format.
func encoded(t *testing.T, img image.Image, format imagefile.Format, opt imagefile.EncodeOptions) []byte {
	t.Helper()
	return imagetest.Encoded(t, func(b *bytes.Buffer) error { return imagefile.Encode(b, img, format, opt) })
}

// opened returns the picture in the file name of dir.
func opened(t *testing.T, dir, name string) *imagefile.Picture {
	t.Helper()
	return must.Get(imagefile.Open(t.Context(), filepath.Join(dir, name), imagefile.Limits{}))(t)
}

// An enlarged PNG has the colour type and depth of its input, except that palettes become colour.
func TestColoursAndDepths(t *testing.T) {
	dir := t.TempDir()
	r := image.Rect(0, 0, 9, 7)
	grey16, greyAlpha, alpha, deep := image.NewGray16(r), image.NewNRGBA(r), consoletest.Blob(9, 7), image.NewNRGBA64(r)
	for i := range 63 {
		x, y := i%9, i/9
		grey16.SetGray16(x, y, color.Gray16{uint16(1021 * i)})
		greyAlpha.SetNRGBA(x, y, color.NRGBA{uint8(3 * i), uint8(3 * i), uint8(3 * i), uint8(4 * i)})
		deep.SetNRGBA64(x, y, color.NRGBA64{uint16(1021 * i), 7, 9, 0xffff})
	}
	alpha.SetNRGBA(4, 4, color.NRGBA{})
	for name, img := range map[string]image.Image{
		"grey": image.NewGray(r), "grey16": grey16, "colour": consoletest.Blob(9, 7), "alpha": alpha, "deep": deep,
		"palette": image.NewPaletted(r, color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 0, 0, 255}}),
	} {
		consoletest.WritePicture(t, filepath.Join(dir, name+".png"), img)
	}
	consoletest.Put(t, filepath.Join(dir, "greyalpha.png"),
		encoded(t, greyAlpha, "png", imagefile.EncodeOptions{GreyAlpha: true}))
	const grey, rgb, ga, rgba = 0, 2, 4, 6
	for line, want := range map[string][2]byte{ // depth and colour type
		"grey.png": {8, grey}, "grey16.png": {16, grey}, "colour.png": {8, rgb}, "alpha.png": {8, rgba},
		"deep.png": {16, rgb}, "palette.png": {8, rgb}, "greyalpha.png": {8, ga},
		"grey.png --depth 16": {16, grey}, "grey16.png --depth 8": {8, grey}, "colour.png --depth 16": {16, rgb},
		"deep.png --depth 8": {8, rgb}, "greyalpha.png --depth 16": {16, ga},
	} {
		succeeds(t, dir, line+" -o out.png --on-exist overwrite")
		if got := [2]byte(consoletest.Read(t, dir, "out.png")[24:]); got != want {
			t.Errorf("%s: depth and colour type %d, want %d", line, got, want)
		}
	}
	// On white, grey with alpha is grey.
	succeeds(t, dir, "greyalpha.png -o flat.jpg")
	if img := opened(t, dir, "flat.jpg").Image; img.ColorModel() != color.GrayModel {
		t.Errorf("grey with alpha as JPEG: %T", img)
	}
}

// place returns an EXIF block with GPS coordinates and the orientation upside down.
func place() []byte {
	le := binary.LittleEndian
	b := []byte("II*\x00\x08\x00\x00\x00\x02\x00")
	b = append(b, 0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0)
	b = le.AppendUint32(append(b, 0x25, 0x88, 4, 0, 1, 0, 0, 0), 38)
	b = append(b, 0, 0, 0, 0)
	b = append(b, 1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 'N', 0, 0, 0)
	return append(b, 0, 0, 0, 0)
}

// Metadata is kept by default, and removed with --metadata strip. That it goes from every format to every other is
// tested in package metadata.
func TestMetadataIsKeptOrStripped(t *testing.T) {
	icc := make([]byte, 500)
	binary.BigEndian.PutUint32(icc, 500)
	copy(icc[16:], "RGB ")
	copy(icc[36:], "acsp")
	m := metadata.Metadata{ICC: icc, EXIF: place(), XMP: []byte("<x:xmpmeta>where and who</x:xmpmeta>"),
		Resolution: metadata.Resolution{X: 300, Y: 300, Unit: metadata.Inch}}
	upright := place()
	upright[18] = 1
	dir := t.TempDir()
	version := []byte("superres " + console.Version + "; model photo (sha256 " + embedded.Fingerprint("photo")[:16] +
		"); ")
	for _, format := range []imagefile.Format{"png", "jpeg", "tiff"} {
		in, out := "in."+string(format), "out."+string(format)
		consoletest.Put(t, filepath.Join(dir, in),
			encoded(t, consoletest.Blob(9, 7), format, imagefile.EncodeOptions{Metadata: m}))
		line := "--on-exist overwrite " + in + " -o " + out
		succeeds(t, dir, line)
		got := opened(t, dir, out).Metadata
		if !bytes.Equal(got.ICC, icc) || !bytes.Equal(got.XMP, m.XMP) || got.Resolution.Unit == metadata.Unknown ||
			got.Orientation > 1 || format != "tiff" && !bytes.Equal(got.EXIF, upright) {
			t.Errorf("%s: %+v", line, got)
		}
		if !bytes.Contains(consoletest.Read(t, dir, out), version) {
			t.Errorf("%s: no record of provenance", line)
		}
		// Nothing is left, but the record if it is asked for.
		for flags, want := range map[string]struct{ kept, record bool }{
			" -m nearest --metadata strip":              {false, false},
			" -m nearest --metadata strip --provenance": {false, true},
			" -m nearest --provenance=false":            {true, false},
		} {
			succeeds(t, dir, line+flags)
			raw, got := consoletest.Read(t, dir, out), opened(t, dir, out).Metadata
			if bytes.Contains(raw, []byte("model nearest")) != want.record {
				t.Errorf("%s%s: a record of provenance: %v", line, flags, !want.record)
			}
			if (got.ICC != nil) != want.kept || (got.XMP != nil) != want.kept || (got.Resolution.X > 0) != want.kept ||
				!want.kept && (bytes.Contains(raw, []byte("where and who")) || bytes.Contains(raw, []byte("Exif"))) {
				t.Errorf("%s%s: %+v", line, flags, got)
			}
		}
	}
	// The record has the size that was asked for.
	for size, want := range map[string]string{"-s 3": "; size 3x", "--width 20": "; size 20w",
		"--fit 30x40": "; fit 30x40"} {
		succeeds(t, dir, "in.png -m nearest -o out.jpeg --on-exist overwrite "+size)
		if !bytes.Contains(consoletest.Read(t, dir, "out.jpeg"), []byte(want)) {
			t.Errorf("no record of %q", want)
		}
	}
}

// Lost metadata is reported in one line, but not with -q.
func TestLossIsTold(t *testing.T) {
	dir := t.TempDir()
	data := encoded(t, consoletest.Blob(9, 7), "png",
		imagefile.EncodeOptions{Metadata: metadata.Metadata{EXIF: place()}})
	consoletest.Put(t, filepath.Join(dir, "good.png"), data)
	at := bytes.Index(data, []byte("eXIf")) // a block that is damaged behind a right checksum
	n := int(binary.BigEndian.Uint32(data[at-4:]))
	data[at+8] = 0xff
	binary.BigEndian.PutUint32(data[at+4+n:], crc32.ChecksumIEEE(data[at:at+4+n]))
	consoletest.Put(t, filepath.Join(dir, "bad.png"), data)
	const lost = "superres: good.png: its EXIF block is left out: the output format has none\n"
	for line, want := range map[string]string{
		"bad.png":                          "superres: bad.png: its EXIF block is damaged and left out\n",
		"bad.png -q":                       "",
		"bad.png --metadata strip":         "",
		"good.png -f bmp":                  lost,
		"good.png -f bmp --metadata strip": "",
	} {
		if _, stderr := expect(t, dir, "", "-m nearest --on-exist overwrite "+line, 0); stderr != want {
			t.Errorf("%s: %q, want %q", line, stderr, want)
		}
	}
}

// A panorama of 360° wraps across, and says so, also where it is written in strips; the size of a result that wraps is
// told without its margin.
func TestPanorama(t *testing.T) {
	dir := t.TempDir()
	xmp := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" ` +
		`GPano:ProjectionType="equirectangular" GPano:FullPanoWidthPixels="40"/></rdf:RDF></x:xmpmeta>`
	data := encoded(t, imagetest.Ramp(40, 20), "png", imagefile.EncodeOptions{
		Metadata: metadata.Metadata{XMP: []byte(xmp)}})
	consoletest.Put(t, filepath.Join(dir, "pano.png"), data)
	pixels := map[string]image.Image{}
	for name, flags := range map[string]string{"auto": "", "strips": " --tile 7", "x": " --wrap x",
		"none": " --wrap none", "both": " --wrap both --tile 7"} {
		stdout, stderr := expect(t, dir, "", "pano.png -m lanczos --json -o "+name+".png"+flags, 0)
		told := strings.Contains(stdout+stderr, "is a panorama of 360°: its left and right edges meet")
		if told != (name == "auto" || name == "strips") {
			t.Errorf("%s: %s%s", name, stdout, stderr)
		}
		if !strings.Contains(stdout, `"width":80,"height":40,`) {
			t.Errorf("%s: the size is not 80×40: %s", name, stdout)
		}
		pixels[name] = opened(t, dir, name+".png").Image
	}
	for name, want := range map[string]bool{"strips": true, "x": true, "none": false, "both": false} {
		if got := reflect.DeepEqual(pixels[name], pixels["auto"]); got != want {
			t.Errorf("%s has the pixels of auto: %v", name, got)
		}
	}
}
