package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/mutate"
	"superres/internal/safefile"
)

// mutatedPixels is the limit of pixels of a picture in a mutated file.
const mutatedPixels = 1 << 12

// readAll reads a file as the program does, to its end or to an error of a known class, and
// returns how many frames it gave.
func readAll(t *testing.T, data []byte, name string) (frames int) {
	t.Helper()
	r, err := open(data, name, imagefile.Limits{Pixels: mutatedPixels})
	if err != nil {
		return 0
	}
	for range r.Frames {
		got, err := r.Next(context.Background())
		if errors.Is(err, safefile.ErrInput) || errors.Is(err, safefile.ErrLimit) {
			return frames
		}
		if err != nil {
			t.Errorf("%s: frame %d: %v", name, frames+1, err)
			return frames
		}
		frames++
		if size := got.Image.Bounds().Size(); size.X < 1 || size.Y < 1 || size.X*size.Y > mutatedPixels {
			t.Errorf("%s: frame %d of %v", name, got.Number, size)
		}
	}
	if _, err := r.Next(context.Background()); err != io.EOF {
		t.Errorf("%s: after the last of %d frames: %v", name, r.Frames, err)
	}
	return frames
}

// Animations and pages of which the structure is damaged are read or refused in little memory,
// wherever their parts stand: an acTL before the header of its PNG once gave the canvas its size.
func TestMutatedFiles(t *testing.T) {
	m := mutate.New(t).Of("animated.png", "apart.png", "metadata.png", "animated.gif", "looped.gif",
		"animated.webp", "pages.tif", "big.tif")
	for _, s := range m.Seeds {
		if n := readAll(t, s.Data, s.Name); n < 2 && s.Name != "metadata.png" {
			t.Errorf("%s: %d frames", s.Name, n)
		}
	}
	files := 4000
	if testing.Short() { // with the race detector
		files = 1000
	}
	read, most := 0, int64(0)
	for n := range uint64(files) {
		mutant := m.Mutant(n)
		frames := int64(len(mutant.Data)/16 + 1) // a frame has at least its head
		// The tables of a decoder for each frame, and of its pixels 64 bytes each, twice: all
		// frames are looked at before any is handed over.
		bound := 4<<20 + 64*int64(len(mutant.Data)) + 2*frames*(64<<10) + 2*min(frames,
			imagefile.MostFrames)*16*mutatedPixels
		got := mutate.Guard(t, fmt.Sprintf("mutant %d, %v", n, mutant), bound, func() {
			if readAll(t, mutant.Data, mutant.Name) > 0 {
				read++
			}
		})
		most = max(most, got)
	}
	t.Logf("%d of %d files gave frames; at most %d KiB were allocated for one", read, files, most>>10)
	if read < files/20 {
		t.Errorf("%d of %d files gave frames: the mutations are too harsh", read, files)
	}
}

// Whatever a file is, it is read to its end or refused as one of the known classes.
func FuzzReader(f *testing.F) {
	list := steps(true)
	m := mutate.New(f)
	several := m.Of("animated.png", "apart.png", "animated.gif", "looped.gif", "animated.webp", "pages.tif", "big.tif")
	for n := range uint64(300) {
		f.Add(several.Mutant(n).Data, []byte(nil))
	}
	for _, data := range [][]byte{gifOf(f, 11, 7, 0, steps(false)), apngOf(f, 11, 7, len(list), 2, nil, list),
		webpOf(f), tiffOf(f, 3)} {
		f.Add(data, []byte(nil))
		f.Add(data, []byte{1, 2, 3, 4})
	}
	f.Fuzz(func(t *testing.T, data, choices []byte) {
		readAll(t, m.Change(data, choices), "fuzz")
	})
}
