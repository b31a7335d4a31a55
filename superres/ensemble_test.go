package superres

import (
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
		for range split {
			sum = append(sum, plane.New(task.w, task.h))
		}
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
	six.w, six.h = 6*w, 6*h // by 3, whose model is none, and by 2
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
