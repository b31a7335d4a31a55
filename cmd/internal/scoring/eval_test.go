package scoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/pictures"
)

func TestEvalFiles(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "ref/a.png"), consoletest.Blob(40, 30))
	consoletest.WritePicture(t, filepath.Join(dir, "ref/b.png"), consoletest.Blob(30, 40))
	call(t, dir, "", "upscale", "-s", "1", "ref", "-o", "test", "-m", "nearest")
	stdout, stderr, code := call(t, dir, "", "eval", "ref", "test", "-s", "2")
	if code != 0 || !strings.Contains(stdout, "protocol matlab-y, scale 2") || !strings.Contains(stdout, "- / 1.0000") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	os.Remove(filepath.Join(dir, "test/b_1x.png"))
	if _, stderr, code = call(t, dir, "", "eval", "ref", "test"); code != 4 || !strings.Contains(stderr, "b.png: no picture called b") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Every test picture goes to the reference whose name it fits best, and to no other.
func TestPair(t *testing.T) {
	list := func(places ...string) (out []pictures.Input) {
		for _, p := range places {
			out = append(out, pictures.Input{Path: "x/" + p, Place: p})
		}
		return out
	}
	got := pair(list("a.png", "a_b.png", "c.png", "d.png"), list("a_b_2x.png", "c_2x_old.png", "c_2x.png", "d.jpg", "d_2x.png"))
	want := []string{"", "a_b_2x.png", "c_2x.png", "d.jpg"}
	for i, in := range got {
		if in.Place != want[i] {
			t.Errorf("reference %d is scored by %q, expected %q", i, in.Place, want[i])
		}
	}
}
