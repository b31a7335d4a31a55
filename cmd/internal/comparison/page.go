package comparison

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/report"
)

// html writes the page.
func (f findings) html(w io.Writer) error {
	p := f.opt.Protocol
	page := report.Page{
		Title:    "Comparison of dictionary learners",
		Findings: f.verdicts(),
		Lead:     f.lead(),
		Command:  f.opt.typed,
		Facts: []report.Fact{
			{Name: "command with all settings", Value: f.opt.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(f.opt.Seed)},
			{Name: "data", Value: strings.TrimSpace(f.data.identity)},
		},
		Notes: []string{
			"Figures are means ± one standard deviation over the runs; the best learner of a row is bold. Every learner works under the same conditions. Seconds are those of a run beside the others.",
		},
	}
	if p.photo {
		page.Notes = append(page.Notes, "The models of superres itself were trained on more pictures, with more atoms and stages; those of the learners here are small, and alike but for the learner.")
	} else {
		page.Notes = append(page.Notes, "Error: ‖Î − I‖²_F / ‖I‖²_F of the grey values, nothing rounded; low resolution is the mean of 2×2 blocks, shown enlarged by repetition. The paper's figures stand below ours where a picture is of its Table 1.")
	}
	tables := f.tables
	last := len(tables) - 1
	figures := report.Section{Title: "Figures", Tables: tables[:last]}
	if p.photo {
		page.Sections = append(f.photographs(), figures)
	} else {
		var shown []report.Table
		for i, way := range f.forms {
			shown = append(shown, f.pictures(way, i == 0))
		}
		text := "Truth, plain enlargements, and what the learners made: first as in the paper, then with back-projection."
		page.Sections = []report.Section{{Title: "Pictures of the first run", Text: text, Tables: shown}, figures}
	}
	page.Sections = append(page.Sections, report.Section{Title: "Learning", Tables: tables[last:]})
	curves := &page.Sections[len(page.Sections)-1]
	for _, byTime := range []bool{false, true} {
		figure, err := f.curves(byTime).Figure(400, 260)
		if err != nil {
			return err
		}
		curves.Pictures = append(curves.Pictures, figure)
	}
	mosaics := report.Table{Title: "atoms of the first run"}
	row := []report.Cell{}
	for _, learner := range f.opt.Learners {
		if one := f.first(learner); one != nil && len(one.Mosaic) > 0 {
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
	for _, one := range f.results {
		if one.Failure != "" {
			page.Notes = append(page.Notes, fmt.Sprintf("%s failed in run %d: %s.", one.Learner, one.Run, one.Failure))
		}
	}
	return page.Write(w)
}

// lead says what was compared.
func (f findings) lead() string {
	p := f.opt.Protocol
	text := fmt.Sprintf("Protocol %s: %d atoms from %d pairs of 3×3 and 6×6 patches, %d run(s), the same patches and the same first dictionary for all; pictures are coded with %s.",
		p.name, p.atoms, p.patches, p.runs, f.opt.Coder)
	if p.photo {
		text += fmt.Sprintf(" Enlarged by %d; %d pictures were learned from, %d others restored.", scale, len(f.data.train), len(f.data.tests))
	}
	return text
}

// first returns the first run of a learner, nil when it failed.
func (f findings) first(learner string) *result {
	for i, one := range f.results {
		if one.Learner == learner && one.Run == 0 && one.Failure == "" {
			return &f.results[i]
		}
	}
	return nil
}

// pictures is the paper's table: the pictures themselves, side by side. The first of
// several has those that they share.
func (f findings) pictures(way form, first bool) report.Table {
	t := report.Table{Title: way.title, Head: []string{"picture", "truth"}}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.Learners...)
	const width = 96
	m := f.measures()[0]
	for i, test := range f.data.tests[:min(shownTests, len(f.data.tests))] {
		row := []report.Cell{{Text: test.name}, {}}
		if truth, err := f.opt.Protocol.crop(test.img, test.img); err == nil {
			row[1].Picture = shownBy(truth, width, test.name, "truth", first)
		}
		show := func(name, by string, scores []restored, own bool) {
			c := report.Cell{}
			if len(scores) > i {
				c.Text = console.Figure(m.format, average(m, scores, i))
				if len(scores[i].Picture) > 0 {
					c.Picture = shownBy(scores[i].Picture, width, test.name, name+by, own)
				}
			}
			row = append(row, c)
		}
		for _, b := range f.baselines {
			show(f.title(b), "", b.scores, first)
		}
		for _, learner := range f.opt.Learners {
			if one := f.first(learner); one != nil {
				show(learner, ", "+way.title, way.scores(*one), true)
			} else {
				show(learner, "", nil, true)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shownBy is a picture of a scene. One of its own can be laid over others; a table may
// repeat what another has.
func shownBy(data []byte, width int, scene, by string, own bool) report.HTML {
	if own {
		return report.Restored(data, width, scene, by)
	}
	return report.Picture(data, width, scene+" by "+by)
}

// photographs has a section for each picture: the same part of it by everything that
// restored it, but for coupled stages without back-projection.
func (f findings) photographs() (list []report.Section) {
	for i, test := range f.data.tests[:min(shownTests, len(f.data.tests))] {
		s := report.Section{Title: test.name}
		if i == 0 {
			s.Text = fmt.Sprintf("Where the picture has most detail, %d times as large; PSNR and SSIM are of the whole picture. First run.", cropZoom)
		}
		show := func(data []byte, name, note string) {
			if len(data) > 0 {
				s.Pictures = append(s.Pictures, report.Figure(data, cropZoom, test.name, name, note))
			}
		}
		scored := func(name string, scores []restored) {
			note := ""
			for _, m := range f.measures() {
				note += ", " + console.Figure(m.format, average(m, scores, i))
			}
			show(scores[i].Picture, name, strings.Replace(note[2:], ",", " dB,", 1))
		}
		if truth, err := f.opt.Protocol.crop(test.img, test.img); err == nil {
			show(truth, "truth", fmt.Sprintf("%d×%d", test.img.Bounds().Dx(), test.img.Bounds().Dy()))
		}
		for _, b := range f.baselines {
			scored(b.name, b.scores)
		}
		for _, way := range f.forms {
			for _, learner := range f.opt.Learners {
				if one := f.first(learner); one != nil && !way.paper {
					scored(learner+", coupled", way.scores(*one))
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// curves draws the error of the training patches in the first run.
func (f findings) curves(byTime bool) report.Chart {
	c := report.Chart{Title: "error of the training patches, first run", X: "iteration", Log: true, LogX: true, Floor: 1e-4}
	if byTime {
		c.X = "seconds"
	}
	for style, learner := range f.opt.Learners {
		one := f.first(learner)
		if one == nil {
			continue
		}
		s := report.Series{Name: learner, Style: style, Plain: true}
		for _, p := range one.Curve {
			x := float64(p.Iteration)
			switch {
			case byTime:
				x = max(p.Seconds, 1e-4)
			case p.Iteration == 0: // the learner does not tell
				continue
			}
			s.Points = append(s.Points, report.Point{X: x, Y: p.RMSE, Low: p.RMSE, High: p.RMSE})
		}
		c.Series = append(c.Series, s)
	}
	return c
}
