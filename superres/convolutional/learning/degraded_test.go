package learning

import (
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/degrade"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training/trainingtest"
)

// quiet is a source of numbers with which degrade.Sample samples no degradation, and the bicubic
// reduction is taken.
type quiet struct{}

func (quiet) Uint64() uint64 { return 1<<64 - 1 }

// Without damage, a patch is what it is without; everywhere in a picture, in all symmetries.
func TestNoDegradation(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		o := small()
		o.Scale, o.Robust, o.Patch = scale, true, 9
		l, d := begun(t, o)
		a, b := l.newWorker(), l.newWorker()
		reach := (a.sides[0] - a.side) / 2
		for i := range 60 {
			p := sampled(t, d, i)
			switch i { // the corners
			case 0:
				p.x, p.y = 0, 0
			case 1:
				p.x, p.y = p.from.w-o.Patch, p.from.h-o.Patch
			}
			p.negative = false
			p.fillClean(a.input, a.target, a.side, reach, scale)
			p.degrade = rand.New(quiet{})
			if strength := p.fillDegraded(b.input, b.target, b.side, reach, scale); strength != 0 {
				t.Fatalf("strength %g", strength)
			}
			n := a.sides[0] * a.sides[0]
			if !slices.Equal(a.input[:n], b.input[:n]) {
				t.Fatalf("×%d, draw %d: other samples", scale, i)
			}
			for k, v := range a.target {
				if e := v - b.target[k]; e > 1e-4 || e < -1e-4 {
					t.Fatalf("×%d, draw %d: pixel %d lacks %g, expected %g", scale, i, k, b.target[k], v)
				}
			}
		}
	}
}

// The mean of a block is what resample makes of it, and all reductions leave a constant.
func TestReductions(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		o := small()
		o.Scale, o.Robust = scale, true
		_, d := begun(t, o)
		from := &d.list[0]
		for kind, f := range reductions {
			list := f(scale)
			sum := float32(0)
			for _, v := range list {
				sum += v
			}
			if sum < 0.9999 || sum > 1.0001 || (len(list)-scale)%2 != 0 {
				t.Errorf("×%d, kind %d: %d taps of sum %g", scale, kind, len(list), sum)
			}
		}
		truth := make([]float32, len(from.truth))
		for i, v := range from.truth {
			truth[i] = float32(v)
		}
		want := resample.Box.Reduce(&plane.Plane{W: from.w * scale, H: from.h * scale, Pix: truth}, scale)
		part := &degrade.Plane{W: from.w, H: from.h, Pix: make([]float32, from.w*from.h)}
		p := patch{from: from, degrade: rand.New(zero{})}
		p.reduce(part, 0, 0, scale, false)
		for i, v := range want.Pix {
			if e := v - part.Pix[i]; e > 1e-3 || e < -1e-3 {
				t.Fatalf("×%d: sample %d is %g, expected %g", scale, i, part.Pix[i], v)
			}
		}
	}
}

// zero draws the least numbers that are not drawn again.
type zero struct{}

func (zero) Uint64() uint64 { return 1 << 32 }

// What is learned from damage knows a level, which changes what it does, also when it began
// with what knew none.
func TestLearnsStrength(t *testing.T) {
	o := small()
	r, err := o.Train(t.Context(), trainingtest.Drawings(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.From, _ = convolutional.Of(r.Stages[0])
	for range 2 { // then from what knows one
		o.Robust = true
		if r, err = o.Train(t.Context(), trainingtest.Drawings(2), nil); err != nil {
			t.Fatal(err)
		}
		s, ok := convolutional.Of(r.Stages[0])
		if !ok || s.Settings()&stage.Graded == 0 {
			t.Fatal("what was learned from damage knows no level")
		}
		moved := false
		for _, l := range s.Network().Layers {
			for _, v := range l.Strength {
				moved = moved || v != 0
			}
		}
		if !moved {
			t.Error("the level changes nothing")
		}
		o.From = s
	}
}
