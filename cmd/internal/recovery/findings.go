package recovery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners"
	"superres/learners/planted"
)

// findings are the results of superres recover, which its report presents.
type findings struct {
	// command is the command line with all settings, and typed is the command line as it was typed.
	command, typed string
	trials         []planted.Trial // in the order of panels, then of N, of problems and of learners
	// all are the trials with those of fewer iterations, from which the curves over seconds are made.
	all    []planted.Trial
	labels map[string]string // of learners, by spec; a learner without one is called by its spec
	axes   []axis            // of the map; none: there is no map
}

// newFindings returns the findings of the trials of opt; typed is the command line as it was typed.
func newFindings(opt *Options, typed string, trials []planted.Trial) findings {
	f := findings{command: opt.command, typed: typed, all: trials, labels: opt.Labels, axes: opt.Map}
	for _, t := range trials {
		if t.Limit == opt.Iterations {
			f.trials = append(f.trials, t)
		}
	}
	return f
}

// label returns the name of a learner in the report.
func (f findings) label(learner string) string {
	if label, ok := f.labels[learner]; ok {
		return label
	}
	return learner
}

// names returns the labels of all learners.
func (f findings) names() (list []string) {
	for _, learner := range f.learners() {
		list = append(list, f.label(learner))
	}
	return list
}

// point sums up the trials of one panel (a size M, K, S of the problems), number N of signals and learner.
type point struct {
	// trials is the number of trials, and failed how many of them failed.
	trials, failed int
	// assigned and inOrder are the errors by the two ways to match atoms: so that the error is least, and by the
	// paper's rule. seconds are the times. Each has an entry for every trial that did not fail.
	assigned, inOrder, seconds []float64
	// recovered is the mean share of the atoms that were recovered, and iterations the mean number of iterations,
	// over the trials that did not fail. iterations is 0 for a learner that does not report its iterations.
	recovered, iterations float64
	external              bool // the learner or its coder is an external program; false: both are part of superres
}

// failures returns the number of trials that failed.
func (f findings) failures() int {
	count := 0
	for _, t := range f.all {
		if t.Failure != "" {
			count++
		}
	}
	return count
}

// firstFailure describes the first trial that failed. It returns "" where none did.
func (f findings) firstFailure() string {
	for _, t := range f.all {
		if t.Failure != "" {
			return fmt.Sprintf("%s with N = %d: %s", t.Learner, t.N, t.Failure)
		}
	}
	return ""
}

// panels returns the sizes M, K, S of the problems, each once, in the order of the trials.
func (f findings) panels() []planted.Panel {
	return distinctKeys(f.trials, func(t planted.Trial) (planted.Panel, bool) { return t.Panel(), true })
}

// sizes returns the numbers N of signals of the trials of panel p, each once, in the order of the trials.
func (f findings) sizes(p planted.Panel) []int {
	return distinctKeys(f.trials, func(t planted.Trial) (int, bool) { return t.N, t.Panel() == p })
}

// learners returns the specs of the learners, each once, in the order of the trials.
func (f findings) learners() []string {
	return distinctKeys(f.trials, func(t planted.Trial) (string, bool) { return t.Learner, true })
}

