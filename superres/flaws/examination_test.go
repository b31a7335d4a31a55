package flaws

import (
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"superres/internal/must"
)

// judged returns the examination of img that takes it to have the flaws f.
func judged(t *testing.T, img image.Image, f Flaws) *Examination {
	t.Helper()
	x := &Examination{Picture: img}
	x.judgeBy(f)
	must.Succeed(t, x.Run(t.Context(), StepBlur, StepSoftening))
	return x
}

// The table of the page of the architecture is the list of steps.
func TestPageHasTheSteps(t *testing.T) {
	page := string(must.Get(os.ReadFile("../ARCHITECTURE.md"))(t))
	var want strings.Builder
	for _, s := range life {
		line := fmt.Sprintf("| %s | %s | %s | %s |\n", s.name, s.proves, s.estimates, s.changes)
		want.WriteString(strings.ReplaceAll(line, "|  |", "| |"))
	}
	if table := strings.ReplaceAll(want.String(), "|  |", "| |"); !strings.Contains(page, table) {
		t.Errorf("ARCHITECTURE.md has another table than:\n%s", table)
	}
}
