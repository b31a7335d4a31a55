package superres

import (
	"context"
	"image"
	"reflect"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// repeat is a stage that enlarges by repetition, and notes the scales of its calls.
type repeat struct {
	scale int
	calls *[]int
}

func (r repeat) Apply(_ context.Context, low, _ *plane.Plane, _ *stage.Work) (*plane.Plane, error) {
	*r.calls = append(*r.calls, r.scale)
	return resample.Resize(low, low.W*r.scale, low.H*r.scale, resample.Nearest), nil
}

func (repeat) Memory(_, _ int) (int64, int64) { return 0, 0 }
func (repeat) Reach() int                     { return 0 }
func (repeat) Kind() string                   { return "repeat" }
func (repeat) Save(*stage.Arrays) any         { return nil }

// newRepeat returns the model of one stage repeat.
func newRepeat(scale int, calls *[]int) *Model {
	stages := []stage.Stage{repeat{scale, calls}}
	return &Model{Scale: scale, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: stages}
}

func withSibling(m, sibling *Model) *Model {
	return m.WithSibling(sibling.Scale, func() (*Model, error) { return sibling, nil })
}

// Passes make the least enlargement that reaches the size, and as few passes as do it.
func TestScaleChain(t *testing.T) {
	var calls []int
	alone := newRepeat(2, &calls)
	family := withSibling(withSibling(alone, newRepeat(3, &calls)), newRepeat(4, &calls))
	for _, c := range []struct {
		model *Model
		scale float64
		want  []int
	}{
		{alone, 1, nil}, {alone, 2, []int{2}}, {alone, 2.1, []int{2, 2}}, {alone, 16, []int{2, 2, 2, 2}},
		{family, 1.5, []int{2}}, {family, 2, []int{2}}, {family, 3, []int{3}}, {family, 2.5, []int{3}},
		{family, 4, []int{4}}, {family, 5, []int{3, 2}}, {family, 6, []int{3, 2}},
		{family, 7.9, []int{4, 2}}, {family, 9, []int{3, 3}},
		{family, 10, []int{4, 3}}, {family, 12, []int{4, 3}}, {family, 16, []int{4, 4}},
	} {
		calls = nil
		b := upscale(t, c.model, image.NewGray(image.Rect(0, 0, 10, 5)), c.scale).Bounds()
		if !slices.Equal(calls, c.want) || b.Dx() != int(10*c.scale+0.5) {
			t.Errorf("scale %g: passes %v to %v, expected %v", c.scale, calls, b, c.want)
		}
	}
	wrong := alone.WithSibling(3, func() (*Model, error) { return newRepeat(4, &calls), nil })
	if _, err := wrong.Upscale(t.Context(), image.NewGray(image.Rect(0, 0, 3, 3)), Options{Scale: 3}); err == nil {
		t.Error("a sibling of another scale than announced: no error")
	}
}

// The colour of another model replaces the colour of a model at the scales that both have.
func TestWithColour(t *testing.T) {
	weak, strong := tunedModels(t)
	var calls []int
	m, other, third := newRepeat(2, &calls), newRepeat(3, &calls), newRepeat(4, &calls)
	m.Colour, other.Colour, third.Colour = weak.Colour, strong.Colour, weak.Colour
	family := withSibling(withSibling(m, newRepeat(3, &calls)), third)
	second := newRepeat(2, &calls)
	second.Subsampled = strong.Colour
	coloured := family.WithColour(withSibling(second, other))
	for scale, want := range map[int][2]stage.Colour{
		2: {nil, strong.Colour}, 3: {strong.Colour, nil}, 4: {weak.Colour, nil},
	} {
		got, err := coloured.modelFor(scale)
		if err != nil || got.Scale != scale || got.Colour != want[0] || got.Subsampled != want[1] {
			t.Errorf("scale %d: %+v, %v", scale, got, err)
		}
	}
	if m.Colour != weak.Colour || family.Colour != weak.Colour {
		t.Error("the model is changed")
	}
}

func withEffort(t *testing.T, m *Model, effort string) *Model {
	t.Helper()
	return must.Get(m.Effort(effort))(t)
}

// The smaller model is opened once, and only for the effort fast, and so is the larger one for max, at which it is
// enlarged by as a mean, and both are tuned as the model is. A model without a smaller one has no effort fast, and an
// interpolation has only best. Each effort has a fingerprint of its own.
func TestEffort(t *testing.T) {
	m, smaller, opened := builtin(t, "digits"), builtin(t, "coupled"), 0
	with := m.WithEffort("fast", func() (*Model, error) { opened++; return smaller, nil })
	if withEffort(t, with, "best") != with || withEffort(t, with, "fast") != smaller ||
		withEffort(t, withEffort(t, with, "max"), "fast") != smaller || opened != 1 {
		t.Errorf("the smaller model was opened %d times, or another one is fast", opened)
	}
	larger, openedMax := builtin(t, "photo-fast"), 0
	both := with.WithEffort("max", func() (*Model, error) { openedMax++; return larger, nil })
	most := withEffort(t, both, "max")
	img := testimage.Drawing(12, 9, 1)
	if !reflect.DeepEqual(upscale(t, most, img, 2), upscale(t, withEffort(t, larger, "max"), img, 2)) ||
		withEffort(t, both, "fast") != smaller || withEffort(t, most, "fast") != smaller || openedMax != 1 {
		t.Errorf("the larger model was opened %d times, or another one is max, or fast", openedMax)
	}
	if with.efforts["max"] != nil {
		t.Error("WithEffort has changed the model itself")
	}
	back := 3
	tuned := withEffort(t, must.Get(both.Tune(stage.Tuning{BackProject: &back}))(t), "max")
	if len(tuned.Stages) != len(larger.Stages)+1 {
		t.Errorf("tuned, the larger model has %d stages", len(tuned.Stages))
	}
	sums := map[string]bool{}
	for _, m := range []*Model{m, with, withEffort(t, m, "max"), smaller, both, most, tuned} {
		sum, err := m.Fingerprint()
		if err != nil || sums[sum] {
			t.Errorf("a fingerprint of another effort (%v)", err)
		}
		sums[sum] = true
	}
	const unknown = `superres: unknown effort "bets"; did you mean "best"? (known: fast best max)`
	if _, err := m.Effort("bets"); err == nil || err.Error() != unknown {
		t.Error(err)
	}
	if m.Orientations() != 1 || withEffort(t, m, "max").Orientations() != 4 {
		t.Error("the effort max takes no mean of four, or another effort does")
	}
	plain := builtin(t, "bicubic")
	withEffort(t, plain, "best")
	for _, c := range []struct {
		m      *Model
		effort string
	}{{m, "fast"}, {plain, "fast"}, {plain, "max"}} {
		if _, err := c.m.Effort(c.effort); err == nil {
			t.Errorf("a model of %d stages has the effort %s", len(c.m.Stages), c.effort)
		}
	}
}

// The ensemble of a picture turned by a quarter is the ensemble of the picture, turned, which is not so for a model
// alone. Bands do not matter to it.
func TestEnsemble(t *testing.T) {
	m, p := builtin(t, "coupled"), testimage.Noise(14, 9)
	enlarge := func(p *plane.Plane, ensemble bool) *plane.Plane {
		t.Helper()
		in, double := []*plane.Plane{p}, task{sizes: sizes{p.W, p.H, 2 * p.W, 2 * p.H}, planes: 1}
		out, err := m.enlargePlanes(t.Context(), in, double)
		if ensemble {
			out, err = m.ensemble(t.Context(), in, double, func(float64) {})
		}
		must.Succeed(t, err)
		return out[0]
	}
	difference := func(orientation int32, ensemble bool) float64 {
		after, before := picture.Orient(enlarge(p, ensemble), orientation), picture.Orient(p, orientation)
		return farthest(after, enlarge(before, ensemble))
	}
	for _, orientation := range quarterTurns {
		if d := difference(orientation, true); d > 1e-5 {
			t.Errorf("orientation %d: off by %g", orientation, d)
		}
	}
	if d := difference(picture.Transposed, false); d < 1e-4 {
		t.Errorf("the model alone differs by %g, so that this shows nothing", d)
	}
	img := testimage.Drawing(20, 30, 1)
	want := upscale(t, m, img, 2)
	mean := upscaleWith(t, withEffort(t, m, "max"), img, Options{})
	banded := upscaleWith(t, withEffort(t, m, "max"), img, Options{BandRows: 5})
	if mean.Bounds() != want.Bounds() || reflect.DeepEqual(mean, want) || !reflect.DeepEqual(mean, banded) {
		t.Error("the ensemble has another size, is what the model makes alone, or depends on bands")
	}
}
