package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
	"superres/internal/report"
)

// signalFindings are the results of superres compare in the protocols patches and signals.
type signalFindings struct {
	*comparison // with learners called by their labels
	results     []signalResult
	entries     int // number of entries in a signal
}

// signalMeasure is a figure that measures a dictionary; smaller is better.
type signalMeasure struct {
	name string
	of   func(signalResult) float64
}

// measures returns the figures by which dictionaries are compared.
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

// inRuns returns a figure of a dictionary for every run, or NaN for a run that failed.
func (f signalFindings) inRuns(name string, figure func(signalResult) float64) []float64 {
	list := slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, r := range f.results {
		if r.Learner == name && r.Failure == "" {
			list[r.Run] = figure(r)
		}
	}
	return list
}

// contest returns the comparison of the dictionaries according to the measure m. The column told has what a learner is
// given besides the signals, such as S, the number of atoms in a code. Only learned dictionaries have a time, the
// median of the runs, and a training RMSE, the mean of the runs.
func (f signalFindings) contest(m signalMeasure) report.Contest {
	c := report.Contest{Title: m.name, Kind: "learner", Problems: "runs", Columns: []string{"told", "training RMSE"},
		Measure: report.Measure{Name: "RMSE", Format: "%.4g", Say: "%.4g"}}
	for _, name := range f.opt.dictionaries() {
		e := report.Entrant{Name: name, Learns: f.specs[name] != "", Scores: f.inRuns(name, m.of), Seconds: math.NaN()}
		training := math.NaN()
		if e.Learns {
			e.Seconds = report.Median(report.Defined(f.inRuns(name, func(r signalResult) float64 { return r.Seconds })))
			training, _ = report.Mean(report.Defined(f.inRuns(name,
				func(r signalResult) float64 { return r.Training })))
			isFalling := func(r signalResult) bool { return r.Learner == name && r.Failure == "" && r.Falling }
			if slices.ContainsFunc(f.results, isFalling) {
				e.Mark = name + ": the error still fell at the last iteration."
			}
		}
		e.More = []report.Cell{{Text: plugins.Told(f.specs[name], f.opt.Protocol.sparsity)},
			{Text: report.Number("%.4g", training)}}
		c.Entrants = append(c.Entrants, e)
	}
	return c
}

// document returns the report, with a ranking and a sentence about the best dictionary for each measure.
func (f signalFindings) document() report.Document {
	p := f.opt.Protocol
	d := report.Document{
		Title: "Dictionaries on signals that were not learned from",
		Lead: fmt.Sprintf("Protocol %s: %d atoms, learned from at most %d signals of %d entries in %s; every run "+
			"holds out other signals. All learners get the same signals and the same first dictionary.", p.name,
			p.atoms, p.patches, f.entries, console.Count(p.runs, "run")),
		Command: f.opt.typed,
		Facts:   console.Facts(f.opt.command, report.Fact{Name: "data", Value: f.data.identity}),
		Caption: fmt.Sprintf("Means of %s, seed %d, %d atoms, superres %s.", console.Count(p.runs, "run"), f.opt.Seed,
			p.atoms, console.Build()),
		Notes: []string{
			"Root mean squares of the error, means over the runs, in the units of the signals. Patches are 8×8 " +
				"samples of brightness in levels of 255, without their mean.",
			report.Method,
			"Denoised: white Gaussian noise was added to the held-out signals, and OMP stopped at a residual of 1.15 " +
				"times the length of that noise.",
			"dct: an overcomplete DCT. samples: training signals as they are.",
		},
		Data: map[string]any{"command": paths.Name(f.opt.command), "version": console.Version, "labels": f.opt.Labels,
			"runs": f.results},
	}
	var tables []report.Table
	for _, m := range f.measures() {
		c := f.contest(m)
		tables = append(tables, c.Table())
		d.Findings = append(d.Findings, strings.TrimSpace(fmt.Sprintf("%s: %s. %s", m.name, c.Headline(),
			c.Evidence())))
	}
	d.Sections = []report.Section{{Title: "Rankings", Tables: tables}}
	return d
}
