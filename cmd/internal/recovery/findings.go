package recovery

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners/planted"
)

// findings are the results of superres recover, for its report.
type findings struct {
	// command is the command line with all settings, and typed the command line as the user typed it.
	command, typed string
	trials         []planted.Trial   // ordered by panel, then by N, problem and learner
	labels         map[string]string // labels of learners, by spec; without a label, the spec is shown
	axes           []axis            // the axes of the map; empty: there is no map
}

// failure returns a text about a failed trial, or "" for a trial that succeeded.
func failure(t planted.Trial) string {
	if t.Failure == "" {
		return ""
	}
	return fmt.Sprintf("%s with N = %d: %s", t.Learner, t.N, t.Failure)
}

// label returns the name that the report uses for the learner with the given spec.
func (f findings) label(learner string) string {
	return cmp.Or(f.labels[learner], learner)
}

// names returns the labels of all learners.
func (f findings) names() (list []string) {
	for _, learner := range f.learners() {
		list = append(list, f.label(learner))
	}
	return list
}

// panels returns the sizes M, K, S of the problems, each once, in the order of the trials.
func (f findings) panels() []planted.Panel {
	return distinctKeys(f.trials, func(t planted.Trial) (planted.Panel, bool) { return t.Panel(), true })
}

// sizes returns the numbers of signals, N, in the trials of panel p, each once, in the order of the trials.
func (f findings) sizes(p planted.Panel) []int {
	return distinctKeys(f.trials, func(t planted.Trial) (int, bool) { return t.N, t.Panel() == p })
}

// learners returns the specs of the learners, each once, in the order of the trials.
func (f findings) learners() []string {
	return distinctKeys(f.trials, func(t planted.Trial) (string, bool) { return t.Learner, true })
}

// distinctKeys returns the keys of the entries of list for which key returns true, each key once, in the order of list.
func distinctKeys[T any, K comparable](list []T, key func(T) (K, bool)) []K {
	var out []K
	for _, v := range list {
		if k, ok := key(v); ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// count returns the number of trials for each learner and problem: a panel with an N, or a cell of the map.
func (f findings) count() int {
	if len(f.axes) > 0 {
		return len(f.trials) / (len(f.learners()) * len(f.axes[0].steps) * len(f.axes[1].steps))
	}
	t := f.trials[0]
	return len(f.scores(t.Panel(), t.N, t.Learner, assigned))
}

// document returns the report: the verdict, facts and notes, and a section for each panel or with the maps.
func (f findings) document() report.Document {
	t := f.trials[0]
	d := report.Document{
		Title: "Dictionary recovery",
		Lead: fmt.Sprintf("How near learners come to the dictionary that made their training signals, %s a point. "+
			"Every learner gets the same signals and the same first dictionary, and is told the number of atoms K; "+
			"those with a coder code with %s.", console.Count(f.count(), "problem"), f.coder()),
		Command: f.typed,
		Facts: console.Facts(f.command, []report.Fact{
			{Name: "seed", Value: fmt.Sprint(t.Seed)},
			{Name: "noise", Value: f.across("noise", fmt.Sprintf("%g of the signals' root mean square", t.Noise))},
			{Name: "coefficients", Value: cmp.Or(t.Coefficients, "gaussian")},
			{Name: "use of atoms", Value: cmp.Or(t.Use, "equal")},
			{Name: "coherence", Value: f.across("coherence", fmt.Sprint(t.Coherence))},
			{Name: "outliers", Value: f.across("outliers", fmt.Sprintf("%g of the signals", t.Outliers))},
			{Name: "non-zeros of a signal", Value: map[bool]string{false: "S", true: "S in the mean"}[t.ByChance]},
			{Name: "atoms that learners are told", Value: toldAtoms(t)},
		}...),
		Notes: []string{
			"Error: mean over the atoms of 1 − |cos| to the true atom each is matched with. “Assigned” matches so " +
				"that the error is least; the paper's rule lets each learned atom in turn take the best true atom " +
				"still free, so one wrong atom can take another's.",
			"Recovered: share of the true atoms met with |cos| above 0.99. Curves show means over the " +
				"problems, bands what lies between the best and the worst tenth of them; the error axis is " +
				"logarithmic, and errors below 10⁻⁵ are drawn there. Tables have means ± standard errors.",
			report.Method,
			"Seconds are those of a trial beside the others that ran at the same time. All numbers but the seconds " +
				"are the same for any number of processors. “External” seconds are those of programs outside, with " +
				"what passing the problems takes.",
		},
		Caption: fmt.Sprintf("Means of %s, seed %d, superres %s. Bold: ahead of every other by the signed-rank test "+
			"at 5 %%.", console.Count(f.count(), "problem"), t.Seed, console.Build()),
		Data: f.record(),
	}
	if len(f.axes) > 0 {
		d.Findings, d.Sections = []string{f.mapVerdict()}, []report.Section{f.mapSection()}
	} else {
		d.Findings = f.verdicts()
		for _, p := range f.panels() {
			d.Sections = append(d.Sections, f.section(p))
		}
	}
	failures := slices.DeleteFunc(slices.Clone(f.trials), func(t planted.Trial) bool { return t.Failure == "" })
	if n := len(failures); n > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d trials failed and are left out of the means. The first: %s.", n,
			failure(failures[0])))
	}
	return d
}

