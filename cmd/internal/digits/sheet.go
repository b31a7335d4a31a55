package digits

import (
	"fmt"
	"image"
	"image/color"
	"io/fs"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/mnist"
)

// sheetTile is the least width of a picture on the sheet, in pixels: a smaller picture is enlarged for display.
const sheetTile = 52

// mostSheetPixels is the greatest total number of pixels of all pictures on a sheet.
const mostSheetPixels = 50_000_000

// sheet collects the first digits processed, for a page with a row of pictures for each.
type sheet struct {
	out   image.Point // the size of a result in pixels
	count int         // how many digits to draw
	drawn []digit
}

// add adds x if the sheet has fewer than count digits. On a nil sheet it does nothing.
func (s *sheet) add(x digit) {
	if s != nil && len(s.drawn) < s.count {
		s.drawn = append(s.drawn, x)
	}
}

// sheetRows are the titles of the pictures in a row of the sheet, from left to right.
var sheetRows = []string{"truth", "low", "result", "error"}

// pictures returns the pictures of x in the order of sheetRows.
func (x digit) pictures() []*image.Gray {
	difference := image.NewGray(x.result.Bounds())
	for i := range difference.Bounds().Dy() {
		for j := range difference.Bounds().Dx() {
			a, b := x.truth.GrayAt(j, i).Y, x.result.GrayAt(j, i).Y
			difference.SetGray(j, i, color.Gray{Y: max(a, b) - min(a, b)})
		}
	}
	return []*image.Gray{x.truth, x.low, x.result, difference}
}

// page writes the sheet to the HTML page called name, with at most the permissions mode: the report and, before its
// table, the pictures of the digits, which a reader can lay over one another.
func (s *sheet) page(mode fs.FileMode, name string, overwrite bool, sum summary) error {
	d := sum.document()
	shown, err := s.table()
	if err != nil {
		return err
	}
	d.Sections = append([]report.Section{{Title: "Images", Text: fmt.Sprintf("The first %d.", len(s.drawn)),
		Tables: []report.Table{shown}}}, d.Sections...)
	return safefile.WriteAtomicMode(mode, name, overwrite, d.HTML)
}

// table returns a table with a row of pictures for each digit.
func (s *sheet) table() (report.Table, error) {
	t := report.Table{Head: append([]string{"image"}, sheetRows...)}
	width := s.out.X * max(1, (sheetTile+s.out.X-1)/s.out.X) // shown by a whole factor, at least sheetTile wide
	for _, x := range s.drawn {
		name := fmt.Sprintf("image %d", x.index)
		if x.label != mnist.NoLabel {
			name += fmt.Sprintf(", label %d", x.label)
		}
		row := []report.Cell{{Text: name}}
		for i, picture := range x.pictures() {
			data, err := report.PNG(picture)
			if err != nil {
				return t, err
			}
			by := sheetRows[i]
			if by == "error" {
				row = append(row, report.Cell{Picture: report.Picture(data, width, "error of "+name)})
				continue
			}
			row = append(row, report.Cell{Picture: report.Restored(data, width, name, by)})
		}
		if n := len(x.errors); n > 0 { // the model's error stands below the result, the last picture but one
			row[len(row)-2].Text = console.Number("%.4f", console.Finite(x.errors[n-1]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}
