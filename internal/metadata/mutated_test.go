package metadata_test

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"strings"
	"testing"

	"superres/internal/metadata"
	"superres/internal/mutate"
)

// formatsOf are the formats of metadata by the extensions of the mutants.
var formatsOf = map[string]string{"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp", "tif": "tiff",
	"tiff": "tiff", "bmp": "bmp"}

// readMetadata reads the metadata of a file. Read recovers from panics, so those are looked for in its warnings.
func readMetadata(t *testing.T, what, format string, data []byte) metadata.Metadata {
	t.Helper()
	outline := metadata.Look(format, bytes.NewReader(data))
	m, warnings := metadata.Read(format, bytes.NewReader(data))
	for _, w := range warnings {
		if strings.HasPrefix(w, "its metadata is damaged") {
			t.Errorf("%s: a panic", what)
		}
	}
	if size := sizeOf(m); size > outline.Bytes {
		t.Errorf("%s: %d bytes of metadata, %d were announced", what, size, outline.Bytes)
	}
	return m
}

// sizeOf returns the bytes that metadata take.
func sizeOf(m metadata.Metadata) int64 {
	size := len(m.ICC) + len(m.EXIF) + len(m.XMP) + len(m.GainMap) + len(m.Film)
	for _, g := range m.Geo {
		size += len(g.Data)
	}
	for _, p := range m.Own {
		size += len(p.Data)
	}
	return int64(size)
}

// writeMetadata writes what was read into every format that takes it.
func writeMetadata(t *testing.T, what string, m metadata.Metadata) {
	t.Helper()
	m, _ = m.Resized(metadata.Resizing{From: image.Pt(3, 2), To: image.Pt(30_000, 4), Part: image.Rect(1, 1, 9, 3)})
	for _, out := range []string{"png", "tiff", "jpeg"} {
		fitting, _ := m.For(out, false)
		var b bytes.Buffer
		if _, err := fitting.Writer(&b, out, "x", 100).Write(make([]byte, 100)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if out == "tiff" {
			layout := fitting.TIFF("x", 3, func(uint32) []metadata.TIFFField { return nil })
			if err := layout.Write(&b, func(io.Writer) error { return nil }); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// Metadata in files of which the structure is damaged is read or left out, without a panic and
// in little memory, and takes no more than was announced.
func TestMutatedFiles(t *testing.T) {
	mutator := mutate.New(t).Of("metadata.png", "profile.jpg", "gainmap.jpg", "geo.tif", "animated.webp", "pages.tif",
		"big.tif", "colour.jpeg", ".bmp", "alpha.webp")
	files := mutate.Files(3000)
	kept, most := uint64(0), int64(0)
	for n := range files {
		mutant := mutator.Mutant(n)
		format := formatsOf[mutant.Name[strings.LastIndexByte(mutant.Name, '.')+1:]]
		what := fmt.Sprintf("mutant %d, %v", n, mutant)
		var m metadata.Metadata
		got := mutate.Guard(t, what, 2<<20+64*int64(len(mutant.Data)), func() {
			if m = readMetadata(t, what, format, mutant.Data); m.EXIF != nil || m.ICC != nil || m.XMP != nil {
				kept++
			}
		})
		if n%16 == 0 { // for it takes long to pack a profile
			writeMetadata(t, what, m)
		}
		most = max(most, got)
	}
	t.Logf("%d of %d files have metadata; at most %d KiB were allocated for one", kept, files, most>>10)
	if kept < files/10 {
		t.Errorf("%d of %d files have metadata: the mutations are too harsh", kept, files)
	}
}
