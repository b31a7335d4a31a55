package jpeg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/chroma"
	"superres/internal/must"
)

// The files in testdata were made by cjpeg of libjpeg-turbo 2.1.5, ImageMagick 6.9.11 (YCCK) and Pillow 9.4 (CMYK) from
// a picture of 29×22 pixels, with bytes of some headers changed as their names tell. SHA256SUMS has the hashes of the
// pixels that djpeg -dct int gives for them, and Pillow for CMYK.

// sound returns the files of testdata that can be read, by name, and the hashes of their pixels.
func sound(t testing.TB) (files map[string][]byte, hashes map[string]string) {
	t.Helper()
	files, hashes = map[string][]byte{}, map[string]string{}
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/SHA256SUMS"))(t))) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name], hashes[name] = must.Get(os.ReadFile(filepath.Join("testdata", name)))(t), hash
	}
	if len(files) != 26 {
		t.Fatalf("%d files", len(files))
	}
	return files, hashes
}

// pixels returns the samples of a picture row by row: grey, RGB as libjpeg gives it, or CMYK.
func pixels(t testing.TB, img image.Image) (pix []byte) {
	t.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	switch m := chroma.Smooth(img).(type) {
	case *image.Gray:
		for y := range h {
			pix = append(pix, m.Pix[y*m.Stride:][:w]...)
		}
	case *image.CMYK:
		return m.Pix
	case *image.RGBA:
		for i := 0; i < len(m.Pix); i += 4 {
			pix = append(pix, m.Pix[i:i+3]...)
		}
	case *image.YCbCr:
		for y := range h {
			for x := range w {
				c := m.YCbCrAt(x, y)
				r, g, b := toRGB(c.Y, c.Cb, c.Cr)
				pix = append(pix, r, g, b)
			}
		}
	default:
		t.Fatalf("a %T", img)
	}
	return pix
}

