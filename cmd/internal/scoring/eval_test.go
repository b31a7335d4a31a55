package scoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
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

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no
// new file.
func TestEvalErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "exists.png"), consoletest.Blob(9, 7))
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"eval", "a.png"}, Code: 2, Want: "expected REF and TEST"},
		{Args: []string{"eval", "a.png", "exists.png", "--protocol", "nef"}, Code: 2, Want: `did you mean "nfe"?`},
		{Args: []string{"eval", "-m", "photo", "missing.png"}, Code: 4, Want: "missing.png"},
	})
}
