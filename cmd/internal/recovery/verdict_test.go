package recovery

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
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
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 100 on, a, the next, from 200 on. " +
				"With N = 100, b is the best learner, 0.4500 ahead of a, the next, in mean error"},
		"alone": {10, map[string][2]float64{"b": {0.8, 0.99}, "c": {0.4, 0.8}},
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 200 on, c with none of the numbers " +
				"tried. "},
		"by chance": {3, map[string][2]float64{"a": {0.5, 0.95}, "b": {0.95, 0.99}},
			"No learner is shown to need the fewest signals: b recovers 90 % of the atoms from N = 100 on, a, the " +
				"next, from 200 on. With N = 100, b and a cannot be told apart"},
		"not again": {10, map[string][2]float64{"a": {0.95, 0.5}, "b": {0.4, 0.95}},
			"b needs the fewest signals: it recovers 90 % of the atoms from N = 200 on, a with none of the numbers " +
				"tried"},
		"alike": {10, map[string][2]float64{"a": {0.95, 0.95}, "b": {0.96, 0.99}, "c": {0.1, 0.1}},
			"No learner alone needs the fewest signals: a and b recover 90 % of the atoms from N = 100 on, c with " +
				"none"},
		"none": {10, map[string][2]float64{"a": {0.1, 0.2}, "b": {0.1, 0.3}},
			"No learner recovers 90 % of the atoms with the numbers of signals tried. With N = 200, b is the best " +
				"learner"},
		"nothing": {10, map[string][2]float64{"a": {0.1, 0.2}, "b": {0.1, 0.2}},
			"No learner recovers 90 % of the atoms with the numbers of signals tried. With N = 200, a and b cannot " +
				"be told"},
		"one": {10, map[string][2]float64{"a": {0.1, 0.99}}, "a recovers 90 % of the atoms from N = 200 on. With N " +
			"= 200"},
	} {
		f := findings{trials: trialsOf(p, c.count, c.shares)}
		if got := f.verdicts(); !strings.HasPrefix(got[0], c.want) {
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
		"The fewest signals are needed by b in 2 of 2 sizes of problem.":            {ahead, ahead},
		"The fewest signals are needed by b in 1 of 2 sizes of problem.":            {ahead, even},
		"No learner is shown to need the fewest signals in any of 2 sizes of probl": {even, even},
		"The fewest signals are needed by a in 1 and b in 1 of 3 sizes of problem.": {ahead, swapped, even},
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

// What a ranking needs to be read stands below it: whose RMSE still fell, and who ended above its least.
func TestMarks(t *testing.T) {
	p := planted.Panel{M: 8, K: 12, S: 2}
	f := findings{trials: trialsOf(p, 2, map[string][2]float64{"a": {0.5, 0.9}, "b": {0.9, 0.9}})}
	for i := range f.trials { // of each learner two with N = 100, and two with 200
		f.trials[i].RMSE, f.trials[i].Least, f.trials[i].Falling = 1, 0.995, i == 0
	}
	f.trials[2].Least = 0.98
	var text strings.Builder
	must.Succeed(t, report.Document{Sections: []report.Section{{Tables: []report.Table{f.contest(p, 100).Table()}}}}.
		Text(&text))
	if want := "a: the RMSE still fell at the last iteration in 50 % of the problems. a: in 50 % of the problems an " +
		"earlier iteration had an RMSE smaller by more than 1 %; "; strings.Count(text.String(), want) != 1 ||
		strings.Contains(text.String(), "b: ") {
		t.Errorf("%s", text.String())
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

// readTable returns the trials in the trials.csv of a folder in testdata. An earlier version had fewer columns.
func readTable(t *testing.T, folder string) (trials []planted.Trial) {
	t.Helper()
	table := consoletest.Read(t, golden.Root(t), "testdata", folder, "trials.csv")
	all := must.Get(csv.NewReader(bytes.NewReader(table)).ReadAll())(t)
	for _, row := range all[1:] {
		var trial planted.Trial
		of := fields(&trial)
		for k, text := range row {
			switch field := of[all[0][k]]; {
			case field.Kind() == reflect.String:
				field.SetString(text)
			case text != "":
				must.Succeed(t, json.Unmarshal([]byte(text), field.Addr().Interface()))
			}
		}
		trials = append(trials, trial)
	}
	return trials
}

// loadFigure1 returns the trials of the paper's figure as it was run once, and the folder in testdata that has them.
func loadFigure1(t *testing.T) (folder string, f findings) {
	t.Helper()
	folder = filepath.Join(golden.Root(t), "testdata", "figure1")
	return folder, findings{trials: readTable(t, "figure1")}
}

// The figure has every learner at every point, as often, none failed, and its page is of the same run.
func TestFigure1IsWhole(t *testing.T) {
	folder, f := loadFigure1(t)
	count, points := f.count(), 0
	for _, figure := range planted.Figure1 {
		for _, n := range figure.N {
			for _, learner := range f.learners() {
				points++
				if list := f.scores(figure.Panel, n, learner, assigned); len(list) != count ||
					slices.ContainsFunc(list, math.IsNaN) {
					t.Errorf("%v, N = %d, %s: %v, expected %d", figure.Panel, n, learner, list, count)
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

// Run again, trials of the figure find the dictionaries that they found. Their last digits depend on the processor, as
// sums are rounded otherwise, and on elementary.Pow, which came after they were run.
func TestFigure1Again(t *testing.T) {
	_, f := loadFigure1(t)
	type of struct {
		learner string
		n       int
	}
	again := map[of]bool{
		{"rop", 100}: true, {"rop", 150}: true, {"rop", 400}: true, {"blotless:restart=false", 200}: true,
		{"simco:restart=false", 400}: true, {"ksvd:restart=false", 150}: true, {"ksvd:restart=false", 300}: true,
		{"mod:restart=false", 100}: true, {"mod:restart=false", 800}: true, {"online:restart=false", 300}: true,
	}
	for _, want := range f.trials {
		if want.Trial != 3 || want.Panel() != planted.Figure1[0].Panel || !again[of{want.Learner, want.N}] {
			continue
		}
		delete(again, of{want.Learner, want.N})
		got := must.Get(want.Run(t.Context()))(t)
		off := max(got.Assigned-want.Assigned, want.Assigned-got.Assigned)
		got.Least, got.Falling = 0, false // the trials of the figure were run before these were kept
		if got.Seconds = want.Seconds; got != want && off > 1e-3 {
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
		for _, learner := range f.learners() {
			line += fmt.Sprintf(" %.4f ± %.4f |", mustMean(f.scores(figure.Panel, n, learner, assigned))...)
		}
		if !strings.Contains(text, line) {
			t.Errorf("learners/README.md: expected the line\n%s", line)
		}
	}
}

// mustMean returns the mean of v and its standard error.
func mustMean(v []float64) []any {
	m, se := report.MeanError(v)
	return []any{m, se}
}

// Trials that another revision of a learner made are run again, and those of the same one are not.
func TestTrialsOfAnotherRevision(t *testing.T) {
	dir := t.TempDir()
	args := []string{"recover", "--panel", "8,12,2", "--n", "40", "--trials", "2", "--iterations", "10", "--learners",
		"rop,mod", "-q", "-o", "out"}
	program.Succeeds(t, dir, args...)
	journal := filepath.Join(dir, "out", "journal.jsonl")
	mod := must.Get(planted.Revision("mod", "omp"))(t)
	other := bytes.ReplaceAll(consoletest.Read(t, journal), []byte(`"revision":"`+mod+`"`), []byte(`"revision":"0.0"`))
	consoletest.Put(t, journal, other)
	program.Succeeds(t, dir, args...)
	if n := bytes.Count(consoletest.Read(t, journal), []byte("\n")); n != 4+2 {
		t.Errorf("%d trials in the journal, expected 4, and those of mod again", n)
	}
}

// A map has each learner's share over both axes, in the order of its steps; a bad axis is refused with what is meant.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	out, _ := program.Succeeds(t, dir, "recover", "--map", "N=20:90:3", "S=1:3", "--panel", "6,8,2", "--trials", "1",
		"--iterations", "20", "--learners", "rop,plain=mod:restart=false", "-q", "-o", "out")
	consoletest.InOrder(t, out, "of 9 cells of the map", "rop in percent   20", "42", "90\n", " 3 ", " 2 ", " 1 ",
		"plain in percent")
	page := string(consoletest.Read(t, dir, "out", "report.html"))
	if n := strings.Count(page, `<figure class="heat">`); n != 2 {
		t.Errorf("%d maps, expected 2", n)
	}
	if n := strings.Count(page, "<rect "); n != 2*9 {
		t.Errorf("%d cells, expected 18", n)
	}
	if tex := string(consoletest.Read(t, dir, "out", "table.tex")); strings.Count(tex, `\begin{tabular}`) != 2 {
		t.Errorf("LaTeX: %s", tex)
	}
	for text, want := range map[string]string{
		"N=20:90": "two axes", "N=20:90,N=1:2": "two axes", "N=20,S=1:2": "no range", "T=1:2,S=1:2": `no axis "T"`,
		"N=0:9,S=1:2": "no number", "N=9:3,S=1:2": "low end", "S=1:2.5,N=1:2": "no number",
		"S=1:9,N=20:30": "more than",
	} {
		_, errs, code := call(t, dir, "", "recover", "--map", text, "--panel", "6,8,2", "--learners", "mod", "-o", "x")
		if code != console.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("--map %s: exit %d, %s", text, code, errs)
		}
	}
}

// The steps of an axis: N grows by a factor, others by a difference, whole numbers stay whole.
func TestAxes(t *testing.T) {
	for text, want := range map[string][]float64{
		"N=25:800:6": {25, 50, 100, 200, 400, 800}, "S=1:4": {1, 2, 3, 4}, "noise=0:0.3:4": {0, 0.1, 0.2, 0.3},
		"S=1:15": {1, 3, 5, 7, 9, 11, 13, 15}, "K=32:32": {32},
	} {
		a := must.Get(readAxis(text))(t)
		if !slices.Equal(a.steps, want) {
			t.Errorf("%s: %v", text, a.steps)
		}
	}
}

// learners/README.md states what the trials with and without restarts and those of ROP step by step have.
func TestTablesOfTheReadme(t *testing.T) {
	text := string(consoletest.Read(t, golden.Root(t), "learners/README.md"))
	for folder, count := range map[string]int{"restarts": 3, "ablation": 1} {
		f := findings{trials: readTable(t, folder)}
		p := f.panels()[0]
		failed := slices.ContainsFunc(f.trials, func(t planted.Trial) bool { return t.Failure != "" })
		if sizes := f.sizes(p); len(sizes) != count || failed {
			t.Errorf("%s: %v, or trials that failed", folder, sizes)
		}
		for _, learner := range f.learners() {
			line := ""
			for _, n := range f.sizes(p) {
				if list := f.scores(p, n, learner, assigned); len(list) != f.count() {
					t.Errorf("%s, %s, N = %d: %d trials, expected %d", folder, learner, n, len(list), f.count())
				}
				line += fmt.Sprintf(" %.4f ± %.4f |", mustMean(f.scores(p, n, learner, assigned))...)
			}
			if !strings.Contains(text, "|"+line) {
				t.Errorf("learners/README.md lacks the figures of %s in %s:%s", learner, folder, line)
			}
		}
	}
}
