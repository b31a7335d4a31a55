package superres

import (
	"context"
	"image"
	"reflect"
	"superres/patches/plane"
	"testing"

	"superres/superres/resample"
	"superres/superres/stage"
)

// repeat is a stage that enlarges by repetition and counts.
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
func (r repeat) model(scale int) *Model {
	return &Model{Scale: scale, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{repeat{scale, r.calls}}}
}

// The least enlargement that reaches the size is made, in the fewest passes.
func TestChain(t *testing.T) {
	var calls []int
	r := repeat{calls: &calls}
	alone := r.model(2)
	family, err := alone.With(r.model(3), r.model(4))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model *Model
		scale float64
		want  []int
	}{
		{alone, 1, nil}, {alone, 2, []int{2}}, {alone, 2.1, []int{2, 2}}, {alone, 16, []int{2, 2, 2, 2}},
		{family, 1.5, []int{2}}, {family, 2, []int{2}}, {family, 3, []int{3}}, {family, 2.5, []int{3}}, {family, 4, []int{4}},
		{family, 5, []int{3, 2}}, {family, 6, []int{3, 2}}, {family, 7.9, []int{4, 2}}, {family, 9, []int{3, 3}}, {family, 10, []int{4, 3}},
		{family, 12, []int{4, 3}}, {family, 16, []int{4, 4}},
	} {
		calls = nil
		got, err := c.model.Upscale(context.Background(), image.NewGray(image.Rect(0, 0, 10, 5)), Options{Scale: c.scale})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(calls, c.want) {
			t.Errorf("scale %g: passes %v, expected %v", c.scale, calls, c.want)
		}
		if b := got.Bounds(); b.Dx() != int(10*c.scale+0.5) {
			t.Errorf("scale %g: %v", c.scale, b)
		}
	}
}

func TestWithRefuses(t *testing.T) {
	var calls []int
	r := repeat{calls: &calls}
	box := r.model(3)
	box.Degradation = resample.Box
	for name, others := range map[string][]*Model{
		"the same scale": {r.model(2)}, "twice": {r.model(3), r.model(3)}, "degradation": {box}, "plain": {{Kernel: resample.Bicubic, Degradation: resample.Cubic}},
	} {
		if _, err := r.model(2).With(others...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Colour of another model replaces that of a model at the scales that both have.
func TestWithColour(t *testing.T) {
	little, much := leveled(t)
	var calls []int
	r := repeat{calls: &calls}
	m, other := r.model(2), r.model(3)
	m.Colour, other.Colour = little.Colour, much.Colour
	third := r.model(4)
	third.Colour = little.Colour
	family, err := m.With(r.model(3), third)
	if err != nil {
		t.Fatal(err)
	}
	second := r.model(2)
	second.Subsampled = much.Colour
	coloured := family.WithColour(second.WithLazy(3, func() (*Model, error) { return other, nil }))
	for scale, want := range map[int][2]stage.Colour{2: {nil, much.Colour}, 3: {much.Colour, nil}, 4: {little.Colour, nil}} {
		one, err := coloured.modelFor(scale)
		if err != nil || one.Scale != scale || one.Colour != want[0] || one.Subsampled != want[1] {
			t.Errorf("scale %d: %+v, %v", scale, one, err)
		}
	}
	if m.Colour != little.Colour || family.Colour != little.Colour {
		t.Error("the model is changed")
	}
}
