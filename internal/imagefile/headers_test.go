package imagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color/palette"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
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
		"a.png":  imagetest.PNG(t, m),
		"a.jpg":  imagetest.JPEG(t, m, 100),
		"a.gif":  imagetest.GIF(t, indexed),
		"a.tif":  encoded(t, m, TIFF, EncodeOptions{}),
		"a.bmp":  imagetest.Encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) }),
		"a.webp": append(imagetest.PlainWebP(600, 500), imagetest.RIFF("abcd", make([]byte, 1<<19))...),
	}
	extra := imagetest.PNGChunk("abCd", make([]byte, 1<<19))
	files["palette.png"] = append(imagetest.WithChunks(imagetest.PNG(t, indexed), extra), make([]byte, 1<<12)...)
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
		least := int64(len(data))
		if decoder := must.Get(sniff(data[:16]))(t).decoderBytes; decoder != nil {
			least += decoder(bytes.NewReader(data))
		}
		if held < least || held > least+1000 {
			t.Errorf("%s: %d bytes are said to be held of %d", name, held, least)
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

// crowded returns files of a small picture with many parts of a few bytes in front of the pixels, which a decoder
// skips.
func crowded(t *testing.T) map[string][]byte {
	const many = 100_000
	m, still := image.NewGray(image.Rect(0, 0, 9, 7)), imagetest.PlainWebP(9, 7)
	jpeg := imagetest.JPEG(t, m, 75)
	return map[string][]byte{
		"a.png": imagetest.WithChunks(imagetest.PNG(t, m), bytes.Repeat(imagetest.PNGChunk("tEXt", nil), many)),
		"a.jpg": slices.Concat(jpeg[:2], bytes.Repeat([]byte("\xff\xfe\x00\x07later"), many), jpeg[2:]),
		"a.webp": imagetest.RIFFChunk("RIFF", slices.Concat([]byte("WEBP"),
			imagetest.RIFFChunk("VP8X", []byte{0, 0, 0, 0, 8, 0, 0, 6, 0, 0}),
			bytes.Repeat([]byte("abcd\x04\x00\x00\x00????"), many), still[12:])),
	}
}

// Looking for metadata is under the clock: of a file that is slow to read no more is read than there is time for.
func TestTimeLimitStopsMetadata(t *testing.T) {
	for name, data := range crowded(t) {
		f, in := tape(data)
		f.wait = time.Millisecond
		accepted := false
		accept := func(image.Config, int64) error { accepted = true; return nil }
		lim := Limits{Time: 20 * time.Millisecond, Accept: accept}
		_, err := decode(t.Context(), in, name, lim.orDefaults())
		checkRefusal(t, err, safefile.ErrLimit, name, "takes longer to decode than the limit of 0.02 s")
		checkRemedy(t, err, safefile.MoreTime)
		if all := len(data) / 4096; f.reads > all/2 || accepted {
			t.Errorf("%s: %d reads, accepted: %v", name, f.reads, accepted)
		}
	}
}

// A clock has the time for all steps together.
func TestStepsShareTheTime(t *testing.T) {
	c := &clock{limit: time.Hour, left: time.Hour}
	step := func(*source) error { time.Sleep(time.Millisecond); return nil }
	if err := c.runTimed(t.Context(), inMemory(nil), step); err != nil || c.left >= time.Hour {
		t.Errorf("%v: a step left %v of %v", err, c.left, c.limit)
	}
	c.left = 0
	if err := c.runTimed(t.Context(), inMemory(nil), step); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no time is left: %v", err)
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

// slow is a file that takes far longer to decode than any test waits: many scans, each cheap in bytes.
func slow() []byte { return imagetest.ManyScans(3000, 3000, 10_000) }

func TestTimeLimitStopsTheDecoder(t *testing.T) {
	// 10,000 tiles which all unpack the same megabyte of nothing.
	const tiles = 100 * 100
	nothing := append(bytes.Repeat([]byte{0x80}, 1<<20), 0xc1, 0) // and at last 64 zeros
	offsets := uint32(len(imagetest.TIFFStart) + len(imagetest.TIFFPage(0, make([][4]uint32, 9)...)))
	tile := append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0,
		[4]uint32{256, 4, 1, 800}, [4]uint32{257, 4, 1, 800}, [4]uint32{258, 3, 1, 8},
		[4]uint32{259, 3, 1, 32773}, [4]uint32{262, 3, 1, 1}, [4]uint32{322, 4, 1, 8}, [4]uint32{323, 4, 1, 8},
		[4]uint32{324, 4, tiles, offsets}, [4]uint32{325, 4, tiles, offsets + 4*tiles})...)
	for _, v := range []uint32{offsets + 8*tiles, uint32(len(nothing))} {
		for range tiles {
			tile = append(tile, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	tile = append(tile, nothing...)

	for name, data := range map[string][]byte{"scans.jpg": slow(), "tiles.tif": tile} {
		begin := time.Now()
		_, err := decodeBytes(data, name, Limits{Scans: 20_000, Time: 100 * time.Millisecond})
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: stopped after %v", name, took)
		}
		checkRefusal(t, err, safefile.ErrLimit, name, "takes longer to decode than the limit of 0.1 s")
		checkRemedy(t, err, safefile.MoreTime)
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(30*time.Millisecond, func() { cancel(errors.New("hangup")) })
	begin := time.Now()
	_, err := Decode(ctx, bytes.NewReader(slow()), "slow.jpg", Limits{Scans: 20_000})
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("stopped after %v", took)
	}
	checkRefusal(t, err, context.Canceled, "slow.jpg", "interrupted")

	// Before the work, and while reading.
	_, err = Decode(ctx, bytes.NewReader(nil), "late.png", Limits{})
	checkRefusal(t, err, context.Canceled, "late.png", "interrupted")

	ctx, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	<-ctx.Done()
	_, err = Decode(ctx, bytes.NewReader(nil), "late.png", Limits{})
	checkRefusal(t, err, safefile.ErrLimit, "late.png", "ran out of time")
	checkRemedy(t, err, safefile.MoreTime)
}
