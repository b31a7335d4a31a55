package imagefile

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"runtime"
	"strings"
	"testing"
	"time"

	"superres/internal/avif"
	"superres/internal/imagefile/imagetest"
	"superres/internal/mutate"
)

// mutatedPixels is the limit of pixels of a mutated file.
const mutatedPixels = 1 << 14

// mostAllocated is what decoding may allocate in all, in bytes: the tables of decoders, of zstd for each processor, 64
// bytes a pixel that the limits allow, 64 a byte of the file, and metadata, which may be packed.
func mostAllocated(data []byte) int64 {
	return 4<<20 + 2<<20*int64(runtime.GOMAXPROCS(0)) + 64*mutatedPixels + 64*int64(len(data))
}

// read reads a file in one of the ways in which the program does, by the bits of how, and fails
// the test unless that gives a picture or an error of one class.
func read(t testing.TB, data []byte, how byte) error {
	t.Helper()
	lim := Limits{Pixels: mutatedPixels, FirstFrame: how&1 > 0, Strip: how&2 > 0, Time: 5 * time.Second}
	if how&4 > 0 {
		lim.Several = func(Format) {}
	}
	if how&32 > 0 {
		lim.Accept = func(cfg image.Config, held int64) error {
			if cfg.Width < 1 || cfg.Height < 1 || cfg.Width*cfg.Height > mutatedPixels || held < 0 {
				t.Errorf("asked about %dx%d with %d bytes", cfg.Width, cfg.Height, held)
			}
			return nil
		}
	}
	data = bytes.Clone(data) // which may be changed
	var p *Picture
	var err error
	ctx := context.Background()
	switch how >> 3 & 3 {
	case 0:
		p, err = Decode(ctx, bytes.NewReader(data), "file", lim)
	case 1:
		p, err = DecodeBytes(ctx, data, "file", lim)
	default:
		r := bytes.NewReader(data)
		if _, _, err := IdentifyAt(r, "file"); err != nil {
			t.Errorf("not identified: %v", err)
		}
		HoldsSeveralAt(r, int64(len(data)))
		p, err = OpenAt(ctx, r, int64(len(data)), "file", lim)
	}
	if err == nil && p.File != nil {
		if p.Image != nil || lim.Several == nil {
			t.Errorf("%d bytes of several pictures, and %v", len(p.File), p.Image)
		}
		return nil
	}
	checkOutcome(t, p, err)
	return err
}

// Files of which the structure is damaged, and the checksums are correct, are read or refused in
// little memory, in every way in which they can be read.
func TestMutatedFiles(t *testing.T) {
	m := mutate.New(t)
	files := mutate.Files(3000)
	sound, most := uint64(0), int64(0)
	for n := range files {
		mutant := m.Mutant(n)
		limit := mostAllocated(mutant.Data)
		if strings.HasSuffix(mutant.Name, ".avif") {
			limit += avif.Memory(mutatedPixels, int64(len(mutant.Data)))
		}
		got := mutate.Guard(t, fmt.Sprintf("mutant %d, %v", n, mutant), limit, func() {
			if read(t, mutant.Data, byte(n/uint64(len(m.Seeds)))) == nil {
				sound++
			}
		})
		most = max(most, got)
	}
	t.Logf("%d of %d files were read; at most %d KiB were allocated for one", sound, files, most>>10)
	if sound < files/20 || sound > files*19/20 {
		t.Errorf("%d of %d files were read: the mutations are too harsh or too mild", sound, files)
	}
}

func FuzzDecode(f *testing.F) {
	m := mutate.New(f)
	for i, s := range m.Seeds {
		f.Add(s.Data, []byte(nil), byte(0))
		f.Add(s.Data, []byte{1, 2, 3}, byte(i))
		f.Add(s.Data[:len(s.Data)/2], []byte(nil), byte(i))
	}
	for n := range uint64(300) {
		f.Add(m.Mutant(n).Data, []byte(nil), byte(n/uint64(len(m.Seeds))))
	}
	for _, data := range [][]byte{
		imagetest.PNGHeader(65535, 65535), imagetest.GIFScreen(65535, 65535), imagetest.BMPHeader(1<<31, 1<<31),
		imagetest.JPEGFrame(0xc2, 65535, 65535), imagetest.ManyScans(64, 64, 201), []byte("Dear all"), {},
	} {
		f.Add(data, []byte(nil), byte(0))
	}
	f.Fuzz(func(t *testing.T, data, choices []byte, how byte) {
		_ = read(t, m.Change(data, choices), how)
	})
}
