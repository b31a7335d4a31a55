package recovery

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/kernel"
	"superres/internal/must"
	"superres/internal/report"
	"superres/learners/planted"
)

// trialsOf makes trials of learners a, b and c by the shares that each recovers with 100 and with 200 signals; the
// error is what is missing. The problems differ a little.
func trialsOf(p planted.Panel, count int, shares map[string][2]float64) (list []planted.Trial) {
	for i, n := range []int{100, 200} {
		for problem := range count {
			for _, learner := range []string{"a", "b", "c"} {
				share, ok := shares[learner]
				if !ok {
					continue
				}
				t := planted.Trial{Task: planted.Task{M: p.M, K: p.K, S: p.S, N: n, Trial: problem, Learner: learner}}
				t.Recovered = share[i] - float64(problem)/1000
				t.Assigned = 1 - t.Recovered
				list = append(list, t)
			}
		}
	}
	return list
}

// The finding follows from the trials, and says so where it may be chance.
func TestVerdict(t *testing.T) {
	p := planted.Panel{M: 8, K: 12, S: 2}
	for name, c := range map[string]struct {
		count  int
		shares map[string][2]float64
		want   string
	}{
		"ahead": {10, map[string][2]float64{"a": {0.5, 0.95}, "b": {0.95, 0.99}, "c": {0.4, 0.8}},
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 100 on, a, the next, from 200 on " +
				"(with N = 100 better in 10 of 10 problems, sign test, p = 0.002)."},
		"alone": {10, map[string][2]float64{"b": {0.8, 0.99}, "c": {0.4, 0.8}},
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 200 on, c, the next, with none of " +
				"the numbers tried (with N = 200 better in 10 of 10 problems, sign test, p = 0.002)."},
		"by chance": {3, map[string][2]float64{"a": {0.5, 0.95}, "b": {0.95, 0.99}},
			"No learner is shown to need the fewest signals: b recovers 90 % of the atoms from N = 100 on, a, the " +
				"next, from 200 on, but that may be chance (better in 3 of 3 problems, sign test, p = 0.25)."},
		"not again": {10, map[string][2]float64{"a": {0.95, 0.5}, "b": {0.4, 0.95}},
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 200 on, a, the next, with none of " +
				"the numbers tried"},
		"alike": {10, map[string][2]float64{"a": {0.95, 0.95}, "b": {0.96, 0.99}, "c": {0.1, 0.1}},
			"No learner alone needs the fewest signals: b, a recover 90 % of the atoms from N = 100 on."},
		"none": {10, map[string][2]float64{"a": {0.1, 0.2}, "b": {0.1, 0.3}},
			"No learner recovers 90 % of the atoms with the numbers of signals tried; with the most, N = 200, b " +
				"comes nearest to the dictionary (than a better in 10 of 10"},
		"nothing": {10, map[string][2]float64{"a": {0.1, 0.2}, "b": {0.1, 0.2}},
			"No learner recovers 90 % of the atoms with the numbers of signals tried, and none is shown to come " +
				"nearest: a is ahead of b with N = 200, but that may be chance (better in 0 of 10 problems, " +
				"sign test, p = 1)."},
		"one": {10, map[string][2]float64{"a": {0.1, 0.99}},
			"a recovers 90 % of the atoms from N = 200 signals on; there is nobody to compare it with."},
	} {
		f := findings{trials: trialsOf(p, c.count, c.shares)}
		if got := f.verdicts(); len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s:\n%q\nexpected\n%q", name, got, c.want)
		}
	}

	failed := trialsOf(p, 10, map[string][2]float64{"a": {0.5, 0.95}, "b": {0.95, 0.99}})
	for i := range failed {
		if failed[i].Learner == "b" {
			failed[i] = planted.Trial{Task: failed[i].Task, Failure: "no"}
		}
	}
	if got := (findings{trials: failed}).verdicts(); !strings.HasPrefix(got[0],
		"No learner is shown to need the fewest signals: a recovers") {
		t.Errorf("the other failed: %q", got)
	}

	ahead, even := map[string][2]float64{"a": {0.5, 0.95}, "b": {0.95, 0.99}}, map[string][2]float64{"a": {0.95, 0.95},
		"b": {0.95, 0.99}}
	swapped := map[string][2]float64{"b": {0.5, 0.95}, "a": {0.95, 0.99}}
	for want, shares := range map[string][]map[string][2]float64{
		"b needs the fewest signals: in all 2 sizes of problem it recovers 90 % of the atoms with fewer than the " +
			"others.": {ahead, ahead},
		"b needs the fewest signals in 1 of 2 sizes of problem; in the others nobody is shown to be " +
			"ahead.": {ahead, even},
		"No learner is shown to need the fewest signals in any of 2 sizes of problem; what each comes to is " +
			"below.": {even, even},
		"Who needs the fewest signals depends on the problem: a in 1, b in 1 of 3 sizes of problem, and nobody is " +
			"shown to be ": {ahead, swapped, even},
	} {
		var f findings
		for i, one := range shares {
			f.trials = append(f.trials, trialsOf(planted.Panel{M: 8 + i, K: 12, S: 2}, 10, one)...)
		}
		if got := f.verdicts(); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q\nexpected\n%q", got, want)
		}
	}
}

