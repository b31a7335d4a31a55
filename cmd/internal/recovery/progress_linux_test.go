package recovery

import (
	"strings"
	"testing"

	"superres/learners/planted"
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

// What shortens a run is advised unless it was done.
func TestShorter(t *testing.T) {
	a, d := planted.Figure1[0].Panel, planted.Figure1[3].Panel
	for want, opt := range map[string]Options{
		"--trials 10 (of 100), --panel a (of 2) or --n 100,400": {Trials: 100, Panels: []planted.Panel{a, d}},
		"--trials 10 (of 11) or --n 100,400":                    {Trials: 11, Panels: []planted.Panel{d}},
		"--panel 8,12,2 (of 2)": {Trials: 10, Panels: []planted.Panel{{M: 8, K: 12, S: 2}, a},
			Sizes: []int{30}},
		"": {Trials: 10, Panels: []planted.Panel{a}, Sizes: []int{30}},
	} {
		if got := opt.shorter(); got != want {
			t.Errorf("%+v: %q, expected %q", opt, got, want)
		}
	}
}
