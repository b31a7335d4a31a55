package superres

import (
	"context"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/stage"
)

// At the effort max the brightness of a picture in colour is that of its red, green and blue, each enlarged in two
// orientations; colour is the mean of theirs and of what the model makes of it. With colour at half the resolution, and
// with a model for damaged pictures, brightness is enlarged turned by quarters. A large model enlarges the picture as a
// whole, in two orientations.
func TestEnsembleOfColours(t *testing.T) {
	const w, h = 13, 9
	rgb := []*plane.Plane{testimage.Noise(w, h), picture.Orient(testimage.Noise(w, h), picture.FlipX),
		picture.Orient(testimage.Noise(w, h), picture.FlipY)}
	split := []*plane.Plane{rgb[0].Crop(0, 0, w, h), rgb[1].Crop(0, 0, w, h), rgb[2].Crop(0, 0, w, h)}
	splitRGB(split)
	double := task{sizes: sizes{w, h, 2 * w, 2 * h}, planes: 3}
	mean := func(m *Model, p *plane.Plane, orientations ...int32) *plane.Plane {
		t.Helper()
		out := plane.New(2*w, 2*h)
		for _, o := range orientations {
			turned := picture.Orient(p, o)
			enlarged := must.Get(m.enlargePlane(t.Context(), turned, 2*turned.W, 2*turned.H))(t)
			picture.AddOriented(out, enlarged, o, 1/float32(len(orientations)))
		}
		return out
	}
	ignore := func(float64) {}
	m := builtin(t, "photo-fast")
	got := must.Get(m.ensemble(t.Context(), split, double, ignore))(t)
	want := []*plane.Plane{mean(m, rgb[0], 1, 6), mean(m, rgb[1], 4, 0), mean(m, rgb[2], 7, 3)}
	splitRGB(want)
	once := must.Get(m.enlargePlanes(t.Context(), split, double))(t)
	for i, p := range want {
		for k := range p.Pix {
			if i > 0 {
				p.Pix[k] = (p.Pix[k] + once[i].Pix[k]) / 2
			}
		}
		if d := farthest(got[i], p); d > 1e-5 {
			t.Errorf("plane %d is off by %g", i, d)
		}
	}
	luma := mean(m, split[0], 0, 3, 5, 6)
	if farthest(got[0], luma) < 1e-3 {
		t.Error("brightness enlarged alone is the same, so that this shows nothing")
	}
	half := double
	half.subsampled = true
	if got := must.Get(m.ensemble(t.Context(), split, half, ignore))(t); farthest(got[0], luma) > 1e-5 {
		t.Error("colour at half the resolution is enlarged as if it were whole")
	}
	robust := builtin(t, "photo-real-fast")
	luma = mean(robust, split[0], 0, 3, 5, 6)
	if got := must.Get(robust.ensemble(t.Context(), split, double, ignore))(t); farthest(got[0], luma) > 1e-5 {
		t.Error("a model for damaged pictures enlarges colours one after the other")
	}
	large := m.Large()
	if got := must.Get(large.ensemble(t.Context(), split, double, ignore))(t); farthest(got[0],
		mean(m, split[0], 0, 5)) > 1e-5 {
		t.Error("a large model does not enlarge the picture as a whole, as it is and turned once")
	}
	six := double // by 3, whose model is none, and by 2
	six.w, six.h = 6*w, 6*h
	mixed := must.Get(large.ensemble(t.Context(), split, six, ignore))(t)
	if same := must.Get(m.ensemble(t.Context(), split, six, ignore))(t); farthest(mixed[0], same[0]) > 0 {
		t.Error("a picture is enlarged in fewer orientations though one of two passes has no large model")
	}
}

// slanted is a reddener whose results depend on the orientation: they are a sample to the right.
type slanted struct{ reddener }

func (s slanted) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	out, err := s.reddener.Apply(ctx, low, current, w)
	if err == nil {
		for y := range out.H {
			row := out.Row(y)
			copy(row[1:], row)
		}
	}
	return out, err
}

// A model whose stages look at colour also enlarges the picture as a whole in two orientations.
func TestEnsembleThatSeesColour(t *testing.T) {
	const w, h = 13, 9
	var calls []int
	without := 0
	m := newRepeat(2, &calls)
	m.Stages = []stage.Stage{slanted{reddener{repeat{2, &calls}, &without}}}
	rgb := []*plane.Plane{testimage.Noise(w, h), picture.Orient(testimage.Noise(w, h), picture.FlipX), plane.New(w, h)}
	split := []*plane.Plane{rgb[0].Crop(0, 0, w, h), rgb[1].Crop(0, 0, w, h), rgb[2].Crop(0, 0, w, h)}
	splitRGB(split)
	double := task{sizes: sizes{w, h, 2 * w, 2 * h}, planes: 3}
	ignore := func(float64) {}
	got := must.Get(m.ensemble(t.Context(), split, double, ignore))(t)
	if without != 3 || len(calls) != 5 {
		t.Errorf("%d enlargements, %d without colour, expected 5 and 3", len(calls), without)
	}
	want := must.Get(m.meanOfOrientations(t.Context(), split, []int32{0, 5}, double, ignore))(t)
	single := double
	single.planes = 1
	var apart []*plane.Plane
	for i, ways := range [][]int32{{1}, {4}, {7}} {
		mean := must.Get(m.meanOfOrientations(t.Context(), rgb[i:i+1], ways, single, ignore))(t)
		apart = append(apart, mean[0])
	}
	splitRGB(apart)
	for i, p := range want {
		setMean(p, apart[i])
		if d := farthest(got[i], p); d > 1e-6 {
			t.Errorf("plane %d is off by %g", i, d)
		}
	}
}
