package upscale

import (
	"bytes"
	"encoding/json"
	"image"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Where there is no room for a page beside another they are enlarged one after the other, to the
// same bytes, and less is promised.
func TestTightPages(t *testing.T) {
	dir := t.TempDir()
	pages := scenes(t, "tiff", 0, []image.Image{scene(1, 800, 600, false), scene(2, 700, 650, false)}...)
	consoletest.Put(t, filepath.Join(dir, "in.tiff"), pages)
	memory := func(most int64) (bytes int64) {
		stdout, stderr, code := call(t, dir, "", "upscale", "in.tiff", "-m", "bicubic", "--dry-run", "--json",
			"--max-memory", strconv.FormatInt(most, 10))
		var plan struct{ Memory int64 }
		if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&plan); err != nil || code != 0 {
			t.Fatalf("exit %d, %v, %s", code, err, stderr)
		}
		return plan.Memory
	}
	tight := memory(2048)>>20 - 1
	if got := memory(tight); got > tight<<20 {
		t.Errorf("promised %d MiB within %d", got>>20, tight)
	}
	var made [2][]byte
	for i, most := range []int64{2048, tight} {
		_, stderr, code := call(t, dir, "", "upscale", "in.tiff", "-m", "bicubic", "-o", "out.tiff", "--on-exist",
			"overwrite",
			"--provenance=false", "--max-memory", strconv.FormatInt(most, 10))
		if code != 0 {
			t.Fatalf("within %d MiB: exit %d, %s", most, code, stderr)
		}
		made[i] = consoletest.Read(t, dir, "out.tiff")
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the results differ")
	}
}
