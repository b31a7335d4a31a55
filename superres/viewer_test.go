package superres

import (
	"context"
	"image"
	"image/color"
	"reflect"
	"testing"

	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// viewer is a stage that makes a picture brighter where it is shown red.
type viewer struct{ blind bool }

func (viewer) Apply(_ context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	out := current.Crop(0, 0, current.W, current.H)
	if colour, ok := w.Colour(); ok {
		scale := current.W / low.W
		for i := range out.Pix {
			out.Pix[i] += 0.2 * colour[0].Row(i / out.W / scale)[i%out.W/scale]
		}
	}
	return out, nil
}

func (viewer) Memory(_, _ int) (int64, int64) { return 0, 0 }
func (viewer) Reach() int                     { return 3 }
func (viewer) Kind() string                   { return "viewer" }
func (viewer) Save(*stage.Arrays) any         { return nil }
func (v viewer) SeesColour() bool             { return !v.blind }

// A stage that looks at colour is shown that of the rows which it enlarges, but not colour of half the resolution, and
// not colour that another model enlarges.
func TestStagesSeeColour(t *testing.T) {
	weak, _ := tunedModels(t)
	m := &Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{viewer{}},
		Colour: weak.Colour, Subsampled: weak.Colour}
	blind := *m
	blind.Stages = []stage.Stage{viewer{blind: true}}
	img := image.NewNRGBA(image.Rect(0, 0, 24, 31))
	for i := range 24 * 31 {
		img.SetNRGBA(i%24, i/24, color.NRGBA{uint8(40 + 200*(i/24%5)/4), 60, uint8(3 * (i % 24)), 255})
	}
	want, plain := upscaleWith(t, m, img, Options{Scale: 2}), upscaleWith(t, &blind, img, Options{Scale: 2})
	for _, rows := range []int{1, 5, 12} {
		if got := upscaleWith(t, m, img, Options{Scale: 2, BandRows: rows}); !reflect.DeepEqual(got, want) {
			t.Errorf("bands of %d rows give another picture", rows)
		}
	}
	if reflect.DeepEqual(want, plain) {
		t.Error("the stage saw no colour")
	}
	alone := *m
	alone.Colour, alone.Subsampled, blind.Colour, blind.Subsampled = nil, nil, nil, nil
	if reflect.DeepEqual(upscaleWith(t, &alone, img, Options{Scale: 2}), upscaleWith(t, &blind, img, Options{Scale: 2})) {
		t.Error("the stage saw no colour in a model without networks for it")
	}
	blind.Colour, blind.Subsampled = weak.Colour, weak.Colour
	half := Options{Scale: 2, Subsampled: true}
	if !reflect.DeepEqual(upscaleWith(t, m, img, half), upscaleWith(t, &blind, img, half)) {
		t.Error("the stage saw colour of half the resolution")
	}
	if !reflect.DeepEqual(upscaleWith(t, m.WithColour(m), img, Options{Scale: 2}), plain) {
		t.Error("the stage saw colour that another model enlarges")
	}
	grey := testimage.Drawing(24, 31, 1)
	if !reflect.DeepEqual(upscaleWith(t, m, grey, Options{Scale: 2}), upscaleWith(t, &blind, grey, Options{Scale: 2})) {
		t.Error("the stage saw colour of a grey picture")
	}
}
