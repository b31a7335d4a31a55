package superres

import (
	"context"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// ensemble returns whole planes enlarged as a task says, at the effort max. report is called with the share done, 0 to
// 1.
func (m *Model) ensemble(ctx context.Context, in []*plane.Plane, t task, report func(float64)) ([]*plane.Plane, error) {
	alone := t
	alone.mixer, alone.isPart = nil, t.mixer != nil
	if t.mixer == nil {
		return m.meanOf(ctx, in, alone, report)
	}
	// The other one comes first, as the mean over orientations takes more memory than that over colours.
	other, err := t.mixer.other.meanOf(ctx, in, alone, func(share float64) { report(share / 2) })
	if err != nil {
		return nil, err
	}
	out, err := m.meanOf(ctx, in, alone, func(share float64) { report(0.5 + share/2) })
	if err != nil {
		return nil, err
	}
	t.mixer.mix(0, out, other)
	return out, nil
}

// meanOf returns the mean of what the model makes of several forms of whole planes.
func (m *Model) meanOf(ctx context.Context, in []*plane.Plane, t task, report func(float64)) ([]*plane.Plane, error) {
	if m.isLarge(t.sizes) {
		return m.meanOfOrientations(ctx, in, wholeOrientations, t, report)
	}
	if t.planes == 3 && m.Network == nil && !t.subsampled && !m.foreignColour && !m.IsGraded() {
		return m.meanOfColours(ctx, in, t, report)
	}
	return m.meanOfOrientations(ctx, in, quarterTurns, t, report)
}

// isLarge reports whether all passes have large models, which enlarge a picture as a whole in two orientations. For ×4,
// a network of 64 channels and 16 layers has, in dB on Set5, T91, open-valid and general-dev, and the whole program
// takes for 768×512 samples on two processors
//
//	photo, once                                       31.57  30.02  28.23  30.60   0.43 s
//	photo, twice, then red, green and blue once each  31.64  30.09  28.26  30.67   1.40 s
//	the large one, once                               31.65  30.11  28.32  30.71   0.72 s
//	twice                                             31.73  30.17  28.36  30.78   1.25 s
//	in all quarter turns                              31.75  30.21  28.38  30.81
//	once, then red, green and blue once each          31.79  30.21  28.36  30.80   2.08 s
func (m *Model) isLarge(s sizes) bool {
	models := m.chainModels(s)
	return len(models) > 0 && !slices.ContainsFunc(models, func(model *Model) bool { return !model.large })
}

// quarterTurns are the orientations of package picture that flip nothing. The mean over all eight orientations takes
// twice the time; with these, photo for brightness has, in dB, on Set5, open-valid and 30 of T91 in grey:
//
//	     once                  quarter turns         all eight
//	×2   37.52, 33.81, 36.02   37.55, 33.83, 36.04   37.56, 33.83, 36.04
//	×4   31.40, 28.15, 30.32   31.45, 28.18, 30.36   31.46, 28.18, 30.37
var quarterTurns = []int32{
	0, picture.FlipX | picture.FlipY, picture.Transposed | picture.FlipX, picture.Transposed | picture.FlipY,
}

// meanOfOrientations returns the mean of what the model makes of the given orientations of the planes (flips and
// quarter turns), each brought back to upright. Timofte, Rothe and Van Gool call this enhanced prediction (Seven Ways
// to Improve Example-Based Single Image Super Resolution, CVPR 2016).
func (m *Model) meanOfOrientations(
	ctx context.Context, in []*plane.Plane, orientations []int32, t task, report func(float64),
) ([]*plane.Plane, error) {
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

// wholeOrientations are those in which a picture is enlarged whole by a large model, and by one whose stages look at
// colour.
// apartOrientations are those of its red, green and blue, the first of each alone if it is enlarged whole, too.
var (
	wholeOrientations = []int32{0, picture.Transposed | picture.FlipX}
	apartOrientations = [3][2]int32{
		{picture.FlipX, picture.Transposed | picture.FlipY},
		{picture.Transposed, 0},
		{picture.FlipX | picture.FlipY | picture.Transposed, picture.FlipX | picture.FlipY},
	}
)

// meanOfColours returns the enlargement of a picture in colour whose red, green and blue the model enlarges one after
// the other, each in two orientations, as if they were brightness: brightness shows less of an edge between two
// colours than red, green or blue does. Their brightness is that of the result. Colour is the mean of theirs and of
// what the network for colour makes. Of JPEG files of quality 95, with colour at half the resolution, it would make
// 0.13 dB less of RGB than a mean over orientations.
//
// The mean PSNR in dB of Y and of RGB with eight orientations, and with red, green and blue in three each; 60 pictures,
// of which one loses 0.3 dB of RGB:
//
//	               ×2             ×2, so           ×4             ×4, so
//	Set5           37.58, 35.47   37.62, 35.49     31.49, 29.53   31.59, 29.70
//	general-dev    37.68, 36.00   37.74, 36.12     30.63, 28.88   30.78, 29.10
//	Kodak          33.73, 32.30   33.75, 32.31     28.69, 27.32   28.72, 27.37
//	open-valid     34.66, 33.23   34.70, 33.30     29.09, 27.69   29.14, 27.79
//
// On Set5, open-valid and 30 of T91 at ×3, a photo that did not look at colour has 33.69, 29.87 and 32.57 dB, and so,
// in one, two and three orientations each, 33.79, 29.92, 32.67; 33.80, 29.92, 32.68; and 33.81, 29.93 and 32.69 dB.
//
// A model whose stages look at colour enlarges the picture as a whole in two orientations, too, and red, green and blue
// in one each; brightness and colour are the means of both. PSNR of Y on the same pictures, by photo at ×4:
//
//	whole, then red, green and blue   enlargements   dB
//	once, none                        1              31.57, 28.23, 30.44
//	once, once each                   4              31.63, 28.25, 30.51
//	twice, once each                  5              31.64, 28.26, 30.52
//	three times, twice each           9              31.64, 28.26, 30.53
//	in all eight, once each           11             31.65, 28.27, 30.53
func (m *Model) meanOfColours(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	const parts = 4 // in red, green, blue, and the network for colour
	var whole []*plane.Plane
	var err error
	ways := 2
	if m.seesColour(t.sizes) {
		ways = 1
		upTo := func(share float64) { report(share / parts) }
		whole, err = m.meanOfOrientations(ctx, in, wholeOrientations, t, upTo)
	} else if whole, err = m.enlargePlanes(ctx, in, t); err == nil {
		whole[0] = nil // brightness is released
	}
	if err != nil {
		return nil, err
	}
	rgb := make([]*plane.Plane, len(in))
	for i, p := range in {
		rgb[i] = p.Crop(0, 0, p.W, p.H)
	}
	joinRGB(rgb)
	report(1. / parts)
	single := t
	single.planes = 1
	for i, p := range rgb {
		upTo := func(share float64) { report((float64(i+1) + share) / parts) }
		mean, err := m.meanOfOrientations(ctx, []*plane.Plane{p}, apartOrientations[i][:ways], single, upTo)
		if err != nil {
			return nil, err
		}
		rgb[i] = mean[0]
	}
	splitRGB(rgb)
	for i, p := range whole {
		if p != nil {
			setMean(rgb[i], p)
		}
	}
	return rgb, nil
}

// setMean changes p to the mean of p and q.
func setMean(p, q *plane.Plane) {
	parallel.Rows(p.H, func(y int) {
		row, other := p.Row(y), q.Row(y)
		for x, v := range row {
			row[x] = (v + other[x]) / 2
		}
	})
}
