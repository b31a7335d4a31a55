//go:build amd64 || arm64

package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"os/exec"
	"testing"

	"golang.org/x/image/vp8l"

	"superres/internal/golden"
	"superres/internal/must"
)

// kinds fill pictures of w×h pixels of all kinds, each by its name.
var kinds = map[string]func(pix []byte, w int, r *rand.Rand){
	"noise":      func(pix []byte, _ int, r *rand.Rand) { fill(pix, func(int) uint32 { return r.Uint32() }) },
	"one colour": func(pix []byte, _ int, r *rand.Rand) { c := r.Uint32(); fill(pix, func(int) uint32 { return c }) },
	"clear":      func(pix []byte, _ int, r *rand.Rand) { fill(pix, func(int) uint32 { return r.Uint32() >> 8 }) },
	"slopes": func(pix []byte, w int, r *rand.Rand) {
		n := 1 + r.Uint32N(8)
		fill(pix, func(i int) uint32 {
			x, y := uint32(i%w), uint32(i/w)
			return (255-y/3)<<24 | (x+y)&255<<16 | (y+r.Uint32N(n))&255<<8 | (2*x+r.Uint32N(n))&255
		})
	},
	"few colours": func(pix []byte, _ int, r *rand.Rand) {
		few := make([]uint32, 1+r.IntN(400))
		for i := range few {
			few[i] = r.Uint32()
		}
		fill(pix, func(int) uint32 { return few[r.IntN(len(few))] })
	},
	"steep": func(pix []byte, _ int, r *rand.Rand) { // differences of which each is half as frequent as the one before
		green := uint32(0)
		fill(pix, func(int) uint32 {
			for green++; r.IntN(2) == 0; {
				green += 7
			}
			return 255<<24 | r.Uint32()&0xff00ff | green&255<<8
		})
	},
}

// fill sets pixel i to colour(i), which has red in its lowest byte.
func fill(pix []byte, colour func(i int) uint32) {
	for i := range len(pix) / 4 {
		binary.LittleEndian.PutUint32(pix[4*i:], colour(i))
	}
}

// forWebP calls check with pictures of all kinds, and their streams: count of random sizes, and the longest sides.
func forWebP(t *testing.T, count int, check func(what string, w, h int, pix, stream []byte)) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range kinds {
		sizes := []image.Point{{1, 1}, {MostWebPSide, 2}, {1, MostWebPSide}, {700, 500}}
		for range count {
			sizes = append(sizes, image.Pt(1+r.IntN(90), 1+r.IntN(90)))
		}
		for _, size := range sizes {
			pix := make([]byte, 4*size.X*size.Y)
			draw(pix, size.X, r)
			check(fmt.Sprintf("%s of %v", name, size), size.X, size.Y, pix,
				must.Get(EncodeWebP(t.Context(), size.X, size.Y, pix))(t))
		}
	}
}

// A reader that is not from libwebp gets the same pixels, hidden colours too.
func TestWebPPixels(t *testing.T) {
	forWebP(t, 20, func(what string, w, h int, pix, stream []byte) {
		in := bytes.NewReader(stream)
		got, is := must.Get(vp8l.Decode(in))(t).(*image.NRGBA)
		if !is || got.Rect != image.Rect(0, 0, w, h) || !bytes.Equal(got.Pix, pix) || in.Len() > 0 {
			t.Errorf("%s: other pixels, or %d bytes too many", what, in.Len())
		}
	})
}

// libwebp and FFmpeg, which has a decoder of its own, get the same pixels.
func TestWebPOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: starts programs many times")
	}
	count := 1
	if golden.InFull() {
		count = 1000
	}
	for name, args := range map[string][]string{
		"dwebp":  {"-quiet", "-pam", "-o", "-", "--", "-"},
		"ffmpeg": {"-v", "error", "-f", "webp_pipe", "-i", "-", "-pix_fmt", "rgba", "-f", "rawvideo", "-"},
	} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Log("there is no", name)
			continue
		}
		forWebP(t, count, func(what string, _, _ int, pix, stream []byte) {
			cmd := exec.CommandContext(t.Context(), program, args...)
			cmd.Stdin = bytes.NewReader(riff(stream))
			got, err := cmd.Output()
			if err != nil || !bytes.HasSuffix(got, pix) {
				t.Errorf("%s, read by %s: other pixels, %v", what, name, err)
			}
		})
	}
}

// riff returns a WebP file of the stream data.
func riff(data []byte) []byte {
	size := len(data)
	data = append(bytes.Clone(data), make([]byte, size%2)...)
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len("WEBPVP8L    ")+len(data)))
	file = binary.LittleEndian.AppendUint32(append(file, "WEBPVP8L"...), uint32(size))
	return append(file, data...)
}

// An encoder ends with its context.
func TestWebPEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := EncodeWebP(ctx, 900, 900, make([]byte, 4*900*900)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v", err)
	}
}
