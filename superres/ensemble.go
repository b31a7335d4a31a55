package superres

import (
	"context"

	"superres/internal/kernel"
	"superres/patches"
)

// orientations is the number of forms of a plane: flips and a transposition, as of the
// patches of anchored stages.
const orientations = 8

// oriented returns p turned and flipped into a form, in new memory.
func oriented(p *patches.Plane, form int32) *patches.Plane {
	w, h := p.W, p.H
	if form&kernel.Turned != 0 {
		w, h = h, w
	}
	out := patches.NewPlane(w, h)
	eachRow(h, func(y int) {
		row := out.Row(y)
		for x := range row {
			row[x] = p.Pix[placeOf(form, x, y, p.W, p.H)]
		}
	})
	return out
}

// placeOf returns where in a plane of w×h the sample lies that comes to (x, y) of the
// plane in a form.
func placeOf(form int32, x, y, w, h int) int {
	if form&kernel.Turned != 0 {
		x, y = y, x
	}
	if form&kernel.FlipX != 0 {
		x = w - 1 - x
	}
	if form&kernel.FlipY != 0 {
		y = h - 1 - y
	}
	return y*w + x
}

// ensemble returns a plane at w×h, not smaller than p: the mean of what the model makes
// of its eight orientations, brought back. After Timofte, Rothe, Van Gool (see
// Anchored), where it is called enhanced prediction.
func (m *Model) ensemble(ctx context.Context, p *patches.Plane, w, h int, report func(float64)) (*patches.Plane, error) {
	sum := patches.NewPlane(w, h)
	for form := range int32(orientations) {
		toW, toH := w, h
		if form&kernel.Turned != 0 {
			toW, toH = h, w
		}
		one, err := m.plane(ctx, oriented(p, form), toW, toH)
		if err != nil {
			return nil, err
		}
		eachRow(toH, func(y int) {
			for x, v := range one.Row(y) {
				sum.Pix[placeOf(form, x, y, w, h)] += v / orientations
			}
		})
		report(float64(form+1) / orientations)
	}
	return sum, nil
}
