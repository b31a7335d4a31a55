package learning

import (
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// Colour is trained with the same result twice, differently for subsampled chroma, and not at all on grey pictures.
func TestLearnsColour(t *testing.T) {
	o := newSmallTrainer()
	o.ColourSteps = 40
	sources := tinted(3)
	first := must.Get(o.Train(t.Context(), sources, nil))(t)
	second := must.Get(o.Train(t.Context(), sources, nil))(t)
	for i, pair := range [][2]stage.Colour{{first.Colour, second.Colour}, {first.Subsampled, second.Subsampled}} {
		if pair[0].(*convolutional.Colour).Fingerprint() != pair[1].(*convolutional.Colour).Fingerprint() {
			t.Errorf("network %d is another the second time", i)
		}
	}
	if first.Colour.(*convolutional.Colour).Fingerprint() == first.Subsampled.(*convolutional.Colour).Fingerprint() {
		t.Error("colour at half the resolution is learned as that at all of it")
	}
	again := o
	again.Steps, again.From = 0, first.Stages[0].(*convolutional.Stage)
	third := must.Get(again.Train(t.Context(), sources, nil))(t)
	if third.Stages[0] != first.Stages[0] ||
		third.Colour.(*convolutional.Colour).Fingerprint() != first.Colour.(*convolutional.Colour).Fingerprint() {
		t.Error("colour alone, of the same brightness, is another")
	}
	r, err := o.Train(t.Context(), trainingtest.Drawings(3), nil)
	if err != nil || r.Colour != nil || r.Subsampled != nil {
		t.Errorf("of grey pictures: %v, %v, %v", r.Colour, r.Subsampled, err)
	}
	again.From = nil
	if _, err := again.Train(t.Context(), sources, nil); err == nil {
		t.Error("no steps, and nothing to begin with")
	}
}

// tinted returns n pictures in colour.
func tinted(n int) (list []training.Source) {
	for i := range n {
		list = append(list, training.Source{Name: "tinted", Open: func(context.Context) (image.Image, error) {
			return testimage.Tinted(90, 80+10*i, float64(i)), nil
		}})
	}
	return list
}

// Brightness that is learned from colour as well depends on it, as the networks for colour that follow do; a network
// that does not see colour cannot go on from one that does.
func TestLearnsFromColour(t *testing.T) {
	o := newSmallTrainer()
	o.SeesColour, o.ColourSteps, o.Validation = true, 40, tinted(1)
	var last Report
	o.Report = func(r Report) { last = r }
	r := must.Get(o.Train(t.Context(), tinted(3), nil))(t)
	s, _ := convolutional.Of(r.Stages[0])
	s = s.WithGrain(0)
	if !s.SeesColour() || r.Colour == nil || r.Subsampled == nil || last.PSNR < 20 {
		t.Fatalf("sees colour: %v, networks for colour %v and %v, %.2f dB", s.SeesColour(), r.Colour, r.Subsampled,
			last.PSNR)
	}
	channels := picture.Split(testimage.Tinted(40, 30, 1)).Channels
	low := luma(channels)
	current := resample.Resize(low, 80, 60, resample.Bicubic)
	work := (*stage.Work)(nil).WithColour(differences(channels, low))
	grey := must.Get(s.Apply(t.Context(), low, current, nil))(t)
	if seen := must.Get(s.Apply(t.Context(), low, current, work))(t); slices.Equal(seen.Pix, grey.Pix) {
		t.Error("colour changes nothing")
	}
	taught := must.Get(StageTeacher(s, true).Enlarge(t.Context(), channels, low, current))(t)
	if seen := must.Get(s.Apply(t.Context(), low, current, work))(t); !slices.Equal(taught.Pix, seen.Pix) {
		t.Error("a teacher is not shown colour")
	}
	for _, sees := range []bool{true, false} {
		other := newSmallTrainer()
		other.SeesColour, other.From = sees, s
		_, err := other.Train(t.Context(), tinted(3), nil)
		if failed := err != nil && strings.Contains(err.Error(), "looks at colour"); failed == sees {
			t.Errorf("going on, sees colour: %v: %v", sees, err)
		}
	}
}

// A teacher that sees colour takes three tenths of what it adds to brightness from green by 3 and 4, nothing by 2.
func TestTeacherTakesGreen(t *testing.T) {
	for scale, share := range map[int]float32{2: 0, 3: 0.3, 4: 0.3} {
		s := roundNetwork(t, randomise(convolutional.NewNetwork(convolutional.Architecture{
			Scale: scale, Channels: 16, Depth: 1, SeesColour: true}), 1))
		channels := picture.Split(testimage.Tinted(20, 15, 1)).Channels
		low := luma(channels)
		enlarge := func(p *plane.Plane) *plane.Plane { return resample.Resize(p, 20*scale, 15*scale, resample.Bicubic) }
		base, green := enlarge(low), enlarge(channels[1])
		work := (*stage.Work)(nil).WithColour(differences(channels, low))
		shown := must.Get(s.Apply(t.Context(), low, base, work))(t)
		alone := must.Get(s.Apply(t.Context(), channels[1], green, nil))(t)
		taught := must.Get(StageTeacher(s, true).Enlarge(t.Context(), channels, low, base))(t)
		for i, v := range taught.Pix {
			want := (1-share)*shown.Pix[i] + share*(base.Pix[i]+alone.Pix[i]-green.Pix[i])
			if d := v - want; !(d < 1e-6 && d > -1e-6) {
				t.Fatalf("by %d: pixel %d is %g, expected %g", scale, i, v, want)
			}
		}
	}
}

// A network that has not seen colour begins to see it with what it computes without.
func TestAddsColour(t *testing.T) {
	o := newSmallTrainer()
	r := must.Get(o.Train(t.Context(), tinted(3), nil))(t)
	before, _ := convolutional.Of(r.Stages[0])
	o.SeesColour, o.From = true, before
	n, _, err := (&session{Trainer: o}).firstNetwork()
	must.Succeed(t, err)
	after := must.Get(convolutional.NewStage(n))(t)
	channels := picture.Split(testimage.Tinted(40, 30, 1)).Channels
	low := luma(channels)
	current := resample.Resize(low, 80, 60, resample.Bicubic)
	want := must.Get(before.WithGrain(0).Apply(t.Context(), low, current, nil))(t)
	work := (*stage.Work)(nil).WithColour(differences(channels, low))
	got := must.Get(after.WithGrain(0).Apply(t.Context(), low, current, work))(t)
	for i, v := range want.Pix { // other inputs are rounded to integers in other steps
		if math.Abs(float64(got.Pix[i]-v)) > 0.1/255 {
			t.Fatalf("pixel %d is %g, expected %g", i, got.Pix[i], v)
		}
	}
}
