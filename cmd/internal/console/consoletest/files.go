package consoletest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
)

// WritePicture writes img to the file at path, as PNG.
func WritePicture(t *testing.T, path string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, png.Encode(&b, img))
	Put(t, path, b.Bytes())
}

// Blob returns a picture of w×h pixels with gradients of colour.
func Blob(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		x, y := i%w, i/w
		m.SetNRGBA(x, y, color.NRGBA{uint8(9 * x), uint8(7 * y), uint8(x * y), 255})
	}
	return m
}

// Blobs writes Blob(w, h) to each of the files names in the folder dir.
func Blobs(t *testing.T, dir string, w, h int, names ...string) {
	t.Helper()
	for _, name := range names {
		WritePicture(t, filepath.Join(dir, name), Blob(w, h))
	}
}

// Rings returns n pictures of w×h pixels that resemble digits: a bright ring on black. The first 105 differ.
func Rings(n, w, h int) []*image.Gray {
	list := make([]*image.Gray, n)
	for i := range list {
		list[i] = image.NewGray(image.Rect(0, 0, w, h))
		cx, cy, r := float64(w)/2+float64(i%5)-2, float64(h)/2-float64(i%3), float64(min(w, h))/5+float64(i%7)/2
		for p := range list[i].Pix {
			d := math.Hypot(float64(p%w)-cx, float64(p/w)-cy) - r // distance from the ring
			list[i].Pix[p] = uint8(255 * math.Exp(-d*d/2))
		}
	}
	return list
}

// IDX returns the content of an IDX file, as MNIST uses it, of pictures of the same size, with no gaps between rows.
func IDX(list []*image.Gray) (data []byte) {
	size := list[0].Rect.Size()
	for _, n := range []int{0x803, len(list), size.Y, size.X} { // 0x803: bytes, in an array of three dimensions
		data = binary.BigEndian.AppendUint32(data, uint32(n))
	}
	for _, m := range list {
		data = append(data, m.Pix...)
	}
	return data
}

// Tree returns the paths, relative to dir, of all files below the folder dir, sorted.
func Tree(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	must.Succeed(t, err)
	slices.Sort(list)
	return list
}

// Size returns the size in pixels of the picture in the file at path.
func Size(t *testing.T, path string) image.Point {
	t.Helper()
	return golden.Open(t, path).Bounds().Size()
}

// Results returns the content of each file below the folder dir, except hidden files, by its path relative to dir.
func Results(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, f := range Tree(t, dir) {
		if strings.HasPrefix(filepath.Base(f), ".") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Error(err)
		}
		files[f] = string(data)
	}
	return files
}

// Put writes data to the file at path, and creates its folder if there is none.
func Put(t *testing.T, path string, data []byte) {
	t.Helper()
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Succeed(t, os.WriteFile(path, data, 0o666))
}

// Read returns the content of the file at the path that joins parts.
func Read(t *testing.T, parts ...string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(parts...)))(t)
}

// Full returns the number of cases that a test tries: the argument all if SUPERRES_FULL is set, else sample.
func Full(sample, all int) int {
	if os.Getenv("SUPERRES_FULL") != "" {
		return all
	}
	return sample
}

// NeedFull skips a long test, with the message why, unless SUPERRES_FULL is set. '.ci/run' sets this variable.
func NeedFull(t testing.TB, why string) {
	t.Helper()
	if Full(0, 1) == 0 {
		t.Skipf("not without SUPERRES_FULL=1: %s", why)
	}
}

// Peak returns the peak memory, in bytes, from the status that a process wrote to the file at path: see NotePeak.
func Peak(t *testing.T, path string) int64 {
	t.Helper()
	status := must.Get(os.ReadFile(path))(t)
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	t.Fatal("no peak in /proc/self/status")
	return 0
}

// InOrder checks that text contains all parts, in this order and without overlap.
func InOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			t.Fatalf("%q is missing where it is expected", part)
		}
		text = rest
	}
}

// Decode returns the value that text represents in JSON.
func Decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
