//go:build measure

package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/plugins"
	"superres/internal/must"
)

var needs = regexp.MustCompile(`needs (\d+) MiB`)

// TestMeasure: what a run needs it says when it is refused. With less it is refused at once; with that it runs, takes
// no more, and no less than half; how much of the program itself is in memory the system decides, which is worth 10
// MiB. The long form tries all learners.
func TestMeasure(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 0))
	put := func(name string, m, n int) {
		y := mat.NewDense(m, n, nil)
		y.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(2000)-1000) / 100 }, y)
		consoletest.PutMatrix(t, filepath.Join(dir, name), y)
	}
	put("column.csv", 300_000, 1)
	put("column.npy", 300_000, 1)
	put("row.npy", 1, 300_000)
	put("wide.npy", 12, 50_000)
	put("tall.npy", 40_000, 12)
	cases := []struct{ learner, flags string }{
		{"ksvd", "column.csv --transpose"},
		{"ksvd", "- --atoms 2"},
		{"ksvd", "wide.npy --coder omp:tolerance=1 --sparsity 0 --codes X.csv"},
	}
	names := plugins.All()
	for _, name := range names[:consoletest.Full(4, len(names))] {
		for _, f := range []string{"column.npy --atoms 2", "row.npy", "wide.npy --atoms 20", "tall.npy --atoms 20"} {
			cases = append(cases, struct{ learner, flags string }{name, f})
		}
	}
	run := func(memory int, learner, flags string) (stderr string, peak int) {
		args := append([]string{"learn", "--learner", learner, "--iterations", "3", "-q", "-o", "D.npy",
			"--on-exist", "overwrite", "--max-memory", strconv.Itoa(memory)}, strings.Fields(flags)...)
		cmd := consoletest.Process(dir, args...)
		cmd.Env = append(cmd.Env, consoletest.NotePeak(filepath.Join(dir, "peak")))
		if strings.HasPrefix(flags, "-") {
			f := must.Get(os.Open(filepath.Join(dir, "column.csv")))(t)
			defer f.Close()
			cmd.Stdin = f
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		_ = cmd.Run()
		return errs.String(), int(consoletest.Peak(t, filepath.Join(dir, "peak")) >> 20)
	}
	fmt.Printf("\n%-70s %8s %8s %6s\n", "learn", "promised", "taken", "ratio")
	for _, c := range cases {
		name := fmt.Sprintf("--learner %s %s", c.learner, c.flags)
		refused, _ := run(8, c.learner, c.flags)
		found := needs.FindStringSubmatch(refused)
		if found == nil {
			t.Errorf("%s: %s", name, refused)
			continue
		}
		need, _ := strconv.Atoi(found[1])
		if refused, peak := run(need-1, c.learner, c.flags); !strings.Contains(refused, "use --max-memory") ||
			peak > 30 {
			t.Errorf("%s: with 1 MiB less, %s, and %d MiB", name, refused, peak)
		}
		least, most := math.MaxInt, 0
		for range 3 { // the time of garbage collection is chance
			message, peak := run(need+1, c.learner, c.flags) // need is rounded down
			if message != "" {
				t.Errorf("%s: needs %d MiB%s", name, need, message)
			}
			least, most = min(least, peak), max(most, peak)
		}
		fmt.Printf("%-70s %8d %8d %6.2f\n", name, need, least, float64(need)/float64(least))
		if least > need+1 || need > 2*most+10 {
			t.Errorf("%s: needs %d MiB, measured %d to %d MiB", name, need, least, most)
		}
	}
}
