package vp8l_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"superres/internal/golden"
)

// libwebp, by which most programs read WebP, gets the pixels that were written: of 60 pictures of all kinds, and of
// 10,000 with SUPERRES_FULL.
func TestLibwebp(t *testing.T) {
	dwebp, err := exec.LookPath("dwebp")
	if err != nil {
		t.Skip("there is no dwebp here (Debian: webp): libwebp does not read the files written")
	}
	count := 60
	switch {
	case testing.Short():
		t.Skip("not with -short: starts dwebp many times")
	case golden.InFull():
		count = 10_000
	}
	photo := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	all := maps.Clone(kinds)
	all["photograph"] = func(img *image.NRGBA, r *rand.Rand) { cover(img, photo, r) }
	all["cut out"] = func(img *image.NRGBA, r *rand.Rand) {
		cover(img, photo, r)
		soft := 1 + r.IntN(30)
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				img.Pix[img.PixOffset(x, y)+3] = uint8(min(max(128+soft*(x-y/2-9), 0), 255))
			}
		}
	}
	all["grey photograph"] = func(img *image.NRGBA, r *rand.Rand) {
		cover(img, photo, r)
		fill(img, func(x, y int) color.NRGBA {
			v := img.NRGBAAt(x, y).G
			return color.NRGBA{v, v, v, 255}
		})
	}
	names := slices.Sorted(maps.Keys(all))
	for n := range count {
		r := rand.New(rand.NewPCG(uint64(n), 10))
		name, size := names[n%len(names)], image.Pt(1+r.IntN(100), 1+r.IntN(100))
		switch r.IntN(20) { // the larger, the rarer
		case 0:
			size = image.Pt(1+r.IntN(900), 1+r.IntN(900))
		case 1:
			size = image.Pt(1+r.IntN(16383), 1+r.IntN(4))
		case 2:
			size = image.Pt(1+r.IntN(4), 1+r.IntN(16383))
		}
		img := image.NewNRGBA(image.Rectangle{Max: size})
		all[name](img, r)
		cmd := exec.CommandContext(t.Context(), dwebp, "-quiet", "-pam", "-o", "-", "--", "-")
		var out, said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(riff(encode(t, img))), &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("picture %d, %s of %v: %v, %s", n, name, size, err, said.String())
		}
		head, pix, _ := bytes.Cut(out.Bytes(), []byte("ENDHDR\n"))
		if !bytes.Contains(head, fmt.Appendf(nil, "WIDTH %d\nHEIGHT %d\nDEPTH 4\n", size.X, size.Y)) ||
			!bytes.Equal(pix, img.Pix) {
			t.Fatalf("picture %d, %s of %v: libwebp reads other pixels", n, name, size)
		}
	}
}

// cover fills img with a part of photo, repeated.
func cover(img *image.NRGBA, photo image.Image, r *rand.Rand) {
	b := photo.Bounds()
	from := image.Pt(b.Min.X+r.IntN(b.Dx()), b.Min.Y+r.IntN(b.Dy()))
	for y := 0; y < img.Rect.Dy(); y += b.Max.Y - from.Y {
		for x := 0; x < img.Rect.Dx(); x += b.Max.X - from.X {
			draw.Draw(img, image.Rectangle{image.Pt(x, y), img.Rect.Max}, photo, from, draw.Src)
		}
	}
}

// riff returns a WebP file of the stream data.
func riff(data []byte) []byte {
	size := len(data)
	data = append(data, make([]byte, size%2)...)
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len("WEBPVP8L    ")+len(data)))
	file = binary.LittleEndian.AppendUint32(append(file, "WEBPVP8L"...), uint32(size))
	return append(file, data...)
}
