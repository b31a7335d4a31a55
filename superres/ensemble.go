package superres

import (
	"context"

	"superres/internal/picture"
	"superres/patches/plane"
)

// ensemble returns whole planes enlarged as a task says: the mean of what the model makes of the eight orientations of
// the picture (flips and quarter turns), each brought back to upright. Timofte, Rothe and Van Gool call this enhanced
// prediction (Seven Ways to Improve Example-Based Single Image Super Resolution, CVPR 2016). It takes eight times the
// work of one enlargement. report is called with the share done, 0 to 1.
func (m *Model) ensemble(ctx context.Context, in []*plane.Plane, t task, report func(float64)) ([]*plane.Plane, error) {
	means := make([]*plane.Plane, len(in))
	for i := range means {
		means[i] = plane.New(t.w, t.h)
	}
	for orientation := range int32(picture.Orientations) {
		part := t
		part.mixer = t.mixer.oriented(orientation)
		if orientation&picture.Transposed != 0 {
			part.sizes = sizes{t.inH, t.inW, t.h, t.w}
		}
		oriented := make([]*plane.Plane, len(in))
		for i, p := range in {
			oriented[i] = picture.Orient(p, orientation)
		}
		enlarged, err := m.enlargePlanes(ctx, oriented, part)
		if err != nil {
			return nil, err
		}
		for i, p := range enlarged {
			picture.AddOriented(means[i], p, orientation, 1./picture.Orientations)
		}
		report(float64(orientation+1) / picture.Orientations)
	}
	return means, nil
}
