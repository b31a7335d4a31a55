package comparison

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
	"superres/superres/anchored"
)

// comparisonReport shows the results of superres compare.
type comparisonReport struct {
	*comparison
	command   string
	baselines []baseline
	results   []comparisonResult // by run, learner
	forms     []form
	tables    []report.Table // what the report says in figures, the same in every format
}

// form is a way to make models of learners.
type form struct {
	title    string
	stage    string // the kind of stage
	learners []string
	anchors  bool
	scores   func(comparisonResult) []restored
	paper    bool // it is the paper's
}

func (r comparisonReport) makeForms() []form {
	plain := func(one comparisonResult) []restored { return one.Plain }
	projected := func(one comparisonResult) []restored { return one.Projected }
	list := []form{
		{title: "as in the paper", stage: "coupled", learners: r.learners, scores: plain, paper: true},
		{title: fmt.Sprintf("with %d back-projections", r.protocol.back), stage: "coupled", learners: r.learners, scores: projected},
	}
	if !r.protocol.photo {
		return list
	}
	for i := range list {
		list[i].title = "coupled stages " + list[i].title
	}
	anchors := append([]string{anchored.SphericalMeans}, r.learners...)
	return append([]form{{title: "anchored stages by their anchors", stage: "anchored", learners: anchors, anchors: true, scores: plain}}, list...)
}

// measure is a score with its name; less is better for errors, more for dB.
type measure struct {
	name   string
	format string
	less   bool
	of     func(scoring.Cell) *float64
}

func (r comparisonReport) measures() []measure {
	if r.protocol.photo {
		return []measure{
			{"PSNR in dB", "%.2f", false, func(c scoring.Cell) *float64 { return c.PSNR }},
			{"SSIM", "%.4f", false, func(c scoring.Cell) *float64 { return c.SSIM }},
		}
	}
	return []measure{{"error", "%.4f", true, func(c scoring.Cell) *float64 { return c.NFE }}}
}

