package learning

import (
	"context"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/testimage"
	"superres/superres/training"
)

func vary(l *learner) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range l.layers {
		for o := range f.out {
			f.now.bias[o] += float32(0.05 * rng.NormFloat64())
			if !f.linear {
				f.now.slope[o] += float32(0.3 * rng.NormFloat64())
			}
			if f.graded {
				for _, list := range f.now.levels {
					list[o] += float32(0.1 * rng.NormFloat64())
				}
			}
		}
		f.prepare()
	}
}

// The gradient in each kind of parameter agrees with finite differences of the loss, in small patches and in one with
// more tiles than are computed together.
func TestGradient(t *testing.T) {
	for _, scale := range []int{2, 3} {
		for _, squared := range []bool{false, true} {
			testGradient(t, 7, scale, 0, squared)
		}
		testGradient(t, 7, scale, scale-1, false)
	}
	testGradient(t, 7, 4, 0, false) // sees colour
	testGradient(t, 7, 4, 0, true)
	testGradient(t, 39, 2, 0, false)
}

func testGradient(t *testing.T, patch, scale, skip int, squared bool) {
	o := newSmallTrainer()
	o.Scale, o.Patch, o.Batch = scale, patch, 1
	o.Robust, o.SeesColour = scale == 3, scale == 4
	if patch < 39 { // the large patch has zeros beside it in all layers, the small ones in none
		o.Margin = mostMargin
	}
	if skip > 0 {
		o.Depth, o.Skip, o.Margin = 3*skip, skip, 5-2*skip
	}
	l, d := beginWith(t, o, []training.Source{{Name: "drawing", Open: openDrawing}})
	if squared {
		l.done = o.Steps - 1
	}
	vary(l)
	one := samplePatch(t, d, 0)
	to := make([]float32, l.size())
	loss := func(w *worker) float64 {
		for _, f := range l.layers {
			f.prepare()
		}
		clear(to)
		if o.Robust {
			one.degrade = rand.New(rand.NewPCG(8, 10))
		}
		one.fill(w, scale)
		return l.learn(w, one.synthetic, l.divide(to))[0]
	}
	w := l.newWorker()
	loss(w)
	for i, sum := range l.divide(to) {
		copy(l.layers[i].gradient.all, sum.all)
		l.layers[i].clearPadding()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i, f := range l.layers {
		for _, part := range []struct { // in an order that is the same every time, as all draw from rng
			kind            string
			value, gradient []float32
		}{
			{"weights", f.now.weight, f.gradient.weight}, {"biases", f.now.bias, f.gradient.bias},
			{"slopes", f.now.slope, f.gradient.slope}, {"strengths", f.now.levels[0], f.gradient.levels[0]},
			{"trusts", f.now.levels[1], f.gradient.levels[1]},
		} {
			kind, value, gradient := part.kind, part.value, part.gradient
			if f.linear && kind == "slopes" || len(value) == 0 {
				continue
			}
			before := append([]float32(nil), value...)
			norm := 0.0
			for _, g := range gradient {
				norm += float64(g) * float64(g)
			}
			norm = math.Sqrt(norm)
			// The direction is the gradient's with some noise added.
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
				return loss(w)
			}
			got := (at(step) - at(-step)) / (2 * step)
			at(0)
			if math.Abs(got-along) > 0.02*math.Abs(along)+5e-6 {
				t.Errorf("patch %d, ×%d, skip %d, squared %v: layer %d, %s: the error rises by %g, its gradient "+
					"says %g", patch, scale, skip, squared, i, kind, got, along)
			}
		}
	}
}

// openDrawing opens a picture that has room for patches of the default size.
func openDrawing(context.Context) (image.Image, error) { return testimage.Drawing(400, 400, 1), nil }
