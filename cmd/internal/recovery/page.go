package recovery

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners/planted"
)

// errorFloor is the lower end of the logarithmic axis, where smaller errors are drawn too.
const errorFloor = 1e-5

// html writes the page.
func (f findings) html(w io.Writer) error {
	t := f.trials[0]
	page := report.Page{
		Title:    "Dictionary recovery",
		Findings: f.verdicts(),
		Lead: fmt.Sprintf("How near learners come to the dictionary that made their training signals, %d "+
			"problems a point. "+
			"Every learner gets the same signals and the same first dictionary; %s, ROP is told nothing.",
			f.count(), f.coderNote()),
		Command: f.typed,
		Facts: []report.Fact{
			{Name: "command with all settings", Value: f.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Version,
				runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(t.Seed)},
			{Name: "noise", Value: fmt.Sprintf("%g of the signals' root mean square", t.Noise)},
		},
		Notes: []string{
			"Error: mean over the atoms of 1 − |cos| to the true atom each is matched with. “Assigned” matches so " +
				"that the error is least; the paper's rule lets each learned atom in turn take the best true atom " +
				"still free, so one wrong atom can take another's.",
			fmt.Sprintf("Recovered: share of the true atoms met with |cos| above 0.99. Curves show means over the "+
				"problems, bands what lies between the best and the worst tenth of them; the error axis is "+
				"logarithmic and ends at %g.", errorFloor),
			"Tables have means ± one standard deviation, the best of a row in bold.",
			"Seconds are those of a trial beside the others that ran at the same time. All numbers but the seconds " +
				"are the same for any number of processors. “External” seconds are those of programs outside, with " +
				"what passing the problems takes.",
		},
	}
	for _, p := range f.panels() {
		section := report.Section{Title: fmt.Sprintf("M = %d, K = %d, S = %d", p.M, p.K, p.S),
			Tables: []report.Table{f.table(p)}}
		if len(f.panels()) > 1 { // of one the head of the page says it
			section.Text = f.verdict(p).String()
		}
		for _, chart := range []report.Chart{
			f.chart(p, "error, assigned", true, func(t planted.Trial) float64 { return t.Assigned }),
			f.chart(p, "error, the paper's rule", true, func(t planted.Trial) float64 { return t.InOrder }),
			f.chart(p, "share of the atoms recovered", false, func(t planted.Trial) float64 { return t.Recovered }),
		} {
			figure, err := chart.Figure(280, 240)
			if err != nil {
				return err
			}
			section.Pictures = append(section.Pictures, figure)
		}
		page.Sections = append(page.Sections, section)
	}
	if n := f.failures(); n > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d trials failed and are left out of the means. The first: %s.",
			n, f.firstFailure()))
	}
	return page.Write(w)
}

// chart draws a value of the trials of a panel over N, a curve for each learner.
func (f findings) chart(p planted.Panel, name string, log bool, value func(planted.Trial) float64) report.Chart {
	c := report.Chart{Title: name, X: "signals N", Log: log, Floor: errorFloor, Y1: 1}
	for _, n := range f.sizes(p) {
		c.Ticks = append(c.Ticks, float64(n))
	}
	for style, learner := range f.learners() {
		s := report.Series{Name: learner, Style: style}
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

// table returns the errors of a panel, with a row for each N and a column for each learner.
func (f findings) table(p planted.Panel) report.Table {
	t := report.Table{Head: append([]string{"N"}, f.learners()...)}
	for _, n := range f.sizes(p) {
		row := []report.Cell{{Text: strconv.Itoa(n)}}
		least := math.Inf(1)
		for _, learner := range f.learners() {
			if m, _ := report.Mean(f.point(p, n, learner).assigned); m < least {
				least = m
			}
		}
		for _, learner := range f.learners() {
			v := f.point(p, n, learner)
			m, sd := report.Mean(v.assigned)
			if len(v.assigned) == 0 {
				row = append(row, report.Cell{Text: "–", Note: "all failed"})
				continue
			}
			paper, _ := report.Mean(v.inOrder)
			seconds, _ := report.Mean(v.seconds)
			note := fmt.Sprintf("paper's rule %.4f · %.0f %% recovered · ", paper, 100*v.recovered)
			if v.iterations > 0 {
				note += fmt.Sprintf("%.0f iterations · ", v.iterations)
			}
			note += fmt.Sprintf("%.2f s", seconds)
			if v.external {
				note += " external"
			}
			row = append(row, report.Cell{Text: fmt.Sprintf("%.4f ± %.4f", m, sd), Best: m == least, Note: note})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
