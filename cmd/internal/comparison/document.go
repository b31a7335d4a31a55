package comparison

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/scoring"
	"superres/internal/picture"
	"superres/internal/report"
)

// document returns the report: the verdicts, facts and notes, and sections with tables, pictures and curves.
func (f findings) document() report.Document {
	p := f.opt.Protocol
	d := report.Document{
		Title:    "Comparison of dictionary learners",
		Findings: f.verdicts(),
		Lead: fmt.Sprintf("Protocol %s: %d atoms from %d pairs of 3×3 and 6×6 patches, %s, the same patches and the "+
			"same first dictionary for all; pictures are coded with %s.", p.name, p.atoms, p.patches,
			console.Count(p.runs, "run"), f.opt.Coder),
		Command: f.opt.typed,
		Facts: console.Facts(f.opt.command, report.Fact{Name: "seed", Value: fmt.Sprint(f.opt.Seed)},
			report.Fact{Name: "data", Value: strings.TrimSpace(f.data.identity)}),
		Caption: fmt.Sprintf("Means ± standard errors of %s, seed %d, protocol %s, superres %s. Bold: ahead of every "+
			"other by the signed-rank test at 5 %%.", console.Count(p.runs, "run"), f.opt.Seed, p.name,
			console.Build()),
		Notes: []string{
			"Figures are means ± standard errors over the runs. Every learner works under the same conditions. " +
				"Seconds are those of a run beside the others. dct is an overcomplete DCT of 6×6 patches, for which " +
				"nothing is learned.",
			report.Method,
			"The least RMSE is that of the best iteration; dictionaries are those of the last.",
			"Error: ‖Î − I‖²_F / ‖I‖²_F of the grey values, nothing rounded; low resolution is the mean of 2×2 " +
				"blocks, shown enlarged by repetition.",
		},
		Data: f.record(),
	}
	ranking, figures := report.Section{Title: "Ranking"}, report.Section{Title: "Figures"}
	for _, kind := range f.forms {
		ranking.Tables = append(ranking.Tables, f.contest(kind).Table())
		figures.Tables = append(figures.Tables, f.table(kind))
	}
	d.Sections = []report.Section{ranking, f.pictures(), figures, f.learningSection()}
	mosaics := report.Section{Title: "Dictionaries", Text: "The atoms of the first run: low halves on the left, high " +
		"halves on the right."}
	for _, learner := range f.opt.dictionaries() {
		if r := f.inRun(0, learner); r != nil && len(r.Mosaic) > 0 {
			mosaics.Pictures = append(mosaics.Pictures,
				report.Captioned(report.Picture(r.Mosaic, 340, "atoms of "+learner), learner, ""))
		}
	}
	if len(mosaics.Pictures) > 0 {
		d.Sections = append(d.Sections, mosaics)
	}
	for _, r := range f.results {
		if r.Failure != "" {
			d.Notes = append(d.Notes, fmt.Sprintf("%s failed in run %d: %s.", r.Learner, r.Run, r.Failure))
		}
	}
	return d
}

