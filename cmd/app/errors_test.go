package app

import (
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no
// new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	tested.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"completion", "bsh"}, Code: 2, Want: `did you mean "bash"?`},
		{Args: []string{"models", "foto"}, Code: 6, Want: `did you mean "photo"?`},
		{Args: []string{"version", "extra"}, Code: 2, Want: "takes no argument"},
		{Args: []string{"help", "nosuch"}, Code: 2, Want: `unknown command "nosuch"`},
		{Args: []string{"help", "dict", "shwo"}, Code: 2, Want: `did you mean "show"?`},
		{Args: []string{"--versoin"}, Code: 2, Want: `did you mean "--version"?`},
		{Args: []string{"-m", "photo", "upscale", "a.png"}, Code: 2, Want: `unknown flag "-m"`},
		{Args: []string{"man", "upscale"}, Code: 2, Want: "man takes no argument"},
		{Args: []string{"-q", "upscale", "a.png"}, Code: 2, Want: "all others come after the command"},
		{Args: []string{"upscael", "a.png"}, Code: 2, Want: `did you mean "upscale"?`},
	})
}