// distinctKeys returns the keys of the entries of list, each once, in the order of list. Entries for which key returns
// false are left out.
func distinctKeys[T any, K comparable](list []T, key func(T) (K, bool)) []K {
	var out []K
	for _, v := range list {
		if k, ok := key(v); ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// point sums up the trials of panel p with n signals and a learner. Means are NaN where all of these trials failed.
func (f findings) point(p planted.Panel, n int, learner string) point {
	var out point
	for _, t := range f.trials {
		if t.Panel() != p || t.N != n || t.Learner != learner {
			continue
		}
		out.external = t.Program != ""
		if out.trials++; t.Failure != "" {
			out.failed++
			continue
		}
		out.assigned, out.inOrder, out.seconds = append(out.assigned, t.Assigned), append(out.inOrder, t.InOrder),
			append(out.seconds, t.Seconds)
		out.recovered += t.Recovered
		out.iterations += float64(t.Iterations)
	}
	good := float64(out.trials - out.failed)
	out.recovered, out.iterations = out.recovered/good, out.iterations/good
	return out
}

// json writes the command and every trial. For a failed trial it writes only the task and the failure.
func (f findings) json(w io.Writer) error {
	trials := make([]any, len(f.all))
	for i, t := range f.all {
		trials[i] = t
		if t.Failure != "" {
			trials[i] = struct {
				planted.Task
				Failure string `json:"failure"`
			}{t.Task, t.Failure}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": f.command, "version": console.Version, "labels": f.labels,
		"trials": trials})
}

// text writes the mean errors as tables for a terminal.
func (f findings) text(w io.Writer) error {
	if len(f.axes) > 0 {
		return f.mapText(w)
	}
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, p := range f.panels() {
		fmt.Fprintf(tab, "M=%d K=%d S=%d\t%s\t\n", p.M, p.K, p.S, strings.Join(f.names(), "\t"))
		for _, n := range f.sizes(p) {
			fmt.Fprintf(tab, "N=%d", n)
			for _, learner := range f.learners() {
				m, _ := report.Mean(f.point(p, n, learner).assigned)
				fmt.Fprint(tab, "\t"+console.Figure("%.4f", m))
			}
			fmt.Fprint(tab, "\t\n")
		}
		fmt.Fprintln(tab, "\t")
	}
	fmt.Fprintf(tab, "mean error of %d trials, true atoms assigned so that it is least\n", f.count())
	return tab.Flush()
}

// count returns the number of trials for each panel, N and learner, which is the same for all of them.
func (f findings) count() int {
	t := f.trials[0]
	return f.point(t.Panel(), t.N, t.Learner).trials
}

// knowledge returns a sentence for the page. It says what the learners know besides the signals: the number of atoms K,
// and those with a coder also the sparsity S.
func (f findings) knowledge() string {
	var alone, others []string // those that are not told S, and those that are
	for _, learner := range f.learners() {
		name, _, _ := strings.Cut(learner, ":")
		l, err := learners.New(name)
		if _, ok := l.(learners.Coderless); ok && err == nil {
			alone = append(alone, f.label(learner))
		} else {
			others = append(others, f.label(learner))
		}
	}
	coder, _, _ := strings.Cut(f.trials[0].Coder, ":")
	told := fmt.Sprintf("K and, for their coder %s, the true S", coder)
	for _, t := range f.trials {
		if !strings.HasSuffix(t.Coder, fmt.Sprintf("sparsity=%d", t.S)) {
			told = "K, and code with " + t.Coder
		}
	}
	are := "is"
	if len(alone) > 1 {
		are = "are"
	}
	text := fmt.Sprintf("Besides the signals, %s %s told the number of atoms K alone", strings.Join(alone, ", "), are)
	switch {
	case len(alone) == 0:
		return fmt.Sprintf("Besides the signals, all learners are told %s.", told)
	case len(others) == 0:
		return text + "."
	}
	return fmt.Sprintf("%s; the others are told %s.", text, told)
}

// errorFloor is the lower end of the logarithmic axis, where smaller errors are drawn too.
const errorFloor = 1e-5

// html writes the report as a page.
func (f findings) html(w io.Writer) error {
	t := f.trials[0]
	verdicts, count := f.verdicts, f.count
	if len(f.axes) > 0 {
		verdicts, count = func() []string { return []string{f.mapVerdict()} }, f.mapCount
	}
	page := report.Page{
		Title:    "Dictionary recovery",
		Findings: append(verdicts(), f.knowledge()),
		Lead: fmt.Sprintf("How near learners come to the dictionary that made their training signals, %d "+
			"problems a point. Every learner gets the same signals and the same first dictionary.", count()),
		Command: f.typed,
		Facts: []report.Fact{
			{Name: "command with all settings", Value: f.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Build(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(t.Seed)},
			{Name: "noise", Value: f.across("noise", fmt.Sprintf("%g of the signals' root mean square", t.Noise))},
			{Name: "coefficients", Value: cmp.Or(t.Coefficients, "gaussian")},
			{Name: "use of atoms", Value: cmp.Or(t.Use, "equal")},
			{Name: "coherence", Value: f.across("coherence", fmt.Sprint(t.Coherence))},
			{Name: "outliers", Value: f.across("outliers", fmt.Sprintf("%g of the signals", t.Outliers))},
			{Name: "non-zeros of a signal", Value: map[bool]string{false: "S", true: "S in the mean"}[t.ByChance]},
			{Name: "atoms that learners are told", Value: toldAtoms(t)},
		},
		Notes: []string{
			"Error: mean over the atoms of 1 − |cos| to the true atom each is matched with. “Assigned” matches so " +
				"that the error is least; the paper's rule lets each learned atom in turn take the best true atom " +
				"still free, so one wrong atom can take another's.",
			"Recovered: share of the true atoms met with |cos| above 0.99. Curves show means over the " +
				"problems, bands what lies between the best and the worst tenth of them; the error axis is " +
				"logarithmic, and errors below 10⁻⁵ are drawn there.",
			"Tables have means ± standard errors. In bold is a learner that is ahead of every other one by more than " +
				"chance explains, by Wilcoxon's signed-rank test and Holm's method, at 5 %.",
			"Seconds are those of a trial beside the others that ran at the same time. All numbers but the seconds " +
				"are the same for any number of processors. “External” seconds are those of programs outside, with " +
				"what passing the problems takes.",
		},
	}
	panels := f.panels()
	if len(f.axes) > 0 {
		page.Sections, panels = []report.Section{f.mapSection()}, nil
	}
	for _, p := range panels {
		section := report.Section{Title: fmt.Sprintf("M = %d, K = %d, S = %d", p.M, p.K, p.S),
			Tables: []report.Table{f.table(p)}}
		if len(f.panels()) > 1 { // the verdict on a single panel is at the head of the page
			section.Text = f.verdict(p).String()
		}
		assigned := f.chart(p, "error, assigned", func(t planted.Trial) float64 { return t.Assigned })
		inOrder := f.chart(p, "error, the paper's rule", func(t planted.Trial) float64 { return t.InOrder })
		recovered := f.chart(p, "share of the atoms recovered", func(t planted.Trial) float64 { return t.Recovered })
		assigned.Log, inOrder.Log, recovered.Y1 = true, true, 1
		report.ShareY(&assigned, &inOrder)
		for _, chart := range []report.Chart{assigned, inOrder, recovered} {
			figure, err := chart.Figure(280, 240)
			if err != nil {
				return err
			}
			section.Pictures = append(section.Pictures, figure)
		}
		if len(f.all) > len(f.trials) {
			for _, n := range f.sizes(p) {
				figure, err := f.budgets(p, n).Figure(280, 240)
				if err != nil {
					return err
				}
				section.Pictures = append(section.Pictures, figure)
			}
		}
		page.Sections = append(page.Sections, section)
	}
	if n := f.failures(); n > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d trials failed and are left out of the means. The first: %s.",
			n, f.firstFailure()))
	}
	return page.Write(w)
}

