package mnist

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pictures returns n random images, the same in every call.
func pictures(n, width, height int) []*image.Gray {
	rng := rand.New(rand.NewPCG(1, 0))
	imgs := make([]*image.Gray, n)
	for i := range imgs {
		imgs[i] = image.NewGray(image.Rect(0, 0, width, height))
		for j := range imgs[i].Pix {
			imgs[i].Pix[j] = uint8(rng.Uint32())
		}
	}
	return imgs
}

func encodeImages(t testing.TB, imgs []*image.Gray, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewImageWriter(&b, len(imgs), width, height)
	for i := 0; err == nil && i < len(imgs); i++ {
		err = w.Write(imgs[i])
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeLabels(labels []uint8) []byte {
	return append(header(0x801, uint32(len(labels))), labels...)
}

func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file writes data to a file with a name that says nothing about the content, and returns its path.
func file(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// decodeImages reads everything: the pixels of all whole images and the error.
func decodeImages(data []byte) (pix []byte, err error) {
	f, err := NewImages(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for img, err := range f.All() {
		if err != nil {
			return pix, err
		}
		pix = append(pix, img.Pix...)
	}
	return pix, nil
}

// decodePair reads a pair of files: the pixels and labels of all items before the error.
func decodePair(t testing.TB, images, labels []byte) (pix []byte, label []int, err error) {
	t.Helper()
	p, err := OpenPair(file(t, images), file(t, labels))
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	for item, err := range p.All() {
		if err != nil {
			return pix, label, err
		}
		if item.Index != len(label) {
			t.Errorf("got item %d after %d items", item.Index, len(label))
		}
		pix, label = append(pix, item.Image.Pix...), append(label, item.Label)
	}
	return pix, label, nil
}

// wantError checks the words of an error, and the error that it wraps.
func wantError(t *testing.T, what string, err, wraps error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	if !strings.HasPrefix(err.Error(), "mnist: ") {
		t.Errorf("%s: %q does not begin with the package", what, err)
	}
	if wraps != nil && !errors.Is(err, wraps) {
		t.Errorf("%s: %q does not wrap %q", what, err, wraps)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q does not say %q", what, err, w)
		}
	}
}

// header is an IDX header of any content.
func header(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = append(b, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
	return b
}

// unpacked returns data without its gzip packing.
func unpacked(t *testing.T, data []byte) []byte {
	t.Helper()
	z := must(gzip.NewReader(bytes.NewReader(data)))(t)
	return must(io.ReadAll(z))(t)
}

// must returns a function that ends a test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
