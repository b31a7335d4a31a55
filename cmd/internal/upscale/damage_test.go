package upscale

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/internal/imagefile/imagetest"

	"superres/cmd/internal/console/consoletest"
)

// Nothing comes of a file that is cut, wherever, unless what is missing is no part of
// the picture; then the whole of it.
func TestEveryPrefix(t *testing.T) {
	dir := t.TempDir()
	sizes := map[string]int{}
	for name, data := range imagetest.Sound(t) {
		if len(data) > 1000 && testing.Short() {
			continue
		}
		ext := filepath.Ext(name)
		sizes[strings.TrimSuffix(name, ext)+ext] = len(data)
		for n := range len(data) + 1 {
			consoletest.Put(t, filepath.Join(dir, "in", name, fmt.Sprintf("%05d%s", n, ext)), data[:n])
		}
	}
	stdout, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "out", "-f", "png", "-m", "nearest", "--name", "{stem}", "-q", "--json", "--provenance=false")
	pictures, last := decodeEvents(t, stdout)
	if code != console.ExitSome || last.Failed == 0 {
		t.Fatalf("exit %d, %+v", code, last)
	}
	for _, e := range pictures {
		if e.Event == "fail" && (e.ExitCode != console.ExitInput || strings.Count(e.Error, "\n") != 0) {
			t.Errorf("%+v", e)
		}
	}
	if n := strings.Count(stderr, "\n"); n != last.Failed+1 {
		t.Errorf("%d lines for %d failures", n, last.Failed)
	}
	made := map[string]int{}
	for f, data := range consoletest.Results(t, filepath.Join(dir, "out")) {
		name := filepath.ToSlash(filepath.Dir(f))
		made[name]++
		whole, err := os.ReadFile(filepath.Join(dir, "out", name, fmt.Sprintf("%05d.png", sizes[name])))
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(strings.NewReader(data))
		want, err2 := png.Decode(bytes.NewReader(whole))
		if err := errors.Join(err, err2); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another picture than the whole one's (%v)", f, err)
		}
	}
	for name, size := range sizes {
		// The tail of a TIFF and of a BMP may be metadata or filling.
		if few := strings.HasSuffix(name, ".tiff") || strings.HasSuffix(name, ".bmp"); made[name] == 0 || made[name] > 1 && !few || made[name] > size/2 {
			t.Errorf("%s: %d of %d prefixes are taken", name, made[name], size+1)
		}
	}
}
