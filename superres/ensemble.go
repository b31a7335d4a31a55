package superres

import (
	"context"
	"superres/patches/plane"

	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/superres/stage"
)

// ensemble returns planes at w×h, not smaller than they are: the means of what the model makes
// of their eight picture.Orientations, mixed with what another does, brought back. After
// Timofte, Rothe, Van Gool, "Seven ways to improve example-based single image super resolution"
// (CVPR 2016), where it is called enhanced prediction.
func (m *Model) ensemble(ctx context.Context, in []*plane.Plane, w, h int, f form, mix *mixer, mem *stage.Pool, report func(float64)) ([]*plane.Plane, error) {
	sums := make([]*plane.Plane, len(in))
	for i := range sums {
		sums[i] = plane.New(w, h)
	}
	for way := range int32(picture.Orientations) {
		toW, toH := w, h
		if way&kernel.Turned != 0 {
			toW, toH = h, w
		}
		oriented := make([]*plane.Plane, len(in))
		for i, p := range in {
			oriented[i] = picture.Oriented(p, way)
		}
		made, err := m.planes(ctx, oriented, toW, toH, f, mix.oriented(way), mem)
		if err != nil {
			return nil, err
		}
		for i, one := range made {
			picture.AddOriented(sums[i], one, way, 1./picture.Orientations)
		}
		report(float64(way+1) / picture.Orientations)
	}
	return sums, nil
}
