package app

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"

	"superres/internal/report"
)

// comparisonReport shows the results of superres compare.
type comparisonReport struct {
	*comparison
	command   string
	baselines []baseline
	results   []comparisonResult // by run, learner
	tables    []report.Table     // what the report says in figures, the same in every format
}

// measure is a score with its name; less is better for errors, more for dB.
type measure struct {
	name   string
	format string
	less   bool
	of     func(cell) *float64
}

func (r comparisonReport) measures() []measure {
	if r.protocol.photo {
		return []measure{
			{"PSNR in dB", "%.2f", false, func(c cell) *float64 { return c.PSNR }},
			{"SSIM", "%.4f", false, func(c cell) *float64 { return c.SSIM }},
		}
	}
	return []measure{{"error", "%.4f", true, func(c cell) *float64 { return c.NFE }}}
}

// values returns a measure of one test, or of their mean (test −1), over the runs of
// a learner.
func (r comparisonReport) values(m measure, learner string, projected bool, test int) []float64 {
	var list []float64
	for _, one := range r.results {
		if one.Learner != learner || one.Failure != "" {
			continue
		}
		scores := one.Plain
		if projected {
			scores = one.Projected
		}
		if v := average(m, scores, test); !math.IsNaN(v) {
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
		if v := m.of(s.cell); v != nil {
			sum, count = sum+*v, count+1
		}
	}
	return sum / float64(count) // NaN when none is
}

func (r comparisonReport) makeTables() []report.Table {
	var list []report.Table
	for _, m := range r.measures() {
		list = append(list, r.table(m, false), r.table(m, true))
	}
	return append(list, r.learning())
}

// table has a row for each test and one for their mean, a column for each baseline
// and learner.
func (r comparisonReport) table(m measure, projected bool) report.Table {
	t := report.Table{Title: m.name + ", as in the paper", Head: []string{"picture"}}
	if projected {
		t.Title = fmt.Sprintf("%s, with %d back-projections", m.name, r.protocol.back)
	}
	for _, b := range r.baselines {
		t.Head = append(t.Head, b.title())
	}
	t.Head = append(t.Head, r.learners...)
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
			row = append(row, report.Cell{Text: figure(m.format, v)})
		}
		for _, learner := range r.learners {
			values := r.values(m, learner, projected, index)
			mu, sd := mean(values)
			better(mu)
			c := report.Cell{Text: figure(m.format, mu)}
			if len(values) > 1 {
				c.Text += " ± " + figure(m.format, sd)
			}
			if paper, ok := r.paper(learner, index); ok && !projected {
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
			case one.Learner != learner:
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
			m, _ := mean(v.list)
			row = append(row, report.Cell{Text: figure(v.format, m)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// figure writes a number, or a dash for none.
func figure(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}

// title is what a baseline is called in a table.
func (b baseline) title() string {
	if b.name == "nearest" {
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
		t.Head[0] = t.Title
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
	bare := func(list []restored) []cell {
		var out []cell
		for _, s := range list {
			out = append(out, s.cell)
		}
		return out
	}
	type run struct {
		comparisonResult
		Plain     []cell `json:"plain"`
		Projected []cell `json:"back_projected"`
		Mosaic    []byte `json:"mosaic,omitempty"`
	}
	var runs []run
	for _, one := range r.results {
		runs = append(runs, run{one, bare(one.Plain), bare(one.Projected), nil})
	}
	var names []string
	for _, t := range r.tests {
		names = append(names, t.name)
	}
	base := map[string][]cell{}
	for _, b := range r.baselines {
		base[b.name] = bare(b.scores)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": r.command, "version": version, "pictures": names, "baselines": base, "runs": runs})
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

func (r comparisonReport) html(w io.Writer) error {
	p := r.protocol
	page := report.Page{
		Title: "Comparison of dictionary learners",
		Lead: fmt.Sprintf("Protocol %s: %d atoms from %d pairs of 3×3 and 6×6 patches, %d run(s), the same patches and the same first dictionary for all; pictures are coded with %s.",
			p.name, p.atoms, p.patches, p.runs, r.coder),
		Facts: []report.Fact{
			{Name: "command", Value: r.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(r.c.Uint64("seed"))},
			{Name: "data", Value: strings.TrimSpace(r.data)},
		},
		Notes: []string{
			"Figures are means ± one standard deviation over the runs; the best of a row is bold. Every learner works under the same conditions. Seconds are those of a run beside the others.",
		},
	}
	if !p.photo {
		page.Notes = append(page.Notes, "Error: ‖Î − I‖²_F / ‖I‖²_F of the grey values, nothing rounded; low resolution is the mean of 2×2 blocks, shown enlarged by repetition. The paper's figures stand below ours where a picture is of its Table 1.")
	}
	var err error
	if page.Key, err = report.Key(r.learners); err != nil {
		return err
	}
	tables := r.tables
	last := len(tables) - 1
	shown := []report.Table{r.pictures(false), r.pictures(true)}
	page.Sections = append(page.Sections,
		report.Section{Title: "Pictures of the first run", Text: "Truth, plain enlargements, and what the learners made: first as in the paper, then with back-projection.", Tables: shown},
		report.Section{Title: "Figures", Tables: tables[:last]},
		report.Section{Title: "Learning", Tables: tables[last:]})
	curves := &page.Sections[2]
	for _, byTime := range []bool{false, true} {
		svg, err := r.curves(byTime).SVG(400, 260)
		if err != nil {
			return err
		}
		curves.Pictures = append(curves.Pictures, svg)
	}
	mosaics := report.Table{Title: "atoms of the first run"}
	row := []report.Cell{}
	for _, learner := range r.learners {
		if one := r.first(learner); one != nil && len(one.Mosaic) > 0 {
			row = append(row, report.Cell{Text: learner, Picture: report.Picture(one.Mosaic, 340, "atoms of "+learner)})
		}
	}
	for len(row) > 0 {
		n := min(3, len(row))
		mosaics.Rows, row = append(mosaics.Rows, row[:n]), row[n:]
	}
	if len(mosaics.Rows) > 0 {
		page.Sections = append(page.Sections, report.Section{Title: "Dictionaries", Text: "Low halves on the left, high halves on the right.", Tables: []report.Table{mosaics}})
	}
	for _, one := range r.results {
		if one.Failure != "" {
			page.Notes = append(page.Notes, fmt.Sprintf("%s failed in run %d: %s.", one.Learner, one.Run, one.Failure))
		}
	}
	return page.Write(w)
}

// first returns the first run of a learner, nil when it failed.
func (r comparisonReport) first(learner string) *comparisonResult {
	for i, one := range r.results {
		if one.Learner == learner && one.Run == 0 && one.Failure == "" {
			return &r.results[i]
		}
	}
	return nil
}

// shownTests is how many pictures the page shows at most.
const shownTests = 12

// pictures is the paper's table: the pictures themselves, side by side.
func (r comparisonReport) pictures(projected bool) report.Table {
	t := report.Table{Title: "as in the paper", Head: []string{"picture", "truth"}}
	if projected {
		t.Title = "with back-projection"
	}
	for _, b := range r.baselines {
		t.Head = append(t.Head, b.title())
	}
	t.Head = append(t.Head, r.learners...)
	const width = 96
	m := r.measures()[0]
	for i, test := range r.tests[:min(shownTests, len(r.tests))] {
		row := []report.Cell{{Text: test.name}, {}}
		if truth, err := crop(test.img, test.img); err == nil {
			row[1].Picture = report.Picture(truth, width, test.name)
		}
		show := func(name string, scores []restored) {
			c := report.Cell{}
			if len(scores) > i {
				c.Text = figure(m.format, average(m, scores, i))
				if len(scores[i].Picture) > 0 {
					c.Picture = report.Picture(scores[i].Picture, width, test.name+" by "+name)
				}
			}
			row = append(row, c)
		}
		for _, b := range r.baselines {
			show(b.name, b.scores)
		}
		for _, learner := range r.learners {
			switch one := r.first(learner); {
			case one == nil:
				show(learner, nil)
			case projected:
				show(learner, one.Projected)
			default:
				show(learner, one.Plain)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// curves draws the error of the training patches in the first run.
func (r comparisonReport) curves(byTime bool) report.Chart {
	c := report.Chart{Title: "error of the training patches, first run", X: "iteration", Log: true, LogX: true, Floor: 1e-4}
	if byTime {
		c.X = "seconds"
	}
	for style, learner := range r.learners {
		one := r.first(learner)
		if one == nil {
			continue
		}
		s := report.Series{Name: learner, Style: style, Plain: true}
		for _, p := range one.Curve {
			x := float64(p.Iteration)
			if byTime {
				x = max(p.Seconds, 1e-4)
			}
			s.Points = append(s.Points, report.Point{X: x, Y: p.RMSE, Low: p.RMSE, High: p.RMSE})
		}
		c.Series = append(c.Series, s)
	}
	return c
}
