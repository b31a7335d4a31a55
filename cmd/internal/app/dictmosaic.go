package app

import (
	"image"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/learners/sparse"
)

// drawing is a picture of atoms to be written.
type drawing struct {
	name, format string // "": none
	overwrite    bool
	zoom         int // pixels of the side of an entry; 0: what fits a screen
	w, h         int // shape of an atom of a dictionary; 0: a square or a column
}

// panel is one matrix of atoms in the drawing: an entry is side×side pixels before
// the zoom.
type panel struct {
	atoms      *sparse.Dictionary
	w, h, side int
}

// The palette: the greys 1 to 255, of which 128 is zero, and the ground.
const ground, zero = 0, 128

var atomPalette = func() color.Palette {
	p := color.Palette{color.NRGBA{44, 92, 150, 255}}
	for v := 1; v < 256; v++ {
		p = append(p, color.Gray{uint8(v)})
	}
	return p
}()

// drawingOf reads the flags of the drawing and refuses what cannot be written.
func drawingOf(c *cli.Context, model string) (*drawing, error) {
	d := &drawing{name: c.String("output"), format: "png", zoom: c.Int("zoom")}
	if d.zoom < 0 || d.zoom > 64 {
		return nil, console.Usage("--zoom %d: expected 0 to 64", d.zoom)
	}
	if shape := c.String("shape"); shape != "" {
		w, h, ok := strings.Cut(shape, "x")
		var err1, err2 error
		d.w, err1 = strconv.Atoi(w)
		d.h, err2 = strconv.Atoi(h)
		if !ok || err1 != nil || err2 != nil || d.w < 1 || d.h < 1 || d.w > 1<<20 || d.h > 1<<20 {
			return nil, console.Usage("--shape %s: expected WxH such as 8x8", shape)
		}
	}
	if d.name == "" && (d.w > 0 || d.zoom > 0) {
		return nil, console.Usage("--shape and --zoom are of the drawing; say where it goes with -o FILE.png")
	}
	if d.name != "" && d.name != "-" {
		var err error
		if d.format, err = imagefile.FormatOf(d.name); err != nil {
			return nil, console.Usage("-o %s: expected a name that ends in .png, .jpg, .bmp or .tif", filepath.Base(d.name))
		}
	}
	var err error
	d.overwrite, err = console.SoleOutput(c, model)
	return d, err
}

// suits refuses a shape that the atoms do not have.
func (d *drawing) suits(s *shown) error {
	p := s.Parts[0]
	if d.name == "" || d.w == 0 {
		return nil
	}
	if p.high != nil {
		return console.Usage("%s holds patches of %d×%d; --shape is for dictionaries that are not coupled", s.Name, p.Patch, p.Patch)
	}
	if n, _ := p.low.Dims(); d.w*d.h != n {
		return console.Usage("--shape %dx%d has %d entries, the atoms of %s have %d", d.w, d.h, d.w*d.h, s.Name, n)
	}
	return nil
}

// write draws the atoms of a dictionary: the most used first where that is known.
func (d *drawing) write(p *shownDictionary, w io.Writer) error {
	order := make([]int, p.Atoms)
	for i := range order {
		order[i] = i
	}
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic(d.panels(p), order, d.zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels shapes the atoms.
func (d *drawing) panels(p *shownDictionary) []panel {
	if p.high != nil {
		return []panel{{p.low, p.Patch, p.Patch, p.scale}, {p.high, p.Patch * p.scale, p.Patch * p.scale, 1}}
	}
	n, _ := p.low.Dims()
	w, h := d.w, d.h
	if w == 0 {
		w, h = 1, n
		if root := int(math.Round(math.Sqrt(float64(n)))); root*root == n {
			w, h = root, root
		}
	}
	return []panel{{p.low, w, h, 1}}
}

// screen is the side that a drawing fits into when the zoom is chosen here, and
// maxMosaic the most pixels of any.
const (
	screen    = 1600
	maxMosaic = 100_000_000
)

// mosaic draws atoms, the panels of each side by side, in rows on a ground of about
// 4 by 3. Zero is mid-grey, and the largest entry of an atom in a panel black or
// white.
func mosaic(panels []panel, order []int, zoom int) (image.Image, error) {
	var l layout
	if zoom > 0 {
		l = newLayout(panels, len(order), zoom)
	} else {
		for zoom = 16; zoom > 0; zoom-- {
			if l = newLayout(panels, len(order), zoom); l.width <= screen && l.height <= screen {
				break
			}
		}
		zoom = max(zoom, 1)
	}
	if l.width*l.height > maxMosaic {
		return nil, imagefile.Refuse(imagefile.ErrLimit, "", "the atoms take %dx%d pixels, more than %d million; use a smaller --zoom or fewer atoms", l.width, l.height, maxMosaic/1_000_000)
	}
	img := image.NewPaletted(image.Rect(0, 0, l.width, l.height), atomPalette)
	for i, k := range order {
		x, y := l.at(i)
		for _, p := range panels {
			p.draw(img, x, y, k, p.side*zoom)
			x += p.w*p.side*zoom + l.inner
		}
	}
	return img, nil
}

// layout places the cells of a mosaic.
type layout struct {
	cellW, cellH  int // without the gap after it
	inner, outer  int // gaps: between the panels of a cell, and around cells
	cols          int
	width, height int
}

func newLayout(panels []panel, cells, zoom int) layout {
	l := layout{inner: max(1, zoom/2), outer: min(max(3, 2*zoom), 8)}
	for i, p := range panels {
		if i > 0 {
			l.cellW += l.inner
		}
		l.cellW += p.w * p.side * zoom
		l.cellH = max(l.cellH, p.h*p.side*zoom)
	}
	stepW, stepH := float64(l.cellW+l.outer), float64(l.cellH+l.outer)
	l.cols = min(max(int(math.Round(math.Sqrt(float64(cells)*stepH/stepW*4/3))), 1), cells)
	rows := (cells + l.cols - 1) / l.cols
	l.width, l.height = l.cols*(l.cellW+l.outer)+l.outer, rows*(l.cellH+l.outer)+l.outer
	return l
}

// at returns the upper left corner of cell i.
func (l layout) at(i int) (x, y int) {
	return l.outer + i%l.cols*(l.cellW+l.outer), l.outer + i/l.cols*(l.cellH+l.outer)
}

// draw draws atom k with its corner at x, y, an entry as side×side pixels.
func (p panel) draw(img *image.Paletted, x, y, k, side int) {
	atom := p.atoms.Atom(k)
	largest := 0.0
	for _, v := range atom {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range atom {
		level := uint8(zero)
		if largest > 0 {
			level = uint8(zero + math.Round(127*(v/largest)))
		}
		for dy := range side {
			at := img.PixOffset(x+i%p.w*side, y+i/p.w*side+dy)
			for dx := range side {
				img.Pix[at+dx] = level
			}
		}
	}
}
