package comparison

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
)

// verdicts returns for each kind of model the text of verdict by the first measure.
func (f findings) verdicts() []string {
	var list []string
	for _, kind := range f.forms {
		list = append(list, f.verdict(f.measures()[0], kind))
	}
	return list
}

// verdict returns sentences that compare the learner of the best mean of m with the next best and the best baseline.
func (f findings) verdict(m measure, kind form) string {
	// Values are multiplied by sign, so that smaller ones are better.
	sign := -1.0
	if m.less {
		sign = 1
	}
	mean := map[string]float64{}
	var order []string
	for _, learner := range f.opt.Learners {
		if v, _ := report.Mean(f.values(m, kind, learner, -1)); !math.IsNaN(v) {
			mean[learner] = sign * v
			order = append(order, learner)
		}
	}
	format := func(v float64) string { return fmt.Sprintf(m.say, sign*v) }
	with := "as in the paper"
	if !kind.paper || f.opt.Protocol.photo {
		with = "with " + kind.title
	}
	if !kind.paper && !f.opt.Protocol.photo {
		with = kind.title
	}
	if len(order) == 0 {
		return fmt.Sprintf("No learner restored anything %s.", with)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(mean[a], mean[b]) })
	first := order[0]
	text := fmt.Sprintf("%s restores %s with %s in the mean; there is nobody to compare it with.", first, with,
		format(mean[first]))
	if len(order) > 1 {
		next := order[1]
		a, what := f.problems(m, kind, first, sign)
		b, _ := f.problems(m, kind, next, sign)
		duel := report.Judge(a, b)
		if duel.Decided() {
			text = fmt.Sprintf("%s restores best %s: %s in the mean, %s, the next, %s (%s).", first, with,
				format(mean[first]), next, format(mean[next]), duel.In(what))
		} else {
			text = fmt.Sprintf("No learner is shown to restore best %s: %s has %s in the mean, %s, the next, %s, "+
				"but that may be chance (%s).",
				with, first, format(mean[first]), next, format(mean[next]), duel.In(what))
		}
	}
	best, name := math.Inf(1), ""
	for _, b := range f.baselines {
		if v := sign * average(m, b.scores, -1); v < best {
			best, name = v, f.title(b)
		}
	}
	switch {
	case name == "":
		return text
	case best < mean[first]:
		return fmt.Sprintf("%s None comes up to %s, with %s.", text, name, format(best))
	}
	return fmt.Sprintf("%s The best of what was there already, %s, has %s.", text, name, format(best))
}

// problems returns the scores of a learner, times sign: one for every run or, where there are more test pictures than
// runs, one for every test picture. A missing score is NaN. what is "runs" or "pictures" accordingly.
func (f findings) problems(m measure, kind form, learner string, sign float64) (list []float64, what string) {
	if len(f.data.tests) > f.opt.Protocol.runs {
		for i := range f.data.tests {
			v, _ := report.Mean(f.values(m, kind, learner, i))
			list = append(list, sign*v)
		}
		return list, "pictures"
	}
	list = slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, r := range f.results {
		if r.Learner == learner && r.Failure == "" && r.Run < len(list) {
			list[r.Run] = sign * average(m, kind.scores(r), -1)
		}
	}
	return list, "runs"
}

// writeTables calls write with each of f.tables and w, up to the first error.
func (f findings) writeTables(write func(report.Table, io.Writer) error, w io.Writer) error {
	for _, t := range f.tables {
		if err := write(t, w); err != nil {
			return err
		}
	}
	return nil
}

// csv writes the tables with blank lines between them.
func (f findings) csv(w io.Writer) error {
	for _, t := range f.tables {
		t.Head = append([]string{t.Title}, t.Head[1:]...) // in a copy of the head, which other formats use
		if err := t.CSV(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// markdown writes the tables.
func (f findings) markdown(w io.Writer) error { return f.writeTables(report.Table.Markdown, w) }

// latex writes the tables.
func (f findings) latex(w io.Writer) error { return f.writeTables(report.Table.LaTeX, w) }

// json writes the command and every run, without pictures. For a failed run it writes only the task and the failure.
func (f findings) json(w io.Writer) error {
	scores := func(list []restored) []scoring.Cell {
		var out []scoring.Cell
		for _, s := range list {
			out = append(out, s.Cell)
		}
		return out
	}
	type run struct {
		result
		Plain     []scoring.Cell `json:"plain"`
		Projected []scoring.Cell `json:"back_projected"`
		Mosaic    []byte         `json:"mosaic,omitempty"`
	}
	var runs []any
	for _, r := range f.results {
		if r.Failure != "" {
			runs = append(runs, struct {
				task
				Failure string `json:"failure"`
			}{r.task, r.Failure})
			continue
		}
		runs = append(runs, run{r, scores(r.Plain), scores(r.Projected), nil})
	}
	var names []paths.Name
	for _, t := range f.data.tests {
		names = append(names, paths.Name(t.name))
	}
	base := map[string][]scoring.Cell{}
	for _, b := range f.baselines {
		base[b.name] = scores(b.scores)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": paths.Name(f.opt.command), "version": console.Version,
		"pictures": names, "baselines": base, "runs": runs})
}

// text writes the tables for a terminal.
func (f findings) text(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, t := range f.tables {
		fmt.Fprintf(tab, "%s\t%s\t\n", t.Title, strings.Join(t.Head[1:], "\t"))
		for _, row := range t.Rows {
			for _, c := range row {
				fmt.Fprintf(tab, "%s\t", c.Text)
			}
			fmt.Fprintln(tab)
		}
		fmt.Fprintln(tab, "\t")
	}
	return tab.Flush()
}
