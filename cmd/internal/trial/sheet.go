package trial

import (
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"strings"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"superres/cmd/internal/console"
	"superres/internal/report"
)

// lines returns the text below the picture of r after the name: the error, or the figures and what the model is for.
func (r result) lines() []string {
	if r.err != nil {
		return []string{"cannot be used: " + console.Message(r.err)}
	}
	text := fmt.Sprintf("%.3g s", r.seconds)
	if r.lrPSNR != 0 { // 0: unknown
		text += fmt.Sprintf(", LR-PSNR %.1f dB", r.lrPSNR)
	}
	return []string{text, r.about}
}

// document returns the page about the results in list, for part of the picture at path, which has the given size.
func document(path string, size image.Point, part image.Rectangle, scale int, list []result) (report.Document, error) {
	table := report.Table{Head: []string{"model", "seconds", "LR-PSNR"}}
	// A and B are the pictures that the page shows first, with a divider between them.
	shown := report.Section{Title: "Results", Text: "Two of them can be laid over one another.", A: "bicubic",
		B: "photo"}
	for _, r := range list {
		if r.err != nil {
			table.Rows = append(table.Rows, []report.Cell{{Text: r.name, Note: r.lines()[0]}, {}, {}})
			continue
		}
		agreement := "–"
		if r.lrPSNR != 0 {
			agreement = fmt.Sprintf("%.1f", r.lrPSNR)
		}
		table.Rows = append(table.Rows, []report.Cell{{Text: r.name, Note: r.about},
			{Text: fmt.Sprintf("%.3g", r.seconds)}, {Text: agreement}})
		data, err := report.PNG(r.image)
		if err != nil {
			return report.Document{}, err
		}
		shown.Pictures = append(shown.Pictures, report.Figure(data, 1, "part", r.name, r.lines()[0]))
	}
	shown.Tables = []report.Table{table}
	return report.Document{
		Title: "Models for " + filepath.Base(path),
		Lead: fmt.Sprintf("%s, %d×%d: the part of %d×%d pixels at %d,%d, enlarged by %d. Seconds are for the whole "+
			"picture, by those of the part.", path, size.X, size.Y, part.Dx(), part.Dy(), part.Min.X, part.Min.Y,
			scale),
		Sections: []report.Section{shown},
	}, nil
}

// draw returns a sheet with the results in rows of at most three, each above its name and its lines, four lines in all;
// the rest is cut off. A result with an error has no picture.
func draw(list []result) image.Image {
	const columns, gap, line, letter = 3, 12, 15, 7 // gap, height of a line, and width of a letter are in pixels
	cell := image.Pt(40*letter, 0)                  // at least 40 letters wide
	for _, r := range list {
		if r.image != nil { // all pictures have the same size
			cell = image.Pt(max(cell.X, r.image.Bounds().Dx()), r.image.Bounds().Dy())
		}
	}
	step := image.Pt(cell.X+gap, cell.Y+5*line) // four lines of text, and an empty one
	rows := (len(list) + columns - 1) / columns
	out := imaging.New(min(len(list), columns)*step.X+gap, rows*step.Y+gap, color.White)
	for i, r := range list {
		at := image.Pt(gap+i%columns*step.X, gap+i/columns*step.Y)
		if r.image != nil {
			out = imaging.Paste(out, r.image, at)
		}
		var lines []string
		for _, text := range append([]string{r.name}, r.lines()...) {
			text = strings.ReplaceAll(text, "×", "x") // the font has only ASCII
			lines = append(lines, console.Paragraph{Lines: []string{text}}.Fit(cell.X/letter)...)
		}
		for k, text := range lines[:min(len(lines), 4)] {
			d := font.Drawer{Dst: out, Src: image.Black, Face: basicfont.Face7x13,
				Dot: fixed.P(at.X, at.Y+cell.Y+(k+1)*line-2)} // the baseline, 2 pixels above the end of the line
			d.DrawString(text[:min(len(text), cell.X/letter)])
		}
	}
	return out
}
