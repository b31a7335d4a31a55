package picture

import (
	"superres/internal/parallel"
	"superres/patches/plane"
)

// The bits of an orientation of a plane: first it is mirrored across and down, then transposed.
const (
	FlipX int32 = 1 << iota
	FlipY
	Transposed

	// Orientations is the number of orientations.
	Orientations = 8
)

// Oriented returns p turned and flipped into a form, in new memory.
func Oriented(p *plane.Plane, form int32) *plane.Plane {
	w, h := p.W, p.H
	if form&Transposed != 0 {
		w, h = h, w
	}
	out := plane.New(w, h)
	parallel.Rows(h, func(y int) {
		row := out.Row(y)
		for x := range row {
			row[x] = p.Pix[PlaceOf(form, x, y, p.W, p.H)]
		}
	})
	return out
}

// AddOriented adds to p a plane in a form, as Oriented makes it of one like p, a sample times a share.
func AddOriented(p, oriented *plane.Plane, form int32, share float32) {
	parallel.Rows(oriented.H, func(y int) {
		for x, v := range oriented.Row(y) {
			p.Pix[PlaceOf(form, x, y, p.W, p.H)] += float32(share * v) // and not fused
		}
	})
}

// PlaceOf returns where in a plane of w×h the sample lies that comes to (x, y) of the plane in a form.
func PlaceOf(form int32, x, y, w, h int) int {
	if form&Transposed != 0 {
		x, y = y, x
	}
	if form&FlipX != 0 {
		x = w - 1 - x
	}
	if form&FlipY != 0 {
		y = h - 1 - y
	}
	return y*w + x
}