// The page begins with what came out, names every curve below every plot, has its plots before its tables, links to
// its sections, and folds the settings away.
func TestRecoverPage(t *testing.T) {
	dir := t.TempDir()
	program.Succeeds(t, dir, "recover", "--panel", "6,8,2", "--panel", "8,12,2", "--n", "30,60", "--trials", "2",
		"--iterations", "10", "--learners", "rop,mod", "-q", "-o", "out")
	page := string(consoletest.Read(t, filepath.Join(dir, "out", "report.html")))
	consoletest.InOrder(t, page,
		`<p class="finding">`,
		"<code>superres recover --panel 6,8,2 --panel 8,12,2 --n 30,60 --trials 2 --iterations 10 "+
			"--learners rop,mod -q -o out</code>",
		"<details>", "--noise 0", "</details>", `<a href="#section1">M = 8, K = 12, S = 2</a>`,
		`<section id="section0">`, "<svg", "<table>", `<section id="section1">`, "<svg", "<table>",
	)
	// Two problems a point show nothing.
	if !strings.Contains(page, `<p class="finding">No learner`) {
		t.Error("two problems a point are taken for a finding")
	}
	if n := strings.Count(page, `<figure class="chart">`); n != 6 {
		t.Errorf("%d plots, expected 6", n)
	}
	for _, learner := range []string{"rop", "mod"} {
		if n := strings.Count(page, fmt.Sprintf("</svg> %s</span>", learner)); n != 6 {
			t.Errorf("%s is named in %d legends of 6", learner, n)
		}
	}
	// Two problems show nothing, so nobody is in bold.
	if strings.Contains(page, `class="best"`) {
		t.Error("a learner is in bold for its lead in two problems")
	}
}

// loadFigure1 returns the trials of the paper's figure as it was run once, and the folder in testdata that has them.
func loadFigure1(t *testing.T) (folder string, f findings) {
	t.Helper()
	folder = filepath.Join(golden.Root(t), "testdata", "figure1")
	trials := must.Get(readTable(folder))(t)
	if len(trials) == 0 {
		t.Fatalf("%s has no trials", folder)
	}
	return folder, findings{trials: trials}
}

// The figure has every learner at every point, as often, none failed, and its page is of the same run.
func TestFigure1IsWhole(t *testing.T) {
	folder, f := loadFigure1(t)
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
	if !strings.Contains(string(consoletest.Read(t, folder, "report.html")), fmt.Sprintf("--trials %d ", count)) {
		t.Error("the page is of another run")
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
		got := must.Get(want.Run(t.Context()))(t)
		off := max(got.Assigned-want.Assigned, want.Assigned-got.Assigned)
		if got.Seconds = want.Seconds; got != want && (strings.HasPrefix(kernel.Tier(), "avx512") || off > 1e-3) {
			t.Errorf("%+v\nand now %+v", want, got)
		}
	}
	if len(again) > 0 {
		t.Errorf("there is no trial of %v", again)
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
