package upscale

import (
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// On a terminal, video shows a bar with frames a second, even if their number is not known, and one line at the end.
func TestVideoBar(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	dir, data := t.TempDir(), stream(t, "W160 H120", 15, moving) // long enough to be drawn
	consoletest.Put(t, filepath.Join(dir, "in.y4m"), []byte(data))
	for _, args := range []string{"upscale in.y4m -o a.y4m", "upscale - -o b.y4m"} {
		screen, code := program.OnTerminal(t, dir, data, strings.Fields(args)...)
		if code != 0 || !strings.Contains(screen, " a second") || !strings.Contains(screen, "enlarging, frame ") ||
			!strings.Contains(screen, ".y4m, 15 frames of 320×240, ") {
			t.Errorf("%s: exit %d, %q", args, code, screen)
		}
	}
}
