package learning

import (
	"bytes"
	"math"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/convolutional"
	"superres/superres/resample"
)

// The target is a mixture of the truth and of the mean of what a teacher, without its grain, makes of the picture in
// all orientations, and is the same for a picture in another orientation.
func TestTaught(t *testing.T) {
	teacher := roundNetwork(t, sampleNetwork(2, 1))
	low := picture.Split(testimage.Drawing(30, 20, 1)).Luma()
	base := resample.Resize(low, 60, 40, resample.Bicubic)
	truth := resample.Resize(low, 60, 40, resample.Nearest)
	teachers := []*convolutional.Stage{teacher.WithGrain(3)} // whose grain does not count
	got := must.Get(distil(t.Context(), teachers, low, base, truth))(t)
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
	turned, err := distil(t.Context(), teachers, picture.Orient(low, way), picture.Orient(base, way),
		picture.Orient(truth, way))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range picture.Orient(got, way).Pix {
		if math.Abs(float64(v-turned.Pix[i])) > 1e-6 {
			t.Fatalf("sample %d of the turned picture is %g, expected %g", i, turned.Pix[i], v)
		}
	}
	if same, err := distil(t.Context(), nil, low, base, truth); err != nil || same != truth {
		t.Errorf("without teachers something else than the truth is learned, %v", err)
	}
}

// The teacher changes the result, and a checkpoint of a run with another teacher is ignored.
func TestTeachers(t *testing.T) {
	with := func(seed uint64) Trainer {
		o := newSmallTrainer()
		o.Teachers = []*convolutional.Stage{roundNetwork(t, sampleNetwork(2, seed))}
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
