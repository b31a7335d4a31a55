package imagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

// onTape is a file of which it is counted how much is read, which may take time.
type onTape struct {
	io.ReaderAt
	wait         time.Duration // for every read
	reads, bytes int
}

func (f *onTape) ReadAt(p []byte, off int64) (int, error) {
	time.Sleep(f.wait)
	n, err := f.ReaderAt.ReadAt(p, off)
	f.reads++
	f.bytes += n
	return n, err
}

func tape(data []byte) (*onTape, *input) {
	f := &onTape{ReaderAt: bytes.NewReader(data)}
	return f, onDisk(f, int64(len(data)))
}

// large are files of half a megabyte and more in every format.
func large(t *testing.T) map[string][]byte {
	m := image.NewRGBA(image.Rect(0, 0, 600, 500))
	_, _ = rand.NewChaCha8([32]byte{3}).Read(m.Pix)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	indexed := image.NewPaletted(m.Rect, palette.Plan9)
	for i := range indexed.Pix {
		indexed.Pix[i] = m.Pix[4*i]
	}
	files := map[string][]byte{
		"a.png": imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) }),
		"a.jpg": imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return jpeg.Encode(b, m,
				&jpeg.Options{Quality: 100})
		}),
		"a.gif":  imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, indexed, nil) }),
		"a.tif":  imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, m, "tiff", EncodeOptions{}) }),
		"a.bmp":  imagetest.Encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) }),
		"a.webp": append(imagetest.PlainWebP(600, 500), imagetest.RIFF("abcd", make([]byte, 1<<19))...),
	}
	plain := imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, indexed) })
	files["palette.png"] = bytes.Join([][]byte{plain[:33], imagetest.PNGChunk("abCd", make([]byte, 1<<19)), plain[33:],
		make([]byte, 1<<12)}, nil)
	binary.LittleEndian.PutUint32(files["a.webp"][4:], uint32(len(files["a.webp"])-8))
	return files
}

// A picture that is refused by its size, or planned by it, is not read as a whole.
func TestHeadersAreEnough(t *testing.T) {
	enough := errors.New("that is enough")
	for name, data := range large(t) {
		var seen image.Config
		var held int64
		f, in := tape(data)
		_, err := decode(t.Context(), in, name, Limits{Accept: func(cfg image.Config, bytes int64) error {
			seen, held = cfg, bytes
			return enough
		}}.orDefaults())
		if !errors.Is(err, enough) || seen.Width != 600 || seen.Height != 500 {
			t.Errorf("%s: %v, %v", name, err, seen)
		}
		if f.bytes > 1<<15 {
			t.Errorf("%s: %d of %d bytes were read", name, f.bytes, len(data))
		}
		if held < int64(len(data)) || held > int64(len(data))+1000 {
			t.Errorf("%s: %d bytes are said to be held of %d", name, held, len(data))
		}
		if _, err := decode(t.Context(), in, name, Limits{}.orDefaults()); err != nil {
			t.Error(err)
		}
	}
	// A pipe is in memory before its size is known, for a while twice.
	data := large(t)["a.bmp"]
	_, err := decodeBytes(data, "pipe", Limits{Accept: func(_ image.Config, bytes int64) error {
		if bytes != 2*int64(len(data)) {
			t.Errorf("%d bytes are said to be held of %d", bytes, len(data))
		}
		return enough
	}})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}

// crowded are files of a small picture in front of whose pixels there are many parts of so
// many bytes that a decoder passes over.
func crowded(t *testing.T) map[string][]byte {
	const many = 100_000
	m := image.NewGray(image.Rect(0, 0, 9, 7))
	small := large(t)["a.webp"][:0]
	still := imagetest.PlainWebP(9, 7)
	small = append(small, "RIFF????WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x06\x00\x00"...)
	small = append(append(small, bytes.Repeat([]byte("abcd\x04\x00\x00\x00????"), many)...), still[12:]...)
	binary.LittleEndian.PutUint32(small[4:], uint32(len(small)-8))
	files := map[string][]byte{"a.webp": small}
	for name, c := range map[string]struct {
		data []byte
		at   int // where the parts go
		part string
	}{
		"a.png": {imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) }), 33,
			string(imagetest.PNGChunk("tEXt", nil))},
		"a.jpg": {imagetest.Encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) }), 2,
			"\xff\xfe\x00\x07later"},
		"a.gif": {imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) }), -1,
			"\x21\xfe\x01.\x00"},
	} {
		if c.at < 0 {
			c.at += len(c.data)
		}
		files[name] = bytes.Join([][]byte{c.data[:c.at], bytes.Repeat([]byte(c.part), many), c.data[c.at:]}, nil)
	}
	return files
}

