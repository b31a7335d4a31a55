package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/plugins"
	"superres/internal/report"
)

// findings are the results of superres compare, from which the method document builds the report.
type findings struct {
	*comparison
	baselines []baseline // interpolations, and models trained earlier
	results   []result   // ordered by run, then by learner
	forms     []form     // the forms of model built from each learned dictionary
	shownRun  int        // the run whose pictures the page shows: see medianRun
}

// form is a form of model built from a learned dictionary: without or with back-projection.
type form struct {
	title  string                  // its name in tables
	with   string                  // its name in sentences
	scores func(result) []restored // returns the pictures that this form restored in a run
	paper  bool                    // the paper reports errors of this form; false: it does not
}

// forms returns the forms of model that every run builds: without back-projection, as in the paper, and with it.
func (opt Options) forms() []form {
	plain := func(r result) []restored { return r.Plain }
	projected := func(r result) []restored { return r.Projected }
	back := fmt.Sprintf("with %s", console.Count(opt.Protocol.back, "back-projection"))
	return []form{
		{title: "as in the paper", with: "as in the paper, without back-projection", scores: plain, paper: true},
		{title: back, with: back, scores: projected},
	}
}

// shown returns the form of model in the headline and the pictures on the page: the form in the paper.
func (f findings) shown() form { return f.forms[0] }

// nfe describes the score in the protocols that restore pictures: the error ‖Î − I‖²_F / ‖I‖²_F.
var nfe = report.Measure{Name: "error", Format: "%.4f", Say: "an error of %.4f"}

// average returns the error (NFE: see nfe) for test picture number test or, if test is -1, the mean over all test
// pictures. Undefined errors are left out. It is NaN if no error is defined.
func average(scores []restored, test int) float64 {
	if test >= 0 {
		scores = scores[test : test+1]
	}
	sum, count := 0.0, 0
	for _, s := range scores {
		if s.NFE != nil {
			sum, count = sum+*s.NFE, count+1
		}
	}
	return sum / float64(count) // 0/0 is NaN
}

// inRun returns the result of a learner in a run, as a pointer into f.results, or nil if the run failed.
func (f findings) inRun(run int, learner string) *result {
	for i, r := range f.results {
		if r.Learner == learner && r.Run == run && r.Failure == "" {
			return &f.results[i]
		}
	}
	return nil
}

// inRuns returns a figure of a learner for every run, or NaN for a run that failed.
func (f findings) inRuns(learner string, figure func(result) float64) (list []float64) {
	for run := range f.opt.Protocol.runs {
		v := math.NaN()
		if r := f.inRun(run, learner); r != nil {
			v = figure(*r)
		}
		list = append(list, v)
	}
	return list
}

// runs returns the error of a learner in every run, for the pictures that test selects as in average; NaN if undefined.
func (f findings) runs(kind form, learner string, test int) []float64 {
	return f.inRuns(learner, func(r result) float64 { return average(kind.scores(r), test) })
}

// byPicture reports whether learners are compared over the test pictures instead of over the runs, which are fewer.
func (f findings) byPicture() bool { return len(f.data.tests) > f.opt.Protocol.runs }

// problems returns score(-1), a value for every run, or, if byPicture is true, the mean of score(test) for every test.
func (f findings) problems(score func(test int) []float64) (list []float64) {
	if !f.byPicture() {
		return score(-1)
	}
	for test := range f.data.tests {
		v, _ := report.Mean(report.Defined(score(test)))
		list = append(list, v)
	}
	return list
}

// contest returns the comparison of plain interpolations, the DCT and the learners for one form of model. The column
// told says what a learner is given besides the patches: K, the number of atoms, and S, how many a code has.
func (f findings) contest(kind form) report.Contest {
	c := report.Contest{Title: "ranking, " + kind.title, Measure: nfe, Kind: "learner", Problems: "runs",
		Columns: []string{"told", "non-zeros"}}
	if f.byPicture() {
		c.Problems = "pictures"
	}
	dash := report.Cell{Text: "–"}
	for _, b := range f.baselines {
		if b.plain {
			c.Entrants = append(c.Entrants, report.Entrant{Name: f.title(b), Seconds: math.NaN(),
				Scores: f.problems(func(test int) []float64 { return f.given(b, test) }),
				More:   []report.Cell{dash, dash}})
		}
	}
	for _, name := range f.opt.dictionaries() {
		seconds, _ := report.Mean(report.Defined(f.inRuns(name, func(r result) float64 { return r.Seconds })))
		e := report.Entrant{Name: name, Learns: name != fixedDCT, Seconds: seconds, Mark: f.falling(name),
			Scores: f.problems(func(test int) []float64 { return f.runs(kind, name, test) }),
			More:   []report.Cell{{Text: plugins.Told(f.specs[name], f.opt.Protocol.sparsity)}, f.nonZeros(name)}}
		if !e.Learns {
			e.Seconds = math.NaN()
		}
		c.Entrants = append(c.Entrants, e)
	}
	return c
}

