package scoring

import (
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

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
