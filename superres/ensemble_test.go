package superres

import (
	"image"
	"image/draw"
	"reflect"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/stage"
)

// At the effort max the brightness of a picture in colour is that of its red, green and blue, each enlarged in three
// orientations; colour is the mean of theirs and of what the model makes of it. With colour at half the resolution, and
// with a model for damaged pictures, brightness is enlarged in eight orientations.
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
	want := []*plane.Plane{mean(m, rgb[0], 0, 3, 5), mean(m, rgb[1], 1, 2, 4), mean(m, rgb[2], 6, 7, 0)}
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
	luma := mean(m, split[0], 0, 1, 2, 3, 4, 5, 6, 7)
	if farthest(got[0], luma) < 1e-3 {
		t.Error("brightness enlarged alone is the same, so that this shows nothing")
	}
	half := double
	half.subsampled = true
	if got := must.Get(m.ensemble(t.Context(), split, half, ignore))(t); farthest(got[0], luma) > 1e-5 {
		t.Error("colour at half the resolution is enlarged as if it were whole")
	}
	robust := builtin(t, "photo-real-fast")
	luma = mean(robust, split[0], 0, 1, 2, 3, 4, 5, 6, 7)
	if got := must.Get(robust.ensemble(t.Context(), split, double, ignore))(t); farthest(got[0], luma) > 1e-5 {
		t.Error("a model for damaged pictures enlarges colours one after the other")
	}
}

// Larger stages for the effort max are opened once, at this effort alone, and enlarge red, green and blue in an
// orientation each, and grey in three. The model is tuned, and its colour changed, together with them, and its
// fingerprint depends on them. A larger model for another scale is refused.
func TestFinest(t *testing.T) {
	opened := 0
	small, large := builtin(t, "photo-fast"), builtin(t, "photo")
	m := small.WithFinest(func() (*Model, error) { opened++; return large, nil })
	img, grey := testimage.Drawing(20, 30, 1), image.NewGray(image.Rect(0, 0, 20, 30))
	draw.Draw(grey, grey.Bounds(), img, image.Point{}, draw.Src)
	if !reflect.DeepEqual(upscale(t, m, img, 2), upscale(t, small, img, 2)) || opened > 0 {
		t.Errorf("the effort best is another one, or opened %d models", opened)
	}
	luma := func(m *Model, orientation int32, of image.Image) *plane.Plane {
		p := picture.Orient(picture.Split(of).Luma(), orientation)
		p = must.Get(m.enlargePlane(t.Context(), p, 2*p.W, 2*p.H))(t)
		out := plane.New(40, 60)
		picture.AddOriented(out, p, orientation, 1./3)
		return out
	}
	sum := plane.New(40, 60)
	for _, o := range []int32{0, 3, 5} {
		kernel.AddFloats(sum.Pix, sum.Pix, luma(large, o, grey).Pix)
	}
	got := picture.Split(upscale(t, withEffort(t, m, "max"), grey, 2)).Luma()
	if d := farthest(got, sum); d > 0.6/255 {
		t.Errorf("grey is off by %g levels", 255*d)
	}
	if d := farthest(luma(small, 0, grey), luma(large, 0, grey)); d < 1./255/3 {
		t.Errorf("the models differ by %g levels, so that this shows nothing", 3*255*d)
	}
	own := upscale(t, withEffort(t, m, "max"), img, 2)
	if reflect.DeepEqual(own, upscale(t, withEffort(t, small, "max"), img, 2)) || opened != 1 {
		t.Errorf("colour is enlarged without the larger stages, or %d models were opened", opened)
	}
	back := 3
	tuned := must.Get(m.Tune(stage.Tuning{BackProject: &back}))(t)
	if found := must.Get(withEffort(t, tuned, "max").modelFor(2))(t); len(found.Stages) != 2 {
		t.Errorf("tuned, it has %d larger stages, expected 2", len(found.Stages))
	}
	sums := map[string]bool{}
	for _, m := range []*Model{small, m, tuned, withEffort(t, small, "max"), withEffort(t, m, "max")} {
		sums[must.Get(m.Fingerprint())(t)] = true
	}
	if len(sums) != 5 {
		t.Errorf("%d fingerprints, expected 5", len(sums))
	}
	wrong := withEffort(t, small.WithFinest(func() (*Model, error) { return builtin(t, "photo").modelFor(3) }), "max")
	if _, err := wrong.Upscale(t.Context(), img, Options{Scale: 2}); err == nil {
		t.Error("a larger model for another scale: no error")
	}
}
