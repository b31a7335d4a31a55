package superres

import (
	"math"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
)

// At the effort max a picture is enlarged turned by all quarters, or by a large model in the first two orientations.
func TestEnsembleOfOrientations(t *testing.T) {
	const w, h = 13, 9
	noise := testimage.Noise(w, h)
	split := []*plane.Plane{noise, picture.Orient(noise, picture.FlipX), plane.New(w, h)}
	m := builtin(t, "photo-fast")
	large := m.Large()
	mean := func(task task, orientations ...int32) (sum []*plane.Plane) {
		t.Helper()
		sum = newPlanes(len(split), task.w, task.h)
		for _, o := range orientations {
			part := task
			if o&picture.Transposed != 0 {
				part.sizes = sizes{task.inH, task.inW, task.h, task.w}
			}
			var turned []*plane.Plane
			for _, p := range split {
				turned = append(turned, picture.Orient(p, o))
			}
			for i, p := range must.Get(m.enlargePlanes(t.Context(), turned, part))(t) {
				picture.AddOriented(sum[i], p, o, 1/float32(len(orientations)))
			}
		}
		return sum
	}
	double := task{sizes: sizes{w, h, 2 * w, 2 * h}, planes: 3}
	half, six := double, double
	half.subsampled = true
	six.w, six.h = 6*w, 6*h // by 3, which has no model, and by 2
	for _, c := range []struct {
		what         string
		model        *Model
		task         task
		orientations []int32
	}{
		{"a model", m, double, []int32{0, 3, 5, 6}},
		{"a large model", large, double, []int32{0, 5}},
		{"a large model, for colour at half the resolution", large, half, []int32{0, 5}},
		{"a large model that does not do all passes", large, six, []int32{0, 3, 5, 6}},
	} {
		got := must.Get(c.model.ensemble(t.Context(), split, c.task, func(float64) {}))(t)
		for i, p := range mean(c.task, c.orientations...) {
			if d := farthest(got[i], p); d > 1e-5 {
				t.Errorf("%s: plane %d is off by %g", c.what, i, d)
			}
		}
	}
	two, four := mean(double, 0, 5), mean(double, 0, 3, 5, 6)
	if farthest(two[0], four[0]) < 1e-3 {
		t.Error("two orientations are as good as four, so that this shows nothing")
	}
}

// A large model that enlarges by more than 2 takes brightness to three tenths from green, which it enlarges alone,
// turned by a quarter.
func TestEnsembleWithGreen(t *testing.T) {
	const w, h, scale, turn = 13, 9, 3, 5
	m := must.Get(builtin(t, "photo-fast").modelFor(scale))(t).Large()
	var rgb, split, turned []*plane.Plane
	for k := range 3 {
		rgb = append(rgb, picture.Orient(testimage.Noise(w, h), int32(2*k%4)))
	}
	for _, p := range rgb {
		split = append(split, p.Crop(0, 0, w, h))
	}
	splitRGB(split)
	for _, p := range []*plane.Plane{rgb[1], split[1], split[2]} {
		turned = append(turned, picture.Orient(p, turn))
	}
	upright := task{sizes: sizes{w, h, scale * w, scale * h}, planes: 3}
	around := task{sizes: sizes{h, w, scale * h, scale * w}, planes: 3, hidesColour: true}
	brightness, half, double := upright, upright, upright
	brightness.planes, half.subsampled, double.sizes = 1, true, sizes{w, h, 2 * w, 2 * h}
	for _, other := range []task{brightness, half} {
		if m.showsGreen(other) {
			t.Errorf("green is taken for %+v", other)
		}
	}
	if builtin(t, "photo-fast").Large().showsGreen(double) {
		t.Error("green is taken by 2")
	}
	got := must.Get(m.ensemble(t.Context(), split, upright, func(float64) {}))(t)
	first := must.Get(m.enlargePlanes(t.Context(), split, upright))(t)
	second := newPlanes(len(split), upright.w, upright.h)
	for i, p := range must.Get(m.enlargePlanes(t.Context(), turned, around))(t) {
		picture.AddOriented(second[i], p, turn, 1)
	}
	for i := range got[0].Pix {
		green, dr, db := second[0].Pix[i], second[1].Pix[i], second[2].Pix[i]
		// The brightness y of red y + dr, green, and blue y + db.
		y := (picture.WeightR*dr + picture.WeightG*green + picture.WeightB*db) / (1 - picture.WeightR - picture.WeightB)
		want := [3]float32{0.7*first[0].Pix[i] + 0.3*y, (first[1].Pix[i] + dr) / 2, (first[2].Pix[i] + db) / 2}
		for k, v := range want {
			if d := math.Abs(float64(got[k].Pix[i] - v)); d > 1e-5 {
				t.Fatalf("plane %d, sample %d is %g, expected %g", k, i, got[k].Pix[i], v)
			}
		}
	}
}

// A model that sees colour does not if the task hides it: brightness is as without colour.
func TestHiddenColour(t *testing.T) {
	const w, h = 13, 9
	noise := testimage.Noise(w, h)
	split := []*plane.Plane{noise, picture.Orient(noise, picture.FlipX), picture.Orient(noise, picture.FlipY)}
	m := must.Get(builtin(t, "photo").modelFor(4))(t)
	shown := task{sizes: sizes{w, h, 4 * w, 4 * h}, planes: 3}
	hidden := shown
	hidden.hidesColour = true
	grey := must.Get(m.enlargePlane(t.Context(), noise, 4*w, 4*h))(t)
	if d := farthest(must.Get(m.enlargePlanes(t.Context(), split, hidden))(t)[0], grey); d != 0 {
		t.Errorf("hidden colour moves brightness by %g", d)
	}
	if farthest(must.Get(m.enlargePlanes(t.Context(), split, shown))(t)[0], grey) < 1e-3 {
		t.Error("the model does not see colour, so that this shows nothing")
	}
}