// Files of all kinds have the pixels of libjpeg to the bit, without a warning, and their header alone says the same.
func TestFiles(t *testing.T) {
	files, hashes := sound(t)
	for name, data := range files {
		img, warnings, err := Decode(t.Context(), data, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if hash := sha256.Sum256(pixels(t, img)); hex.EncodeToString(hash[:]) != hashes[name] {
			t.Errorf("%s: other pixels", name)
		}
		if len(warnings) > 0 {
			t.Errorf("%s: %q", name, warnings)
		}
		cfg := must.Get(DecodeConfig(data, Options{}))(t)
		if img.Bounds() != image.Rect(0, 0, cfg.Width, cfg.Height) || img.ColorModel() != cfg.ColorModel {
			t.Errorf("%s: %v of %T, and in the header %d×%d", name, img.Bounds(), img, cfg.Width, cfg.Height)
		}
	}
}

// Chroma of a resolution that package image has a name for stays as it is stored.
func TestTypes(t *testing.T) {
	files, _ := sound(t)
	for name, want := range map[string]image.YCbCrSubsampleRatio{
		"420.jpg": image.YCbCrSubsampleRatio420, "apart-422-restart.jpg": image.YCbCrSubsampleRatio422,
		"progressive-440-restart.jpg": image.YCbCrSubsampleRatio440, "4x1.jpg": image.YCbCrSubsampleRatio411,
		"444-restart.jpg": image.YCbCrSubsampleRatio444, "1x4.jpg": image.YCbCrSubsampleRatio444,
		"unequal.jpg": image.YCbCrSubsampleRatio444, "low-luma.jpg": image.YCbCrSubsampleRatio444,
	} {
		img := must.Get(decode(files[name], Options{}))(t)
		if m, ok := img.(*image.YCbCr); !ok || m.SubsampleRatio != want {
			t.Errorf("%s: a %T, expected chroma of %v", name, img, want)
		}
	}
}

// decode is Decode without the warnings.
func decode(data []byte, opt Options) (image.Image, error) {
	img, _, err := Decode(context.Background(), data, opt)
	return img, err
}

// Kinds of files that are not read are named.
func TestUnsupported(t *testing.T) {
	files, _ := sound(t)
	arithmetic := must.Get(os.ReadFile("testdata/arithmetic.jpg"))(t)
	frame := bytes.Index(files["420.jpg"], []byte{0xff, 0xc0})
	with := func(at int, value byte) []byte {
		data := bytes.Clone(files["420.jpg"])
		data[frame+at] = value
		return data
	}
	for want, data := range map[string][]byte{
		"arithmetic coding": arithmetic, "lossless coding": with(1, 0xc3), "hierarchical coding": with(1, 0xc5),
		"12 bits a sample": with(4, 12), "2 components": with(9, 2), "lossless arithmetic coding": with(1, 0xcb),
	} {
		var unsupported UnsupportedError
		if _, err := decode(data, Options{}); !errors.As(err, &unsupported) || string(unsupported) != want {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := DecodeConfig(data, Options{}); !errors.As(err, &unsupported) || string(unsupported) != want {
			t.Errorf("%s: %v for the header", want, err)
		}
	}
}

// Tables may come apart from the picture, as in a TIFF, and the meaning of components from outside.
func TestOptions(t *testing.T) {
	files, _ := sound(t)
	data := files["444-restart.jpg"]
	tables, rest := []byte{0xff, 0xd8}, []byte{0xff, 0xd8}
	scan := bytes.Index(data, []byte{0xff, 0xda})
	for at := 2; at < scan; {
		end := at + 2 + int(data[at+2])<<8 + int(data[at+3])
		if marker := data[at+1]; marker == markerQuantiser || marker == markerHuffman {
			tables = append(tables, data[at:end]...)
		} else if marker != markerApp0 {
			rest = append(rest, data[at:end]...)
		}
		at = end
	}
	tables, rest = append(tables, 0xff, 0xd9), append(rest, data[scan:]...)
	whole := must.Get(decode(data, Options{}))(t)
	parts := must.Get(decode(rest, Options{Tables: tables}))(t)
	if !bytes.Equal(pixels(t, whole), pixels(t, parts)) {
		t.Error("tables apart give another picture")
	}
	if _, err := decode(rest, Options{}); err == nil {
		t.Error("no tables, and no error")
	}
	stored := must.Get(decode(rest, Options{Tables: tables, Colours: AsStored}))(t)
	rgb, ycbcr := stored.(*image.RGBA), whole.(*image.YCbCr)
	at := ycbcr.YOffset(20, 11)
	if c := rgb.RGBAAt(20, 11); c.R != ycbcr.Y[at] || c.G != ycbcr.Cb[at] || c.B != ycbcr.Cr[at] || c.A != 255 {
		t.Errorf("the components as stored are %v", c)
	}
	again := must.Get(decode(files["rgb.jpg"], Options{Colours: AsYCbCr}))(t)
	if _, ok := again.(*image.YCbCr); !ok {
		t.Errorf("as YCbCr: %T", again)
	}
	cmyk := must.Get(decode(files["cmyk.jpg"], Options{}))(t).(*image.CMYK)
	inverted := must.Get(decode(files["cmyk.jpg"], Options{Colours: AsStored}))(t).(*image.CMYK)
	for i, v := range cmyk.Pix {
		if v+inverted.Pix[i] != 255 {
			t.Fatalf("CMYK %d, and %d as stored", v, inverted.Pix[i])
		}
	}
}

// Limits refuse files before their pixels take memory or time.
func TestLimits(t *testing.T) {
	files, _ := sound(t)
	data := files["progressive-420.jpg"]
	scans := bytes.Count(data, []byte{0xff, markerScan})
	for _, c := range []struct {
		opt  Options
		want error
	}{
		{Options{Pixels: 29 * 22, Scans: scans}, nil}, {Options{Pixels: 29*22 - 1}, ErrPixels},
		{Options{Scans: scans - 1}, ErrScans},
	} {
		if _, err := decode(data, c.opt); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, expected %v", c.opt, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Decode(ctx, data, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