// Looking for metadata is under the clock: of a file that is slow to read no more is read than
// there is time for.
func TestTimeLimitStopsMetadata(t *testing.T) {
	for name, data := range crowded(t) {
		if name == "a.gif" {
			continue // has none that are looked for
		}
		f, in := tape(data)
		f.wait = time.Millisecond
		accepted := false
		lim := Limits{Time: 20 * time.Millisecond, Accept: func(image.Config,
			int64) error {
			accepted = true
			return nil
		}}
		_, err := decode(t.Context(), in, name, lim.orDefaults())
		checkRefusal(t, err, safefile.ErrLimit, name, "takes longer to decode than the limit of 20ms")
		checkRemedy(t, err, safefile.MoreTime)
		if all := len(data) / 4096; f.reads > all/2 || accepted {
			t.Errorf("%s: %d reads, accepted: %v", name, f.reads, accepted)
		}
	}
}

// A clock has the time for all steps together.
func TestStepsShareTheTime(t *testing.T) {
	c := &clock{limit: time.Hour, left: time.Hour}
	if err := c.runTimed(t.Context(), inMemory(nil), func(*source) error {
		time.Sleep(time.Millisecond)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if c.left >= time.Hour {
		t.Error("a step took no time")
	}
	c.left = 0
	if err := c.runTimed(t.Context(), inMemory(nil), func(*source) error { return nil }); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("no time is left: %v", err)
	}
}

// What a decoder passes over costs it nothing but its time.
func TestCrowdedFilesTakeTheirBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: the race detector, which is run so, has memory of its own")
	}
	for name, data := range crowded(t) {
		file := filepath.Join(t.TempDir(), name)
		must.Succeed(t, os.WriteFile(file, data, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := Open(t.Context(), file, Limits{Strip: true})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(p.Warnings) > 0 {
			t.Errorf("%s: %q", name, p.Warnings)
		}
		if n := int64(after.TotalAlloc - before.TotalAlloc); n > 3*int64(len(data))+1<<20 {
			t.Errorf("%s of %d bytes: %d were allocated", name, len(data), n)
		}
	}
}

// A file that is another once its header was accepted is refused.
func TestFileThatChanges(t *testing.T) {
	files := large(t)
	for name, data := range files {
		data = bytes.Clone(data)
		small := imagetest.Sound(t)["colour"+filepath.Ext(name)]
		if small == nil {
			continue
		}
		_, in := tape(data)
		_, err := decode(t.Context(), in, name, Limits{Accept: func(image.Config, int64) error {
			clear(data[copy(data, small):])
			return nil
		}}.orDefaults())
		checkRefusal(t, err, safefile.ErrInput, name, "has changed while it was read; try again")
	}
	_, in := tape(files["a.bmp"])
	in.size += 100 // cut meanwhile
	if _, err := decode(t.Context(), in, "a.bmp", Limits{}.orDefaults()); err != nil {
		t.Error(err)
	}
}

// Less than the usual size of a file is for want of memory, and says so.
func TestPipeBeyondItsLimit(t *testing.T) {
	_, err := decodeBytes(large(t)["a.bmp"], "pipe", Limits{Bytes: 1 << 19})
	checkRefusal(t, err, safefile.ErrLimit, "pipe", "has more than the limit of 0.5 MiB")
	checkRemedy(t, err, MoreMemory)
	if strings.Contains(err.Error(), ";") {
		t.Errorf("two remedies in %v", err)
	}
}
