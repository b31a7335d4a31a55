package manual

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/internal/settings"
)

// completions returns these words for the last word of a line.
func TestCompletions(t *testing.T) {
	t.Setenv("SUPERRES_MODELS", t.TempDir())
	must.Succeed(t, os.WriteFile(filepath.Join(os.Getenv("SUPERRES_MODELS"), "mine.npz"), nil, 0o666))
	app := program.App(&console.Streams{})
	for _, c := range []struct {
		line  string
		want  []string // must be among the words
		not   []string
		files bool
	}{
		{"", []string{"upscale", "diff", "help"}, []string{"--output", "show"}, false},
		{"dict ", []string{"coupled"}, nil, true},
		{"dict coupled ", nil, []string{"coupled"}, true},
		{"help ", []string{"upscale"}, []string{"remove"}, false},
		{"help models ", []string{"remove"}, []string{"upscale"}, false},
		{"upscale ", nil, []string{"upscale", "photo"}, true},
		{"upscale a.png -", []string{"--model", "-m", "--help", "--on-exist"}, []string{"--atoms"}, false},
		{"upscale a.png -m ", []string{"photo", "bicubic", "auto"}, []string{"--model"}, true},
		{"upscale --model=", []string{"--model=photo"}, []string{"photo"}, true},
		{"upscale a.png -r -m photo ", nil, []string{"photo"}, true},
		{"upscale --format ", []string{"png", "jpeg", "bmp", "tiff", "gif"}, []string{"y4m"}, false},
		{"upscale -s 2 --on-exist ", []string{"fail", "skip", "overwrite"}, nil, false},
		{"dict -o ", nil, []string{"coupled"}, true},
		{"dict --on-exist ", []string{"fail", "overwrite"}, []string{"skip"}, false},
		{"upscale -- -", nil, []string{"--model"}, true},
		{"upscale - -", []string{"--model"}, nil, false},
		{"train --learner ", []string{"ksvd", "rop"}, []string{"omp"}, false},
		{"train --coder=", []string{"--coder=omp"}, nil, false},
		{"eval --protocol ", []string{"nfe"}, []string{"pooled"}, false},
		{"compare --protocol ", []string{"pooled"}, []string{"nfe"}, false},
		{"eval -m ", []string{"photo", "auto"}, nil, true},
		{"mnist -m ", []string{"digits"}, []string{"auto"}, true},
		{"models ", []string{"photo", "mine"}, []string{"add"}, true},
		{"models a", []string{"add"}, nil, true},
		{"models add ", nil, []string{"photo"}, true},
		{"models remove ", []string{"mine"}, []string{"photo"}, false},
		{"models info ", []string{"photo", "mine"}, nil, true},
		{"upscale -m ", []string{"photo", "mine"}, nil, true},
		{"completion ", shells, []string{"words"}, false},
		{"version ", nil, []string{"--json"}, false},
		{"nonsense ", nil, []string{"upscale"}, false},
		{"upscale --nonsense=", nil, []string{"--model"}, false},
	} {
		list, files := completions(app, strings.Split("superres "+c.line, " "))
		var words []string
		for _, x := range list {
			words = append(words, x.Text)
		}
		missing := func(w string) bool { return !slices.Contains(words, w) }
		if slices.ContainsFunc(c.want, missing) ||
			slices.ContainsFunc(c.not, func(w string) bool { return !missing(w) }) || files != c.files {
			t.Errorf("%q: files %v, %v", c.line, files, words)
		}
	}
}

// Help, completion and the manual page of every command have all of its options and no others, and completion offers
// values where the help names few of them or files.
func TestOptionsAreKnownEverywhere(t *testing.T) {
	app := program.App(&console.Streams{})
	page, _, _ := call(t, ".", "", "man")
	eachCommand(app, func(name string, c *cli.Command) {
		help, _, _ := call(t, ".", "", append(strings.Fields(name), "--help", "all")...)
		part := page[strings.Index(page, ".SS superres "+name+" "):]
		part, _, _ = strings.Cut(part[1:], "\n.S")
		offered, _ := completions(app, append(append([]string{"superres"}, strings.Fields(name)...), "-"))
		options := console.OptionsOf(c).Visible()
		if len(c.Subcommands) == 0 || c.Action != nil {
			if got, want := strings.Count(part, "\n.TP\n"), len(options); got != want {
				t.Errorf("%s: %d options in the manual page, expected %d", name, got, want)
			}
		}
		for _, o := range options {
			for _, dashed := range o.Dashed() {
				if !slices.ContainsFunc(offered, func(w settings.Word) bool { return w.Text == dashed }) ||
					!strings.Contains(part, `\fB`+roff(dashed)+`\fR`) {
					t.Errorf("%s %s: not offered, or not in the manual page", name, dashed)
				}
			}
			if value, _ := o.Usage(); !strings.Contains(help, strings.TrimSpace("--"+o.Name+" "+value)) {
				t.Errorf("%s --help all has no --%s %s", name, o.Name, value)
			}
			words, files := o.Offers()
			value, _ := o.Usage()
			if slices.Contains([]string{"WHAT", "HOW", "WHICH", "BITS", "FORMAT", "SPEC"}, value) && len(words) < 2 {
				t.Errorf("%s --%s %s: nothing is offered", name, o.Name, value)
			}
			if strings.HasSuffix(value, "FILE") && !files {
				t.Errorf("%s --%s %s: no files are offered", name, o.Name, value)
			}
			if c.Action != nil && o.Given() {
				t.Errorf("%s --%s is given before any command line is read", name, o.Name)
			}
		}
	})
}