// coder returns the coder's spec, with "which is told the true S" in place of the sparsity if it is S in every trial.
func (f findings) coder() string {
	spec := f.trials[0].Coder
	name, parameters, _ := strings.Cut(spec, ":")
	for _, t := range f.trials {
		if !strings.HasSuffix(t.Coder, fmt.Sprintf("sparsity=%d", t.S)) {
			return spec
		}
	}
	if i := strings.LastIndex(parameters, ",sparsity="); i >= 0 {
		name += ":" + parameters[:i]
	}
	return name + ", which is told the true S"
}

// record returns the content of trials.json: command, version, labels, the ranking of the learners for each panel and N
// unless there is a map, and every trial; for a failed trial, only task and failure.
func (f findings) record() any {
	trials := make([]any, len(f.trials))
	for i, t := range f.trials {
		trials[i] = t
		if t.Failure != "" {
			trials[i] = struct {
				planted.Task
				Failure string `json:"failure"`
			}{t.Task, t.Failure}
		}
	}
	rankings := map[string]any{}
	for _, p := range f.panels() {
		for _, n := range f.sizes(p) {
			if len(f.axes) > 0 { // the cells of a map may differ only in noise
				continue
			}
			rankings[fmt.Sprintf("%d,%d,%d N=%d", p.M, p.K, p.S, n)] = f.contest(p, n).Record()
		}
	}
	return map[string]any{"command": f.command, "version": console.Version, "labels": f.labels,
		"rankings": rankings, "trials": trials}
}

// section returns the section about a panel: a ranking with the fewest signals that are enough for a learner (the most
// tried if none are, see verdict.n), the errors for each number of signals, and curves.
func (f findings) section(p planted.Panel) report.Section {
	v := f.verdict(p)
	s := report.Section{Title: fmt.Sprintf("M = %d, K = %d, S = %d", p.M, p.K, p.S),
		Tables: []report.Table{v.contest.Table(), f.table(p)}}
	if len(f.panels()) > 1 { // the verdict on a single panel is at the head of the page
		s.Text = v.String() + " " + v.contest.Evidence()
	}
	least := f.chart(p, "error, assigned", assigned)
	inOrder := f.chart(p, "error, the paper's rule", func(t planted.Trial) float64 { return t.InOrder })
	share := f.chart(p, "share of the atoms recovered", recovered)
	least.Log, inOrder.Log, share.Y1 = true, true, 1
	report.ShareY(&least, &inOrder)
	s.Charts = []report.Chart{least, inOrder, share}
	return s
}

