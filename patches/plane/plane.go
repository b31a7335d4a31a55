// Package plane holds the type of one channel of a picture, rows of float32, which all computation with pictures uses.
package plane

import "fmt"

// Plane is one channel of a picture: W×H samples, row by row, nominally 0..1.
// The sample at column x of row y is Pix[y*W+x].
type Plane struct {
	W, H int
	Pix  []float32
}

// New returns a plane of zeros. It panics if a side is negative.
func New(w, h int) *Plane {
	if w < 0 || h < 0 {
		panic(fmt.Sprintf("plane: a plane of %d×%d", w, h))
	}
	return &Plane{W: w, H: h, Pix: make([]float32, w*h)}
}

// Row returns row y as a slice of the memory of the plane.
func (p *Plane) Row(y int) []float32 { return p.Pix[y*p.W : (y+1)*p.W : (y+1)*p.W] }

// Crop returns a copy of the w×h rectangle with upper left corner (x, y). It panics if the plane does not contain it.
func (p *Plane) Crop(x, y, w, h int) *Plane {
	if x < 0 || y < 0 || w < 0 || h < 0 || x+w > p.W || y+h > p.H {
		panic(fmt.Sprintf("plane: crop %d×%d at (%d,%d) of a %d×%d plane", w, h, x, y, p.W, p.H))
	}
	out := New(w, h)
	for i := range h {
		copy(out.Row(i), p.Row(y + i)[x:])
	}
	return out
}

// Extend returns a copy of the plane, enlarged to at least w×h by repeating its last column and row. It returns p
// itself if p is large enough. It panics on an empty plane.
func (p *Plane) Extend(w, h int) *Plane {
	if p.W >= w && p.H >= h {
		return p
	}
	out := New(max(p.W, w), max(p.H, h))
	for y := range out.H {
		row := out.Row(y)
		n := copy(row, p.Row(min(y, p.H-1)))
		for x := n; x < out.W; x++ {
			row[x] = row[n-1]
		}
	}
	return out
}