// eachCommand calls visit with every command of app and its full name.
func eachCommand(app *cli.App, visit func(name string, c *cli.Command)) {
	for _, c := range app.Commands {
		visit(c.Name, c)
		for _, sub := range c.Subcommands {
			visit(c.Name+" "+sub.Name, sub)
		}
	}
}

// The completion scripts work in the real shells.
func TestCompletionScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such shells on Windows")
	}
	dir := t.TempDir()
	self := must.Get(os.Executable())(t)
	if err := os.Symlink(self, filepath.Join(dir, "superres")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, shell := range shells {
		script, stderr, code := call(t, dir, "", "completion", shell)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "script."+shell), []byte(script), 0o666))
	}
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "my file.png"), nil, 0o666))
	// For bash the words as it splits them, and what it puts in place of the last one. For zsh, functions of its
	// completion system are replaced by ones that print.
	bash := func(line string) string {
		words := strings.Fields(strings.NewReplacer("=", " = ", ":", " : ").Replace(line))
		if strings.HasSuffix(line, " ") {
			words = append(words, "")
		}
		return fmt.Sprintf("compopt() { :; }; source script.bash; COMP_LINE='%s' COMP_POINT=%d COMP_WORDS=('%s') "+
			"COMP_CWORD=%d; _superres; printf '%%s\\n' \"${COMPREPLY[@]}\"",
			line, len(line), strings.Join(words, "' '"), len(words)-1)
	}
	zsh := func(line string) string {
		words := strings.Split(line, " ")
		return fmt.Sprintf("compdef() { : }; compset() { : }; _files() { print FILES }; _describe() { print -l -- "+
			"$found }; source ./script.zsh; words=('%s') CURRENT=%d PREFIX='%s'; _superres",
			strings.Join(words, "' '"), len(words), words[len(words)-1])
	}
	fish := func(line string) string { return fmt.Sprintf("source script.fish; complete -C '%s'", line) }
	powershell := func(line string) string {
		return fmt.Sprintf("Get-Content -Raw script.powershell | Invoke-Expression; (TabExpansion2 '%s' "+
			"%d).CompletionMatches.CompletionText", line, len(line))
	}
	for _, c := range []struct {
		shell, args string
		script      func(string) string
		line, want  string
	}{
		{"bash", "--norc", bash, "superres ups", "upscale"},
		{"bash", "--norc", bash, "superres upscale a.png -m ph",
			"photo-fast photo-max photo-real-fast photo-real photo"},
		{"bash", "--norc", bash, "superres upscale --effort=", "fast best max"},
		{"bash", "--norc", bash, "superres upscale --effort=be", "best"},
		{"bash", "--norc", bash, "superres models rem", "remove"},
		{"bash", "--norc", bash, "superres upscale my", ""},
		{"zsh", "-f", zsh, "superres ups", "upscale:enlarge picture files"},
		{"zsh", "-f", zsh, "superres upscale a.png -m ph", "photo-fast photo-max photo-real-fast photo-real photo"},
		{"zsh", "-f", zsh, "superres upscale --effort=be", "--effort=best"},
		{"zsh", "-f", zsh, "superres upscale my", "FILES"},
		{"zsh", "-f", zsh, "superres version my", ""},
		{"fish", "--no-config", fish, "superres ups", "upscale enlarge picture files"},
		{"fish", "--no-config", fish, "superres upscale a.png -m ph", "photo photo-fast photo-real"},
		{"fish", "--no-config", fish, "superres upscale --effort=be", "--effort=best"},
		{"fish", "--no-config", fish, "superres upscale my", "my file.png"},
		{"fish", "--no-config", fish, "superres upscale --output=my", "--output=my file.png"},
		{"fish", "--no-config", fish, "superres version my", ""},
		{"pwsh", "-NoProfile", powershell, "superres ups", "upscale"},
		{"pwsh", "-NoProfile", powershell, "superres upscale a.png -m ph",
			"photo-fast photo-max photo-real-fast photo-real photo"},
		{"pwsh", "-NoProfile", powershell, "superres upscale a.png --effort ", "fast best max"},
		{"pwsh", "-NoProfile", powershell, "superres upscale --effort=be", "--effort=best"},
	} {
		t.Run(c.shell+" "+c.line, func(t *testing.T) {
			path, err := exec.LookPath(c.shell)
			if err != nil {
				t.Skipf("no %s here: its completion is not tried", c.shell)
			}
			cmd := exec.Command(path, c.args, "-c", c.script(c.line))
			cmd.Dir = dir
			cmd.Env = append(consoletest.Process(dir).Env, "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != c.want {
				t.Errorf("%v: %q, expected %q", err, got, c.want)
			}
		})
	}
}
