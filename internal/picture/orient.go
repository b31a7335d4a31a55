package picture

import (
	"superres/internal/parallel"
	"superres/patches/plane"
)

// An orientation is a set of these bits. A picture is flipped horizontally, then flipped vertically, then transposed.
const (
	FlipX int32 = 1 << iota
	FlipY
	Transposed

	// Orientations is the number of orientations.
	Orientations = 8
)

// Orient returns p flipped and transposed as form says, in new memory.
func Orient(p *plane.Plane, form int32) *plane.Plane {
	w, h := p.W, p.H
	if form&Transposed != 0 {
		w, h = h, w
	}
	out := plane.New(w, h)
	parallel.Rows(h, func(y int) {
		row := out.Row(y)
		for x := range row {
			row[x] = p.Pix[SourceOffset(form, x, y, p.W, p.H)]
		}
	})
	return out
}

// AddOriented adds share times oriented, of the size of Orient(p, form), to p, with the orientation form undone.
func AddOriented(p, oriented *plane.Plane, form int32, share float32) {
	parallel.Rows(oriented.H, func(y int) {
		for x, v := range oriented.Row(y) {
			p.Pix[SourceOffset(form, x, y, p.W, p.H)] += float32(share * v) // float32() prevents a fused multiply-add
		}
	})
}

// SourceOffset returns the index, in a plane of w×h samples, of the sample that Orient moves to (x, y) by form.
func SourceOffset(form int32, x, y, w, h int) int {
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
