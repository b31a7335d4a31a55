package upscale

import (
	"strings"
	"testing"

	"superres/cmd/internal/console"
)

// Help has two levels: ten flags and four examples in plain words, and all flags, each once, in groups.
func TestHelpLevels(t *testing.T) {
	brief, stderr, code := call(t, ".", "", "upscale", "a.png", "--help")
	if code != 0 || stderr != "" || strings.Count(brief, "\n   superres upscale ") != 4 ||
		strings.Count(brief, "--") != 11 || !strings.HasSuffix(brief, "\nsuperres upscale --help all has all "+
		"flags, in groups, and the small print.\n") {
		t.Errorf("exit %d, %s%s", code, brief, stderr)
	}
	for _, word := range []string{"model", "cascade", "atom", "shard", "JSON", "stdin", "standard", "interpolation",
		"patch", "dictionar", "default: false", "stem"} {
		if strings.Contains(brief, word) {
			t.Errorf("the first level has %q", word)
		}
	}
	all, stderr, code := call(t, ".", "", "upscale", "--help", "all")
	if code != 0 || stderr != "" || strings.Contains(all, "default: false") {
		t.Errorf("exit %d, %s%s", code, all, stderr)
	}
	for _, args := range []string{"help upscale all", "upscale -h all", "upscale --help=all", "upscale -s 3 " +
		"--help all"} {
		if got, stderr, code := call(t, ".", "", strings.Fields(args)...); code != console.ExitOK || got != all {
			t.Errorf("%s: exit %d, %s%s", args, code, got, stderr)
		}
	}
	if got, _, code := call(t, ".", "", "help", "upscale"); code != 0 || got != brief {
		t.Errorf("exit %d, %s", code, got)
	}
	// Another command has one level.
	if got, stderr, code := call(t, ".", "", "merge", "--help", "all"); code != 0 ||
		!strings.HasPrefix(got, "superres merge: ") {
		t.Errorf("exit %d, %s%s", code, got, stderr)
	}
}
