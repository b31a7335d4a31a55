package mnist

import (
	"bytes"
	"errors"
	"image"
	"io"
	"os"
	"testing"
)

func TestLayout(t *testing.T) {
	img := &image.Gray{Pix: []byte{1, 2, 3, 4, 5, 6}, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
	want := "\x00\x00\x08\x03" + "\x00\x00\x00\x01" + "\x00\x00\x00\x02" + "\x00\x00\x00\x03" +
		"\x01\x02\x03\x04\x05\x06"
	if got := encodeImages(t, []*image.Gray{img}, 3, 2); string(got) != want {
		t.Errorf("images: got % x, want % x", got, want)
	}
	if got, want := encodeLabels(t, []uint8{7, 255}), "\x00\x00\x08\x01\x00\x00\x00\x02\x07\xff"; string(got) != want {
		t.Errorf("labels: got % x, want % x", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct{ n, width, height int }{
		{0, 28, 28}, {1, 1, 1}, {3, 5, 2}, {2, 1, maxSide}, {2, maxSide, 1}, {70, 28, 28},
	} {
		imgs := pictures(c.n, c.width, c.height)
		plain := encodeImages(t, imgs, c.width, c.height)
		for _, data := range [][]byte{plain, packed(t, plain)} {
			f := must(OpenImages(file(t, data)))(t)
			if f.Count() != c.n || f.Width() != c.width || f.Height() != c.height {
				t.Fatalf("header: got %d of %d×%d, want %v", f.Count(), f.Width(), f.Height(), c)
			}
			i := 0
			for img, err := range f.All() {
				if err != nil {
					t.Fatal(err)
				}
				if img.Bounds() != imgs[i].Bounds() || !bytes.Equal(img.Pix, imgs[i].Pix) {
					t.Fatalf("%v: image %d differs", c, i)
				}
				i++
			}
			if i != c.n {
				t.Fatalf("%v: got %d images", c, i)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRoundTripLabels(t *testing.T) {
	labels := make([]uint8, 100_000) // more than ReadLabels reserves at once
	for i := range labels {
		labels[i] = uint8(i)
	}
	for _, n := range []int{0, 1, 10, len(labels)} {
		plain := encodeLabels(t, labels[:n])
		for _, data := range [][]byte{plain, packed(t, plain)} {
			got, err := ReadLabels(file(t, data))
			if err != nil || !bytes.Equal(got, labels[:n]) {
				t.Fatalf("%d labels: got %d, error %v", n, len(got), err)
			}
		}
	}
}

// Several gzip members in a row are one file, as for gzip itself.
func TestGzipMembers(t *testing.T) {
	data := encodeLabels(t, []uint8{1, 2, 3, 4})
	got, err := decodeLabels(append(packed(t, data[:9]), packed(t, data[9:])...))
	if err != nil || string(got) != "\x01\x02\x03\x04" {
		t.Errorf("got %v, error %v", got, err)
	}
}

func TestLoad(t *testing.T) {
	imgs, labels := pictures(4, 3, 2), []uint8{3, 1, 4, 1}
	images := encodeImages(t, imgs, 3, 2)
	set := must(Load(file(t, packed(t, images)), file(t, encodeLabels(t, labels))))(t)
	if !bytes.Equal(set.Labels, labels) || len(set.Images) != len(imgs) {
		t.Fatalf("got labels %v and %d images", set.Labels, len(set.Images))
	}
	for i, img := range set.Images {
		if img.Bounds() != imgs[i].Bounds() || !bytes.Equal(img.Pix, imgs[i].Pix) {
			t.Errorf("image %d differs", i)
		}
	}

	_, err := Load(file(t, images), file(t, encodeLabels(t, labels[:3])))
	wantError(t, "count", err, nil, "got 4 images in ", "but 3 labels in ")
	_, err = Load(file(t, encodeLabels(t, labels)), file(t, images))
	wantError(t, "swapped", err, nil, "got 0x00000801 (IDX labels)", "expected 0x00000803 (IDX images)")
	_, err = Load(file(t, images), file(t, images))
	wantError(t, "twice images", err, nil, "got 0x00000803 (IDX images)", "expected 0x00000801 (IDX labels)")
	_, err = Load(file(t, images[:len(images)-1]), file(t, encodeLabels(t, labels)))
	wantError(t, "short", err, io.ErrUnexpectedEOF, "image 3 of 4: file ends after 5 of 6 bytes")
}

// A loop may stop and another go on; the image of a step is the same memory.
func TestAllResumes(t *testing.T) {
	imgs := pictures(5, 4, 4)
	f := must(NewImages(bytes.NewReader(encodeImages(t, imgs, 4, 4))))(t)
	var got [][]byte
	for img := range f.All() {
		if got = append(got, bytes.Clone(img.Pix)); len(got) == 2 {
			break
		}
	}
	for img, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, bytes.Clone(img.Pix))
	}
	for range f.All() {
		t.Error("a step after the end")
	}
	if len(got) != len(imgs) {
		t.Fatalf("got %d images, want %d", len(got), len(imgs))
	}
	for i := range got {
		if !bytes.Equal(got[i], imgs[i].Pix) {
			t.Errorf("image %d differs", i)
		}
	}
}

func TestClose(t *testing.T) {
	f := must(OpenImages(file(t, encodeImages(t, pictures(2, 2, 2), 2, 2))))(t)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	steps := 0
	for img, err := range f.All() {
		steps++
		if img != nil || !errors.Is(err, os.ErrClosed) {
			t.Errorf("got image %v, error %v", img, err)
		}
	}
	if steps != 1 {
		t.Errorf("got %d steps, want the error once", steps)
	}
}

// Memory does not depend on how many images there are.
func TestBoundedMemory(t *testing.T) {
	allocs := func(n int) float64 {
		data := encodeImages(t, pictures(n, 28, 28), 28, 28)
		return testing.AllocsPerRun(5, func() {
			f := must(NewImages(bytes.NewReader(data)))(t)
			for _, err := range f.All() {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if few, many := allocs(2), allocs(500); many > few {
		t.Errorf("got %v allocations for 500 images, %v for 2", many, few)
	}
}
