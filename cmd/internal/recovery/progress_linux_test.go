package recovery

import (
	"strings"
	"testing"
)

// On a terminal the bar is there before the first trial ends, and no time is written as a clock.
func TestRecoverBar(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	screen, code := program.OnTerminal(t, t.TempDir(), "", "recover", "--learners", "mod", "--panel", "8,12,2",
		"--n", "30", "--trials", "2", "--iterations", "2", "-o", "out")
	if code != 0 || !strings.Contains(screen, "  0% |") || !strings.Contains(screen, "trials, 0 of 2") ||
		strings.Contains(screen, "s]") {
		t.Errorf("exit %d, %q", code, screen)
	}
}
