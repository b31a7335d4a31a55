package superres

import (
	"superres/patches/plane"
	"superres/superres/stage"
)

// window is a run of consecutive rows of a plane. Rows are appended at its lower end and dropped at its upper end.
type window struct {
	top   int // row of the whole plane that the window begins with
	plane plane.Plane
}

// end returns the row of the whole plane after the last one of the window.
func (w *window) end() int { return w.top + w.plane.H }

// rows returns the rows [from, to) of the whole plane as a plane that shares the memory of the window.
func (w *window) rows(from, to int) *plane.Plane { return rowsOf(&w.plane, from-w.top, to-w.top) }

// append adds the rows of p. The window keeps p or a copy of it, and gives memory that it no longer needs to mem.
func (w *window) append(mem *stage.Pool, p *plane.Plane) {
	if w.plane.H == 0 {
		w.plane = *p
		return
	}
	joined := mem.Blank(len(w.plane.Pix) + len(p.Pix))
	copy(joined[copy(joined, w.plane.Pix):], p.Pix)
	mem.Give(w.plane.Pix)
	mem.Give(p.Pix)
	w.plane.Pix = joined
	w.plane.H += p.H
}

// dropBefore drops the rows of the window above row, which is a row of the whole plane. The rows that stay are copied
// to new memory, and the old memory is given to mem.
func (w *window) dropBefore(mem *stage.Pool, row int) {
	if row <= w.top {
		return
	}
	kept, old := rowsOf(&w.plane, row-w.top, w.plane.H), w.plane.Pix
	w.top, w.plane = row, *kept.Crop(0, 0, kept.W, kept.H)
	mem.Give(old)
}

// rowsOf returns the rows [from, to) of p as a plane that shares the memory of p.
func rowsOf(p *plane.Plane, from, to int) *plane.Plane {
	return &plane.Plane{W: p.W, H: to - from, Pix: p.Pix[from*p.W : to*p.W : to*p.W]}
}

// rowsOfAll returns the rows [from, to) of each of the planes, as planes that share the memory of planes.
func rowsOfAll(planes []*plane.Plane, from, to int) []*plane.Plane {
	out := make([]*plane.Plane, len(planes))
	for i, p := range planes {
		out[i] = rowsOf(p, from, to)
	}
	return out
}
