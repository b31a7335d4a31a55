package mnist

import (
	"bytes"
	"errors"
	"image"
	"os"
	"slices"
	"testing"
)

func TestLayout(t *testing.T) {
	img := &image.Gray{Pix: []byte{1, 2, 3, 4, 5, 6}, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
	want := "\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x01\x02\x03\x04\x05\x06"
	if got := encodeImages(t, []*image.Gray{img}, 3, 2); string(got) != want {
		t.Errorf("images: got % x, want % x", got, want)
	}
}

// Files of all sizes, plain and packed, of several gzip members and padded with zeros too, hold what was written;
// labels also as QMNIST has them, the first of eight int32 each.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct{ n, width, height int }{
		{0, 28, 28}, {1, 1, 1}, {3, 5, 2}, {2, 1, maxSide}, {2, maxSide, 1}, {70, 28, 28}, {9000, 3, 1},
	} {
		imgs := pictures(c.n, c.width, c.height)
		var want []byte
		labels := make([]uint8, c.n)
		for i, img := range imgs {
			want, labels[i] = append(want, img.Pix...), uint8(i)
		}
		images, plain := encodeImages(t, imgs, c.width, c.height), encodeLabels(labels)
		wide := header(0xC02, uint32(c.n), 8)
		for _, label := range labels {
			wide = append(append(wide, 0, 0, 0, label), bytes.Repeat([]byte{9}, 28)...)
		}
		padded := append(packed(t, images), make([]byte, 700)...)
		members := append(packed(t, plain[:7]), packed(t, plain[7:])...)
		f := must(NewImages(bytes.NewReader(images)))(t)
		if f.Count() != c.n || f.Width() != c.width || f.Height() != c.height {
			t.Fatalf("header: got %d of %d×%d, want %v", f.Count(), f.Width(), f.Height(), c)
		}
		for _, files := range [][2][]byte{{images, plain}, {packed(t, images), packed(t, plain)}, {images, members},
			{padded, wide}, {images, append(packed(t, wide), 0)}} {
			pix, got, err := decodePair(t, files[0], files[1])
			if err != nil || !bytes.Equal(pix, want) || len(got) != c.n {
				t.Fatalf("%v: got %d bytes of pixels and %d labels, error %v", c, len(pix), len(got), err)
			}
			for i, label := range got {
				if label != int(labels[i]) {
					t.Fatalf("%v: label %d is %d", c, i, label)
				}
			}
		}
	}
}

// A loop may stop and another go on, with labels and without. After Close a loop yields its error once.
func TestLoops(t *testing.T) {
	imgs := pictures(5, 4, 3)
	images := file(t, encodeImages(t, imgs, 4, 3))
	labels := file(t, encodeLabels([]uint8{3, 1, 4, 1, 255}))
	for _, c := range []struct {
		labels string
		want   []int
	}{{labels, []int{3, 1, 4, 1, 255}}, {"", slices.Repeat([]int{NoLabel}, 5)}} {
		p := must(OpenPair(images, c.labels))(t)
		next := 0
		for range 3 { // the third loop has nothing left
			for item, err := range p.All() {
				if err != nil {
					t.Fatal(err)
				}
				if item.Index != next || item.Label != c.want[next] || !bytes.Equal(item.Image.Pix, imgs[next].Pix) {
					t.Errorf("item %d: index %d, label %d", next, item.Index, item.Label)
				}
				if next++; next == 2 {
					break
				}
			}
		}
		if next != 5 {
			t.Errorf("got %d items", next)
		}
	}
	p := must(OpenPair(images, labels))(t)
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	steps := 0
	for item, err := range p.All() {
		steps++
		if item.Image != nil || !errors.Is(err, os.ErrClosed) {
			t.Errorf("got image %v, error %v", item.Image, err)
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
