package atoms

import (
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

var call, ok = program.Call, program.Succeeds

// Every way of asking for help shows it.
func TestDictHelp(t *testing.T) {
	for _, args := range [][]string{{"dict"}, {"dict", "help"}, {"dict", "--help"}, {"dict", "-h"}, {"help", "dict"}} {
		stdout, stderr := ok(t, ".", args...)
		consoletest.InOrder(t, stdout, "superres dict: ", "EXAMPLES\n   superres dict show ", "COMMANDS\n   show ",
			"   export ", "   import ")
		if stderr != "" {
			t.Errorf("%v: %s", args, stderr)
		}
	}
	for _, c := range []string{"show", "export", "import"} {
		for _, args := range [][]string{{"dict", c, "--help"}, {"dict", c, "-h", "x"}} {
			if stdout, stderr := ok(t, ".", args...); stderr != "" ||
				!strings.HasPrefix(stdout, "superres dict "+c+": ") ||
				!strings.Contains(stdout, "EXAMPLES\n   superres dict "+c) {
				t.Errorf("%v: %s%s", args, stdout, stderr)
			}
		}
	}
}
