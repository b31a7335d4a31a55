package train

import (
	"slices"
	"strings"
	"testing"
)

// The short help has the flags that most people need, the long one every flag once, those of a kind of model together.
func TestHelpLevels(t *testing.T) {
	brief, _, code := call(t, ".", "", "train", "--help")
	if n := strings.Count(brief, "\n"); code != 0 || n > 45 {
		t.Errorf("exit %d, %d lines: %s", code, n, brief)
	}
	for name := range briefs {
		if !strings.Contains(brief, " --"+name+" ") && !strings.Contains(brief, " --"+name+"\n") {
			t.Errorf("the short help has no --%s", name)
		}
	}
	for _, word := range []string{"--grain", "--flat", "--max-pixels"} {
		if strings.Contains(brief, word) {
			t.Errorf("the short help has %s", word)
		}
	}
	long, _, code := call(t, ".", "", "train", "--help", "all")
	if code != 0 {
		t.Errorf("exit %d, %s", code, long)
	}
	table := new(Options).leveled()
	for _, o := range table {
		names := strings.Count(long, "   --"+o.Name+" ") + strings.Count(long, ", --"+o.Name+" ") +
			strings.Count(long, " --"+o.Name+"\n")
		if names == 0 || !slices.Contains(groups, o.Group) {
			t.Errorf("--%s is %d times there, in the group %q", o.Name, names, o.Group)
		}
	}
	for name := range briefs {
		if table.Find(name) == nil {
			t.Errorf("there is no --%s to be told", name)
		}
	}
}
