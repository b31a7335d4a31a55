package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
	"superres/learners"
)

// findings are the results of superres compare, which its report presents.
type findings struct {
	*comparison
	baselines []baseline     // the models that need no learning
	results   []result       // in the order of runs, then of learners
	forms     []form         // the kinds of models that were made of learned dictionaries
	tables    []report.Table // the figures of the report, which are the same in every format: rankings come first
	shownRun  int            // the run whose pictures the page shows: see medianRun
}

// newFindings returns the findings with their tables.
func newFindings(cmp *comparison, baselines []baseline, results []result) findings {
	f := findings{comparison: cmp, baselines: baselines, results: results, forms: cmp.opt.forms()}
	f.shownRun = f.medianRun()
	for _, kind := range f.forms {
		f.tables = append(f.tables, f.rankingTable(f.measures()[0], kind))
	}
	for _, m := range f.measures() {
		for _, kind := range f.forms {
			f.tables = append(f.tables, f.table(m, kind))
		}
	}
	f.tables = append(f.tables, f.learning())
	return f
}

// form is a kind of model that is made of a learned dictionary: without or with back-projection.
type form struct {
	title  string                  // its name in tables
	with   string                  // its name in sentences
	scores func(result) []restored // returns the pictures of a run that this kind of model restored
	paper  bool                    // the paper makes this kind of model; false: it does not
}

// forms returns the kinds of models that every run makes: as in the paper, and with back-projection.
func (opt Options) forms() []form {
	plain := func(r result) []restored { return r.Plain }
	projected := func(r result) []restored { return r.Projected }
	back := fmt.Sprintf("with %s", console.Count(opt.Protocol.back, "back-projection"))
	list := []form{
		{title: "as in the paper", with: "as in the paper, without back-projection", scores: plain, paper: true},
		{title: back, with: back, scores: projected},
	}
	if opt.Protocol.photo {
		for i := range list {
			list[i].title = "coupled stages " + list[i].title
		}
	}
	return list
}

// measure is a score of restored pictures, such as PSNR.
type measure struct {
	name string // the name of the score in tables
	noun string // the name of the score in sentences
	// format is the fmt format of the score in a table, say that in a sentence.
	format, say string
	unit        string                      // what follows a difference of scores, such as " dB"
	less        bool                        // smaller values are better, as for errors; false: larger ones
	of          func(scoring.Cell) *float64 // returns the score of a picture; nil where it is not defined
}

// measures returns the scores of the protocol: PSNR and SSIM for photographs, the error for digits.
func (f findings) measures() []measure {
	if f.opt.Protocol.photo {
		return []measure{
			{"PSNR in dB", "PSNR", "%.2f", "%.2f dB", " dB", false, func(c scoring.Cell) *float64 { return c.PSNR }},
			{"SSIM", "SSIM", "%.4f", "an SSIM of %.4f", "", false, func(c scoring.Cell) *float64 { return c.SSIM }},
		}
	}
	return []measure{
		{"error", "error", "%.4f", "an error of %.4f", "", true, func(c scoring.Cell) *float64 { return c.NFE }},
	}
}

// sign is the factor by which scores are multiplied so that smaller ones are better.
func (m measure) sign() float64 {
	if m.less {
		return 1
	}
	return -1
}

// amount returns a difference of scores, 0 or more, with its unit and the digits of a table. Of one that has zeros
// there, it says that it is less than one of the last digit.
func (m measure) amount(v float64) string {
	text := fmt.Sprintf(m.format, v)
	if v > 0 && strings.Trim(text, "0.") == "" {
		text = "less than " + text[:len(text)-1] + "1"
	}
	return text + m.unit
}

// difference returns a difference of scores, of any sign, with its unit and the digits of a table.
func (m measure) difference(v float64) string {
	return strings.Replace(console.Figure(m.format, v), "-", "−", 1) + m.unit
}

// values returns the measure m of test picture number test in each run of a learner that did not fail. For test -1 it
// returns the mean of m over all test pictures, for each of these runs. Runs without a defined m are left out.
func (f findings) values(m measure, kind form, learner string, test int) []float64 {
	var list []float64
	for _, r := range f.results {
		if r.Learner != learner || r.Failure != "" {
			continue
		}
		if v := average(m, kind.scores(r), test); !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	return list
}

// average returns the measure m of test picture number test or, for test -1, the mean of the defined values of all test
// pictures. It is NaN where none is defined.
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
	return sum / float64(count) // 0/0 is NaN
}

