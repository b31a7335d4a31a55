package app

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"math/rand/v2"
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

// A model file that is damaged, anywhere, is refused with the code of models and one
// line, or is still a model.
func TestDamagedModels(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(5, 4))
	putHalves(t, filepath.Join(dir, "atoms.npz"), "low", "high")
	if _, stderr, code := call(t, dir, "", "dict", "import", "atoms.npz", "-o", "good.npz"); code != 0 {
		t.Fatal(stderr)
	}
	good, err := os.ReadFile(filepath.Join(dir, "good.npz"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	try := func(what string, data []byte) {
		consoletest.Put(t, filepath.Join(dir, "bad.npz"), data)
		os.Remove(filepath.Join(dir, "out.png"))
		_, stderr, code := call(t, dir, "", "upscale", "-m", "bad.npz", "a.png", "-o", "out.png", "-j", "1")
		_, err := os.Stat(filepath.Join(dir, "out.png"))
		if code == 0 != (err == nil) || code != 0 && (code != console.ExitModel || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "superres: model bad.npz: ")) {
			t.Errorf("%s: exit %d, %v: %s", what, code, err, stderr)
		}
	}
	for range consoletest.Full(400, 10_000) {
		bad := bytes.Clone(good)
		at := random.IntN(len(bad))
		bad[at] ^= byte(1 + random.IntN(255))
		try(fmt.Sprintf("byte %d is %d", at, bad[at]), bad)
	}
	for n := 0; n < len(good); n += consoletest.Full(1+len(good)/200, 1) {
		try(fmt.Sprintf("%d of %d bytes", n, len(good)), good[:n])
	}
}
