package upscale

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/mutate"
)

// Each file of a folder of damaged files is enlarged or fails with a line of its own, and only results are left.
func TestMutatedFolder(t *testing.T) {
	dir := t.TempDir()
	m := mutate.New(t)
	files := consoletest.Full(150, 400)
	for n := range uint64(files) {
		mutant := m.Mutant(n)
		consoletest.Put(t, filepath.Join(dir, "in", fmt.Sprintf("%d-%s", n, mutant.Name)), mutant.Data)
	}
	stdout, stderr, code := call(t, dir, "", "upscale", "-m", "nearest", "--max-memory", "64", "--json", "-o", "out",
		"in")
	pictures, last := decodeEvents(t, stdout)
	if code != console.ExitSome || last.Done < files/20 || last.Failed < files/20 {
		t.Errorf("exit %d, %+v: %s", code, last, stderr)
	}
	for _, e := range pictures {
		if e.Event != "fail" {
			continue
		}
		if e.ExitCode != console.ExitInput && e.ExitCode != console.ExitLimit || strings.Contains(e.Error, "\n") {
			t.Errorf("%s: exit %d, %s", e.Input, e.ExitCode, e.Error)
		}
	}
	results := 0
	for _, f := range consoletest.Tree(t, filepath.Join(dir, "out")) {
		if results++; strings.HasPrefix(filepath.Base(f), ".") {
			t.Errorf("%s is left", f)
		}
	}
	if results != last.Done {
		t.Errorf("%d files for %d pictures", results, last.Done)
	}
}
