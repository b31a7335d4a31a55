package imagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/internal/avif"
	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/mutate"
	"superres/internal/safefile"
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

// small keeps a damaged header from costing the test much.
var small = Limits{Pixels: 1 << 18, Time: 5 * time.Second}

// quoted finds bytes of a file in a message, where anything may stand.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)

// checkOutcome fails the test unless a decode gave either a picture or an error of one line and one class.
func checkOutcome(t testing.TB, p *Picture, err error) {
	t.Helper()
	switch {
	case err == nil && p != nil:
		if b := p.Image.Bounds(); b.Min != (image.Point{}) || b.Empty() || b.Dx()*b.Dy() > 1<<18 {
			t.Errorf("decoded to the bounds %v", b)
		}
	case err != nil && p == nil:
		if errors.Is(err, safefile.ErrInput) == errors.Is(err, safefile.ErrLimit) {
			t.Errorf("%v has not one class", err)
		}
		text := quoted.ReplaceAllString(err.Error(), "...")
		if strings.ContainsAny(text, "\n\r") || strings.Count(text, ": ") > 3 {
			t.Errorf("unclear: %q", text)
		}
		for name := range packages {
			if strings.Contains(text, " "+name+": ") {
				t.Errorf("names a package: %q", text)
			}
		}
	default:
		t.Errorf("picture %v with error %v", p, err)
	}
}

// No part of a file is a picture, unless the missing bytes are no part of it. A JPEG may lack its end marker, with a
// word.
func TestEveryPrefix(t *testing.T) {
	for name, data := range imagetest.Sound(t) {
		whole := must.Get(decodeBytes(data, name, small))(t)
		for n := range data {
			p, err := decodeBytes(data[:n], name, small)
			checkOutcome(t, p, err)
			if err == nil && !reflect.DeepEqual(p.Image, whole.Image) {
				t.Errorf("%s: %d of %d bytes give another picture", name, n, len(data))
			}
			if err == nil && !reflect.DeepEqual(p.Metadata, whole.Metadata) && len(p.Warnings) == 0 {
				t.Errorf("%s: %d of %d bytes have other metadata, without a word", name, n, len(data))
			}
			const noEnd = "has no end marker; all of its pixels are there"
			if err == nil && (whole.Format == "png" || whole.Format == "webp" ||
				(whole.Format == "jpeg" || whole.Format == "gif") && !slices.Contains(p.Warnings, noEnd)) {
				t.Errorf("%s: %d of %d bytes are enough", name, n, len(data))
			}
		}
	}
}

// Where a TIFF ends that comes through a pipe is found in time and memory that its bytes bound:
// not when a thousand directories overlap, nor when the entries of one point to the same bytes.
func TestTIFFEndIsBounded(t *testing.T) {
	const size = 1 << 20
	entries := func(n int) []byte { // all of them are strips that fill the file
		data := append([]byte("II*\x00\x08\x00\x00\x00"), byte(n), byte(n>>8))
		for i := range n {
			e := binary.LittleEndian.AppendUint16(nil, uint16(273+6*(i%2)))
			e = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint16(e, 4), size/4)
			data = append(data, binary.LittleEndian.AppendUint32(e, 0)...)
		}
		data = append(data, 0, 0, 0, 0)
		return append(data, make([]byte, max(0, size-len(data)))...)
	}
	// Directories that begin every 4 bytes, each of 0x4040 entries, each linked to the next.
	overlapping := append([]byte("II*\x00\x08\x00\x00\x00"), bytes.Repeat([]byte{0x40}, size)...)
	const length = 2 + 12*0x4040
	for at := 8; at+length+8 < size; at += 4 {
		binary.LittleEndian.PutUint32(overlapping[at+length:], uint32(at+4))
		if at+4+2 > length { // the counts are no longer 0x4040
			break
		}
	}
	for name, data := range map[string][]byte{"entries": entries(0xffff), "overlapping": overlapping} {
		mutate.Guard(t, name, 64<<20, func() { endOfTIFF(data) })
	}
}
