package comparison

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/recovery"
	"superres/cmd/internal/scoring"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, parts.Command, recovery.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// scored are tests with these errors.
func scored(errors ...float64) (list []restored) {
	for _, v := range errors {
		list = append(list, restored{Cell: scoring.Cell{NFE: console.Finite(v)}})
	}
	return list
}

// The finding follows from the errors of the runs, or of the pictures where there are more of them, and says so where
// it may be chance.
func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		tests    int
		baseline float64
		rop, mod []float64 // a run each, the same for every test
		want     string
	}{
		"runs": {1, 0.3, slices.Repeat([]float64{0.1}, 8), slices.Repeat([]float64{0.2}, 8),
			"rop restores best as in the paper: an error of 0.1000 in the mean, mod, the next, an error of 0.2000 " +
				"(better in 8 of 8 runs, sign test, p = 0.0078). The best of what was there already, bicubic, has " +
				"an error of 0.3000."},
		"pictures": {7, 0.15, []float64{0.2}, []float64{0.16},
			"mod restores best as in the paper: an error of 0.1600 in the mean, rop, the next, an error of 0.2000 " +
				"(better in 7 of 7 pictures, sign test, p = 0.016). None comes up to bicubic, with an error of " +
				"0.1500."},
		"chance": {1, 0.3, []float64{0.1, 0.1, 0.3}, []float64{0.2, 0.2, 0.2},
			"No learner is shown to restore best as in the paper: rop has an error of 0.1667 in the mean, mod, the " +
				"next, an error of 0.2000, but that may be chance (better in 2 of 3 runs, sign test, p = 1)."},
		"failed": {1, 0.3, []float64{0.1, 0.1, 0.3}, nil,
			"rop restores as in the paper with an error of 0.1667 in the mean; there is nobody to compare it with."},
	} {
		f := findings{comparison: &comparison{}}
		f.opt.Protocol.runs = max(len(c.rop), len(c.mod))
		f.opt.Learners = []string{"rop", "mod"}
		f.data.tests = make([]testPicture, c.tests)
		f.baselines = []baseline{{"bicubic", scored(slices.Repeat([]float64{c.baseline}, c.tests)...)}}
		for run := range f.opt.Protocol.runs {
			for i, list := range [][]float64{c.rop, c.mod} {
				one := result{task: task{Learner: f.opt.Learners[i], Run: run}}
				if run < len(list) {
					one.Plain = scored(slices.Repeat([]float64{list[run]}, c.tests)...)
				} else {
					one.Failure = "no"
				}
				f.results = append(f.results, one)
			}
		}
		if got := f.verdict(f.measures()[0], f.opt.forms()[0]); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nexpected\n%s", name, got, c.want)
		}
	}
}

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