// table returns the table of a measure, with a row for each test picture and one for their mean, and a column for each
// baseline and each learner. In each row the one is marked, learner or baseline, that is ahead of all others by more
// than chance explains.
func (f findings) table(m measure, kind form) report.Table {
	t := report.Table{Title: m.name + ", " + kind.title, Head: []string{"picture"}, Caption: f.caption()}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.dictionaries()...)
	for test := range len(f.data.tests) + 1 {
		name, index := "mean", -1
		if test < len(f.data.tests) {
			name, index = f.data.tests[test].name, test
		}
		row := []report.Cell{{Text: name}}
		var scores [][]float64
		for _, b := range f.baselines {
			row = append(row, report.Cell{Text: console.Figure(m.format, average(m, b.scores, index))})
			scores = append(scores, f.baselineProblems(m, b, index))
		}
		for _, learner := range f.opt.dictionaries() {
			values := f.values(m, kind, learner, index)
			mu, se := report.MeanError(values)
			c := report.Cell{Text: console.Figure(m.format, mu)}
			if len(values) > 1 {
				c.Text += " ± " + console.Figure(m.format, se)
			}
			if paper, ok := f.paper(learner, index); ok && kind.paper {
				c.Note = fmt.Sprintf("paper %.4f", paper)
			}
			row = append(row, c)
			list, _ := f.problems(m, kind, learner)
			if index >= 0 {
				list = f.runs(m, kind, learner, index)
			}
			scores = append(scores, list)
		}
		if best := report.Best(scores); best >= 0 {
			row[best+1].Best = true
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// rankingTable returns the ranking by a measure as a table, the best first. The best learner is in bold where it is
// ahead of every other one by more than chance explains.
func (f findings) rankingTable(m measure, kind form) report.Table {
	r := f.ranking(m, kind)
	t := report.Table{Title: "ranking, " + kind.title, Caption: f.caption(), Head: []string{"ranking", m.name,
		"behind", "95 % interval", "p", "best in " + r.what, "seconds", "told", "non-zeros"}}
	if best := r.best(); best != nil {
		t.Head[2] = "behind " + best.name
	}
	decided := !slices.ContainsFunc(r.others(), func(o standing) bool { return !o.Decided() }) && len(r.others()) > 0
	for _, row := range r.rows {
		cells := []report.Cell{{Text: row.name}, {Text: console.Figure(m.format, m.sign()*row.Mean),
			Best: row.Reference && decided}, {Text: "–"}, {Text: "–"}, {Text: "–"}}
		if !row.Reference && r.best() != nil {
			cells[2].Text = m.difference(row.Pair.Mean)
			if row.N > 1 {
				cells[3].Text = m.difference(row.Low) + " to " + m.difference(row.High)
			}
			cells[4].Text = strings.TrimPrefix(strings.TrimPrefix(report.Probability(row.P), "p "), "= ")
		}
		problems := len(f.data.tests)
		if r.what == "runs" {
			problems = f.opt.Protocol.runs
		}
		cells = append(cells, report.Cell{Text: fmt.Sprintf("%.0f %%", 100*float64(row.Won)/float64(problems))})
		var seconds, nonZeros []float64
		for _, one := range f.results {
			if one.Learner == row.name && one.Failure == "" {
				seconds, nonZeros = append(seconds, one.Seconds), append(nonZeros, one.NonZeros)
			}
		}
		time, _ := report.Mean(seconds)
		count, _ := report.Mean(nonZeros)
		cells = append(cells, report.Cell{Text: console.Figure("%.2f", time)}, report.Cell{Text: f.told(row)},
			report.Cell{Text: console.Figure("%.2f", count)})
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// told returns what a learner knows besides the patches: the number of atoms K and, for its coder, their number S in a
// patch.
func (f findings) told(row standing) string {
	if row.name == fixedDCT {
		return fmt.Sprintf("S = %d", f.opt.Protocol.sparsity)
	}
	if !row.learns {
		return "–"
	}
	spec, _, _ := strings.Cut(f.specs[row.name], ":")
	if learner, err := learners.New(spec); err == nil {
		if _, ok := learner.(learners.Coderless); ok {
			return "K"
		}
	}
	return fmt.Sprintf("K, S = %d", f.opt.Protocol.sparsity)
}

// medianRun returns the run in which the difference between the best learner and the next is the median, by the first
// measure and with the kind of model that the page shows; of those whose pictures are kept.
func (f findings) medianRun() int {
	m, shown := f.measures()[0], f.shown()
	r := f.ranking(m, shown)
	others := r.others()
	if len(others) == 0 || f.opt.Protocol.runs == 1 {
		return 0
	}
	a, b := f.runs(m, shown, r.best().name, -1), f.runs(m, shown, others[0].name, -1)
	var order []int
	for run := range min(len(a), maxRuns) {
		if !math.IsNaN(b[run] - a[run]) {
			order = append(order, run)
		}
	}
	if len(order) == 0 {
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b[i]-a[i], b[j]-a[j]) })
	return order[(len(order)-1)/2]
}

// caption says what the figures of the tables are means of, and what made them.
func (f findings) caption() string {
	return fmt.Sprintf("Means ± standard errors of %s, seed %d, protocol %s, superres %s. Bold: ahead of every other "+
		"by the signed-rank test at 5 %%.", console.Count(f.opt.Protocol.runs, "run"), f.opt.Seed, f.opt.Protocol.name,
		console.Build())
}

// runs returns the scores of a learner on a test picture, times m.sign(), one for every run; NaN where it has none.
func (f findings) runs(m measure, kind form, learner string, test int) []float64 {
	list := slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, r := range f.results {
		if r.Learner == learner && r.Failure == "" && r.Run < len(list) {
			list[r.Run] = m.sign() * average(m, kind.scores(r), test)
		}
	}
	return list
}

// baselineProblems returns the scores of a baseline, times m.sign(), on the same problems as those of problems, or for
// a test picture of runs; a baseline is the same in every run.
func (f findings) baselineProblems(m measure, b baseline, test int) (list []float64) {
	if test < 0 && len(f.data.tests) > f.opt.Protocol.runs {
		for i := range f.data.tests {
			list = append(list, m.sign()*average(m, b.scores, i))
		}
		return list
	}
	return slices.Repeat([]float64{m.sign() * average(m, b.scores, test)}, f.opt.Protocol.runs)
}

// paper returns the paper's error for test picture number test or, for test -1, the mean of the paper's errors. The
// result is false where the paper has none.
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

// learning returns the table of the means over the runs of each learner: seconds, iterations, errors and dictionaries.
func (f findings) learning() report.Table {
	t := report.Table{
		Title: "learning", Caption: f.caption(), Head: []string{"learner", "seconds", "iterations",
			"RMSE of the patches", "least RMSE", "non-zeros a patch", "RMSE by " + f.opt.Coder, "atoms " +
				"used", "coherence"},
	}
	for _, learner := range f.opt.dictionaries() {
		var seconds, iterations, rmse, least, nonZeros, coded, used, coherent []float64
		failure, external, falling := "", "", 0
		for _, r := range f.results {
			switch {
			case r.Learner != learner:
			case r.Failure != "":
				failure = r.Failure
			default:
				if r.Program != "" {
					external = " external"
				}
				if r.Iterations > 0 {
					iterations = append(iterations, float64(r.Iterations))
				}
				if r.Falling {
					falling++
				}
				seconds, rmse, least = append(seconds, r.Seconds), append(rmse, r.RMSE), append(least, r.Least)
				nonZeros, coded = append(nonZeros, r.NonZeros), append(coded, r.Coded)
				used, coherent = append(used, float64(r.Used)), append(coherent, r.Coherence)
			}
		}
		note := failure
		if falling > 0 {
			note = fmt.Sprintf("still falling at the last iteration in %s", console.Count(falling, "run"))
		}
		row := []report.Cell{{Text: learner, Note: note}}
		for _, v := range []struct {
			format string
			list   []float64
		}{{"%.2f" + external, seconds}, {"%.0f", iterations}, {"%.5f", rmse}, {"%.5f", least}, {"%.2f", nonZeros},
			{"%.5f", coded}, {"%.1f", used},
			{"%.4f", coherent}} {
			m, _ := report.Mean(v.list)
			row = append(row, report.Cell{Text: console.Figure(v.format, m)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// title returns the name of a baseline in tables.
func (f findings) title(b baseline) string {
	if b.name == "nearest" && !f.opt.Protocol.photo {
		return "low resolution"
	}
	return b.name
}
