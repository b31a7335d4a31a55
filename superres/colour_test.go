package superres

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"reflect"
	"testing"

	readjpeg "superres/internal/jpeg"
	"superres/internal/must"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// reddener is a stage that looks at colour, and enlarges red by repetition. It notes the calls without colour.
type reddener struct {
	repeat
	without *int
}

func (reddener) SeesColour() bool { return true }
func (reddener) Reach() int       { return 3 }

func (s reddener) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	colour := w.Colour()
	if colour[0] == nil || colour[1] == nil {
		*s.without++
		return s.repeat.Apply(ctx, low, current, w)
	}
	red := low.Crop(0, 0, low.W, low.H)
	for i, v := range colour[0].Pix {
		red.Pix[i] += v
	}
	return s.repeat.Apply(ctx, red, current, w)
}

// gradedReddener has learned from files.
type gradedReddener struct{ reddener }

func (gradedReddener) Settings() stage.Settings { return stage.Graded }

func (s gradedReddener) Tune(stage.Tuning) (stage.Stage, error) { return s, nil }

// A stage that looks at colour is given the colour of its rows, in all bands and passes; but not where the networks for
// colour come from another model, or colour has half the resolution, of which only graded ones have learned. Grey and
// transparency have none.
func TestStagesSeeColour(t *testing.T) {
	var calls []int
	without := 0
	m := newRepeat(2, &calls)
	m.Stages = []stage.Stage{reddener{repeat{2, &calls}, &without}}
	const w, h = 9, 41
	rgb := []*plane.Plane{testimage.Noise(w, h), testimage.Noise(w, h), plane.New(w, h)}
	want := resample.Resize(rgb[0], 2*w, 2*h, resample.Nearest)
	split := []*plane.Plane{rgb[0].Crop(0, 0, w, h), rgb[1], rgb[2]}
	splitRGB(split)
	double := task{sizes: sizes{w, h, 2 * w, 2 * h}, planes: 3}
	if out := must.Get(m.enlargePlanes(t.Context(), split, double))(t); farthest(out[0], want) > 1e-6 {
		t.Error("the stage was given another colour")
	}
	img := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, w, h)), true)
	whole := upscaleWith(t, m, img, Options{Scale: 4, BandRows: h})
	for _, rows := range []int{1, 7} {
		if !reflect.DeepEqual(upscaleWith(t, m, img, Options{Scale: 4, BandRows: rows}), whole) {
			t.Errorf("bands of %d rows give another picture", rows)
		}
	}
	if without > 0 {
		t.Errorf("%d of %d calls without colour", without, len(calls))
	}
	for name, enlarge := range map[string]func(){
		"grey":           func() { upscale(t, m, image.NewGray(img.Rect), 2) },
		"subsampled":     func() { upscaleWith(t, m, img, Options{Scale: 2, Subsampled: true}) },
		"foreign colour": func() { upscale(t, m.WithColour(builtin(t, "photo-fast")), img, 2) },
	} {
		calls, without = nil, 0
		if enlarge(); without == 0 || without != len(calls) {
			t.Errorf("%s: %d of %d calls without colour, expected all", name, without, len(calls))
		}
	}
	m.Stages[0] = gradedReddener{m.Stages[0].(reddener)}
	without = 0
	if upscaleWith(t, m, img, Options{Scale: 2, Subsampled: true}); without > 0 {
		t.Errorf("a graded model: %d calls without colour at half the resolution", without)
	}
}

// A picture of a type that image/jpeg returns, with colour at half the resolution, is enlarged as Decode reads the
// file, without being told. internal/jpeg decodes it, since image/jpeg rounds some samples otherwise.
func TestHalvedColourIsSeen(t *testing.T) {
	var file bytes.Buffer
	must.Succeed(t, jpeg.Encode(&file, testimage.Tinted(41, 30, 1), nil))
	img, _, err := readjpeg.Decode(t.Context(), file.Bytes(), readjpeg.Options{})
	must.Succeed(t, err)
	if ratio := img.(*image.YCbCr).SubsampleRatio; ratio != image.YCbCrSubsampleRatio420 {
		t.Fatalf("a file of %v, expected 4:2:0", ratio)
	}
	decoded, opt, err := Decode(t.Context(), &file)
	must.Succeed(t, err)
	m := builtin(t, "photo")
	told := upscaleWith(t, m, decoded, Options{Subsampled: opt.Subsampled})
	if !reflect.DeepEqual(upscaleWith(t, m, img, Options{}), told) {
		t.Error("another picture than by Decode")
	}
	if reflect.DeepEqual(upscaleWith(t, m, decoded, Options{}), told) {
		t.Error("it makes no difference, so that this shows nothing")
	}
}
