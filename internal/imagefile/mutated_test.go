package imagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/mutate"
	"superres/internal/safefile"
)

// mutatedPixels is the limit of pixels of a mutated file.
const mutatedPixels = 1 << 14

// mostAllocated is what decoding may allocate in all, in bytes: the tables of decoders, 64 bytes a
// pixel that the limits allow, 64 a byte of the file, and metadata, which may be packed.
func mostAllocated(data []byte) int64 { return 4<<20 + 64*mutatedPixels + 64*int64(len(data)) }

// Every seed of the mutants is a picture that can be read, so that the mutants are near to some.
func TestMutatedSeeds(t *testing.T) {
	for _, s := range mutate.New(t).Of(".png", ".gif", ".webp", ".tif", ".tiff", ".jpg", ".jpeg", ".bmp").Seeds {
		if _, err := decodeBytes(s.Data, s.Name, Limits{FirstFrame: true}); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// What is damaged in its structure, and sound in its checksums, is read or refused in little
// memory.
func TestMutatedFiles(t *testing.T) {
	m := mutate.New(t)
	path := filepath.Join(t.TempDir(), "file")
	const files = 6000
	read, most := 0, int64(0)
	for n := range uint64(files) {
		mutant := m.Mutant(n)
		lim := Limits{Pixels: mutatedPixels, FirstFrame: n%2 == 0, Strip: n%5 == 0}
		got := mutate.Guard(t, fmt.Sprintf("mutant %d, %v", n, mutant), mostAllocated(mutant.Data), func() {
			p, err := DecodeBytes(context.Background(), mutant.Data, mutant.Name, lim)
			checkOutcome(t, p, err)
			if err == nil {
				read++
			}
		})
		most = max(most, got)
		if n%10 > 0 {
			continue
		}
		if err := os.WriteFile(path, mutant.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		lim.Several = func(string) {}
		p, err := Open(context.Background(), path, lim)
		if (p == nil) == (err == nil) {
			t.Errorf("mutant %d, %v: picture %v with error %v", n, mutant, p, err)
		}
		if err != nil && !errors.Is(err, safefile.ErrInput) && !errors.Is(err, safefile.ErrLimit) {
			t.Errorf("mutant %d, %v: %v", n, mutant, err)
		}
	}
	t.Logf("%d of %d files were read; at most %d KiB were allocated for one", read, files, most>>10)
	if read < files/20 || read > files*19/20 {
		t.Errorf("%d of %d files were read: the mutations are too harsh or too mild", read, files)
	}
}

func FuzzDecode(f *testing.F) {
	m := mutate.New(f)
	for _, s := range m.Seeds {
		f.Add(s.Data, []byte(nil))
		f.Add(s.Data[:len(s.Data)/2], []byte{1, 2, 3})
	}
	for n := range uint64(500) {
		f.Add(m.Mutant(n).Data, []byte(nil))
	}
	for _, data := range [][]byte{
		imagetest.PNGHeader(65535, 65535), imagetest.GIFScreen(65535, 65535), imagetest.BMPHeader(1<<31, 1<<31),
		imagetest.JPEGFrame(0xc2, 65535, 65535), imagetest.ManyScans(64, 64, 201), []byte("Dear all"), {},
	} {
		f.Add(data, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, data, choices []byte) {
		p, err := Decode(context.Background(), bytes.NewReader(m.Change(data, choices)), "fuzz", small)
		checkOutcome(t, p, err)
	})
}
