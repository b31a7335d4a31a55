package digits

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"superres/mnist"
)

// strokes are pictures somewhat like digits: a bright ring on black, each another.
func strokes(n, w, h int) []*image.Gray {
	list := make([]*image.Gray, n)
	for i := range list {
		m := image.NewGray(image.Rect(0, 0, w, h))
		cx, cy, r := float64(w)/2+float64(i%5)-2, float64(h)/2-float64(i%3), float64(min(w, h))/5+float64(i%7)/2
		for y := range h {
			for x := range w {
				d := math.Hypot(float64(x)-cx, float64(y)-cy) - r
				m.SetGray(x, y, color.Gray{Y: uint8(255 * math.Exp(-d*d/2))})
			}
		}
		list[i] = m
	}
	return list
}

// idxImages and idxLabels are files in memory.
func idxImages(t *testing.T, list []*image.Gray) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mnist.NewImageWriter(&b, len(list), list[0].Bounds().Dx(), list[0].Bounds().Dy())
	for _, m := range list {
		if err == nil {
			err = w.Write(m)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func idxLabels(labels ...uint8) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, uint32(len(labels))), labels...)
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readImages reads an IDX file of images.
func readImages(t *testing.T, path string) (list []*image.Gray) {
	t.Helper()
	f, err := mnist.OpenImages(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for img, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		own := *img
		own.Pix = slices.Clone(img.Pix)
		list = append(list, &own)
	}
	return list
}
