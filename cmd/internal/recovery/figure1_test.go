package recovery

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/kernel"
	"superres/internal/report"
	"superres/learners/planted"
)

// loadFigure1 returns the trials of the paper's figure as it was run once, and the folder in testdata that has them.
func loadFigure1(t *testing.T) (folder string, f findings) {
	t.Helper()
	folder = filepath.Join(golden.Root(t), "testdata", "figure1")
	trials, err := readTable(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) == 0 {
		t.Fatalf("%s has no trials", folder)
	}
	return folder, findings{trials: trials}
}

// The figure has every learner at every point, as often, and none failed.
func TestFigure1IsWhole(t *testing.T) {
	_, f := loadFigure1(t)
	count, points := f.count(), 0
	for _, figure := range planted.Figure1 {
		for _, n := range figure.N {
			for _, learner := range f.learners() {
				points++
				if p := f.point(figure.Panel, n, learner); p.trials != count || p.failed > 0 {
					t.Errorf("%v, N = %d, %s: %d trials, %d failed; expected %d", figure.Panel, n, learner,
						p.trials, p.failed, count)
				}
			}
		}
	}
	if len(f.learners()) != 6 || len(f.trials) != count*points {
		t.Errorf("%d trials of %v, expected %d of 6 learners", len(f.trials), f.learners(), count*points)
	}
}

// Run again, trials of the figure give the same numbers, to the bit where the processor offers what it was run with;
// elsewhere sums are rounded otherwise, and dictionaries that were found are found as well.
func TestFigure1Again(t *testing.T) {
	_, f := loadFigure1(t)
	again := map[string]int{"rop": 150, "ksvd": 300, "mod": 800} // learners, and N
	for _, want := range f.trials {
		if want.Trial != 3 || want.Panel() != planted.Figure1[0].Panel || again[want.Learner] != want.N {
			continue
		}
		delete(again, want.Learner)
		got, err := want.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		off := max(got.Assigned-want.Assigned, want.Assigned-got.Assigned)
		if got.Seconds = want.Seconds; got != want && (kernel.Tier() == "avx512" || off > 1e-3) {
			t.Errorf("%+v\nand now %+v", want, got)
		}
	}
	if len(again) > 0 {
		t.Errorf("there is no trial of %v", again)
	}
}

// A run of the figure that is there reports, and does nothing else.
func TestFigure1Reports(t *testing.T) {
	folder, f := loadFigure1(t)
	dir := t.TempDir()
	before := consoletest.Read(t, folder, tableName)
	consoletest.Put(t, filepath.Join(dir, tableName), before)
	args := []string{"recover", "--trials", fmt.Sprint(f.count()), "--learners", strings.Join(f.learners(), ","), "-o",
		dir, "--iterations", "500"}
	program.Succeeds(t, dir, args...)
	if !bytes.Equal(consoletest.Read(t, dir, tableName), before) { // with the seconds of each
		t.Error("trials were run again")
	}
	if !strings.Contains(string(consoletest.Read(t, folder, "report.html")), fmt.Sprintf("--trials %d ", f.count())) {
		t.Error("the page is of another run")
	}
}

// TestFigure1Readme checks that learners/README.md states what the figure has.
func TestFigure1Readme(t *testing.T) {
	_, f := loadFigure1(t)
	text := string(consoletest.Read(t, golden.Root(t), "learners/README.md"))
	if said := fmt.Sprintf("of %d problems", f.count()); !strings.Contains(text, said) {
		t.Errorf("learners/README.md does not say that the figure is %s", said)
	}
	for i, n := range []int{100, 200, 400, 800} { // of its panels
		figure := planted.Figure1[i]
		line := fmt.Sprintf("| %d, %d, %d | %d |", figure.M, figure.K, figure.S, n)
		for _, learner := range []string{"rop", "blotless", "simco", "ksvd", "mod", "online"} {
			mean, sd := report.Mean(f.point(figure.Panel, n, learner).assigned)
			line += fmt.Sprintf(" %.4f ± %.4f |", mean, sd/math.Sqrt(float64(f.count())))
		}
		if !strings.Contains(text, line) {
			t.Errorf("learners/README.md: expected the line\n%s", line)
		}
	}
}