// values returns a measure of one test, or of their mean (test −1), over the runs of
// a learner.
func (r comparisonReport) values(m measure, f form, learner string, test int) []float64 {
	var list []float64
	for _, one := range r.results {
		if one.Learner != learner || one.Anchors != f.anchors || one.Failure != "" {
			continue
		}
		if v := average(m, f.scores(one), test); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

// average is the score of one test, or the mean of all that are defined (test −1).
func average(m measure, scores []restored, test int) float64 {
	if test >= 0 {
		scores = scores[test : test+1]
	}
	sum, count := 0.0, 0
	for _, s := range scores {
		if v := m.of(s.Cell); v != nil {
			sum, count = sum+*v, count+1
		}
	}
	return sum / float64(count) // NaN when none is
}

func (r comparisonReport) makeTables() []report.Table {
	var list []report.Table
	for _, m := range r.measures() {
		for _, f := range r.forms {
			list = append(list, r.table(m, f))
		}
	}
	return append(list, r.learning())
}

// table has a row for each test and one for their mean, a column for each baseline
// and learner.
func (r comparisonReport) table(m measure, f form) report.Table {
	t := report.Table{Title: m.name + ", " + f.title, Head: []string{"picture"}}
	for _, b := range r.baselines {
		t.Head = append(t.Head, r.title(b))
	}
	t.Head = append(t.Head, f.learners...)
	for test := range len(r.tests) + 1 {
		name, index := "mean", -1
		if test < len(r.tests) {
			name, index = r.tests[test].name, test
		}
		row := []report.Cell{{Text: name}}
		best, at := math.Inf(1), -1
		better := func(v float64) {
			if !m.less {
				v = -v
			}
			if v < best {
				best, at = v, len(row)
			}
		}
		for _, b := range r.baselines {
			v := average(m, b.scores, index)
			better(v)
			row = append(row, report.Cell{Text: console.Figure(m.format, v)})
		}
		for _, learner := range f.learners {
			values := r.values(m, f, learner, index)
			mu, sd := report.Mean(values)
			better(mu)
			c := report.Cell{Text: console.Figure(m.format, mu)}
			if len(values) > 1 {
				c.Text += " ± " + console.Figure(m.format, sd)
			}
			if paper, ok := r.paper(learner, index); ok && f.paper {
				c.Note = fmt.Sprintf("paper %.4f", paper)
			}
			row = append(row, c)
		}
		if at >= 0 {
			row[at].Best = true
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// paper returns the paper's figure for a test, or the mean of its figures (test −1).
func (r comparisonReport) paper(learner string, test int) (float64, bool) {
	tests := r.tests
	if test >= 0 {
		tests = tests[test : test+1]
	}
	sum, count := 0.0, 0
	for _, t := range tests {
		if v, ok := t.paper[learner]; ok {
			sum, count = sum+v, count+1
		}
	}
	return sum / float64(max(count, 1)), count > 0
}

// learning tells what the learners did.
func (r comparisonReport) learning() report.Table {
	t := report.Table{
		Title: "learning", Head: []string{"learner", "seconds", "iterations", "RMSE of the patches", "non-zeros a patch", "atoms used", "coherence"},
	}
	for _, learner := range r.learners {
		var seconds, iterations, rmse, nonZeros, used, coherent []float64
		failure := ""
		for _, one := range r.results {
			switch {
			case one.Learner != learner || one.Anchors:
			case one.Failure != "":
				failure = one.Failure
			default:
				seconds, iterations, rmse = append(seconds, one.Seconds), append(iterations, float64(one.Iterations)), append(rmse, one.RMSE)
				nonZeros, used, coherent = append(nonZeros, one.NonZeros), append(used, float64(one.Used)), append(coherent, one.Coherence)
			}
		}
		row := []report.Cell{{Text: learner, Note: failure}}
		for _, v := range []struct {
			format string
			list   []float64
		}{{"%.2f", seconds}, {"%.0f", iterations}, {"%.5f", rmse}, {"%.2f", nonZeros}, {"%.1f", used}, {"%.4f", coherent}} {
			m, _ := report.Mean(v.list)
			row = append(row, report.Cell{Text: console.Figure(v.format, m)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// title is what a baseline is called in a table.
func (r comparisonReport) title(b baseline) string {
	if b.name == "nearest" && !r.protocol.photo {
		return "low resolution"
	}
	return b.name
}

func (r comparisonReport) each(write func(report.Table, io.Writer) error, w io.Writer) error {
	for _, t := range r.tables {
		if err := write(t, w); err != nil {
			return err
		}
	}
	return nil
}

func (r comparisonReport) csv(w io.Writer) error {
	for _, t := range r.tables {
		t.Head = append([]string{t.Title}, t.Head[1:]...) // the others need it as it is
		if err := t.CSV(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (r comparisonReport) markdown(w io.Writer) error { return r.each(report.Table.Markdown, w) }

func (r comparisonReport) latex(w io.Writer) error { return r.each(report.Table.LaTeX, w) }

// json writes how the results came to be, and every run, without its pictures.
func (r comparisonReport) json(w io.Writer) error {
	bare := func(list []restored) []scoring.Cell {
		var out []scoring.Cell
		for _, s := range list {
			out = append(out, s.Cell)
		}
		return out
	}
	type run struct {
		comparisonResult
		Plain     []scoring.Cell `json:"plain"`
		Projected []scoring.Cell `json:"back_projected"`
		Mosaic    []byte         `json:"mosaic,omitempty"`
	}
	var runs []run
	for _, one := range r.results {
		runs = append(runs, run{one, bare(one.Plain), bare(one.Projected), nil})
	}
	var names []string
	for _, t := range r.tests {
		names = append(names, t.name)
	}
	base := map[string][]scoring.Cell{}
	for _, b := range r.baselines {
		base[b.name] = bare(b.scores)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": r.command, "version": console.Version, "pictures": names, "baselines": base, "runs": runs})
}

// text writes the mean rows for a terminal.
func (r comparisonReport) text(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, t := range r.tables {
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
