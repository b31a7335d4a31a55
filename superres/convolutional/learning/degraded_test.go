package learning

import (
	"math/rand/v2"
	"testing"

	"superres/internal/must"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// quiet returns random bits for which degrade.Sample returns no degradation and reduce takes the bicubic kernel.
type quiet struct{}

func (quiet) Uint64() uint64 { return 1<<64 - 1 }

// Without a degradation fillDegraded fills the same samples as fillClean, everywhere in a picture and in all
// symmetries.
func TestNoDegradation(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		testNoDegradation(t, scale, trainingtest.Drawings(3), false)
		testNoDegradation(t, scale, tinted(3), true)
	}
}

func testNoDegradation(t *testing.T, scale int, sources []training.Source, seesColour bool) {
	o := newSmallTrainer()
	o.Scale, o.Robust, o.Patch, o.SeesColour = scale, true, 9, seesColour
	l, d := beginWith(t, o, sources)
	plain := o
	plain.Robust = false
	_, clean := beginWith(t, plain, sources)
	a, b := l.newWorker(), l.newWorker()
	reach := (a.sides[0] - a.side) / 2
	for i := range 60 {
		p := samplePatch(t, d, i)
		p.negative = false
		p.from, p.isGrey = &d.list[i%3], seesColour && i/3%2 == 0
		p.x, p.y = i%(p.from.w-o.Patch+1), i*7%(p.from.h-o.Patch+1)
		switch i { // two corners of the picture
		case 0:
			p.x, p.y = 0, 0
		case 1:
			p.x, p.y = p.from.w-o.Patch, p.from.h-o.Patch
		}
		q := p
		q.from = &clean.list[i%3]
		q.fillClean(a.input, a.target, a.side, reach, scale, a.shapes[0].in)
		p.degrade = rand.New(quiet{})
		told := p.fillDegraded(b.input, b.target, b.side, reach, scale, b.shapes[0].in)
		if strength := told[convolutional.Strength]; strength != 0 {
			t.Fatalf("strength %g", strength)
		}
		// Brightness of a picture in colour is another sum, and shown as grey it is rounded to levels.
		inputs, targets := float32(0), float32(1e-4)
		if seesColour {
			inputs = 1e-4
		}
		if p.isGrey {
			inputs += 0.5 / 255
			targets += 1. / 255
		}
		for k, v := range a.input {
			if e := v - b.input[k]; e > inputs || e < -inputs {
				t.Fatalf("×%d, draw %d: sample %d is %g, expected %g", scale, i, k, b.input[k], v)
			}
		}
		for k, v := range a.target {
			if e := v - b.target[k]; e > targets || e < -targets {
				t.Fatalf("×%d, draw %d: pixel %d lacks %g, expected %g", scale, i, k, b.target[k], v)
			}
		}
	}
}

// All reductions keep a constant, and the one by blocks agrees with package resample.
func TestReductions(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		o := newSmallTrainer()
		o.Scale, o.Robust = scale, true
		_, d := begin(t, o)
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
		truth := make([]float32, len(from.truth[0]))
		for i, v := range from.truth[0] {
			truth[i] = float32(v)
		}
		want := resample.Box.Reduce(&plane.Plane{W: from.w * scale, H: from.h * scale, Pix: truth}, scale)
		p := patch{from: from, degrade: rand.New(zero{})}
		part := p.reduce(p.sampleReduction(false), 0, 0, from.w, from.h, scale)[0]
		for i, v := range want.Pix {
			if e := v - part.Pix[i]; e > 1e-3 || e < -1e-3 {
				t.Fatalf("×%d: sample %d is %g, expected %g", scale, i, part.Pix[i], v)
			}
		}
	}
}

// zero returns the least bits that math/rand accepts for a bounded number without drawing again.
type zero struct{}

func (zero) Uint64() uint64 { return 1 << 32 }

// A robust model has strength and trust as inputs with parameters other than 0, also when it starts from a clean or a
// robust model.
func TestLearnsLevels(t *testing.T) {
	o := newSmallTrainer()
	r, err := o.Train(t.Context(), trainingtest.Drawings(2), nil)
	must.Succeed(t, err)
	o.From, _ = convolutional.Of(r.Stages[0])
	for range 2 { // from the clean model, then from the robust one
		o.Robust = true
		if r, err = o.Train(t.Context(), trainingtest.Drawings(2), nil); err != nil {
			t.Fatal(err)
		}
		s, ok := convolutional.Of(r.Stages[0])
		if !ok || s.Settings() != stage.Graded|stage.Trusting {
			t.Fatal("what was learned from damage knows no strength or no trust")
		}
		var strength, trust bool
		for _, l := range s.Network().Layers {
			for o, v := range l.Levels[convolutional.Strength] {
				strength, trust = strength || v != 0, trust || l.Levels[convolutional.Trust][o] != 0
			}
		}
		if !strength || !trust {
			t.Errorf("strength changes something: %v, trust: %v", strength, trust)
		}
		o.From = s
	}
}
