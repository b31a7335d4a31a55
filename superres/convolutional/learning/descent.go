package learning

import (
	"context"
	"math"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// What is made less is the mean, over the pixels of a step, of Charbonnier's √(e² + 10⁻⁶), e
// what a pixel is off, which is nearly |e|: it learns faster than e² and heeds what is hard
// to learn less. In the last part of the steps it is e², by which results are scored.
//
// The gradient is limited to twice the running mean of its norm. Then weights move by its
// mean made orthogonal (orthogonal.go), biases and slopes by Adam (kernel.Adam), with a rate
// that rises at first and falls as a cosine does (I. Loshchilov, F. Hutter: SGDR, ICLR 2017,
// arXiv:1608.03983). What is kept of the layers is a running mean of about the last thousand
// steps, which is better than the last one while the rate is high (B. Polyak, A. Juditsky,
// SIAM J. Control Optim. 30 (1992), doi:10.1137/0330046).
const (
	warmUp       = 200 // steps in which the rate rises
	lastPart     = 0.15
	roundness    = 1e-6
	squareWeight = 25   // of e², so that gradients stay about as large
	momentum     = 0.95 // of the mean of gradients of weights
	adamRate     = 0.3  // of biases and slopes, of the rate of weights
	decay1       = 0.9  // of Adam's mean of gradients
	decay2       = 0.99 // of their squares
	least        = 1e-8
	clipAt       = 2
	normDecay    = 0.98
	meanDecay    = 0.999
)

// rate is that of a step: it rises, then falls as a cosine does, to nearly 0.
func (o Trainer) rate(step int) float64 {
	rise := min(1, float64(step+1)/float64(min(warmUp, 1+o.Steps/10)))
	return rise * (1e-6 + o.Rate*0.5*(1+math.Cos(math.Pi*float64(step)/float64(o.Steps))))
}

// reports tells whether there is a report after so many steps.
func (o Trainer) reports(done int) bool { return done%o.Interval == 0 || done == o.Steps }

// squared tells whether the squared error is made less in a step, and not Charbonnier's,
// which is better to begin with.
func (o Trainer) squared(step int) bool { return float64(step) >= (1-lastPart)*float64(o.Steps) }

// update makes the step that the gradients of the patches ask for.
func (l *learner) update(ctx context.Context) error {
	squares := make([]float64, len(l.layers))
	starts := make([]int, len(l.layers))
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + l.shapes[i-1].size()
	}
	err := l.each(ctx, func(i int, f *learned) {
		kernel.SumRows(f.sum.all, l.slots[starts[i]:], l.offsets)
		f.forget()
		squares[i] = f.squares()
	})
	if err != nil {
		return err
	}
	norm := 0.0
	for _, v := range squares {
		norm += v
	}
	clip := float32(l.clip(math.Sqrt(norm)))
	t := float64(l.done + 1)
	fresh := float32(1 - min(meanDecay, (1+t)/(10+t)))
	return l.each(ctx, func(i int, f *learned) {
		f.moveWeights(clip, float32(l.opt.rate(l.done)), float32(l.opt.Decay))
		f.moveOthers(clip, l.opt.rate(l.done), t)
		f.moved()
		for k, v := range f.now.all {
			f.mean.all[k] += fresh * (v - f.mean.all[k])
		}
	})
}

// moveWeights moves the weights along the mean of their gradient, and a little more along
// the last one (Nesterov), made orthogonal, and takes a part of them away.
func (f *learned) moveWeights(clip, rate, decay float32) {
	g, m := f.sum.weight, f.moment.weight
	for i, v := range g {
		v *= clip
		m[i] = momentum*m[i] + (1-momentum)*v
		g[i] = momentum*m[i] + (1-momentum)*v
	}
	f.work.orthogonal(f.step, g, f.rows(), f.wide)
	for i, v := range f.step {
		f.now.weight[i] -= rate * (v + decay*f.now.weight[i])
	}
}

// moveOthers moves biases and slopes in step t, from 1.
func (f *learned) moveOthers(clip float32, rate, t float64) {
	n := len(f.now.weight)
	root := math.Sqrt(1 - math.Pow(decay2, t)) // Adam's means begin at 0, which this makes up for
	rate *= adamRate * root / (1 - math.Pow(decay1, t))
	kernel.Adam(f.now.all[n:], f.moment.all[n:], f.square, f.sum.all[n:], clip, 1-decay1, 1-decay2, float32(rate), float32(least*root))
}

// each works on all layers, at once where there are processors.
func (l *learner) each(ctx context.Context, body func(i int, f *learned)) error {
	return parallel.For(ctx, len(l.layers), 1, func() func(lo, hi int) {
		return func(lo, hi int) { body(lo, l.layers[lo]) }
	})
}

// clip returns by what a gradient of a norm is multiplied.
func (l *learner) clip(norm float64) float64 {
	if l.done == 0 {
		l.norm = norm
	}
	limited := min(norm, clipAt*l.norm)
	l.norm = normDecay*l.norm + (1-normDecay)*limited
	if limited == norm {
		return 1
	}
	return limited / norm
}
