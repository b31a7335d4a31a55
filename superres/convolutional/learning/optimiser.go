package learning

import (
	"math"

	"superres/internal/elementary"
	"superres/internal/kernel"
)

// The loss is the mean, over the pixels of a step, of Charbonnier's √(e² + 10⁻⁶) of the error e, which is nearly |e|.
// It is learned faster than e² and gives less weight to pixels that cannot be predicted. In the last part of the steps
// the loss is e², since results are scored by e².
//
// For a robust model, the last part uses the logarithm of the mean of e² in a patch instead, since results are scored
// by the mean of decibels. With e², errors in noise count so much that clean pictures lose: in 6,000 last steps the
// logarithm gained 0.23 dB more than e² on clean pictures, 0.33 on sharpened and 0.03 on JPEG pictures.
//
// The gradient is clipped to twice the running mean of its norm. Then weights move by Muon (moveWeights), biases and
// slopes by Adam (kernel.Adam), with a learning rate that warms up and then falls along a cosine (I. Loshchilov, F.
// Hutter: SGDR, ICLR 2017, arXiv:1608.03983). The result is the running mean of the parameters over about the last
// thousand steps, which is better than their last values while the learning rate is high (B. Polyak, A. Juditsky, SIAM
// J. Control Optim. 30 (1992), doi:10.1137/0330046).
const (
	warmUp       = 200   // steps
	lastPart     = 0.15  // share of the steps in which the loss is e²
	exactPart    = 0.02  // the last share of the steps, in which a remote multiplies in float32
	roundness    = 1e-6  // the constant of Charbonnier's loss
	squareWeight = 25    // factor of e², which keeps gradients about as large as before
	commonSquare = 9e-4  // mean of e² at which the logarithm has about the gradient of e²
	leastSquare  = 3e-4  // added to the mean of e² before its logarithm is taken
	momentum     = 0.95  // of Muon
	adamRate     = 0.3   // Adam's learning rate as a share of Muon's
	decay1       = 0.9   // of Adam's running mean of gradients
	decay2       = 0.99  // of Adam's running mean of their squares
	least        = 1e-8  // Adam's ε
	clipAt       = 2     // the norm at which gradients are clipped, as a multiple of its running mean
	normDecay    = 0.98  // of the running mean of the norm
	averageDecay = 0.999 // of the running mean of the parameters
)

// learningRate returns the learning rate of step number step, counted from 0. It rises to the option LearningRate over
// warmUp steps, or over a tenth of all steps if these are fewer, and falls along a cosine to nearly 10⁻⁶.
func (l *learner) learningRate(step int) float64 {
	o := &l.opt
	rise := min(1, float64(step+1)/float64(min(warmUp, 1+o.Steps/10)))
	return rise * (1e-6 + o.LearningRate*0.5*(1+elementary.Cos(math.Pi*float64(step)/float64(o.Steps))))
}

// isSquared reports whether the loss of a step is e² or, for a robust model, the logarithm of its mean.
func (l *learner) isSquared(step int) bool { return float64(step) >= (1-lastPart)*float64(l.opt.Steps) }

// clipGradient returns the factor, at most 1, that clips a gradient with the given norm to clipAt times the running
// mean of norms, l.norm. Then it updates that mean by the clipped norm; in the first step the mean is the norm itself.
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

// moveOthers moves the biases, slopes and levels of f by Adam, for the gradient times clip. t counts steps from 1.
func (f *layer) moveOthers(clip float32, rate, t float64) {
	n := len(f.now.weight)
	root := math.Sqrt(1 - elementary.Pow(decay2, t)) // Adam's correction for running means that start at 0
	rate *= adamRate * root / (1 - elementary.Pow(decay1, t))
	kernel.Adam(f.now.all[n:], f.momentum.all[n:], f.square, f.gradient.all[n:], clip, 1-decay1, 1-decay2,
		float32(rate), float32(least*root))
}

// moveWeights moves the weights of a layer, a matrix W with side²·in rows and out columns, along the running mean M of
// their gradient, orthogonalised (Muon),
//
//	W ← W − rate·(M(MᵀM)^(−1/2) + decay·W),
//
// with Nesterov's momentum. clip is a factor for the gradient. So W moves equally far in all directions in which M is
// not 0, not only in the few in which the gradient is large. 1,200 steps reach the result of 2,000 with Adam, and the
// only state is M. K. Jordan and others: Muon, an optimizer for hidden layers in neural networks, 2024,
// https://kellerjordan.github.io/posts/muon. Noise in M moves W as far as the signal does, so without decay the weights
// grow, and rounding them to integers costs more than 0.1 dB.
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

// The inverse square root of XᵀX is approximated by a few steps of a Newton-Schulz iteration, X ← X(aI + bXᵀX +
// c(XᵀX)²). With the coefficients of Muon's authors it brings singular values above 10⁻³ to between 0.7 and 1.2, which
// suffices. X is always M·P with a symmetric P, so only XᵀX and P are iterated.
const (
	schulzSteps = 6
	schulzA     = 3.4445
	schulzB     = -4.7750
	schulzC     = 2.0315
)

// muon holds the buffers of orthogonalise: four n×n matrices, and n zeros.
type muon struct{ gram, next, p, poly, zero []float32 } // gram is XᵀX, poly aI + b·gram + c·gram²

func newMuon(n int) muon {
	make := func(n int) []float32 { return make([]float32, n) }
	return muon{make(n * n), make(n * n), make(n * n), make(n * n), make(n)}
}

// orthogonalise sets dst, rows×n, approximately to x·(xᵀx)^(−1/2), or to 0 if x is 0. n must be a multiple of
// kernel.Lanes and kernel.Rows32. x is first divided by the root of the trace of xᵀx: so singular values are at most 1.
func (w *muon) orthogonalise(dst, x []float32, rows, n int) {
	multiply := func(to, a, b []float32) { kernel.Mul32(to, n, a, n, b, n, n, n, n) } // aᵀb, with a symmetric a
	kernel.Mul32(w.gram, n, x, n, x, n, n, rows, n)
	trace := 0.0
	for i := range n {
		trace += float64(w.gram[i*n+i])
	}
	if !(trace > 0) {
		clear(dst)
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
		multiply(w.gram, w.poly, w.next) // of the x that p now stands for
	}
	kernel.Convolve32(dst, x, n, 0, 1, n, w.p, w.zero, rows) // x·p
}