// record returns what runs.json has: command, baselines, rankings, and every run without pictures, or its failure.
func (f findings) record() any {
	scores := func(list []restored) []scoring.Cell {
		var out []scoring.Cell
		for _, s := range list {
			out = append(out, s.Cell)
		}
		return out
	}
	type run struct { // its fields hide the fields of result that hold pictures
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
	rankings := map[string]any{}
	for _, kind := range f.forms {
		rankings[kind.title] = f.contest(kind).Record()
	}
	return map[string]any{"command": paths.Name(f.opt.command), "version": console.Version, "pictures": names,
		"baselines": base, "rankings": rankings, "runs": runs}
}

// pictures returns the section with the restored pictures. If two learners can be compared, the page opens with their
// pictures laid over one another: A, to the left of the divider, by the second-best learner, and B by the best.
func (f findings) pictures() report.Section {
	shown := f.contrasts()
	s := report.Section{Title: fmt.Sprintf("Pictures of run %d", f.shownRun+1), Text: f.explain(shown) + "Truth, " +
		"plain enlargements, and what the learners made: first as in the paper, then with back-projection."}
	if first, next := f.rivals(); next != "" {
		s.A, s.B = next+", "+f.shown().title, first+", "+f.shown().title
	}
	for i, kind := range f.forms {
		s.Tables = append(s.Tables, f.pictureTable(kind, shown, i == 0))
	}
	return s
}

// learningSection returns the section about learning: a table, and curves of the errors.
func (f findings) learningSection() report.Section {
	s := report.Section{Title: "Learning", Tables: []report.Table{f.learning()}}
	for _, byTime := range []bool{false, true} {
		c, below := f.curves(byTime)
		s.Charts = append(s.Charts, c)
		if below {
			s.Text = fmt.Sprintf("Errors below %.2g are drawn at the foot of the axis.", c.Floor)
		}
	}
	return s
}

// pictureTable returns a table of the test pictures in shown and their restorations by one form of model in run
// f.shownRun, side by side as in the paper. isFirst marks the first such table: see overlay in pictureOf.
func (f findings) pictureTable(kind form, shown []contrast, isFirst bool) report.Table {
	t := report.Table{Title: kind.title, Head: []string{"picture", "truth"}}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.dictionaries()...)
	const width = 96
	for _, c := range shown {
		i, test := c.test, f.data.tests[c.test]
		row := []report.Cell{{Text: test.name}, {}}
		if truth, err := crop(test.img, test.img); err == nil {
			row[1].Picture = pictureOf(truth, width, test.name, "truth", isFirst)
		}
		show := func(name, by string, scores []restored, overlay bool) {
			cell := report.Cell{}
			if len(scores) > i {
				cell.Text = report.Number(nfe.Format, average(scores, i))
				if len(scores[i].Picture) > 0 {
					cell.Picture = pictureOf(scores[i].Picture, width, test.name, name+by, overlay)
				}
			}
			row = append(row, cell)
		}
		for _, b := range f.baselines {
			show(f.title(b), "", b.scores, isFirst)
		}
		for _, learner := range f.opt.dictionaries() {
			if r := f.inRun(f.shownRun, learner); r != nil {
				show(learner, ", "+kind.title, kind.scores(*r), true)
			} else {
				show(learner, "", nil, true)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pictureOf returns HTML that shows data, a PNG, width pixels wide, as the picture of scene made by maker. If overlay
// is set, a reader can lay the picture over others of the scene; false: an earlier table already offers that.
func pictureOf(data []byte, width int, scene, maker string, overlay bool) report.HTML {
	if overlay {
		return report.Restored(data, width, scene, maker)
	}
	return report.Picture(data, width, scene+" by "+maker)
}

// curves returns a chart of the error of the training patches in run 0, over seconds or, if byTime is false, over
// iterations; a learner that does not report iterations then has no curve. Both axes are logarithmic. below reports
// whether there are errors below 1e-4. They are drawn at the floor of the chart: a third of the smallest other error or
// 1e-4, whichever is more. Without them, the floor is 1e-4.
func (f findings) curves(byTime bool) (c report.Chart, below bool) {
	c = report.Chart{Title: "error of the training patches, first run", X: "iteration", Log: true, LogX: true}
	if byTime {
		c.X = "seconds"
	}
	const least = 1e-4 // smaller errors count as 0: the patches are reproduced exactly
	smallest := math.Inf(1)
	for style, learner := range f.opt.Learners {
		r := f.inRun(0, learner)
		if r == nil {
			continue
		}
		s := report.Series{Name: learner, Style: style, Plain: true}
		for _, p := range r.Curve {
			x := float64(p.Iteration)
			switch {
			case byTime:
				x = max(p.Seconds, 1e-4) // a logarithmic axis has no 0
			case p.Iteration == 0: // the learner does not report its iterations
				continue
			}
			s.Points = append(s.Points, report.Point{X: x, Y: p.RMSE, Low: p.RMSE, High: p.RMSE})
			if p.RMSE < least {
				below = true
			} else {
				smallest = min(smallest, p.RMSE)
			}
		}
		c.Series = append(c.Series, s)
	}
	if c.Floor = least; below && !math.IsInf(smallest, 1) {
		c.Floor = max(least, smallest/3)
	}
	return c, below
}

// maxShown is the greatest number of pictures on the page. Run 0 stores the first maxKept of its restored pictures; the
// next runs store the first maxShown, up to a total of maxRuns runs.
const maxShown, maxKept, maxRuns = 12, 48, 20

// maxSide is the greatest side, in pixels, of a picture on the page; a larger picture is shown in part.
const maxSide = 96

// crop returns img as PNG. If a side exceeds maxSide, the PNG shows only the part of img where truth has most detail.
func crop(img, truth image.Image) ([]byte, error) {
	b := img.Bounds()
	if b.Dx() > maxSide || b.Dy() > maxSide {
		window := picture.Busiest(truth, min(b.Dx(), maxSide), min(b.Dy(), maxSide))
		part := image.NewNRGBA(image.Rectangle{Max: window.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(window.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}
