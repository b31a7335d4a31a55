package digits

import (
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/mnist"
)

// page writes the sheet as an HTML page: the finding, then the digits, whose pictures a reader can lay over one
// another, then the errors.
func (s *sheet) page(mode fs.FileMode, name string, overwrite bool, sum summary) error {
	p := report.Page{
		Title: "Images of an IDX file, restored", Command: sum.typed,
		Lead: fmt.Sprintf("%s of %dx%d, reduced by %s and restored by %s, scale %d. The error is ‖Î − I‖² / ‖I‖² "+
			"of the grey values, its mean over the images; less is better.",
			console.Count(sum.Count, "image"), sum.Width, sum.Height, sum.Degradation, sum.Model, sum.Scale),
		Facts: []report.Fact{
			{Name: "command with all settings", Value: string(sum.Command)},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s", console.Version, runtime.Version(),
				runtime.GOOS, runtime.GOARCH)},
			{Name: "images", Value: string(sum.Images) + official(sum.Official)},
		},
		Notes: sum.Warnings,
	}
	if sum.Labels != "" {
		p.Facts = append(p.Facts, report.Fact{Name: "labels", Value: string(sum.Labels) + official(sum.OfficialLabels)})
	}
	if s.enlarges {
		p.Title = "Images of an IDX file, enlarged"
		p.Lead = fmt.Sprintf("%s of %dx%d, enlarged by %s, scale %d.", console.Count(sum.Count, "image"), sum.Width,
			sum.Height, sum.Model, sum.Scale)
	}
	if sum.Finding != "" {
		p.Findings = []string{sum.Finding}
	}
	shown, err := s.table()
	if err != nil {
		return err
	}
	p.Sections = []report.Section{{Title: "Images", Text: fmt.Sprintf("The first %d.", len(s.drawn)),
		Tables: []report.Table{shown}}}
	if len(sum.Columns) > 0 {
		p.Sections = append(p.Sections, report.Section{Title: "Errors", Tables: []report.Table{sum.table()}})
	}
	return safefile.WriteAtomicMode(mode, name, overwrite, func(w io.Writer) error { return p.Write(w) })
}

// official returns the end of a sentence that says which file of MNIST a file is. It is empty for none.
func official(name string) string {
	if name == "" {
		return ""
	}
	return ", which is MNIST's " + name
}

// table returns a table with a row for each digit, which has its pictures.
func (s *sheet) table() (report.Table, error) {
	t := report.Table{Head: append([]string{"image"}, s.rows()...)}
	width := s.out.X * s.zoom()
	for _, x := range s.drawn {
		name := fmt.Sprintf("image %d", x.index)
		if x.label != mnist.NoLabel {
			name += fmt.Sprintf(", label %d", x.label)
		}
		row := []report.Cell{{Text: name}}
		for i, picture := range s.pictures(x) {
			data, err := report.PNG(picture)
			if err != nil {
				return t, err
			}
			by := s.rows()[i]
			if by == "error" {
				row = append(row, report.Cell{Picture: report.Picture(data, width, "error of "+name)})
				continue
			}
			row = append(row, report.Cell{Picture: report.Restored(data, width, name, by)})
		}
		if n := len(x.errors); n > 0 {
			row[len(row)-2].Text = console.Number("%.4f", console.Finite(x.errors[n-1]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// table returns the mean errors of all images and of each label, the least in bold.
func (s *summary) table() report.Table {
	t := report.Table{Head: append([]string{"", "images"}, s.Columns...)}
	row := func(name string, images int, mean []*float64) {
		cells, least := []report.Cell{{Text: name}, {Text: fmt.Sprint(images)}}, -1
		for i, v := range mean {
			cells = append(cells, report.Cell{Text: console.Number("%.4f", v)})
			if v != nil && (least < 0 || *v < *mean[least]) {
				least = i
			}
		}
		if least >= 0 && len(mean) > 1 {
			cells[2+least].Best = true
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, class := range s.Classes {
		row(fmt.Sprintf("label %d", class.Label), class.Count, class.Mean)
	}
	row("mean", s.Count, s.Mean)
	return t
}
