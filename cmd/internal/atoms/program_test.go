package atoms

import (
	"regexp"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/models"
	"superres/cmd/internal/train"
	"superres/cmd/internal/upscale"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, models.Command, upscale.Command, learn.Command, train.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// ok runs the program and expects it to succeed.
func ok(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", args...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// Every way of asking for help shows it.
func TestDictHelp(t *testing.T) {
	for _, args := range [][]string{{"dict"}, {"dict", "help"}, {"dict", "--help"}, {"dict", "-h"}, {"help", "dict"}} {
		if stdout, stderr := ok(t, ".", args...); stderr != "" || !regexp.MustCompile(`(?s)^superres dict: .*EXAMPLES\n   superres dict show .*COMMANDS\n   show .*   export .*   import `).MatchString(stdout) {
			t.Errorf("%v: %s%s", args, stdout, stderr)
		}
	}
	for _, c := range []string{"show", "export", "import"} {
		for _, args := range [][]string{{"dict", c, "--help"}, {"dict", c, "-h", "x"}} {
			if stdout, stderr := ok(t, ".", args...); stderr != "" || !strings.HasPrefix(stdout, "superres dict "+c+": ") || !strings.Contains(stdout, "EXAMPLES\n   superres dict "+c) {
				t.Errorf("%v: %s%s", args, stdout, stderr)
			}
		}
	}
}