// given returns the score of a baseline, which is the same in every run, as a list with an entry for every run.
func (f findings) given(b baseline, test int) []float64 {
	return slices.Repeat([]float64{average(b.scores, test)}, f.opt.Protocol.runs)
}

// falling returns a text on the number of runs that ended while a learner's error still fell, or "" if none did.
func (f findings) falling(learner string) string {
	count := 0
	for run := range f.opt.Protocol.runs {
		if r := f.inRun(run, learner); r != nil && r.Falling {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s: the error still fell at the last iteration in %s.", learner, console.Count(count, "run"))
}

// nonZeros returns the mean number of non-zeros in the codes of a learner. If the learner chooses this number itself, a
// footnote of the cell gives the error of its patches when they are coded as for all other learners.
func (f findings) nonZeros(learner string) report.Cell {
	mean := func(figure func(result) float64) float64 {
		m, _ := report.Mean(report.Defined(f.inRuns(learner, figure)))
		return m
	}
	c := report.Cell{Text: report.Number("%.2f", mean(func(r result) float64 { return r.NonZeros }))}
	if coded := mean(func(r result) float64 { return r.Coded }); plugins.Coderless(f.specs[learner]) &&
		!math.IsNaN(coded) {
		c.Mark = fmt.Sprintf("%s has no coder, and chooses the number of non-zeros of its own codes, with which its "+
			"patches have an RMSE of %.4f. Pictures are restored with %s, as for all others; coded so, its patches "+
			"have an RMSE of %.4f.", learner, mean(func(r result) float64 { return r.RMSE }), f.opt.Coder, coded)
	}
	return c
}

// medianRun returns the run, among the first maxRuns, in which the difference between the best and the second-best
// learner is the median (of two in the middle the smaller), for the form of model that the page shows. The pictures of
// later runs are not stored. It is run 0 if there are no two learners with defined errors in a run.
func (f findings) medianRun() int {
	first, next := f.rivals()
	a, b := f.runs(f.shown(), first, -1), f.runs(f.shown(), next, -1)
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

// table returns the table of the errors, with a row for each test picture and a row for the mean, and a column for each
// baseline and each learner. Each row marks the learner or baseline that beats all others by more than chance explains.
// Below a row for which the paper reports errors, a second row has the errors from the paper.
func (f findings) table(kind form) report.Table {
	t := report.Table{Title: nfe.Name + ", " + kind.title, Head: []string{"picture"}}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.dictionaries()...)
	for test := range len(f.data.tests) + 1 {
		name, index := "mean", -1 // index is the argument test of average
		if test < len(f.data.tests) {
			name, index = f.data.tests[test].name, test
		}
		row, paper := []report.Cell{{Text: name}}, []report.Cell{{Text: "  the paper"}}
		var scores [][]float64
		add := func(text string, list []float64) {
			row, scores = append(row, report.Cell{Text: text}), append(scores, list)
		}
		compared := func(score func(test int) []float64) []float64 { // the list that report.Best compares
			if index >= 0 {
				return score(index)
			}
			return f.problems(score)
		}
		for _, b := range f.baselines {
			score := func(test int) []float64 { return f.given(b, test) }
			add(report.Number(nfe.Format, average(b.scores, index)), compared(score))
			paper = append(paper, report.Cell{Text: "–"})
		}
		for _, learner := range f.opt.dictionaries() {
			score := func(test int) []float64 { return f.runs(kind, learner, test) }
			add(report.Estimate(nfe.Format, score(index)), compared(score))
			paper = append(paper, f.paper(learner, index))
		}
		if best := report.Best(scores); best >= 0 {
			row[best+1].Best = true
		}
		t.Rows = append(t.Rows, row)
		if kind.paper && slices.ContainsFunc(paper, func(c report.Cell) bool { return c.Mark != "" }) {
			t.Rows = append(t.Rows, paper)
		}
	}
	return t
}

// paper returns the error that the paper reports for test picture number test or, if test is -1, the mean over the test
// pictures; a dash if the paper reports no error. A mark says why the errors computed here differ.
func (f findings) paper(learner string, test int) report.Cell {
	tests := f.data.tests
	if test >= 0 {
		tests = tests[test : test+1]
	}
	var list []float64
	for _, t := range tests {
		if v, ok := t.paper[learner]; ok {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return report.Cell{Text: "–"}
	}
	m, _ := report.Mean(list)
	why := "The paper's errors of BLOTLESS, K-SVD and MOD are three to five times that of the low resolution itself, " +
		"which no average of patches coded over these dictionaries comes to here; it states neither the picture that " +
		"was learned from nor how patches were coded."
	if learner == "rop" {
		why = "The paper states neither the penalty of its ROP nor the picture that was learned from; its iteration " +
			"as published is rop:paper."
	}
	return report.Cell{Text: fmt.Sprintf("%.4f", m), Mark: why}
}

// learning returns a table with a row of means over the successful runs for each dictionary. Each RMSE is of the
// training patches: at the end, at its least, and as the coder codes them. A failure is noted beside the name.
func (f findings) learning() report.Table {
	t := report.Table{Title: "learning", Head: []string{"learner", "seconds", "iterations", "RMSE of the patches",
		"least RMSE", "non-zeros a patch", "RMSE by " + f.opt.Coder, "atoms used", "coherence"}}
	for _, learner := range f.opt.dictionaries() {
		external, failure := "", ""
		for _, r := range f.results {
			if r.Learner == learner && r.Program != "" {
				external = " external"
			}
			if r.Learner == learner && r.Failure != "" {
				failure = r.Failure
			}
		}
		row := []report.Cell{{Text: learner, Note: failure}}
		for _, v := range []struct {
			format string
			of     func(result) float64
		}{
			{"%.2f" + external, func(r result) float64 { return r.Seconds }},
			{"%.0f", func(r result) float64 {
				if r.Iterations == 0 { // the learner does not report iterations
					return math.NaN()
				}
				return float64(r.Iterations)
			}},
			{"%.5f", func(r result) float64 { return r.RMSE }}, {"%.5f", func(r result) float64 { return r.Least }},
			{"", nil}, // stands for f.nonZeros
			{"%.5f", func(r result) float64 { return r.Coded }},
			{"%.1f", func(r result) float64 { return float64(r.Used) }},
			{"%.4f", func(r result) float64 { return r.Coherence }},
		} {
			if v.of == nil {
				row = append(row, f.nonZeros(learner))
				continue
			}
			m, _ := report.Mean(report.Defined(f.inRuns(learner, v.of)))
			row = append(row, report.Cell{Text: report.Number(v.format, m)})
		}
		row[3].Mark = f.falling(learner) // beside the RMSE
		t.Rows = append(t.Rows, row)
	}
	return t
}

// title returns the name of a baseline in tables.
func (f findings) title(b baseline) string {
	if b.name == "nearest" {
		return "low resolution"
	}
	return b.name
}

func (f findings) rivals() (first, next string) { return f.contest(f.shown()).Rivals() }

// contrast is a test picture on the page, with the errors of the best two learners in the run shown; NaN if undefined.
type contrast struct {
	test        int
	first, next float64
}

// contrasts returns the test pictures that the page shows, at most maxShown: the pictures on which the best and the
// second-best learner differ most, in decreasing order of the difference.
func (f findings) contrasts() (list []contrast) {
	first, next := f.rivals()
	score := func(test int, learner string) float64 {
		if r := f.inRun(f.shownRun, learner); r != nil {
			return average(f.shown().scores(*r), test)
		}
		return math.NaN()
	}
	for test := range f.data.tests {
		if test >= maxKept || f.shownRun > 0 && test >= maxShown { // later pictures were not stored
			break
		}
		list = append(list, contrast{test, score(test, first), score(test, next)})
	}
	slices.SortStableFunc(list, func(a, b contrast) int {
		return cmp.Compare(math.Abs(b.first-b.next), math.Abs(a.first-a.next)) // NaN comes last
	})
	return list[:min(len(list), maxShown)]
}

// explain returns a text: why the run is shown, how the rivals differ on the first picture, and the order of the rest.
func (f findings) explain(pictures []contrast) string {
	text := ""
	first, next := f.rivals()
	if f.opt.Protocol.runs > 1 && next != "" {
		of := "all"
		if f.opt.Protocol.runs > maxRuns {
			of = fmt.Sprintf("the first %d", maxRuns)
		}
		text = fmt.Sprintf("In this run the difference between %s and %s is the median of %s. ", first, next, of)
	}
	if len(pictures) > 0 && !math.IsNaN(pictures[0].first-pictures[0].next) {
		c := pictures[0]
		text += fmt.Sprintf("They differ most on %s: %s has %s, %s %s. ", f.data.tests[c.test].name, first,
			fmt.Sprintf(nfe.Say, c.first), next, fmt.Sprintf(nfe.Say, c.next))
		if len(pictures) > 1 {
			text += "The other pictures follow in the order of that difference. "
		}
	}
	if more := len(f.data.tests) - len(pictures); more > 0 {
		text += fmt.Sprintf("%d pictures are not shown. ", more)
	}
	return text
}

// verdicts returns the findings as text: first for the form of model that the page shows, then for the other form.
func (f findings) verdicts() (list []string) {
	shown := f.shown()
	c := f.contest(shown)
	list = append(list, c.Headline()+".")
	if first, _ := c.Rivals(); first != "" {
		list = append(list, "That is "+shown.with+". "+c.Evidence())
	}
	for _, kind := range f.forms[1:] {
		other := f.contest(kind)
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s%s: %s. %s", strings.ToUpper(kind.with[:1]), kind.with[1:],
			other.Headline(), other.Evidence())))
	}
	return list
}
