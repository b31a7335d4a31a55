package digits

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"io/fs"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/mnist"
)

// The contact sheet of superres mnist has blocks of up to 20 digits side by side. Each block has a row for each kind of
// picture. Above a digit are its index and label, below it the error of the model. Small pictures are enlarged by
// repeating their pixels. Lengths are in pixels.
const (
	sheetColumns = 20
	sheetTile    = 52 // the least width of a picture, which the captions need
	sheetGap     = 6
	sheetText    = 14 // the height of a line of text
	sheetMargin  = 54 // the width of the names of the rows
)

// sheet collects and draws the first digits that are processed.
type sheet struct {
	enlarges bool        // digits were enlarged: there is neither truth nor error
	out      image.Point // the size of a result in pixels
	count    int         // how many digits to draw
	drawn    []digit
}

// add adds x if the sheet has fewer than count digits. A nil sheet takes none.
func (s *sheet) add(x digit) {
	if s != nil && len(s.drawn) < s.count {
		s.drawn = append(s.drawn, x)
	}
}

// rows returns the names of the rows of a block, from the top.
func (s *sheet) rows() []string {
	if s.enlarges {
		return []string{"input", "result"}
	}
	return []string{"truth", "low", "result", "error"}
}

// zoom returns how often a pixel of the result is repeated in each direction.
func (s *sheet) zoom() int { return max(1, (sheetTile+s.out.X-1)/s.out.X) }

// block returns the size in pixels of a cell, which is a picture with a gap, and the height of a block.
func (s *sheet) block() (cell image.Point, height int) {
	cell = s.out.Mul(s.zoom()).Add(image.Pt(sheetGap, sheetGap))
	return cell, 2*sheetText + len(s.rows())*cell.Y + 2*sheetGap
}

// size returns the size of the sheet in pixels.
func (s *sheet) size() image.Point {
	cell, height := s.block()
	columns, blocks := min(s.count, sheetColumns), (s.count+sheetColumns-1)/sheetColumns
	return image.Pt(sheetMargin+columns*cell.X+sheetGap, blocks*height+sheetGap)
}

// write draws the digits to the PNG file name, which has at most the permissions mode.
func (s *sheet) write(ctx context.Context, mode fs.FileMode, name string, overwrite bool) error {
	img := s.draw()
	return safefile.WriteAtomicMode(mode, name, overwrite, func(w io.Writer) error {
		return imagefile.Encode(safefile.Interruptible(ctx, w), img, "png", imagefile.EncodeOptions{})
	})
}

// draw returns a picture of all digits.
func (s *sheet) draw() *image.Gray {
	img := image.NewGray(image.Rectangle{Max: s.size()})
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	text := func(x, y int, t string) {
		writer := font.Drawer{Dst: img, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(x, y+11)}
		writer.DrawString(t)
	}
	cell, height := s.block()
	for i, x := range s.drawn {
		left, top := sheetMargin+i%sheetColumns*cell.X, sheetGap+i/sheetColumns*height
		if i%sheetColumns == 0 {
			for row, name := range s.rows() {
				text(sheetGap, top+sheetText+row*cell.Y+(cell.Y-sheetGap-sheetText)/2, name)
			}
		}
		caption := fmt.Sprint(x.index)
		if x.label != mnist.NoLabel {
			caption += fmt.Sprintf(":%d", x.label)
		}
		text(left, top, caption)
		for row, picture := range s.pictures(x) {
			repeat(img, image.Pt(left, top+sheetText+row*cell.Y), picture, s.out, s.zoom())
		}
		if n := len(x.errors); n > 0 {
			text(left, top+sheetText+len(s.rows())*cell.Y-sheetGap/2,
				console.Number("%.4f", console.Finite(x.errors[n-1])))
		}
	}
	return img
}

// pictures returns the pictures of x, one for each row.
func (s *sheet) pictures(x digit) []*image.Gray {
	if s.enlarges {
		return []*image.Gray{x.low, x.result}
	}
	difference := image.NewGray(x.result.Bounds())
	for i := range difference.Bounds().Dy() {
		for j := range difference.Bounds().Dx() {
			a, b := x.truth.GrayAt(j, i).Y, x.result.GrayAt(j, i).Y
			difference.SetGray(j, i, color.Gray{Y: max(a, b) - min(a, b)})
		}
	}
	return []*image.Gray{x.truth, x.low, x.result, difference}
}

// repeat draws img in dst with its upper left corner at corner, brought to size, the size of a result, and then
// enlarged by zoom. It repeats the pixels of a low-resolution picture, and crops others.
func repeat(dst *image.Gray, corner image.Point, img *image.Gray, size image.Point, zoom int) {
	in := img.Bounds().Size()
	step := max(1, size.X/in.X) // the scale for a low-resolution picture, 1 for others
	for y := range size.Y * zoom {
		for x := range size.X * zoom {
			dst.SetGray(corner.X+x, corner.Y+y, img.GrayAt(x/zoom/step, y/zoom/step))
		}
	}
}

// page writes the sheet as the HTML page name, with at most the permissions mode: the report, with the digits before
// its table, whose pictures a reader can lay over one another.
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
