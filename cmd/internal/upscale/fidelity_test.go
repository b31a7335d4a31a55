package upscale

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/metadata"

	"superres/cmd/internal/console/consoletest"
	embedded "superres/superres/models"
)

// header is the depth and the colour type of a PNG.
func header(t *testing.T, path string) (depth, colourType byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b[24], b[25]
}

// A PNG comes out in the colour type and depth that it came in, but for palettes,
// which become colour.
func TestColoursAndDepths(t *testing.T) {
	dir := t.TempDir()
	r := image.Rect(0, 0, 9, 7)
	grey16 := image.NewGray16(r)
	greyAlpha := image.NewNRGBA(r)
	colour, alpha, deep := consoletest.Blob(9, 7), consoletest.Blob(9, 7), image.NewNRGBA64(r)
	for i := range 63 {
		x, y := i%9, i/9
		grey16.SetGray16(x, y, color.Gray16{uint16(1021 * i)})
		greyAlpha.SetNRGBA(x, y, color.NRGBA{uint8(3 * i), uint8(3 * i), uint8(3 * i), uint8(4 * i)})
		deep.SetNRGBA64(x, y, color.NRGBA64{uint16(1021 * i), 7, 9, 0xffff})
	}
	alpha.SetNRGBA(4, 4, color.NRGBA{})
	consoletest.WritePicture(t, filepath.Join(dir, "gray.png"), image.NewGray(r))
	consoletest.WritePicture(t, filepath.Join(dir, "gray16.png"), grey16)
	consoletest.WritePicture(t, filepath.Join(dir, "colour.png"), colour)
	consoletest.WritePicture(t, filepath.Join(dir, "alpha.png"), alpha)
	consoletest.WritePicture(t, filepath.Join(dir, "deep.png"), deep)
	consoletest.WritePicture(t, filepath.Join(dir, "palette.png"),
		image.NewPaletted(r, color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 0, 0, 255}}))
	var b bytes.Buffer
	if err := imagefile.Encode(&b, greyAlpha, "png", imagefile.EncodeOptions{GreyAlpha: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "greyalpha.png"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	const grey, rgb, ga, rgba = 0, 2, 4, 6
	for _, c := range []struct {
		file              string
		flags             string
		depth, colourType byte
	}{
		{"gray", "", 8, grey}, {"gray16", "", 16, grey}, {"colour", "", 8, rgb}, {"alpha", "", 8, rgba}, {"deep", "",
			16, rgb},
		{"palette", "", 8, rgb}, {"greyalpha", "", 8, ga},
		{"gray", "--depth 16", 16, grey}, {"gray16", "--depth 8", 8, grey}, {"colour", "--depth 16", 16, rgb},
		{"deep", "--depth 8", 8, rgb}, {"greyalpha", "--depth 16", 16, ga},
	} {
		args := append([]string{"upscale", c.file + ".png", "-o", "out.png", "--on-exist", "overwrite"},
			strings.Fields(c.flags)...)
		if _, stderr, code := call(t, dir, "", args...); code != 0 || stderr != "" {
			t.Errorf("%s %s: exit %d, %s", c.file, c.flags, code, stderr)
			continue
		}
		if depth, colourType := header(t, filepath.Join(dir, "out.png")); depth != c.depth ||
			colourType != c.colourType {
			t.Errorf("%s %s: depth %d, colour type %d, want %d, %d", c.file, c.flags, depth, colourType, c.depth,
				c.colourType)
		}
	}
	// On white, grey with alpha is grey.
	if _, stderr, code := call(t, dir, "", "upscale", "greyalpha.png", "-o", "flat.jpg"); code != 0 || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if p, err := imagefile.Open(t.Context(), filepath.Join(dir, "flat.jpg"), imagefile.Limits{}); err != nil {
		t.Error(err)
	} else if _, ok := p.Image.(*image.Gray); !ok {
		t.Errorf("grey with alpha as JPEG: %T", p.Image)
	}
	for _, args := range [][]string{{"-o", "x.jpg"}, {"-f", "bmp"}} {
		_, stderr, code := call(t, dir, "", append([]string{"upscale", "gray.png", "--depth", "16"}, args...)...)
		if code != 2 || !strings.Contains(stderr, "has 8 bits a sample; use --format png or tiff") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
}

// place is an EXIF block that says where a picture was taken, and that it stands on
// its head.
func place() []byte {
	le := binary.LittleEndian
	b := []byte("II*\x00\x08\x00\x00\x00\x02\x00")
	b = append(b, 0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0)
	b = le.AppendUint32(append(b, 0x25, 0x88, 4, 0, 1, 0, 0, 0), 38)
	b = append(b, 0, 0, 0, 0)
	b = append(b, 1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 'N', 0, 0, 0)
	return append(b, 0, 0, 0, 0)
}

// What a picture carries goes through the program, and goes when it shall not.
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
	for _, format := range []string{"png", "jpeg", "tiff"} {
		var b bytes.Buffer
		if err := imagefile.Encode(&b, consoletest.Blob(9, 7), imagefile.Format(format),
			imagefile.EncodeOptions{Metadata: m}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "in."+format), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []string{"in.png", "in.jpeg", "in.tiff"} {
		for _, out := range []string{"out.png", "out.jpeg", "out.tiff"} {
			if _, stderr, code := call(t, dir, "", "upscale", in, "-o", out, "--on-exist", "overwrite"); code != 0 ||
				stderr != "" {
				t.Errorf("%s to %s: exit %d, %s", in, out, code, stderr)
				continue
			}
			p, err := imagefile.Open(t.Context(), filepath.Join(dir, out), imagefile.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Metadata
			if !bytes.Equal(got.ICC, icc) || !bytes.Equal(got.XMP, m.XMP) || got.Resolution.Unit == metadata.Unknown ||
				got.Orientation > 1 {
				t.Errorf("%s to %s: %+v", in, out, got)
			}
			if in != "in.tiff" && out != "out.tiff" && !bytes.Equal(got.EXIF, upright) {
				t.Errorf("%s to %s: EXIF % x, want % x", in, out, got.EXIF, upright)
			}
			raw, err := os.ReadFile(filepath.Join(dir, out))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(raw, []byte("superres "+console.Version+"; model photo (sha256 "+embedded.Fingerprint("photo")[:16]+"); ")) {
				t.Errorf("%s to %s: no record of provenance", in, out)
			}
			// Nothing is left, but the record if it is asked for.
			for _, flags := range [][]string{{"--metadata", "strip"}, {"--metadata", "strip", "--provenance"},
				{"--provenance=false"}} {
				call(t, dir, "", append([]string{"upscale", in, "-o", out, "--on-exist", "overwrite"}, flags...)...)
				raw, err := os.ReadFile(filepath.Join(dir, out))
				if err != nil {
					t.Fatal(err)
				}
				if record := bytes.Contains(raw, []byte("model photo")); record != (len(flags) == 3) {
					t.Errorf("%s to %s, %v: a record of provenance: %v", in, out, flags, record)
				}
				p, err := imagefile.Open(t.Context(), filepath.Join(dir, out), imagefile.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if got, kept := p.Metadata, len(flags) == 1; (got.ICC != nil) != kept || (got.XMP != nil) != kept ||
					(got.Resolution.X > 0) != kept ||
					bytes.Contains(raw, []byte("where and who")) && !kept || bytes.Contains(raw, []byte("Exif")) &&
					!kept {
					t.Errorf("%s to %s, %v: %+v", in, out, flags, got)
				}
			}
		}
	}
	// The record has the size that was asked for.
	for size, want := range map[string]string{"-s 3": "; size 3x", "--width 20": "; size 20w",
		"--fit 30x40": "; fit 30x40"} {
		call(t, dir, "", append([]string{"upscale", "in.png", "-o", "out.jpeg", "--on-exist", "overwrite"},
			strings.Fields(size)...)...)
		if raw, err := os.ReadFile(filepath.Join(dir, "out.jpeg")); err != nil || !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s: no record of %q, %v", size, want, err)
		}
	}
	// The file and the pipe agree.
	raw, err := os.ReadFile(filepath.Join(dir, "in.jpeg"))
	if err != nil {
		t.Fatal(err)
	}
	call(t, dir, "", "upscale", "in.jpeg", "-o", "file.png")
	piped, stderr, _ := call(t, dir, string(raw), "upscale", "-")
	if want, err := os.ReadFile(filepath.Join(dir, "file.png")); err != nil || piped != string(want) || stderr != "" {
		t.Errorf("the pipe differs: %v, %s", err, stderr)
	}
}

// What is lost is said in one line, but not to who wants quiet.
func TestLossIsTold(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	opt := imagefile.EncodeOptions{Metadata: metadata.Metadata{EXIF: place()}}
	if err := imagefile.Encode(&b, consoletest.Blob(9, 7), "png", opt); err != nil {
		t.Fatal(err)
	}
	damaged := b.Bytes()
	for _, f := range []struct {
		name string
		data []byte
	}{{"good.png", bytes.Clone(damaged)}, {"bad.png", damaged}} {
		if f.name == "bad.png" { // a block that is damaged behind a right checksum
			at := bytes.Index(f.data, []byte("eXIf"))
			n := binary.BigEndian.Uint32(f.data[at-4:])
			f.data[at+8] = 0xff
			binary.BigEndian.PutUint32(f.data[at+4+int(n):], crc32.ChecksumIEEE(f.data[at:at+4+int(n)]))
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"bad.png", "superres: bad.png: its EXIF block is damaged and left out\n"},
		{"bad.png -q", ""},
		{"bad.png --metadata strip", ""},
		{"good.png -f bmp", "superres: good.png: its EXIF block is left out: the output format has none\n"},
		{"good.png -f bmp --metadata strip", ""},
	} {
		_, stderr, code := call(t, dir, "",
			append([]string{"upscale", "--on-exist", "overwrite"}, strings.Fields(c.args)...)...)
		if code != 0 || stderr != c.want {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

func TestFirstFrameOnRequest(t *testing.T) {
	dir := t.TempDir()
	frame := image.NewPaletted(image.Rect(0, 0, 6, 5),
		color.Palette{color.NRGBA{200, 10, 10, 255}, color.NRGBA{0, 0, 90, 255}})
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.gif"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "a.gif", "--first-frame"); code != 0 || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	f, err := os.Open(filepath.Join(dir, "a_2x.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds() != image.Rect(0, 0, 12, 10) {
		t.Errorf("%v, %v", img.Bounds(), err)
	}
}
