package manual

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// The help of every command begins with examples of it, and the manual page has every command, example and flag, and
// no line that would be a request of roff by accident.
func TestManual(t *testing.T) {
	page, stderr, code := call(t, ".", "", "man")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	app := program.App(&console.Streams{})
	eachCommand(app, func(name string, c *cli.Command) {
		help, stderr, code := call(t, ".", "", append(strings.Fields(name), "--help")...)
		if code != 0 || stderr != "" || !strings.HasPrefix(help, "superres "+name+": "+c.Usage+"\n\nEXAMPLES\n   "+
			"") || !strings.Contains(c.Description, "superres "+name) {
			t.Errorf("%s --help: exit %d, %s%s", name, code, help, stderr)
		}
		for _, want := range []string{".SS superres " + name + ` \- ` + roff(c.Usage) +
			"\n", roff(strings.Trim(c.Description, "\n"))} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %q", want)
			}
		}
	})
	for _, want := range []string{".TH SUPERRES 1", "130, 143\n", ".B 7\na limit"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if got, want := roff("a\\b\n.so x\n'it' -2 ×"), "a\\eb\n\\&.so x\n\\(aqit\\(aq \\-2 \\[u00D7]"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here: the page is not formatted")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
