package jpeg

import (
	"bytes"
	"errors"
	"image"
	"io"
	"slices"
	"testing"

	"superres/internal/must"
)

// decoded returns the pixels of a file and its warnings.
func decoded(t *testing.T, data []byte) ([]byte, []string) {
	t.Helper()
	img, warnings, err := Decode(t.Context(), data, Options{})
	must.Succeed(t, err)
	return pixels(t, img), warnings
}

const (
	noEnd   = "has no end marker; all of its pixels are there"
	surplus = "has surplus bytes behind its pixel data, which may be damaged"
	damage  = "has damaged pixel data; parts of the picture may be wrong"
)

// A file without an end marker has all of its pixels, for any bytes behind them, and says so. One with an end marker
// says nothing of what follows.
func TestNoEndMarker(t *testing.T) {
	files, _ := sound(t)
	for name, data := range files {
		want, _ := decoded(t, data)
		body := data[:len(data)-2]
		other := files["420.jpg"]
		for i, trailer := range [][]byte{
			nil, {0xff}, make([]byte, 100), []byte("a trailer"), other, other[:200], []byte("\xff\x07\x00\x01ab"),
			[]byte("\xff\xe1\xff\xffcut"),
		} {
			got, warnings := decoded(t, slices.Concat(body, trailer))
			if !bytes.Equal(got, want) || !slices.Equal(warnings, []string{noEnd}) {
				t.Errorf("%s, trailer %d: %q", name, i, warnings)
			}
			if got, warnings := decoded(t, slices.Concat(data, trailer)); !bytes.Equal(got, want) || warnings != nil {
				t.Errorf("%s with its end marker, trailer %d: %q", name, i, warnings)
			}
		}
	}
}

// A file that is cut before its last pixel is incomplete, even where an end marker is put behind it.
func TestCut(t *testing.T) {
	files, _ := sound(t)
	for name, data := range files {
		for n := 0; n < len(data)-2; n += 1 + n/200 {
			_, err := decode(data[:n], Options{})
			// the last byte of a scan may have no bit that is needed
			if err == nil && n < len(data)-3 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
	data := files["420.jpg"]
	scan := bytes.Index(data, []byte{0xff, markerScan})
	for _, n := range []int{scan + 20, (scan + len(data)) / 2} {
		cut := append(bytes.Clone(data[:n]), 0xff, 0xd9)
		if _, err := decode(cut, Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes and an end marker: %v", n, err)
		}
	}
}

// The missing part of a file may have become zeros, which can be read as pixels.
func TestZerosForPixels(t *testing.T) {
	files, _ := sound(t)
	for _, name := range []string{"420.jpg", "no-huffman.jpg", "names-adobe.jpg"} {
		data := files[name]
		scan := bytes.Index(data, []byte{0xff, markerScan})
		for n := scan + 30; n < len(data)-5; n += 5 {
			_, err := decode(append(bytes.Clone(data[:n]), make([]byte, 200)...), Options{})
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: zeros behind %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
}

// A sound progressive file may end before the last bits of its coefficients, and says so. Without its end marker it is
// a file that was cut.
func TestCoarse(t *testing.T) {
	files, _ := sound(t)
	data := files["progressive-420.jpg"]
	scans := data[:bytes.LastIndex(data, []byte{0xff, markerScan})]
	_, warnings := decoded(t, append(bytes.Clone(scans), 0xff, markerEnd))
	if !slices.Equal(warnings, []string{"has but a coarse version of its picture"}) {
		t.Errorf("%q", warnings)
	}
	if _, err := decode(scans, Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without an end marker: %v", err)
	}
}

// Garbage in a scan spoils no more than the pixels up to the next restart marker, and is told.
func TestGarbage(t *testing.T) {
	files, _ := sound(t)
	data := files["444-restart.jpg"] // two blocks of each component between markers
	want, _ := decoded(t, data)
	restarts := []int{}
	for i := range data[:len(data)-1] {
		if data[i] == 0xff && isRestart(data[i+1]) {
			restarts = append(restarts, i)
		}
	}
	at := restarts[1] + 2
	insert := func(at int, bytes ...byte) []byte { return slices.Concat(data[:at], bytes, data[at:]) }
	swapped := bytes.Clone(data)
	swapped[restarts[1]+1] = 0xd5
	for name, c := range map[string]struct {
		data   []byte
		word   string
		pixels int // that may be wrong
	}{
		"surplus":             {insert(restarts[1], 1, 2, 3, 4), damage, 0},
		"surplus at the end":  {insert(len(data)-2, 1, 2, 3, 4), surplus, 0},
		"garbage":             {insert(at, 0x2a, 0x5b, 0x38), damage, 128},
		"a marker":            {insert(at, 0xff, 0x22), damage, 128},
		"a restart too early": {insert(at, data[restarts[0]:restarts[0]+2]...), damage, 128},
		"a restart missing":   {slices.Concat(data[:restarts[1]], data[at:]), damage, 256},
		"a wrong restart":     {swapped, damage, 128},
		"a segment missing":   {slices.Concat(data[:at], data[restarts[2]:]), damage, 128},
	} {
		got, warnings := decoded(t, c.data)
		wrong := 0
		for i := 0; i < len(want); i += 3 {
			if !bytes.Equal(want[i:i+3], got[i:i+3]) {
				wrong++
			}
		}
		if !slices.Equal(warnings, []string{c.word}) || wrong > c.pixels {
			t.Errorf("%s: %q, and %d pixels are wrong, at most %d expected", name, warnings, wrong, c.pixels)
		}
	}
}

// A height may stand behind the first scan (T.81, B.2.5).
func TestHeightBehindScan(t *testing.T) {
	files, _ := sound(t)
	for _, name := range []string{"444-restart.jpg", "progressive-420.jpg", "apart-half.jpg"} {
		want, _ := decoded(t, files[name])
		data := bytes.Clone(files[name])
		frame := bytes.Index(data, []byte{0xff, 0xc0})
		if frame < 0 {
			frame = bytes.Index(data, []byte{0xff, 0xc2})
		}
		lines := []byte{0xff, markerLines, 0, 4, data[frame+5], data[frame+6]}
		data[frame+5], data[frame+6] = 0, 0
		d := &bits{data: data}
		_, end, _ := d.find(bytes.Index(data, []byte{0xff, markerScan}) + 2)
		for isRestart(data[end-1]) {
			_, end, _ = d.find(end)
		}
		if cfg, err := DecodeConfig(data, Options{}); err != nil || cfg.Height != 0 {
			t.Errorf("%s without a height: %d, %v", name, cfg.Height, err)
		}
		data = slices.Concat(data[:end-2], lines, data[end-2:])
		if got, warnings := decoded(t, data); !bytes.Equal(got, want) || warnings != nil {
			t.Errorf("%s: another picture, %q", name, warnings)
		}
		if cfg := must.Get(DecodeConfig(data, Options{}))(t); image.Pt(cfg.Width, cfg.Height) != image.Pt(29, 22) {
			t.Errorf("%s: %d×%d in the header", name, cfg.Width, cfg.Height)
		}
	}
}
