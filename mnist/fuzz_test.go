package mnist

import (
	"bytes"
	"compress/gzip"
	"image"
	"io"
	"testing"
)

// unpacked returns data without its gzip packing, if it has one.
func unpacked(t *testing.T, data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("accepted, but gzip: %v", err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("accepted, but gzip: %v", err)
	}
	return plain
}

// FuzzImages: what is read without an error is written again byte for byte.
func FuzzImages(f *testing.F) {
	complete := encodeImages(f, pictures(3, 4, 2), 4, 2)
	for _, data := range [][]byte{complete, packed(f, complete), complete[:len(complete)-1],
		append(bytes.Clone(complete), 0), encodeImages(f, nil, 28, 28), encodeLabels([]uint8{1, 2}),
		header(0x803, 1<<31-1, 4096, 4096), header(0x803, 1, 0, 0), {}} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewImages(bytes.NewReader(data))
		if err != nil {
			return
		}
		if r.Width()*r.Height() > 1<<16 {
			return // valid, but too slow to try in numbers
		}
		var imgs []*image.Gray
		for img, err := range r.All() {
			if err != nil {
				return
			}
			own := *img
			own.Pix = bytes.Clone(img.Pix)
			imgs = append(imgs, &own)
		}
		if got := encodeImages(t, imgs, r.Width(), r.Height()); !bytes.Equal(got, unpacked(t, data)) {
			t.Errorf("read and written again: got % x", got)
		}
	})
}

// FuzzLabels: the same for labels, beside as many images.
func FuzzLabels(f *testing.F) {
	complete := encodeLabels([]uint8{5, 0, 4, 255})
	for _, data := range [][]byte{complete, packed(f, complete), complete[:len(complete)-1],
		append(bytes.Clone(complete), 0), encodeLabels(nil), encodeImages(f, pictures(1, 2, 2), 2, 2),
		header(0x801, 1<<32-1), {}} {
		f.Add(data)
	}
	images := encodeImages(f, pictures(4, 1, 1), 1, 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, got, err := decodePair(t, images, data)
		if err != nil {
			return
		}
		labels := make([]uint8, len(got))
		for i, label := range got {
			labels[i] = uint8(label)
		}
		if again := encodeLabels(labels); !bytes.Equal(again, unpacked(t, data)) {
			t.Errorf("read and written again: got % x", again)
		}
	})
}
