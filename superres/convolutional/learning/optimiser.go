package learning

import (
	"math"

	"superres/internal/kernel"
)

// The loss is the mean, over the pixels of a step, of Charbonnier's √(e² + 10⁻⁶) of the error e of
// a pixel, which is nearly |e|: it is learned faster than e² and gives less weight to what is hard
// to learn. In the last part of the steps the loss is e², by which results are scored.
//
// The gradient is clipped to twice the running mean of its norm. Then weights move by Muon (moveWeights),
// biases and slopes by Adam (kernel.Adam), with a learning rate that warms up and then falls as a cosine does
// (I. Loshchilov, F. Hutter: SGDR, ICLR 2017, arXiv:1608.03983). The result is the running mean of the
// parameters over about the last thousand steps, which is better than the last ones while the learning rate is
// high (B. Polyak, A. Juditsky, SIAM J. Control Optim. 30 (1992), doi:10.1137/0330046).
const (
	warmUp       = 200  // steps
	lastPart     = 0.15 // of the steps, in which the loss is e²
	roundness    = 1e-6
	squareWeight = 25   // of e², which leaves gradients about as large
	momentum     = 0.95 // of Muon
	adamRate     = 0.3  // Adam's learning rate, of that of the weights
	decay1       = 0.9  // of Adam's mean of gradients
	decay2       = 0.99 // of Adam's mean of their squares
	least        = 1e-8 // Adam's ε
	clipAt       = 2
	normDecay    = 0.98
	averageDecay = 0.999
)

// learningRate returns that of a step.
func (l *learner) learningRate(step int) float64 {
	o := &l.opt
	rise := min(1, float64(step+1)/float64(min(warmUp, 1+o.Steps/10)))
	return rise * (1e-6 + o.LearningRate*0.5*(1+math.Cos(math.Pi*float64(step)/float64(o.Steps))))
}

// isSquared tells whether the loss of a step is e².
func (l *learner) isSquared(step int) bool { return float64(step) >= (1-lastPart)*float64(l.opt.Steps) }

// clipGradient returns the factor, at most 1, by which a gradient of a norm is clipped.
func (l *learner) clipGradient(norm float64) float64 {
	if l.done == 0 {
		l.norm = norm
	}
	clipped := min(norm, clipAt*l.norm)
	l.norm = normDecay*l.norm + (1-normDecay)*clipped
	if clipped == norm {
		return 1
	}
	return clipped / norm
}

// moveOthers moves biases, slopes and strengths by Adam, in step t, from 1.
func (f *layer) moveOthers(clip float32, rate, t float64) {
	n := len(f.now.weight)
	root := math.Sqrt(1 - math.Pow(decay2, t)) // Adam's means begin at 0, which this makes up for
	rate *= adamRate * root / (1 - math.Pow(decay1, t))
	kernel.Adam(f.now.all[n:], f.momentum.all[n:], f.square, f.gradient.all[n:], clip, 1-decay1, 1-decay2,
		float32(rate), float32(least*root))
}

// moveWeights moves the weights of a layer, a matrix W of side²·in rows and out columns, along the
// running mean M of their gradient, made orthogonal (Muon),
//
//	W ← W − rate·(M(MᵀM)^(−1/2) + decay·W),
//
// with Nesterov's momentum. All directions that M reaches move by as much, not only the few that
// most of a gradient lies in. With it 1,200 steps reach what Adam needs 2,000 for, with or without
// layers that are products of two (K. Bhardwaj and others: Collapsible linear blocks, MLSys 2022,
// arXiv:2103.09404), and it needs no more memory than M.
// K. Jordan and others: Muon, an optimizer for hidden layers in neural networks, 2024,
// https://kellerjordan.github.io/posts/muon.
//
// Noise in M moves W as far as the rest of M does, so without a decay the weights grow: after
// 80,000 steps the singular values of a layer were 5 in the middle, of 12 layers that undo each
// other, and rounding them to integers cost more than 0.1 dB.
func (f *layer) moveWeights(clip, rate, decay float32) {
	g, m := f.gradient.weight, f.momentum.weight
	for i, v := range g {
		v *= clip
		m[i] = momentum*m[i] + (1-momentum)*v
		g[i] = momentum*m[i] + (1-momentum)*v
	}
	f.muon.orthogonalise(f.update, g, f.rows(), f.wide)
	for i, v := range f.update {
		f.now.weight[i] -= rate * (v + decay*f.now.weight[i])
	}
}

// The square root of a matrix is found by a few steps of a Newton-Schulz iteration, X ← X(aI + bXᵀX + c(XᵀX)²),
// whose coefficients, those of Muon's authors, bring singular values from 10⁻³ up to between 0.7 and 1.2, which
// suffices. X stays M·P with a symmetric P, so XᵀX and P alone are iterated.
const (
	schulzSteps = 6
	schulzA     = 3.4445
	schulzB     = -4.7750
	schulzC     = 2.0315
)

// muon is the workspace of orthogonalise: four matrices of n×n, and a transposed one of rows×n.
type muon struct {
	gram, next, p, poly, transposed []float32
}

func newMuon(rows, n int) muon {
	make := func(n int) []float32 { return make([]float32, n) }
	return muon{make(n * n), make(n * n), make(n * n), make(n * n), make(rows * n)}
}

// orthogonalise sets to, rows×n, nearly to x·(xᵀx)^(−1/2), or to 0 where x is 0. rows
// is a multiple of kernel.Rows32, n of kernel.Lanes.
func (w *muon) orthogonalise(to, x []float32, rows, n int) {
	multiply := func(to, a, b []float32) { kernel.Mul32(to, n, a, n, b, n, n, n, n) } // a is symmetric
	kernel.Mul32(w.gram, n, x, n, x, n, n, rows, n)
	trace := 0.0
	for i := range n {
		trace += float64(w.gram[i*n+i])
	}
	if !(trace > 0) {
		clear(to)
		return
	}
	clear(w.p)
	for i := range n {
		w.p[i*n+i] = float32(1 / math.Sqrt(trace))
	}
	unit := float32(1 / trace)
	for i := range w.gram {
		w.gram[i] *= unit
	}
	for range schulzSteps {
		multiply(w.next, w.gram, w.gram)
		for i, v := range w.next {
			w.poly[i] = schulzB*w.gram[i] + schulzC*v
		}
		for i := range n {
			w.poly[i*n+i] += schulzA
		}
		multiply(w.next, w.p, w.poly)
		w.p, w.next = w.next, w.p
		multiply(w.next, w.poly, w.gram)
		multiply(w.gram, w.poly, w.next)
	}
	for r := range rows {
		for i, v := range x[r*n : (r+1)*n] {
			w.transposed[i*rows+r] = v
		}
	}
	kernel.Mul32(to, n, w.transposed, rows, w.p, n, rows, n, n)
}
