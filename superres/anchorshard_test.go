package superres

import (
	"bytes"
	"context"
	"errors"
	"image"
	"slices"
	"testing"
)

// inParts trains a cascade in parts, and returns the model's bytes and the parts of all
// steps.
func inParts(t *testing.T, sources []Source, o TrainOptions, count int) (model []byte, steps [][][]byte) {
	t.Helper()
	for {
		var parts [][]byte
		for i := range count {
			part, err := TrainPart(t.Context(), sources, o, i, count, nil)
			if err != nil {
				t.Fatalf("step %d, part %d: %v", len(steps), i, err)
			}
			parts = append(parts, part)
		}
		steps = append(steps, parts)
		next, m, err := MergeParts(t.Context(), o.Kept, count, func(i int) ([]byte, error) { return parts[i], nil })
		if err != nil {
			t.Fatalf("step %d: %v", len(steps), err)
		}
		if m != nil {
			return save(t, m), steps
		}
		o.Kept = next
	}
}

// few makes groups of so many pixels.
func few(t *testing.T, pixels int64) {
	was := groupPixels
	groupPixels = pixels
	t.Cleanup(func() { groupPixels = was })
}

// A cascade that is trained in parts, in any number, has the bytes of one that is not.
func TestTrainingInParts(t *testing.T) {
	few(t, 5000)
	o := TrainOptions{Stages: 2, Atoms: 40, BackProject: 1, Flat: 0.005, Seed: 3, Reductions: []float64{0.7}, JPEG: [2]int{70, 95}, Data: []string{"drawings"}}
	sources := drawings(7)
	whole, err := Train(t.Context(), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	want := save(t, whole)
	for _, count := range []int{1, 2, 9} {
		if got, steps := inParts(t, sources, o, count); !bytes.Equal(got, want) || len(steps) != 4 {
			t.Errorf("%d parts in %d steps give another model", count, len(steps))
		}
	}
	// What the parts kept after two steps is the first stage: Train goes on from it.
	one, steps := inParts(t, sources, o, 2)
	kept := []byte(nil)
	for step := range 3 {
		if kept, _, err = MergeParts(t.Context(), kept, 2, func(i int) ([]byte, error) { return steps[step][i], nil }); err != nil {
			t.Fatal(err)
		}
		o.Kept = kept
		stages := 0
		o.Keep = func([]byte) error { stages++; return nil }
		m, err := Train(t.Context(), sources, o)
		if err != nil || !bytes.Equal(save(t, m), one) {
			t.Errorf("Train goes on after step %d to another model (%v)", step, err)
		}
		if want := []int{1, 0, 0}[step]; stages != want {
			t.Errorf("after step %d Train learned %d of the first stages, expected %d", step, stages, want)
		}
	}
}

func TestPartsThatDoNotBelongTogether(t *testing.T) {
	few(t, 5000)
	o := TrainOptions{Stages: 1, Atoms: 20, Flat: 0.005, Seed: 3}
	_, steps := inParts(t, drawings(4), o, 2)
	other := o
	other.Seed = 4
	_, others := inParts(t, drawings(4), other, 2)
	_, more := inParts(t, drawings(5), o, 2)
	for name, parts := range map[string][][]byte{
		"the same twice":   {steps[0][0], steps[0][0]},
		"of another step":  {steps[0][0], steps[1][1]},
		"other settings":   {steps[0][0], others[0][1]},
		"other pictures":   {steps[0][0], more[0][1]},
		"damaged":          {steps[0][0], steps[0][1][:1000]},
		"of a later step":  steps[1],
		"no part but text": {[]byte("text"), nil},
	} {
		if _, m, err := MergeParts(t.Context(), nil, 2, func(i int) ([]byte, error) { return parts[i], nil }); !errors.Is(err, ErrParts) || m != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	kept, _, err := MergeParts(t.Context(), nil, 2, func(i int) ([]byte, error) { return steps[0][i], nil })
	if err != nil {
		t.Fatal(err)
	}
	o.Kept = kept
	changed := drawings(4)
	changed[1].Open = func(context.Context) (image.Image, error) { return drawing(64, 48, 9), nil }
	refused := 0
	for i := range 2 {
		if _, err := TrainPart(t.Context(), changed, o, i, 2, nil); errors.Is(err, ErrParts) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 1 {
		t.Errorf("a picture that has changed is refused by %d parts, expected the one that has it", refused)
	}
	if _, err := TrainPart(t.Context(), drawings(3), o, 0, 2, nil); !errors.Is(err, ErrParts) {
		t.Errorf("fewer pictures: %v", err)
	}
	other.Kept = kept
	if _, err := TrainPart(t.Context(), drawings(4), other, 0, 2, nil); !errors.Is(err, ErrParts) {
		t.Errorf("another seed: %v", err)
	}
	// A part that is there already is not done again.
	if again, err := TrainPart(t.Context(), nil, TrainOptions{Stages: 1, Atoms: 20, Flat: 0.005, Seed: 3}, 1, 2, steps[0][1]); err != nil || !slices.Equal(again, steps[0][1]) {
		t.Errorf("a part that is there is done again: %v", err)
	}
}

// Sums are the same in any order.
func TestSumsAreExact(t *testing.T) {
	values := []float32{1e-9, 3.14159, -77.7, 1 << 20, 0.1, -1e-3, 12345.678}
	forth, back := 0.0, 0.0
	for i := range values {
		forth += quantised(values[i])
		back += quantised(values[len(values)-1-i])
	}
	if forth != back {
		t.Errorf("%v and %v", forth, back)
	}
	for _, v := range values {
		if got := quantised(v) - float64(v); got > quantum/2 || got < -quantum/2 {
			t.Errorf("%g is off by %g", v, got)
		}
	}
}
