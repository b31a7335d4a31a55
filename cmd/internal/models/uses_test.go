package models

import (
	"strings"
	"testing"
	"unicode/utf8"

	"superres/cmd/internal/console"
	embedded "superres/superres/models"
)

// The list says of auto and of every embedded model, in a line that fits a terminal, what it is for.
func TestUses(t *testing.T) {
	t.Setenv(folderVariable, t.TempDir())
	text, _ := program.Succeeds(t, t.TempDir(), "models")
	text, others, _ := strings.Cut(text, "\n\nto be had by superres models get:\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if names := embedded.Names(); len(lines) != len(names)+1 || len(uses) != len(names)+1 ||
		!strings.HasPrefix(lines[0], "auto  ") || !strings.HasPrefix(lines[1], "photo  ") {
		t.Errorf("%d models, and %d uses: %s", len(names), len(uses), text)
	}
	for _, line := range lines {
		name, use, _ := strings.Cut(line, " ")
		if strings.TrimSpace(use) == "" || uses[name] == "" {
			t.Errorf("%s is for nothing", name)
		}
		if utf8.RuneCountInString(line) > console.Columns {
			t.Errorf("a line is long: %s", line)
		}
	}
	for line := range strings.Lines(others) {
		if utf8.RuneCountInString(line) > console.Columns+1 || !strings.Contains(line, " ×") {
			t.Errorf("a line is long or has no scale: %s", line)
		}
	}
}
