package app

import (
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	tested.RefusesLines(t, dir, "", []consoletest.RefusedLine{
		{"completion bsh", 2, `did you mean "bash"?`},
		{"models foto", 6, `did you mean "photo"?`},
		{"version extra", 2, "takes no argument"},
		{"help nosuch", 2, `unknown command "nosuch"`},
		{"help dict shwo", 2, `did you mean "show"?`},
		{"--versoin", 2, `did you mean "--version"?`},
		{"-m photo upscale a.png", 2, `unknown flag "-m"`},
		{"man upscale", 2, "man takes no argument"},
		{"-q upscale a.png", 2, "all others come after the command"},
		{"upscael a.png", 2, `did you mean "upscale"?`},
	})
}
