package learning

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/testimage"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// small is a trainer of a network that is quickly trained.
func small() Trainer {
	return Trainer{Channels: 16, Depth: 2, Steps: 30, Batch: 3, Patch: 10, Reductions: []float64{}, Seed: 5, Interval: 10}
}

// aLearner is one at its first step, with slopes and biases that are all different.
func aLearner(t testing.TB, o Trainer) (*learner, *pictures) {
	t.Helper()
	o, err := o.defaults()
	if err != nil {
		t.Fatal(err)
	}
	d := &pictures{opt: o}
	if err := d.read(t.Context(), trainingtest.Drawings(3), func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	l, err := o.begin(d)
	if err != nil {
		t.Fatal(err)
	}
	return l, d
}

func vary(l *learner) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range l.layers {
		for o := range f.out {
			f.now.bias[o] += float32(0.05 * rng.NormFloat64())
			if !f.linear {
				f.now.slope[o] += float32(0.3 * rng.NormFloat64())
			}
			if f.leveled {
				f.now.level[o] += float32(0.1 * rng.NormFloat64())
			}
		}
		f.moved()
	}
}

// The gradient of the error in every kind of parameter is that of differences.
func TestGradient(t *testing.T) {
	for _, scale := range []int{2, 3} {
		for _, squared := range []bool{false, true} {
			o := small()
			o.Scale, o.Patch, o.Batch = scale, 7, 1
			o.Damage = scale == 3
			l, d := aLearner(t, o)
			if squared {
				l.done = o.Steps - 1
			}
			vary(l)
			w, one := l.newWorker(), drawPatch(t, d, 0)
			to := make([]float32, l.slotSize())
			loss := func() float64 {
				for _, f := range l.layers {
					f.moved()
				}
				layers, turned := l.current()
				clear(to)
				if o.Damage {
					one.damage = rand.New(rand.NewPCG(8, 10))
				}
				one.fillBoth(w, scale)
				return l.learn(w, one.drawn, layers, turned, l.split(to))[0]
			}
			loss()
			for i, sum := range l.split(to) {
				copy(l.layers[i].sum.all, sum.all)
				l.layers[i].forget()
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for i, f := range l.layers {
				for kind, part := range map[string][2][]float32{"weights": {f.now.weight, f.sum.weight}, "biases": {f.now.bias, f.sum.bias}, "slopes": {f.now.slope, f.sum.slope}, "levels": {f.now.level, f.sum.level}} {
					if f.linear && kind == "slopes" || len(part[0]) == 0 {
						continue
					}
					value, gradient := part[0], part[1]
					before := append([]float32(nil), value...)
					norm := 0.0
					for _, g := range gradient {
						norm += float64(g) * float64(g)
					}
					norm = math.Sqrt(norm)
					// Along the gradient, and something besides, the error rises as it says.
					way := make([]float32, len(value))
					along := 0.0
					for k, g := range gradient {
						if g != 0 {
							way[k] = g/float32(norm) + float32(0.3*rng.NormFloat64()/math.Sqrt(float64(len(value))))
						}
						along += float64(way[k]) * float64(g)
					}
					const step = 3e-4
					at := func(x float32) float64 {
						for k := range value {
							value[k] = before[k] + x*way[k]
						}
						return loss()
					}
					got := (at(step) - at(-step)) / (2 * step)
					at(0)
					if math.Abs(got-along) > 0.02*math.Abs(along)+1e-6 {
						t.Errorf("×%d, squared %v: layer %d, %s: the error rises by %g, its gradient says %g", scale, squared, i, kind, got, along)
					}
				}
			}
		}
	}
}

// The loops of training make what the definition makes.
func TestFastIsForward(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		o := small()
		o.Scale, o.Patch = scale, 7
		l, _ := aLearner(t, o)
		vary(l)
		for _, f := range l.layers {
			copy(f.mean.all, f.now.all)
		}
		n := l.network()
		low := testimage.Noise(tile+5, 9)
		got, err := residual(t.Context(), n, low)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range defined(n, low).Pix {
			if math.Abs(float64(got.Pix[i]-want)) > 1e-5 {
				t.Fatalf("×%d: pixel %d is %g, expected %g", scale, i, got.Pix[i], want)
			}
		}
	}
}

func drawPatch(t testing.TB, d *pictures, step int) patch {
	t.Helper()
	p, err := d.draw(step, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A patch is what is around its target, and what is lacking there, in every symmetry.
func TestPatches(t *testing.T) {
	o := small()
	o.Drawings = 0.3
	l, d := aLearner(t, o)
	drawings := 0
	w := l.newWorker()
	reach := (w.sides[0] - w.side) / 2
	seen := map[[4]bool]bool{}
	for i := range 200 {
		p := drawPatch(t, d, i)
		if p.drawn {
			drawings++
			if p.from.w != w.sides[0] || p.x != reach {
				t.Fatalf("a drawing of %d samples, the target from %d, expected %d and %d", p.from.w, p.x, w.sides[0], reach)
			}
		}
		seen[[4]bool{p.turned, p.flipX, p.flipY, p.negative}] = true
		p.fill(w.input, w.target, w.side, reach, 2)
		// A sample of the target, and of the window, by hand.
		u, v := i%w.side, i/7%w.side
		x, y := p.place(u, v, w.side)
		level := float32(p.from.low[(p.y+y)*p.from.w+p.x+x]) / lumaSteps
		if p.negative {
			level = 1 - level
		}
		if got := w.input[(v+reach)*w.sides[0]+u+reach]; math.Abs(float64(got-level)) > 1e-6 {
			t.Fatalf("draw %d: sample %d, %d is %g, expected %g", i, u, v, got, level)
		}
		x, y = p.place(2*u+1, 2*v, 2*w.side)
		lack := float32(p.from.lack[(2*p.y+y)*2*p.from.w+2*p.x+x]) / lackSteps
		if p.negative {
			lack = -lack
		}
		if got := w.target[(v*w.side+u)*4+1]; got != lack {
			t.Fatalf("draw %d: pixel %d, %d lacks %g, expected %g", i, 2*u+1, 2*v, got, lack)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d symmetries, expected 16", len(seen))
	}
	if drawings < 40 || drawings > 80 {
		t.Errorf("%d drawings of 200, expected about 60", drawings)
	}
	d.opt.Symmetries = training.NoSymmetries
	for i := range 50 {
		if p := drawPatch(t, d, i); p.turned || p.flipX || p.flipY || p.negative {
			t.Fatalf("draw %d is changed: %+v", i, p)
		}
	}
}
