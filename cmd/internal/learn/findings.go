package learn

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/internal/safefile"
)

// findings are the results of a sweep, as written in JSON.
type findings struct {
	// Command is the command line with all settings, defaults included.
	Command string `json:"command"`
	// Version is the version of superres.
	Version string `json:"version"`
	Data    string `json:"data"`
	Learner string `json:"learner"`
	// Param is the parameter that was swept.
	Param string `json:"parameter"`
	Seed  uint64 `json:"seed"`
	// Entries is the number of entries of a signal, Training of signals learned from, and HeldOut of signals held out.
	Entries  int `json:"entries"`
	Training int `json:"training_signals"`
	HeldOut  int `json:"held_out_signals"`
	Atoms    int `json:"atoms"`
	// RMS is the root mean square of the signals held out, which is the error of predicting zeros.
	RMS float64 `json:"rms"`
	// Settings are in ascending order of their values.
	Settings []setting `json:"settings"`
	// Least and Best are indices into Settings, as pick returns them.
	Least int `json:"least"`
	Best  int `json:"best"`
	// OneForAll is true if all settings share one dictionary, since the learner uses no coder.
	OneForAll bool     `json:"one_dictionary,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	// Learned is about the dictionary learned from all signals with the best setting, nil if none was asked for.
	Learned *summary `json:"learned,omitempty"`

	// typed is the command line as it was typed.
	typed string
}

// best returns the setting that was chosen.
func (f findings) best() setting { return f.Settings[f.Best] }

// verdict says in words which setting is the best, and why.
func (f findings) verdict() string {
	best, least := f.best(), f.Settings[f.Least]
	text := fmt.Sprintf("%s %s, RMSE %.4g ± %.2g of hidden entries", f.Param, shortest(best.Value), best.Hidden,
		best.HiddenSE)
	if f.Best == f.Least {
		return text + ", the least"
	}
	return text + fmt.Sprintf(", with the fewest non-zeros within one standard error of the least, %.4g ± %.2g of "+
		"%s %s", least.Hidden, least.HiddenSE, f.Param, shortest(least.Value))
}

// warnings returns what a reader of the table should know, such as that the best value is the largest tried.
func (f findings) warnings() (list []string) {
	best := f.best()
	switch last := len(f.Settings) - 1; {
	case best.square >= f.RMS*f.RMS:
		list = append(list, fmt.Sprintf("hidden entries are told no better than by zeros, RMSE %.4g: the entries "+
			"of a signal say little of each other in any of these settings", f.RMS))
	case f.Best == last:
		list = append(list, fmt.Sprintf("%s %s is the largest that was tried; try larger ones, too", f.Param,
			shortest(best.Value)))
	case f.Best == 0 && best.Value != 1 && best.Value != 0:
		list = append(list, fmt.Sprintf("%s %s is the smallest that was tried; try smaller ones, too", f.Param,
			shortest(best.Value)))
	}
	if f.OneForAll {
		list = append(list, f.Learner+" uses no coder: all settings have one dictionary, and differ in how "+
			"signals are coded over it")
	}
	return list
}

// table returns a table with a row for each setting that was tried: its errors on training and held-out entries, its
// non-zeros, iterations and seconds.
func (f findings) table() report.Table {
	t := report.Table{Head: []string{f.Param, "training", "held out", "hidden ± s.e.", "non-zeros", "iterations",
		"seconds", ""}}
	for i, s := range f.Settings {
		mark := ""
		switch i {
		case f.Best:
			mark = "best"
		case f.Least:
			mark = "least"
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: shortest(s.Value), Mark: s.falling()}, {Text: fmt.Sprintf("%.4g", s.Training)},
			{Text: fmt.Sprintf("%.4g", s.HeldOut)},
			{Text: fmt.Sprintf("%.4g ± %.2g", s.Hidden, s.HiddenSE), Best: i == f.Best}, {Text: fmt.Sprintf("%.3g",
				s.NonZeros)},
			{Text: console.Told(s.Iterations)}, {Text: fmt.Sprintf("%.2f", s.Seconds)}, {Text: mark},
		})
	}
	return t
}

// tell writes to standard output the report or, with --json, JSON, and a line on Learned to standard error unless
// quiet.
func (f findings) tell(opt Options, to *console.Streams) error {
	if f.Learned != nil && !opt.Quiet {
		fmt.Fprintln(to.Err, safefile.OneLine(f.Learned.text()))
	}
	if opt.JSON {
		return f.document().JSON(to.Out)
	}
	return f.document().Text(to.Out)
}

// csv writes comma-separated values with a line for each setting.
func (f findings) csv(w io.Writer) error {
	rows := [][]string{{f.Param, "coder", "training", "held_out", "hidden", "hidden_se", "nonzeros", "iterations",
		"stop", "seconds", "least", "best"}}
	for i, s := range f.Settings {
		rows = append(rows, []string{
			shortest(s.Value), s.Coder, shortest(s.Training), shortest(s.HeldOut), shortest(s.Hidden),
			shortest(s.HiddenSE), shortest(s.NonZeros),
			console.Told(s.Iterations), s.Stop, shortest(s.Seconds), strconv.FormatBool(i == f.Least),
			strconv.FormatBool(i == f.Best),
		})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// document returns the report.
func (f findings) document() report.Document {
	d := report.Document{
		Title:    "Error against " + f.Param,
		Findings: []string{"Best: " + f.verdict() + "."},
		Lead: fmt.Sprintf("%s of %d entries, learned by %s from %d signals with each setting; %d others, drawn at "+
			"random, were held out. Their root mean square is %.4g.",
			console.Count(f.Atoms, "atom"), f.Entries, f.Learner, f.Training, f.HeldOut, f.RMS),
		Command: f.typed,
		Facts: console.Facts(f.Command, report.Fact{Name: "coder of the best", Value: f.best().Coder},
			report.Fact{Name: "seed", Value: fmt.Sprint(f.Seed)}),
		Sections: []report.Section{{Title: "RMSE", Charts: []report.Chart{f.chart()},
			Tables: []report.Table{f.table()}}},
		Notes: []string{
			"Training: the signals learned from, coded over the dictionary. Held out: the others, coded so. Both " +
				"fall with every atom that a code may have, and never tell of too many.",
			fmt.Sprintf("Hidden: in turn a part of the entries of the signals held out, %d parts in all, is "+
				"hidden from the coder, and told by the atoms chosen for the rest. The band is one standard "+
				"error, of the mean over signals, to either side.", min(mostFolds, f.Entries)),
			"The best setting has the fewest non-zeros among those within one standard error of the least error " +
				"of hidden entries.",
			"Signals that are nearly alike, as patches that overlap, flatter every error here. All numbers but " +
				"the seconds are the same for any number of processors.",
		},
		Data: f,
	}
	for _, warning := range f.Warnings {
		d.Findings = append(d.Findings, "warning: "+warning)
	}
	if f.Learned != nil {
		d.Notes = append(d.Notes, "Learned from all signals: "+f.Learned.text()+".")
	}
	return d
}

// chart returns a chart of the errors over the values, with a line at the best value.
func (f findings) chart() report.Chart {
	c := report.Chart{X: f.Param, Y: "RMSE", Series: []report.Series{{Name: "training", Style: 1}, {Name: "held out",
		Style: 2}, {Name: "hidden entries", Style: 0}}}
	top := 0.0
	for _, s := range f.Settings {
		for i, p := range []report.Point{
			{X: s.Value, Y: s.Training}, {X: s.Value, Y: s.HeldOut}, {X: s.Value, Y: s.Hidden,
				Low: s.Hidden - s.HiddenSE, High: s.Hidden + s.HiddenSE},
		} {
			c.Series[i].Points = append(c.Series[i].Points, p)
			top = max(top, p.Y, p.High)
		}
		c.Ticks = append(c.Ticks, s.Value)
	}
	best := f.best()
	c.Y1 = 1.05 * min(top, 1.5*f.RMS) // errors far above the error of zeros are cut off
	c.Series = append(c.Series, report.Series{Name: "best: " + f.Param + " " + shortest(best.Value), Style: 6,
		Plain: true, Points: []report.Point{{X: best.Value}, {X: best.Value, Y: c.Y1}}})
	if first, last := c.Ticks[0], c.Ticks[len(c.Ticks)-1]; f.Param != sparsity && first > 0 && last >= 10*first {
		c.LogX, c.Ticks = true, nil
	}
	return c
}
