package superres

import (
	"context"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches"
	"superres/superres/stage"
)

// ensemble returns a plane at w×h, not smaller than p: the mean of what the model makes
// of its eight picture.Orientations, brought back. After Timofte, Rothe, Van Gool (see
// package anchored), where it is called enhanced prediction.
func (m *Model) ensemble(ctx context.Context, p *patches.Plane, w, h int, mem *stage.Pool, report func(float64)) (*patches.Plane, error) {
	sum := patches.NewPlane(w, h)
	for form := range int32(picture.Orientations) {
		toW, toH := w, h
		if form&kernel.Turned != 0 {
			toW, toH = h, w
		}
		one, err := m.plane(ctx, picture.Oriented(p, form), toW, toH, mem)
		if err != nil {
			return nil, err
		}
		parallel.Rows(toH, func(y int) {
			for x, v := range one.Row(y) {
				sum.Pix[picture.PlaceOf(form, x, y, w, h)] += v / picture.Orientations
			}
		})
		report(float64(form+1) / picture.Orientations)
	}
	return sum, nil
}
