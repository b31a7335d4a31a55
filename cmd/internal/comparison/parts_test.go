package comparison

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// The folders that parts work on are known to the byte.
func TestPartsOfOddNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data\xff"), 0o777); err != nil {
		t.Skip(err) // the file system takes no such names
	}
	idx(t, filepath.Join(dir, "data\xff", "train-images-idx3-ubyte"), 30)
	args := []string{
		"compare", "--protocol", "pooled", "--images", "data\xff/train-images-idx3-ubyte", "--index", "3",
		"--learners", "mod",
		"--seeds", "1", "--atoms", "4", "--patches", "9", "--iterations", "1", "-q", "-o", "parts", "--shard", "0/1",
		"data\xff",
	}
	for range 2 {
		program.Succeeds(t, dir, args...)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "parts", "journal.0-of-1.jsonl")); err != nil ||
		strings.Count(string(text), "\n") != 1 {
		t.Errorf("the second run did what the first had done: %s (%v)", text, err)
	}
	program.Succeeds(t, dir, "merge", "parts")
}

// A folder is one command's: the reports of another are not written over.
func TestFoldersOfReports(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "train-images-idx3-ubyte")
	idx(t, file, 30)
	commands := map[string][]string{
		"recover": {"recover", "--learners", "mod", "--panel", "8,12,2", "--n", "30", "--trials", "1", "--iterations",
			"2", "-q"},
		"compare": {"compare", "--protocol", "pooled", "--images", file, "--limit", "1", "--learners", "mod",
			"--seeds", "1", "--atoms", "4", "--patches", "9", "--iterations", "1", "-q", dir},
	}
	for first, args := range commands {
		out := filepath.Join(dir, first+"s")
		program.Succeeds(t, dir, append(slices.Clone(args), "-o", out)...)
		before := consoletest.Results(t, out)
		for second, args := range commands {
			_, stderr, code := call(t, dir, "", append(slices.Clone(args), "-o", out)...)
			if second == first && code != 0 {
				t.Errorf("%s again: exit %d, %s", first, code, stderr)
			}
			if want := "has the results of superres " + first + "; use another -o"; second != first &&
				(code != 5 || !strings.Contains(stderr, want)) {
				t.Errorf("%s after %s: exit %d, %s", second, first, code, stderr)
			}
		}
		if after := consoletest.Results(t, out); !maps.Equal(before, after) {
			t.Errorf("the report of %s was changed", first)
		}
	}
}
