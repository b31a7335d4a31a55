package comparison

import (
	"fmt"
	"image"
	"image/draw"
	"io"
	"math"
	"runtime"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/report"
)

// html writes the report as a page.
func (f findings) html(w io.Writer) error {
	p := f.opt.Protocol
	page := report.Page{
		Title:    "Comparison of dictionary learners",
		Findings: f.verdicts(),
		Lead:     f.lead(),
		Command:  f.opt.typed,
		Facts: []report.Fact{
			{Name: "command with all settings", Value: f.opt.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Build(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(f.opt.Seed)},
			{Name: "data", Value: strings.TrimSpace(f.data.identity)},
		},
		Notes: []string{
			"Figures are means ± standard errors over the runs. Bold is what is ahead of all others of its row, " +
				"plain enlargements too, by more than chance explains. Every learner works under the same " +
				"conditions. Seconds are those of a run beside the others.",
			"A learner is called the best where it is ahead of every other one by more than chance explains, at 5 %: " +
				"by Wilcoxon's signed-rank test over the pictures or over the runs, whichever are more. Each p of a " +
				"ranking is for the comparison with the best learner, corrected for all of these by Holm's method; " +
				"the interval of the difference of means is Student's. dct is an overcomplete DCT of 6×6 patches, " +
				"for " +
				"which nothing is learned.",
			"Non-zeros a patch are those of the learner's own codes. Learners without a coder, such as rop, choose " +
				"their number; the models restore pictures with the coder for all, so the error of the patches by " +
				"that " +
				"coder stands beside. The least RMSE is that of the best iteration; dictionaries are those of the " +
				"last.",
		},
	}
	if p.photo {
		page.Notes = append(page.Notes, "The models of superres itself were trained on more pictures, with more "+
			"atoms and stages; those of the learners here are small, and alike but for the learner.")
	} else {
		page.Notes = append(page.Notes, "Error: ‖Î − I‖²_F / ‖I‖²_F of the grey values, nothing rounded; low "+
			"resolution is the mean of 2×2 blocks, shown enlarged by repetition. The paper's figures stand below "+
			"ours where a picture is of its Table 1.")
	}
	tables, shown := f.tables, f.contrasts()
	last := len(tables) - 1
	page.Sections = []report.Section{{Title: "Ranking", Tables: tables[:len(f.forms)]}}
	figures := report.Section{Title: "Figures", Tables: tables[len(f.forms):last]}
	if p.photo {
		page.Sections = append(append(page.Sections, f.photographs(shown)...), figures)
	} else {
		s := report.Section{Title: fmt.Sprintf("Pictures of run %d", f.shownRun+1), Text: f.explain(shown) +
			f.whichRun() + "Truth, plain enlargements, " +
			"and what the learners made: first as in the paper, then with back-projection."}
		for i, kind := range f.forms {
			s.Tables = append(s.Tables, f.pictures(kind, shown, i == 0))
		}
		if first, next := f.rivals(); next != "" {
			s.A, s.B = next+", "+f.shown().title, first+", "+f.shown().title
		}
		page.Sections = append(page.Sections, s, figures)
	}
	learning := report.Section{Title: "Learning", Tables: tables[last:]}
	for _, byTime := range []bool{false, true} {
		curves, below := f.curves(byTime)
		figure, err := curves.Figure(340, 250)
		if err != nil {
			return err
		}
		learning.Pictures = append(learning.Pictures, figure)
		if below {
			learning.Text = fmt.Sprintf("Errors below %.2g are drawn at the foot of the axis.", curves.Floor)
		}
	}
	page.Sections = append(page.Sections, learning)
	mosaics := report.Section{Title: "Dictionaries", Text: "The atoms of the first run: low halves on the left, high " +
		"halves on the right."}
	for _, learner := range f.opt.dictionaries() {
		if r := f.inRun(0, learner); r != nil && len(r.Mosaic) > 0 {
			mosaics.Pictures = append(mosaics.Pictures,
				report.Captioned(report.Picture(r.Mosaic, 340, "atoms of "+learner), learner, ""))
		}
	}
	if len(mosaics.Pictures) > 0 {
		page.Sections = append(page.Sections, mosaics)
	}
	for _, r := range f.results {
		if r.Failure != "" {
			page.Notes = append(page.Notes, fmt.Sprintf("%s failed in run %d: %s.", r.Learner, r.Run, r.Failure))
		}
	}
	return page.Write(w)
}

// lead returns the paragraph that says what was compared.
func (f findings) lead() string {
	p := f.opt.Protocol
	text := fmt.Sprintf("Protocol %s: %d atoms from %d pairs of 3×3 and 6×6 patches, %s, the same patches "+
		"and the same first dictionary for all; pictures are coded with %s.",
		p.name, p.atoms, p.patches, console.Count(p.runs, "run"), f.opt.Coder)
	if p.photo {
		text += fmt.Sprintf(" Enlarged by %d; %d pictures were learned from, %d others restored.", scale,
			len(f.data.train), len(f.data.tests))
	}
	return text
}

// rivals returns the best learner and the next, whose pictures lie over one another at first. next is "" where there is
// none.
func (f findings) rivals() (first, next string) {
	r := f.ranking(f.measures()[0], f.shown())
	if others := r.others(); len(others) > 0 {
		return r.best().name, others[0].name
	}
	return "", ""
}

// whichRun says why the run is shown, with a space behind.
func (f findings) whichRun() string {
	first, next := f.rivals()
	if next == "" || f.opt.Protocol.runs == 1 {
		return ""
	}
	return fmt.Sprintf("In this run the difference between %s and %s is the median of all. ", first, next)
}

// inRun returns the result of a learner in a run, which shares memory with f, or nil where it failed.
func (f findings) inRun(run int, learner string) *result {
	for i, r := range f.results {
		if r.Learner == learner && r.Run == run && r.Failure == "" {
			return &f.results[i]
		}
	}
	return nil
}

// pictures returns a table of the test pictures shown and their restorations side by side, as the paper has it, for one
// kind of model. first marks the first such table of the page: see own of pictureOf.
func (f findings) pictures(kind form, shown []contrast, first bool) report.Table {
	t := report.Table{Title: kind.title, Head: []string{"picture", "truth"}}
	for _, b := range f.baselines {
		t.Head = append(t.Head, f.title(b))
	}
	t.Head = append(t.Head, f.opt.dictionaries()...)
	const width = 96
	m := f.measures()[0]
	for _, c := range shown {
		i, test := c.test, f.data.tests[c.test]
		row := []report.Cell{{Text: test.name}, {}}
		if truth, err := f.opt.Protocol.crop(test.img, test.img); err == nil {
			row[1].Picture = pictureOf(truth, width, test.name, "truth", first)
		}
		show := func(name, by string, scores []restored, own bool) {
			c := report.Cell{}
			if len(scores) > i {
				c.Text = console.Figure(m.format, average(m, scores, i))
				if len(scores[i].Picture) > 0 {
					c.Picture = pictureOf(scores[i].Picture, width, test.name, name+by, own)
				}
			}
			row = append(row, c)
		}
		for _, b := range f.baselines {
			show(f.title(b), "", b.scores, first)
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

// pictureOf returns the PNG data, shown width pixels wide, as the picture of scene made by the model by. With own, a
// reader of the page can lay it over others of the scene; false is for a picture that an earlier table has already.
func pictureOf(data []byte, width int, scene, by string, own bool) report.HTML {
	if own {
		return report.Restored(data, width, scene, by)
	}
	return report.Picture(data, width, scene+" by "+by)
}

// photographs returns a section for each of the test pictures shown, with the same part of it as restored by each
// baseline and, with back-projection, by each learner.
func (f findings) photographs(shown []contrast) (list []report.Section) {
	for n, c := range shown {
		i, test := c.test, f.data.tests[c.test]
		s := report.Section{Title: test.name}
		if n == 0 {
			s.Text = f.explain(shown) + fmt.Sprintf("Each is shown where it has most detail, %d times as large; PSNR "+
				"and SSIM are of the whole picture. ", cropZoom) + f.whichRun()
		}
		if first, next := f.rivals(); next != "" {
			s.A, s.B = next+", coupled", first+", coupled"
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
		for _, learner := range f.opt.dictionaries() {
			if r := f.inRun(f.shownRun, learner); r != nil {
				scored(learner+", coupled", f.shown().scores(*r))
			}
		}
		list = append(list, s)
	}
	return list
}

// curves returns a chart of the error of the training patches in run 0, over seconds or, byTime false, over iterations.
// below reports whether errors are below its floor, where they are drawn.
func (f findings) curves(byTime bool) (c report.Chart, below bool) {
	c = report.Chart{Title: "error of the training patches, first run", X: "iteration", Log: true, LogX: true}
	if byTime {
		c.X = "seconds"
	}
	const least = 1e-4 // smaller errors are none: the patches are learned by heart
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
				x = max(p.Seconds, 1e-4)
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

// maxShown is the largest number of pictures that the page shows: of the first run out of the first maxKept that are
// restored, and of the next ones, up to maxRuns, out of the first maxShown.
const maxShown, maxKept, maxRuns = 12, 48, 20

// cropZoom is the factor by which parts of photographs are enlarged on the page.
const cropZoom = 3

// maxSide returns the largest side, in pixels, of a picture on the page, or of its part that is shown.
func (p protocol) maxSide() int {
	if p.photo {
		return 60
	}
	return 96
}

// crop returns img as PNG or, where a side is above maxSide, the part of img where truth has most detail.
func (p protocol) crop(img, truth image.Image) ([]byte, error) {
	b, side := img.Bounds(), p.maxSide()
	if b.Dx() > side || b.Dy() > side {
		window := busiestWindow(truth, min(b.Dx(), side), min(b.Dy(), side))
		part := image.NewNRGBA(image.Rectangle{Max: window.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(window.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}

// busiestWindow returns the window of w×h pixels with the most detail, among those at multiples of half its size,
// counted from the corner of the picture. Detail is the sum of differences of brightness between pixels two apart, so
// that edges and texture count for more than noise.
func busiestWindow(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	sums := make([]int, b.Dx()*b.Dy()) // of R, G and B
	for i := range sums {
		r, g, bl, _ := img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx()).RGBA()
		sums[i] = int(r + g + bl)
	}
	var best image.Rectangle
	largest := -1
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			detail := 0
			for v := y; v+2 < y+h; v++ {
				for u := x; u+2 < x+w; u++ {
					i := v*b.Dx() + u
					detail += abs(sums[i+2]-sums[i]) + abs(sums[i+2*b.Dx()]-sums[i])
				}
			}
			if detail > largest {
				largest, best = detail, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
