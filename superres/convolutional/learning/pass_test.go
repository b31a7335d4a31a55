package learning

import (
	"math"
	"math/rand/v2"
	"testing"
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
				f.now.strength[o] += float32(0.1 * rng.NormFloat64())
			}
		}
		f.transpose()
	}
}

// The gradient in each kind of parameter agrees with finite differences of the loss.
func TestGradient(t *testing.T) {
	for _, scale := range []int{2, 3} {
		for _, squared := range []bool{false, true} {
			o := newSmallTrainer()
			o.Scale, o.Patch, o.Batch = scale, 7, 1
			o.Robust = scale == 3
			l, d := begin(t, o)
			if squared {
				l.done = o.Steps - 1
			}
			vary(l)
			w, one := l.newWorker(), samplePatch(t, d, 0)
			to := make([]float32, l.size())
			loss := func() float64 {
				for _, f := range l.layers {
					f.transpose()
				}
				layers, transposed := l.parameters()
				clear(to)
				if o.Robust {
					one.degrade = rand.New(rand.NewPCG(8, 10))
				}
				one.fill(w, scale)
				return l.learn(w, one.synthetic, layers, transposed, l.divide(to))[0]
			}
			loss()
			for i, sum := range l.divide(to) {
				copy(l.layers[i].gradient.all, sum.all)
				l.layers[i].clearPadding()
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for i, f := range l.layers {
				for kind, part := range map[string][2][]float32{"weights": {f.now.weight, f.gradient.weight},
					"biases": {f.now.bias, f.gradient.bias}, "slopes": {f.now.slope, f.gradient.slope},
					"strengths": {f.now.strength, f.gradient.strength}} {
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
						return loss()
					}
					got := (at(step) - at(-step)) / (2 * step)
					at(0)
					if math.Abs(got-along) > 0.02*math.Abs(along)+1e-6 {
						t.Errorf("×%d, squared %v: layer %d, %s: the error rises by %g, its gradient says %g", scale,
							squared, i, kind, got, along)
					}
				}
			}
		}
	}
}
