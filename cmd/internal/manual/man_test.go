package manual

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

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
		checkWidth(t, name+" --help", help)
		if c.ArgsUsage != "" && !strings.Contains(help, "\nUSAGE\n   superres "+name+" "+c.ArgsUsage+"\n") &&
			!strings.Contains(help, " --help all has all flags") {
			t.Errorf("%s --help says another usage than %s: %s", name, c.ArgsUsage, help)
		}
		if want := ".SS superres " + name + ` \- ` + roff(c.Usage) + "\n"; !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
		words := strings.Join(strings.Fields(strings.ReplaceAll(page, `\e`, "")), " ") // without ends of lines
		for _, p := range console.Paragraphs(c.Description) {
			want := p.Lines[0]
			if p.Kind == console.Examples {
				want, _, _ = strings.Cut(strings.TrimSpace(want), "  ")
			}
			if want = strings.Join(strings.Fields(roff(want)), " "); !strings.Contains(words, want) {
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
	for _, args := range []string{"-ww -z", "-P-bcou -rLL=80n"} {
		cmd := exec.Command(groff, strings.Fields("-man -Tutf8 "+args)...)
		cmd.Stdin = strings.NewReader(page)
		out, err := cmd.CombinedOutput()
		if err != nil || args == "-ww -z" && len(out) > 0 {
			t.Errorf("%s: %v: %s", args, err, out)
		}
		checkWidth(t, "the page", string(out))
	}
}

// The second level of help names the arguments and all options, and is as narrow as all help. The first is short.
func TestHelpAll(t *testing.T) {
	app := program.App(&console.Streams{})
	for name, usage := range map[string]string{"upscale": "[FLAGS] IN...", "train": "[FLAGS] IMAGES... -o MODEL"} {
		brief, _, _ := call(t, ".", "", name, "--help")
		help, _, code := call(t, ".", "", name, "--help", "all")
		if want := "\nUSAGE\n   superres " + name + " " + usage + "\n"; code != 0 || !strings.Contains(help, want) {
			t.Errorf("exit %d, no %q in %s", code, want, help)
		}
		checkWidth(t, name+" --help all", help)
		for _, o := range console.OptionsOf(app.Command(name)).Visible() {
			is := regexp.MustCompile(`(?m) --` + o.Name + `( |$)`)
			if !is.MatchString(help) || o.Brief != "" && !is.MatchString(brief) {
				t.Errorf("%s: --%s is not in all levels of help that it belongs to", name, o.Name)
			}
		}
		if n := strings.Count(brief, "\n"); n > 45 {
			t.Errorf("%s --help has %d lines", name, n)
		}
	}
}

// checkWidth reports lines of text, from what, that are wider than a terminal usually is.
func checkWidth(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > console.Columns {
			t.Errorf("%s has a line of %d columns: %s", what, n, line)
		}
	}
}
