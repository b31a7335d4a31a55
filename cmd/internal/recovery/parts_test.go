package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// The parts of a sweep, in any number, make the report of the whole.
func TestRecoverInParts(t *testing.T) {
	dir := t.TempDir()
	args := []string{"recover", "--panel", "8,12,2", "--panel", "6,9,2", "--n", "60,30", "--trials", "2",
		"--iterations", "20", "--learners", "rop,mod", "-q"}
	program.Succeeds(t, dir, append(args, "-o", "whole")...)
	want := rows(t, filepath.Join(dir, "whole", "trials.csv"))
	for _, parts := range []int{1, 3} {
		out := fmt.Sprintf("in%d", parts)
		for i := range parts {
			if i == parts-1 && i > 0 {
				if _, errs, code := call(t, dir, "", "merge", out); code != console.ExitInput ||
					!strings.Contains(errs, "--shard 2/3") {
					t.Errorf("a part is missing: exit %d, %s", code, errs)
				}
			}
			if text, errs := program.Succeeds(t, dir,
				append(args, "-o", out, "--shard", fmt.Sprintf("%d/%d", i, parts))...); text+errs != "" {
				t.Errorf("part %d: %s%s", i, text, errs)
			}
			if _, err := os.Stat(filepath.Join(dir, out, "report.html")); err == nil {
				t.Error("a part wrote a report")
			}
		}
		if text, errs := program.Succeeds(t, dir, "merge", "-q", out); errs != "" ||
			!strings.Contains(text, "M=8 K=12 S=2") {
			t.Error(text, errs)
		}
		if got := rows(t, filepath.Join(dir, out, "trials.csv")); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d parts give other numbers than the whole", parts)
		}
		if strings.Contains(string(consoletest.Read(t, dir, out, "report.html")), "--shard") {
			t.Error("the page names the parts")
		}
	}
	if _, errs, code := call(t, dir, "", "recover", "--learners", "mod", "-o", "in3", "--shard",
		"0/3"); code != console.ExitUsage || !strings.Contains(errs, "another command") {
		t.Errorf("parts of two commands: exit %d, %s", code, errs)
	}
}

// A trial that fails is reported by its part and by the merged report.
func TestFailedTrialInParts(t *testing.T) {
	dir := t.TempDir()
	args := []string{"recover", "--learners", "mod,rop", "--coder", "omp:sparsity=13", "--panel", "8,12,2", "--n",
		"30", "--trials", "2", "--iterations", "2", "-o", "out"}
	codes := []int{}
	for i := range 2 {
		_, _, code := call(t, dir, "", append(args, "--shard", fmt.Sprintf("%d/2", i))...)
		codes = append(codes, code)
	}
	if slices.Max(codes) != console.ExitSome {
		t.Errorf("the parts end with %v", codes)
	}
	if _, errs, code := call(t, dir, "", "merge", "out"); code != console.ExitSome ||
		!strings.Contains(errs, "2 of 4 trials failed") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