// errorFloor is the lower end of the logarithmic axis. Smaller errors are drawn at this end.
const errorFloor = 1e-5

// chart returns a chart of value over the number N of signals in the trials of panel p, with a curve for each learner:
// the mean over the trials that did not fail, with a spread from the 10 % to the 90 % quantile.
func (f findings) chart(p planted.Panel, name string, value func(planted.Trial) float64) report.Chart {
	c := report.Chart{Title: name, X: "signals N", Floor: errorFloor}
	for _, n := range f.sizes(p) {
		c.Ticks = append(c.Ticks, float64(n))
	}
	for style, learner := range f.learners() {
		s := report.Series{Name: f.label(learner), Style: style}
		for _, n := range f.sizes(p) {
			values := report.Defined(f.scores(p, n, learner, value))
			if m, _ := report.Mean(values); !math.IsNaN(m) {
				low, high := report.Spread(values)
				s.Points = append(s.Points, report.Point{X: float64(n), Y: m, Low: low, High: high})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// across returns text, a value of the setting called name, or "as on the map" if the map varies this setting.
func (f findings) across(name, text string) string {
	for _, a := range f.axes {
		if a.name == name {
			return "as on the map"
		}
	}
	return text
}

// toldAtoms returns a text: how many atoms the learners in trial t were told to find.
func toldAtoms(t planted.Trial) string {
	if t.Atoms == 0 {
		return "K"
	}
	return fmt.Sprintf("%.3g·K", float64(t.Atoms)/float64(t.K))
}

func assigned(t planted.Trial) float64 { return t.Assigned }

// mean returns the mean of figure over the trials of panel p with n signals and the given learner; NaN if all failed.
func (f findings) mean(p planted.Panel, n int, learner string, figure func(planted.Trial) float64) float64 {
	m, _ := report.Mean(report.Defined(f.scores(p, n, learner, figure)))
	return m
}

// table returns the errors in panel p, with a row for each N and a column for each learner. A cell has the mean error,
// in bold if the learner is best beyond chance, and as note the median, the error by the paper's rule, the share of
// atoms recovered, iterations, seconds, and "external" for a learner that runs a program.
func (f findings) table(p planted.Panel) report.Table {
	t := report.Table{Title: fmt.Sprintf("error, M = %d, K = %d, S = %d", p.M, p.K, p.S),
		Head: append([]string{"N"}, f.names()...)}
	for _, n := range f.sizes(p) {
		row := []report.Cell{{Text: strconv.Itoa(n)}}
		var scores [][]float64
		for _, learner := range f.learners() {
			errors := f.scores(p, n, learner, assigned)
			scores = append(scores, errors)
			if len(report.Defined(errors)) == 0 {
				row = append(row, report.Cell{Text: "–", Note: "all failed"})
				continue
			}
			note := fmt.Sprintf("median %.4f · paper's rule %.4f · %.0f %% recovered · ",
				report.Median(report.Defined(errors)),
				f.mean(p, n, learner, func(t planted.Trial) float64 { return t.InOrder }),
				100*f.mean(p, n, learner, recovered))
			count := f.mean(p, n, learner, func(t planted.Trial) float64 { return float64(t.Iterations) })
			if count > 0 { // the learner reports its iterations
				note += fmt.Sprintf("%.0f iterations · ", count)
			}
			note += fmt.Sprintf("%.2f s", report.Median(report.Defined(f.scores(p, n, learner, seconds))))
			if slices.ContainsFunc(f.trials,
				func(t planted.Trial) bool { return t.Learner == learner && t.Program != "" }) {
				note += " external"
			}
			row = append(row, report.Cell{Text: report.Estimate("%.4f", errors), Note: note})
		}
		if best := report.Best(scores); best >= 0 {
			row[best+1].Best = true
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// recovered returns the share of the atoms recovered in a trial, and seconds the duration of learning.
func recovered(t planted.Trial) float64 { return t.Recovered }
func seconds(t planted.Trial) float64   { return t.Seconds }
