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
//	once, then green once, see showsGreen             31.78  30.19  28.36  30.79   1.25 s
//	once, then red, green and blue once each          31.79  30.21  28.36  30.80   2.08 s
//
// The large one of this table is not that of today, which has 31.79, 30.20, 28.37 and 30.80 dB once, then green once:
// it is the mean of that one and of one trained on from it, see package learning.
//
// At ×2 it has 37.65, 35.70, 33.99 and 37.58 dB once, 37.68, 35.73, 34.01 and 37.61 twice, and photo in red, green and
// blue, twice each, 37.64, 35.66, 33.88 and 37.51. At ×3 it has 33.89, 32.32, 30.06 and 33.24 twice, with green 33.93,
// 32.33, 30.06 and 33.28, where photo has 33.86, 32.24, 29.94 and 33.17. Saturated flowers lose up to 0.7 dB, of 38 to
// 47: colour misleads it there.
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
// prediction (Seven Ways to Improve Example-Based Single Image Super Resolution, CVPR 2016). Where a large model may
// take green, see showsGreen, green is what it makes of the second orientation.
func (m *Model) meanOfOrientations(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	orientations := quarterTurns
	if m.isLarge(t.sizes) {
		orientations = quarterTurns[:2]
		if m.showsGreen(t) {
			return m.meanWithGreen(ctx, in, t, report)
		}
	}
	means := newPlanes(len(in), t.w, t.h)
	for k, orientation := range orientations {
		if err := m.addOriented(ctx, means, in, t, orientation, 1/float32(len(orientations))); err != nil {
			return nil, err
		}
		report(float64(k+1) / float64(len(orientations)))
	}
	return means, nil
}

// addOriented adds to the planes of sums, times weight, what the model makes of whole planes in an orientation.
func (m *Model) addOriented(
	ctx context.Context, sums, in []*plane.Plane, t task, orientation int32, weight float32,
) error {
	if orientation&picture.Transposed != 0 {
		t.sizes = sizes{t.inH, t.inW, t.h, t.w}
	}
	oriented := make([]*plane.Plane, len(in))
	for i, p := range in {
		oriented[i] = picture.Orient(p, orientation)
	}
	enlarged, err := m.enlargePlanes(ctx, oriented, t)
	if err != nil {
		return err
	}
	for i, p := range enlarged {
		picture.AddOriented(sums[i], p, orientation, weight)
	}
	return nil
}

// greenShare is the share, in brightness, of what comes from green enlarged alone.
const greenShare = 0.3

// showsGreen reports whether a large model enlarges green, without the other colours, in the second orientation: if
// colour is there, as fine as brightness, and the first pass is by more than 2. Where colour misleads the network,
// green alone does not. PSNR of pictures in colour in dB, unrounded, of the network once, twice, and once with green,
// whose best share is 0.25 to 0.31 everywhere:
//
//	     Set5                  T91, a quarter        open-valid            general-dev
//	×2   37.74  37.77  37.76   35.73  35.75  35.74   33.99  34.01  33.99   37.79  37.83  37.83
//	×3   33.90  33.93  33.97   32.40  32.44  32.44   30.02  30.03  30.03   32.96  32.99  33.03
//	×4   31.67  31.75  31.80   30.22  30.29  30.30   28.31  28.36  28.36   30.29  30.36  30.37
//
// Red in place of green, or brightness without its colour, adds two thirds of that at most. RGB of 109 pictures,
// reduced by Pillow, gains 0.001 dB at ×3 and loses 0.013 at ×4: red and blue are no longer the mean of two with all
// colours.
func (m *Model) showsGreen(t task) bool {
	return t.planes == 3 && !t.subsampled && m.scaleChain(t.sizes)[0] > 2
}

// meanWithGreen returns whole planes enlarged as a task says: the mean of what the model makes of the planes and of
// what it makes of green, turned and without its colour, from which brightness follows by the enlarged colours.
func (m *Model) meanWithGreen(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	means, others := newPlanes(len(in), t.w, t.h), newPlanes(len(in), t.w, t.h)
	if err := m.addOriented(ctx, means, in, t, quarterTurns[0], 1); err != nil {
		return nil, err
	}
	report(0.5)
	rgb := newPlanes(len(in), t.inW, t.inH)
	for i, p := range in {
		copy(rgb[i].Pix, p.Pix)
	}
	joinRGB(rgb)
	alone := t
	alone.hidesColour = true
	green := []*plane.Plane{rgb[1], in[1], in[2]}
	if err := m.addOriented(ctx, others, green, alone, quarterTurns[1], 1); err != nil {
		return nil, err
	}
	parallel.Rows(t.h, func(y int) {
		first, red, blue := others[0].Row(y), others[1].Row(y), others[2].Row(y)
		for x, green := range first {
			first[x] = green + (float32(redShare*red[x]) + float32(blueShare*blue[x]))
		}
		for i, share := range [3]float32{greenShare, 0.5, 0.5} {
			mean := means[i].Row(y)
			for x, v := range others[i].Row(y) {
				mean[x] += float32(share * (v - mean[x]))
			}
		}
	})
	report(1)
	return means, nil
}
