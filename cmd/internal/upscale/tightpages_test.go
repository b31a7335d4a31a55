package upscale

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// If memory has no room for a waiting page, pages are enlarged one by one, with the same bytes and a lower estimate.
func TestTightPages(t *testing.T) {
	dir := t.TempDir()
	pages := scenes(t, "tiff", 0, scene(1, 800, 600, false), scene(2, 700, 650, false))
	consoletest.Put(t, filepath.Join(dir, "in.tiff"), pages)
	line := func(most int64) string { return fmt.Sprintf("in.tiff -m bicubic --max-memory %d", most) }
	memory := func(most int64) (bytes int64) {
		stdout, _ := expect(t, dir, "", line(most)+" --dry-run --json", 0)
		plans, _ := decodeEvents(t, stdout)
		return plans[0].Memory
	}
	tight := memory(2048)>>20 - 1
	if got := memory(tight); got > tight<<20 {
		t.Errorf("promised %d MiB within %d", got>>20, tight)
	}
	var made [2][]byte
	for i, most := range []int64{2048, tight} {
		expect(t, dir, "", line(most)+" -o out.tiff --on-exist overwrite --provenance=false", 0)
		made[i] = consoletest.Read(t, dir, "out.tiff")
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the results differ")
	}
}
