//go:build measure

package app

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
)

// blocks returns a profile, an EXIF block, an XMP packet and other bytes, each of the greatest size that is kept, of
// zeros and blanks if packable, else mostly of random bytes.
func blocks(packable bool) (icc, exif, xmp, other []byte) {
	const most = metadata.MaxBlock
	icc, exif, other = make([]byte, most), make([]byte, most), make([]byte, most)
	xmp = bytes.Repeat([]byte{' '}, most)
	if !packable {
		random := rand.NewChaCha8([32]byte{7})
		for _, b := range [][]byte{icc, exif, other, xmp} {
			_, _ = random.Read(b)
		}
		for i, b := range xmp {
			xmp[i] = ' ' + b%64
		}
	}
	binary.BigEndian.PutUint32(icc, most)
	copy(icc[16:], "RGB ")
	copy(icc[36:], "acsp")
	// One directory with one value, the maker's notes, which fill the rest.
	copy(exif, "MM\x00*\x00\x00\x00\x08\x00\x01\x92\x7c\x00\x07")
	binary.BigEndian.PutUint32(exif[14:], most-26)
	copy(exif[18:], "\x00\x00\x00\x1a\x00\x00\x00\x00")
	return icc, exif, xmp, other
}

// laden returns files of a small picture, by name, full of metadata, of every format and kind.
func laden(t *testing.T) map[string][]byte {
	img := texture("rgb", 40, 30)
	plain := func(encode func(io.Writer) error) []byte {
		var b bytes.Buffer
		must.Succeed(t, encode(&b))
		return b.Bytes()
	}
	behind := func(data []byte, at int, parts ...[]byte) []byte {
		return slices.Concat(data[:at], bytes.Join(parts, nil), data[at:])
	}
	files := map[string][]byte{}
	basePNG := plain(func(w io.Writer) error { return png.Encode(w, img) })
	baseJPEG := plain(func(w io.Writer) error { return jpeg.Encode(w, img, nil) })
	packed := func(b []byte) []byte {
		return plain(func(w io.Writer) error {
			z := zlib.NewWriter(w)
			_, _ = z.Write(b)
			return z.Close()
		})
	}
	for _, name := range []string{"noise", "plain"} {
		packable := name == "plain"
		icc, exif, xmp, other := blocks(packable)
		files[name+".png"] = behind(basePNG, 33,
			imagetest.PNGChunk("iCCP", append([]byte("p\x00\x00"), packed(icc)...)), imagetest.PNGChunk("eXIf", exif),
			imagetest.PNGChunk("iTXt", append([]byte("XML:com.adobe.xmp\x00\x01\x00\x00\x00"), packed(xmp)...)),
			imagetest.PNGChunk("tEXt", other))
		if packable {
			break // the others pack nothing
		}
		files[name+".tif"] = plain(func(w io.Writer) error {
			return imagefile.Encode(w, img, "tiff",
				imagefile.EncodeOptions{Metadata: metadata.Metadata{ICC: icc, EXIF: exif, XMP: xmp}})
		})
		// A still picture of the program's own, in a file with room around it.
		pixels := imagetest.PlainWebP(40, 30)[12:]
		chunk := func(kind string, b []byte) []byte {
			return append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(b))), b...)
		}
		body := bytes.Join([][]byte{[]byte("WEBP"), chunk("VP8X", []byte{0x2c, 0, 0, 0, 39, 0, 0, 29, 0, 0}),
			chunk("ICCP", icc), pixels, chunk("EXIF", exif), chunk("XMP ", xmp)}, nil)
		files[name+".webp"] = append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
	}
	segment := func(marker byte, n int, start string) []byte {
		return append([]byte{0xff, marker, byte((n + 2) >> 8), byte(n + 2)},
			append([]byte(start), make([]byte, n-len(start))...)...)
	}
	const parts = 255
	var profile [][]byte
	for i := range parts {
		part := segment(0xe2, 65533, "ICC_PROFILE\x00"+string([]byte{byte(i + 1), parts}))
		if i == 0 {
			binary.BigEndian.PutUint32(part[18:], parts*65519)
			copy(part[18+16:], "RGB ")
			copy(part[18+36:], "acsp")
		}
		profile = append(profile, part)
	}
	files["profile.jpg"] = behind(baseJPEG, 2, profile...)
	files["comments.jpg"] = behind(baseJPEG, 2, bytes.Repeat(segment(0xfe, 4090, ""), metadata.MaxParts))
	files["many.jpg"] = behind(baseJPEG, 2, bytes.Repeat(segment(0xfe, 0, ""), 2_000_000))
	files["xmp.jpg"] = behind(baseJPEG, 2, segment(0xe1, 65000, "http://ns.adobe.com/xap/1.0/\x00"),
		bytes.Repeat(segment(0xe1, 65000, "http://ns.adobe.com/xmp/extension/\x00"), 250))
	for _, kind := range []string{"tEXt", "abCd"} {
		files[kind+".png"] = behind(basePNG, 33, bytes.Repeat(imagetest.PNGChunk(kind, nil), 500_000))
	}
	// The decoders of GIF and BMP skip data that are no picture.
	small := plain(func(w io.Writer) error { return gif.Encode(w, img, nil) })
	files["comments.gif"] = behind(small, len(small)-1, bytes.Repeat([]byte("\x21\xfe\x01.\x00"), 4_000_000))
	files["long.bmp"] = append(plain(func(w io.Writer) error { return bmp.Encode(w, img) }), make([]byte, 30<<20)...)
	return files
}

// TestMeasureMetadata checks that estimates of memory include all that a file holds besides its pixels.
func TestMeasureMetadata(t *testing.T) {
	m := newMeasurement(t, "metadata", 2)
	dir := t.TempDir()
	sample := []string{"noise.png", "comments.gif"}
	for name, data := range laden(t) {
		if consoletest.Full(1, 0) > 0 && !slices.Contains(sample, name) {
			continue
		}
		in := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(in, data, 0o666))
		for _, how := range []string{"keep", "strip"} {
			if how == "strip" && !strings.HasPrefix(name, "noise") && name != "many.jpg" {
				continue
			}
			args := []string{"upscale", in, "-m", "bicubic", "--on-exist", "overwrite", "--json", "--metadata", how}
			what := fmt.Sprintf("%s, %d MiB, %s", name, len(data)>>20, how)
			m.program(dir, what, promised(t, dir, args...), nil, args...)
		}
		if name == "comments.gif" || name == "noise.png" && consoletest.Full(1, 0) == 0 { // the same through a pipe
			args := []string{"upscale", "-", "-m", "bicubic", "-o", filepath.Join(dir, "piped.png"), "--on-exist",
				"overwrite", "-v"}
			_, stderr, code := call(t, dir, string(data), args...)
			about := regexp.MustCompile(`about ([0-9.]+) MiB`).FindStringSubmatch(stderr)
			if code != 0 || about == nil {
				t.Fatalf("%s: exit %d, %s", name, code, stderr)
			}
			mib := must.Get(strconv.ParseFloat(about[1], 64))(t)
			m.program(dir, name+" from a pipe", int64(mib*(1<<20)), data, args...)
		}
		_ = os.Remove(in)
		_ = os.Remove(filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name))+"_2x"+filepath.Ext(name)))
	}
}
