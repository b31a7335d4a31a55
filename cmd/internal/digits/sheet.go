package digits

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/mnist"
)

// The contact sheet of superres mnist: digits side by side, up to 20 in a block of
// rows; above each its number and label, below it the error of the model. All
// pictures are drawn with whole pixels, small ones enlarged by repeating them.
const (
	sheetColumns = 20
	sheetTile    = 52 // the least width of a picture as drawn, which the captions need
	sheetGap     = 6
	sheetText    = 14 // height of a line
	sheetMargin  = 54 // for the names of the rows
)

// sheetRows are the rows of a block, in order.
func (d *job) sheetRows() []string {
	if d.enlarge {
		return []string{"input", "result"}
	}
	return []string{"truth", "low", "result", "error"}
}

// sheetZoom is how often a pixel of the result is repeated in each direction.
func (d *job) sheetZoom() int { return max(1, (sheetTile+d.outWidth-1)/d.outWidth) }

// sheetBlock is the size of a cell with its gap, and the height of a block.
func (d *job) sheetBlock() (cell image.Point, height int) {
	zoom := d.sheetZoom()
	cell = image.Pt(zoom*d.outWidth+sheetGap, zoom*d.outHeight+sheetGap)
	return cell, 2*sheetText + len(d.sheetRows())*cell.Y + 2*sheetGap
}

func (d *job) sheetSize() image.Point {
	cell, height := d.sheetBlock()
	columns, blocks := min(d.sheetCount, sheetColumns), (d.sheetCount+sheetColumns-1)/sheetColumns
	return image.Pt(sheetMargin+columns*cell.X+sheetGap, blocks*height+sheetGap)
}

// writeSheet draws the first digits of the run.
func (d *job) writeSheet(ctx context.Context) error {
	size := d.sheetSize()
	sheet := image.NewGray(image.Rectangle{Max: size})
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	text := func(x, y int, s string) {
		writer := font.Drawer{Dst: sheet, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(x, y+11)}
		writer.DrawString(s)
	}
	cell, height := d.sheetBlock()
	for i, x := range d.drawn {
		left, top := sheetMargin+i%sheetColumns*cell.X, sheetGap+i/sheetColumns*height
		if i%sheetColumns == 0 {
			for row, name := range d.sheetRows() {
				text(sheetGap, top+sheetText+row*cell.Y+(cell.Y-sheetGap-sheetText)/2, name)
			}
		}
		caption := fmt.Sprint(x.index)
		if x.label != mnist.NoLabel {
			caption += fmt.Sprintf(":%d", x.label)
		}
		text(left, top, caption)
		for row, img := range d.sheetPictures(x) {
			repeat(sheet, image.Pt(left, top+sheetText+row*cell.Y), img, image.Pt(d.outWidth, d.outHeight), d.sheetZoom())
		}
		if n := len(x.errors); n > 0 {
			text(left, top+sheetText+len(d.sheetRows())*cell.Y-sheetGap/2, console.Number("%.4f", console.Finite(x.errors[n-1])))
		}
	}
	return safefile.WriteAtomic(d.sheet, d.overwrite, func(w io.Writer) error {
		return imagefile.Encode(console.Interruptible(ctx, w), sheet, "png", imagefile.EncodeOptions{})
	})
}

// sheetPictures are the pictures of a digit, one a row.
func (d *job) sheetPictures(x digit) []*image.Gray {
	if d.enlarge {
		return []*image.Gray{x.low, x.result}
	}
	miss := image.NewGray(x.result.Bounds())
	for i := range miss.Bounds().Dy() {
		for j := range miss.Bounds().Dx() {
			a, b := x.truth.GrayAt(j, i).Y, x.result.GrayAt(j, i).Y
			miss.SetGray(j, i, color.Gray{Y: max(a, b) - min(a, b)})
		}
	}
	return []*image.Gray{x.truth, x.low, x.result, miss}
}

// repeat draws img at a place of sheet, stretched to or cropped at the size of a
// result and then by zoom, with whole pixels.
func repeat(sheet *image.Gray, at image.Point, img *image.Gray, size image.Point, zoom int) {
	in := img.Bounds().Size()
	step := max(1, size.X/in.X) // of the low-resolution picture; 1 for the others
	for y := range size.Y * zoom {
		for x := range size.X * zoom {
			sheet.SetGray(at.X+x, at.Y+y, img.GrayAt(x/zoom/step, y/zoom/step))
		}
	}
}
