package comparison

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/report"
)

// signalFindings are the results of the protocols patches and signals.
type signalFindings struct {
	opt      *Options
	names    []string // the dictionaries, as the report calls them
	results  []signalResult
	identity string
	entries  int
}

// signalMeasure is a figure of a dictionary.
type signalMeasure struct {
	name string
	of   func(signalResult) float64
}

// measures returns the figures of a dictionary, all of which are the better the smaller.
func (f signalFindings) measures() []signalMeasure {
	unit := "levels"
	if f.opt.Protocol.name == "signals" {
		unit = "% of the signals' root mean square"
	}
	list := []signalMeasure{{"held-out RMSE, " + f.opt.Coder, func(r signalResult) float64 { return r.HeldOut }}}
	for i, level := range denoiseLevels {
		list = append(list, signalMeasure{fmt.Sprintf("RMSE denoised, σ = %g %s", level, unit),
			func(r signalResult) float64 { return r.Denoised[i] }})
	}
	return list
}

// scores returns a figure of a dictionary in every run, NaN where it failed.
func (f signalFindings) scores(m signalMeasure, name string) []float64 {
	list := slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, r := range f.results {
		if r.Learner == name && r.Failure == "" {
			list[r.Run] = m.of(r)
		}
	}
	return list
}

// table returns the figures, with a row for each dictionary and a column for each measure. In bold is a dictionary that
// is ahead of all others by more than chance explains.
func (f signalFindings) table() report.Table {
	t := report.Table{Title: "Signals that were not learned from", Head: []string{"dictionary"}, Caption: fmt.Sprintf(
		"Means ± standard errors of %s, seed %d, %d atoms, superres %s. Bold: ahead of every other by a test of "+
			"pairs at 5 %%.", console.Count(f.opt.Protocol.runs, "run"), f.opt.Seed, f.opt.Protocol.atoms,
		console.Build())}
	best := map[string]int{}
	for _, m := range f.measures() {
		t.Head = append(t.Head, m.name)
		var all [][]float64
		for _, name := range f.names {
			all = append(all, f.scores(m, name))
		}
		best[m.name] = report.Best(all)
	}
	t.Head = append(t.Head, "seconds")
	for i, name := range f.names {
		row := []report.Cell{{Text: name}}
		for _, m := range f.measures() {
			mu, se := report.MeanError(slices.DeleteFunc(f.scores(m, name), math.IsNaN))
			row = append(row, report.Cell{Text: console.Figure("%.4g", mu) + " ± " + console.Figure("%.2g", se),
				Best: best[m.name] == i})
		}
		seconds := f.scores(signalMeasure{of: func(r signalResult) float64 { return r.Seconds }}, name)
		row = append(row, report.Cell{Text: console.Figure("%.2f", report.Median(slices.DeleteFunc(seconds,
			math.IsNaN)))})
		t.Rows = append(t.Rows, row)
	}
	return t
}

// verdict says how much the best learner is ahead of the DCT, by each measure.
func (f signalFindings) verdict() []string {
	var list []string
	for _, m := range f.measures() {
		dct, _ := report.Mean(f.scores(m, "dct"))
		best, least := "", math.Inf(1)
		for _, name := range f.names[len(fixed):] {
			if v, _ := report.Mean(slices.DeleteFunc(f.scores(m, name), math.IsNaN)); v < least {
				best, least = name, v
			}
		}
		if best == "" {
			continue
		}
		than := "more"
		if least <= dct {
			than = "less"
		}
		list = append(list, fmt.Sprintf("%s: the learner with the least is %s, %.3g, which is %.1f %% %s than the "+
			"%.3g of an overcomplete DCT, for which nothing is learned.", m.name, best, least,
			100*math.Abs(1-least/dct), than, dct))
	}
	return list
}

// write returns a function that writes the table in a format.
func (f signalFindings) write(format func(report.Table, io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error { return format(f.table(), w) }
}

// text writes the table for a terminal.
func (f signalFindings) text(w io.Writer) error {
	tab, t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight), f.table()
	fmt.Fprintf(tab, "%s\t\n", strings.Join(t.Head, "\t"))
	for _, row := range t.Rows {
		for _, c := range row {
			fmt.Fprintf(tab, "%s\t", c.Text)
		}
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(f.verdict(), "\n"))
	return err
}

// json writes the command and every run.
func (f signalFindings) json(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": paths.Name(f.opt.command), "version": console.Version,
		"labels": f.opt.Labels, "runs": f.results})
}

// html writes the report as a page.
func (f signalFindings) html(w io.Writer) error {
	p := f.opt.Protocol
	page := report.Page{
		Title: "Dictionaries on signals that were not learned from", Findings: f.verdict(),
		Lead: fmt.Sprintf("Protocol %s: %d atoms, learned from at most %d signals of %d entries in %s; every run "+
			"holds out other signals. All learners get the same signals and the same first dictionary.", p.name,
			p.atoms, p.patches, f.entries, console.Count(p.runs, "run")),
		Command: f.opt.typed,
		Facts: []report.Fact{
			{Name: "command with all settings", Value: f.opt.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Build(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "data", Value: f.identity},
		},
		Sections: []report.Section{{Title: "Figures", Tables: []report.Table{f.table()}}},
		Notes: []string{
			"Root mean squares of the error, means ± standard errors over the runs, in the units of the signals. " +
				"Patches are 8×8 samples of brightness in levels of 255, without their mean.",
			"Denoised: white Gaussian noise was added to the held-out signals, and OMP stopped at a residual of 1.15 " +
				"times the length of that noise.",
			"dct: an overcomplete DCT. samples: training signals as they are.",
		},
	}
	return page.Write(w)
}
