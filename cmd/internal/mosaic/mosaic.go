// Package mosaic draws the atoms of dictionaries.
package mosaic

import (
	"image"
	"image/color"
	"math"

	"superres/internal/safefile"
	"superres/learners/sparse"
)

// Ground is the index of the background in Palette, and zero the index of the grey that stands for an entry of 0.
const Ground, zero = 0, 128

// Palette has the background at index Ground, and at each index v from 1 to 255 the grey of sample value v.
var Palette = func() color.Palette {
	p := color.Palette{color.NRGBA{44, 92, 150, 255}}
	for v := 1; v < 256; v++ {
		p = append(p, color.Gray{uint8(v)})
	}
	return p
}()

// Panel is one matrix of atoms in a drawing.
type Panel struct {
	atoms *sparse.Dictionary // each column is an atom of w·h entries
	// w and h are the width and height of an atom in entries; a column lists the rows of its atom from the top.
	w, h int
	side int // the side of an entry in pixels, at zoom 1
}

// screen is the greatest width and height, in pixels, of a drawing if Draw chooses the zoom, except that zoom 1 may
// exceed it. maxPixels is the greatest number of pixels of a drawing.
const (
	screen    = 1600
	maxPixels = 100_000_000
)

// Draw returns a drawing of atoms in rows, about 4 by 3 in shape, with the panels of each atom side by side. Zero is
// mid-grey, and the entry of greatest magnitude in each panel of an atom is black or white. order lists the columns of
// the atoms to draw. zoom multiplies Panel.side; 0 stands for the largest up to 16 that fits screen, or else for 1.
func Draw(panels []Panel, order []int, zoom int) (image.Image, error) {
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
	if l.width*l.height > maxPixels {
		return nil, safefile.Refuse(safefile.ErrLimit, "",
			"the atoms take %d×%d pixels, more than %d million; use a smaller --zoom or fewer atoms", l.width,
			l.height, maxPixels/1_000_000)
	}
	img := image.NewPaletted(image.Rect(0, 0, l.width, l.height), Palette)
	for i, k := range order {
		x, y := l.outer+i%l.cols*(l.cellW+l.outer), l.outer+i/l.cols*(l.cellH+l.outer)
		for _, p := range panels {
			p.draw(img, x, y, k, p.side*zoom)
			x += p.w*p.side*zoom + l.inner
		}
	}
	return img, nil
}

// layout holds the sizes, in pixels, of a drawing in which each cell shows one atom.
type layout struct {
	cellW, cellH  int // size of a cell, without the gap after it
	inner, outer  int // gaps: between the panels in a cell, and around cells
	cols          int
	width, height int
}

// newLayout returns the layout of a drawing with the given number of cells, about 4 by 3 in shape.
func newLayout(panels []Panel, cells, zoom int) layout {
	l := layout{inner: max(1, zoom/2), outer: min(max(3, 2*zoom), 8)} // half an entry; two entries, but 3 to 8 pixels
	for i, p := range panels {
		if i > 0 {
			l.cellW += l.inner
		}
		l.cellW += p.w * p.side * zoom
		l.cellH = max(l.cellH, p.h*p.side*zoom)
	}
	stepW, stepH := float64(l.cellW+l.outer), float64(l.cellH+l.outer) // so cols·stepW is 4/3 of cells/cols·stepH
	l.cols = min(max(int(math.Round(math.Sqrt(float64(cells)*stepH/stepW*4/3))), 1), cells)
	rows := (cells + l.cols - 1) / l.cols
	l.width, l.height = l.cols*(l.cellW+l.outer)+l.outer, rows*(l.cellH+l.outer)+l.outer
	return l
}

// NewPanel returns a panel that keeps d, with atoms of w×h entries, each drawn as side×side pixels at zoom 1.
func NewPanel(d *sparse.Dictionary, w, h, side int) Panel { return Panel{d, w, h, side} }

// draw draws atom k into img with its upper left corner at (x, y), and each entry as side×side pixels. Entries of 0
// are mid-grey, and the entry of greatest magnitude is black or white.
func (p Panel) draw(img *image.Paletted, x, y, k, side int) {
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
			row := img.PixOffset(x+i%p.w*side, y+i/p.w*side+dy)
			for dx := range side {
				img.Pix[row+dx] = level
			}
		}
	}
}
