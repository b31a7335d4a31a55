package superres

import (
	"context"
	"slices"

	"superres/internal/picture"
	"superres/patches/plane"
)

// ensemble returns whole planes enlarged as a task says, at the effort max. report is called with the share done, 0 to
// 1.
func (m *Model) ensemble(ctx context.Context, in []*plane.Plane, t task, report func(float64)) ([]*plane.Plane, error) {
	alone := t
	alone.mixer, alone.isPart = nil, t.mixer != nil
	if t.mixer == nil {
		return m.meanOfOrientations(ctx, in, alone, report)
	}
	other, err := t.mixer.other.meanOfOrientations(ctx, in, alone, func(share float64) { report(share / 2) })
	if err != nil {
		return nil, err
	}
	out, err := m.meanOfOrientations(ctx, in, alone, func(share float64) { report(0.5 + share/2) })
	if err != nil {
		return nil, err
	}
	t.mixer.mix(0, out, other)
	return out, nil
}

// isLarge reports whether all passes have large models, which enlarge a picture in two orientations. For ×4, a network
// of 64 channels and 16 layers has, in dB on Set5, T91, open-valid and general-dev, and the whole program takes for
// 768×512 samples on two processors
//
//	photo, once                                       31.57  30.02  28.23  30.60   0.43 s
//	photo, twice, then red, green and blue once each  31.64  30.09  28.26  30.67   1.40 s
//	the large one, once                               31.65  30.11  28.32  30.71   0.72 s
//	twice                                             31.73  30.17  28.36  30.78   1.25 s
//	in all quarter turns                              31.75  30.21  28.38  30.81
//	once, then red, green and blue once each          31.79  30.21  28.36  30.80   2.08 s
//
// At ×2 it has 37.65, 35.70, 33.99 and 37.58 dB once, 37.68, 35.73, 34.01 and 37.61 twice, and photo in red, green and
// blue, twice each, 37.64, 35.66, 33.88 and 37.51. At ×3 it has 33.89, 32.32, 30.06 and 33.24 twice, where photo has
// 33.86, 32.24, 29.94 and 33.17. Saturated flowers lose up to 0.7 dB, of 38 to 47: colour misleads it there.
func (m *Model) isLarge(s sizes) bool {
	models := m.chainModels(s)
	return len(models) > 0 && !slices.ContainsFunc(models, func(model *Model) bool { return !model.large })
}

// quarterTurns are the orientations of package picture that flip nothing, upright first. The mean over all eight
// orientations takes twice the time; with these, photo for brightness has, in dB, on Set5, open-valid and 30 of T91 in
// grey:
//
//	     once                  quarter turns         all eight
//	×2   37.52, 33.81, 36.02   37.55, 33.83, 36.04   37.56, 33.83, 36.04
//	×4   31.40, 28.15, 30.32   31.45, 28.18, 30.36   31.46, 28.18, 30.37
var quarterTurns = []int32{
	0, picture.Transposed | picture.FlipX, picture.FlipX | picture.FlipY, picture.Transposed | picture.FlipY,
}

// meanOfOrientations returns the mean of what the model makes of whole planes turned by quarters, each brought back to
// upright: a large model of two orientations, others of all four. Timofte, Rothe and Van Gool call this enhanced
// prediction (Seven Ways to Improve Example-Based Single Image Super Resolution, CVPR 2016).
func (m *Model) meanOfOrientations(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	orientations := quarterTurns
	if m.isLarge(t.sizes) {
		orientations = quarterTurns[:2]
	}
	means := make([]*plane.Plane, len(in))
	for i := range means {
		means[i] = plane.New(t.w, t.h)
	}
	for k, orientation := range orientations {
		part := t
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
			picture.AddOriented(means[i], p, orientation, 1/float32(len(orientations)))
		}
		report(float64(k+1) / float64(len(orientations)))
	}
	return means, nil
}
