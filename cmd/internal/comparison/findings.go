package comparison

import (
	"fmt"
	"math"

	"superres/cmd/internal/console"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
)

// findings are the results of superres compare, and what they come to.
type findings struct {
	*comparison
	// baselines are what needs no learning.
	baselines []baseline
	// results are by run and learner.
	results []result
	// forms are the ways in which learners made models.
	forms []form
	// tables are what the report says in figures, the same in every format.
	tables []report.Table
}

// newFindings makes the tables.
func newFindings(cmp *comparison, baselines []baseline, results []result) findings {
	f := findings{comparison: cmp, baselines: baselines, results: results, forms: cmp.opt.forms()}
	for _, m := range f.measures() {
		for _, way := range f.forms {
			f.tables = append(f.tables, f.table(m, way))
		}
	}
	f.tables = append(f.tables, f.learning())
	return f
}

// form is a way to make models of learners.
type form struct {
	// title is what tables call it.
	title string
	// scores picks what a model restored out of a result.
	scores func(result) []restored
	// paper says that it is the paper's.
	paper bool
}

// forms are the ways to make models.
func (opt Options) forms() []form {
	plain := func(one result) []restored { return one.Plain }
	projected := func(one result) []restored { return one.Projected }
	list := []form{
		{title: "as in the paper", scores: plain, paper: true},
		{title: fmt.Sprintf("with %d back-projections", opt.Protocol.back), scores: projected},
	}
	if opt.Protocol.photo {
		for i := range list {
			list[i].title = "coupled stages " + list[i].title
		}
	}
	return list
}

// measure is a kind of score.
type measure struct {
	// name is what tables call it.
	name string
	// format is how it is printed.
	format string
	// say puts it into a sentence.
	say string
	// less says that less is better, as of errors; else more is.
	less bool
	// of picks it out of the scores of a picture. It is nil where it is not defined.
	of func(scoring.Cell) *float64
}

// measures are those of the protocol.
func (f findings) measures() []measure {
	if f.opt.Protocol.photo {
		return []measure{
			{"PSNR in dB", "%.2f", "%.2f dB", false, func(c scoring.Cell) *float64 { return c.PSNR }},
			{"SSIM", "%.4f", "an SSIM of %.4f", false, func(c scoring.Cell) *float64 { return c.SSIM }},
		}
	}
	return []measure{{"error", "%.4f", "an error of %.4f", true, func(c scoring.Cell) *float64 { return c.NFE }}}
}

// values returns a measure of one test, or of their mean (test −1), in all runs of a
// learner that did not fail.
func (f findings) values(m measure, way form, learner string, test int) []float64 {
	var list []float64
	for _, one := range f.results {
		if one.Learner != learner || one.Failure != "" {
			continue
		}
		if v := average(m, way.scores(one), test); !math.IsNaN(v) {
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

// table has a row for each test and one for their mean, a column for each baseline
// and learner. The best is that of the learners, who are compared.
func (f findings) table(m measure, way form) report.Table {
	t := report.Table{Title: m.name + ", " + way.title, Head: []string{"picture"}}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.Learners...)
	for test := range len(f.data.tests) + 1 {
		name, index := "mean", -1
		if test < len(f.data.tests) {
			name, index = f.data.tests[test].name, test
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
		for _, b := range f.baselines {
			row = append(row, report.Cell{Text: console.Figure(m.format, average(m, b.scores, index))})
		}
		for _, learner := range f.opt.Learners {
			values := f.values(m, way, learner, index)
			mu, sd := report.Mean(values)
			better(mu)
			c := report.Cell{Text: console.Figure(m.format, mu)}
			if len(values) > 1 {
				c.Text += " ± " + console.Figure(m.format, sd)
			}
			if paper, ok := f.paper(learner, index); ok && way.paper {
				c.Note = fmt.Sprintf("paper %.4f", paper)
			}
			row = append(row, c)
		}
		if at >= 0 && len(f.opt.Learners) > 1 {
			row[at].Best = true
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// paper returns the paper's figure for a test, or the mean of its figures (test −1).
func (f findings) paper(learner string, test int) (float64, bool) {
	tests := f.data.tests
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
func (f findings) learning() report.Table {
	t := report.Table{
		Title: "learning", Head: []string{"learner", "seconds", "iterations", "RMSE of the patches", "non-zeros a patch", "atoms used", "coherence"},
	}
	for _, learner := range f.opt.Learners {
		var seconds, iterations, rmse, nonZeros, used, coherent []float64
		failure, external := "", ""
		for _, one := range f.results {
			switch {
			case one.Learner != learner:
			case one.Failure != "":
				failure = one.Failure
			default:
				if one.Program != "" {
					external = " external"
				}
				if one.Iterations > 0 {
					iterations = append(iterations, float64(one.Iterations))
				}
				seconds, rmse = append(seconds, one.Seconds), append(rmse, one.RMSE)
				nonZeros, used, coherent = append(nonZeros, one.NonZeros), append(used, float64(one.Used)), append(coherent, one.Coherence)
			}
		}
		row := []report.Cell{{Text: learner, Note: failure}}
		for _, v := range []struct {
			format string
			list   []float64
		}{{"%.2f" + external, seconds}, {"%.0f", iterations}, {"%.5f", rmse}, {"%.2f", nonZeros}, {"%.1f", used}, {"%.4f", coherent}} {
			m, _ := report.Mean(v.list)
			row = append(row, report.Cell{Text: console.Figure(v.format, m)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// title is what a baseline is called in a table.
func (f findings) title(b baseline) string {
	if b.name == "nearest" && !f.opt.Protocol.photo {
		return "low resolution"
	}
	return b.name
}
