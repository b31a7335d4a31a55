package learning

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage/stagetest"
)

// The target is a mixture of the truth and of the mean of what a teacher, without its grain, makes of the picture in
// all orientations, and is the same for a picture in another orientation.
func TestTaught(t *testing.T) {
	teacher := roundNetwork(t, sampleNetwork(2, 1))
	low := picture.Split(testimage.Drawing(30, 20, 1)).Luma()
	base := resample.Resize(low, 60, 40, resample.Bicubic)
	truth := resample.Resize(low, 60, 40, resample.Nearest)
	teachers := []Teacher{StageTeacher(teacher.WithGrain(3), false)} // whose grain does not count
	got := must.Get(distil(t.Context(), teachers, []*plane.Plane{low}, low, base, truth))(t)
	want := make([]float64, len(truth.Pix))
	for way := range int32(picture.Orientations) {
		made := must.Get(teacher.Apply(t.Context(), picture.Orient(low, way), picture.Orient(base, way), nil))(t)
		for i, v := range made.Pix {
			want[picture.SourceOffset(way, i%made.W, i/made.W, 60, 40)] += float64(v) / picture.Orientations
		}
	}
	moved := 0.0
	for i, v := range truth.Pix {
		sum := taughtShare*want[i] + (1-taughtShare)*float64(v)
		if math.Abs(sum-float64(got.Pix[i])) > 1e-6 {
			t.Fatalf("sample %d is %g, expected %g", i, got.Pix[i], sum)
		}
		moved = max(moved, math.Abs(float64(got.Pix[i]-v)))
	}
	if moved < 0.01 {
		t.Errorf("nothing is off the truth by more than %g", moved)
	}
	const way = 5
	turned, err := distil(t.Context(), teachers, []*plane.Plane{picture.Orient(low, way)},
		picture.Orient(low, way), picture.Orient(base, way), picture.Orient(truth, way))
	must.Succeed(t, err)
	for i, v := range picture.Orient(got, way).Pix {
		if math.Abs(float64(v-turned.Pix[i])) > 1e-6 {
			t.Fatalf("sample %d of the turned picture is %g, expected %g", i, turned.Pix[i], v)
		}
	}
	if same, err := distil(t.Context(), nil, nil, low, base, truth); err != nil || same != truth {
		t.Errorf("without teachers something else than the truth is learned, %v", err)
	}
}

// A network that takes colours is shown them, and teaches brightness; one that takes brightness is shown that, as both
// are where there is no colour.
func TestTaughtByNetworks(t *testing.T) {
	var channels []*plane.Plane
	for _, phase := range []float64{0, 1, 2} {
		channels = append(channels, picture.Split(testimage.Drawing(30, 20, phase)).Luma())
	}
	low := luma(channels)
	for _, n := range []stagetest.Blur{{Factor: 2, Planes: 3, Radius: 1}, {Factor: 2, Planes: 1, Radius: 1}} {
		teacher := NetworkTeacher(n)
		brightness := must.Get(teacher.Enlarge(t.Context(), []*plane.Plane{low}, low, nil))(t)
		colours := must.Get(teacher.Enlarge(t.Context(), channels, low, nil))(t)
		if colours.W != 60 || colours.H != 40 || slices.Equal(colours.Pix, brightness.Pix) != (n.Planes == 1) {
			t.Errorf("%d channels: %d×%d samples, or the wrong ones are seen", n.Planes, colours.W, colours.H)
		}
		n.Radius++
		if NetworkTeacher(n).Fingerprint() == teacher.Fingerprint() {
			t.Error("another network has the same fingerprint")
		}
	}
}

// The teacher changes the result, and a checkpoint of a run with another teacher is ignored.
func TestTeachers(t *testing.T) {
	with := func(seed uint64) Trainer {
		o := newSmallTrainer()
		o.Teachers = []Teacher{StageTeacher(roundNetwork(t, sampleNetwork(2, seed)), false)}
		return o
	}
	first := train(t, with(1))
	if !bytes.Equal(train(t, with(1)), first) {
		t.Error("the same teacher makes other bytes")
	}
	plain := train(t, newSmallTrainer())
	if bytes.Equal(plain, first) {
		t.Error("a teacher changes nothing")
	}
	o := with(2)
	o.Kept = first
	if other := train(t, with(2)); !bytes.Equal(train(t, o), other) || bytes.Equal(other, first) {
		t.Error("a run goes on from one with another teacher")
	}
}