// chart returns a chart of value over the number N of signals, in the trials of panel p, with a curve for each learner.
func (f findings) chart(p planted.Panel, name string, value func(planted.Trial) float64) report.Chart {
	c := report.Chart{Title: name, X: "signals N", Floor: errorFloor}
	for _, n := range f.sizes(p) {
		c.Ticks = append(c.Ticks, float64(n))
	}
	for style, learner := range f.learners() {
		s := report.Series{Name: f.label(learner), Style: style}
		for _, n := range f.sizes(p) {
			values := slices.DeleteFunc(f.scores(p, n, learner, value), math.IsNaN)
			if m, _ := report.Mean(values); !math.IsNaN(m) {
				low, high := report.Spread(values)
				s.Points = append(s.Points, report.Point{X: float64(n), Y: m, Low: low, High: high})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// latex writes a table for each panel or, for a map, for each learner.
func (f findings) latex(w io.Writer) error {
	var tables []report.Table
	t := f.trials[0]
	made := fmt.Sprintf("seed %d, superres %s", t.Seed, console.Build())
	if len(f.axes) > 0 {
		for _, learner := range f.learners() {
			h := f.heat(learner)
			one := report.Table{Title: "Recovered atoms in percent by " + h.Title, Caption: fmt.Sprintf("Means of %s, "+
				"%s.", console.Count(f.mapCount(), "problem"), made)}
			one.Head = append([]string{h.Y + ", " + h.X}, h.Columns...)
			for r := range slices.Backward(h.Rows) {
				row := []report.Cell{{Text: h.Rows[r]}}
				for _, share := range h.Shares[r] {
					row = append(row, report.Cell{Text: console.Figure("%.0f", 100*share)})
				}
				one.Rows = append(one.Rows, row)
			}
			tables = append(tables, one)
		}
	} else {
		for _, p := range f.panels() {
			one := f.table(p)
			one.Title = fmt.Sprintf("Error 1 − |cos|, M = %d, K = %d, S = %d", p.M, p.K, p.S)
			one.Caption = fmt.Sprintf("Means ± standard errors of %s, %s. Bold: ahead of every other by a test of "+
				"pairs at 5 %%.", console.Count(f.count(), "problem"), made)
			tables = append(tables, one)
		}
	}
	for _, one := range tables {
		if err := one.LaTeX(w); err != nil {
			return err
		}
	}
	return nil
}

// budgets returns a chart of error over seconds for n signals of panel p: each learner has a point for each number of
// iterations that it was given, at its median time and mean error.
func (f findings) budgets(p planted.Panel, n int) report.Chart {
	c := report.Chart{Title: fmt.Sprintf("error over seconds, N = %d", n), X: "seconds", Floor: errorFloor, Log: true,
		LogX: true}
	for style, learner := range f.learners() {
		s := report.Series{Name: f.label(learner), Style: style}
		byLimit := map[int][2][]float64{} // seconds, errors
		for _, t := range f.all {
			if t.Panel() == p && t.N == n && t.Learner == learner && t.Failure == "" {
				v := byLimit[t.Limit]
				byLimit[t.Limit] = [2][]float64{append(v[0], t.Seconds), append(v[1], t.Assigned)}
			}
		}
		for _, limit := range slices.Sorted(maps.Keys(byLimit)) {
			v := byLimit[limit]
			m, _ := report.Mean(v[1])
			low, high := report.Spread(v[1])
			s.Points = append(s.Points, report.Point{X: max(report.Median(v[0]), 1e-6), Y: m, Low: low, High: high})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// across returns text, or where the map varies the setting name, that.
func (f findings) across(name, text string) string {
	for _, a := range f.axes {
		if a.name == name {
			return "as on the map"
		}
	}
	return text
}

// toldAtoms says how many atoms learners were told to find in the trial t.
func toldAtoms(t planted.Trial) string {
	if t.Atoms == 0 {
		return "K"
	}
	return fmt.Sprintf("%.3g·K", float64(t.Atoms)/float64(t.K))
}

// table returns the errors of a panel, with a row for each N and a column for each learner.
func (f findings) table(p planted.Panel) report.Table {
	t := report.Table{Head: append([]string{"N"}, f.names()...)}
	for _, n := range f.sizes(p) {
		row := []report.Cell{{Text: strconv.Itoa(n)}}
		var scores [][]float64
		for _, learner := range f.learners() {
			scores = append(scores, f.scores(p, n, learner, func(t planted.Trial) float64 { return t.Assigned }))
		}
		best := report.Best(scores)
		for i, learner := range f.learners() {
			v := f.point(p, n, learner)
			m, se := report.MeanError(v.assigned)
			if len(v.assigned) == 0 {
				row = append(row, report.Cell{Text: "–", Note: "all failed"})
				continue
			}
			paper, _ := report.Mean(v.inOrder)
			note := fmt.Sprintf("median %.4f · paper's rule %.4f · %.0f %% recovered · ", report.Median(v.assigned),
				paper, 100*v.recovered)
			if v.iterations > 0 {
				note += fmt.Sprintf("%.0f iterations · ", v.iterations)
			}
			note += fmt.Sprintf("%.2f s", report.Median(v.seconds))
			if v.external {
				note += " external"
			}
			row = append(row, report.Cell{Text: fmt.Sprintf("%.4f ± %.4f", m, se), Best: i == best, Note: note})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
