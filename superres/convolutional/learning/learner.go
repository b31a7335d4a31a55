package learning

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/superres/convolutional"
)

// dataset is a source of patches: pictures for brightness, or colourPictures.
type dataset interface {
	// fill sets the input, the target and the levels of w for the patch with the given number in a step. Only step and
	// number decide which patch that is. synthetic is true for a patch of a drawn picture, which has another loss.
	fill(w *worker, step, number int) (synthetic bool, err error)
	// digest returns a hash of the pictures in hexadecimal.
	digest() string
}

// learner is a network in training.
type learner struct {
	opt          Trainer
	architecture convolutional.Architecture
	shapes       []shape
	layers       []*layer
	done         int     // number of steps made
	norm         float64 // running mean of the gradient's norm
	loss, square float64 // sums over steps of the loss and of the mean squared error
	steps        int     // number of steps in the sums, all since the last report
	rmse         float64 // at the last report
	dead         int     // dead channels at the last report
	trainer      string  // names of the programs that made the steps; empty: only this one
	remote       *remote // the program that makes the steps, or nil

	// The fields below are buffers, which checkpoints leave out.
	gradients []float32    // one for each patch of a step, one after another
	starts    []int32      // offset in gradients of the gradient of each patch
	losses    [][2]float64 // of each patch of a step: the loss and the mean squared error
	failures  []error      // of each patch of a step
	peaks     [][]float32  // for each patch of the last step before a report, the peak of each channel
	workers   []*worker
}

// worker holds the buffers in which one goroutine learns from a patch.
type worker struct {
	*pass
	target []float32
}

// newLearner returns a learner that starts from n, except that layers from index known on get random weights.
func newLearner(opt Trainer, n *convolutional.Network, known int) *learner {
	if opt.SeesColour {
		n = withHeads(n)
	}
	l := &learner{opt: opt, architecture: n.Architecture, shapes: shapesOf(n)}
	rng := rand.New(rand.NewPCG(opt.Seed, 1<<63))
	channels := 0
	for i, s := range l.shapes {
		// A layer of the chain starts near the identity, except the last of each part if there are several: as the
		// input of the part is added to it, each part would double the activations. A single part does so only once.
		isNearIdentity := i > 0 && i <= n.Depth && (n.Every() == n.Depth || i%n.Every() > 0)
		l.layers = append(l.layers, newLayer(s, n.Layers[i], i >= known, isNearIdentity, rng))
		if !s.linear {
			channels += s.wide
		}
	}
	l.failures = make([]error, opt.Batch)
	if opt.Engine != nil {
		l.remote = newRemote(opt.Engine) // its program has other buffers
		return l
	}
	size := l.size()
	l.gradients, l.losses = make([]float32, opt.Batch*size), make([][2]float64, opt.Batch)
	for i := range opt.Batch {
		l.peaks = append(l.peaks, make([]float32, channels))
		l.starts = append(l.starts, int32(i*size))
	}
	return l
}

func (l *learner) newWorker() *worker {
	w := &worker{pass: newPass(l.shapes, l.architecture.Every(), l.opt.Patch, l.opt.Margin)}
	w.target = make([]float32, l.opt.Patch*l.opt.Patch*l.shapes[len(l.shapes)-1].out)
	return w
}

// size returns the number of parameters in all layers.
func (l *learner) size() (n int) {
	for _, s := range l.shapes {
		n += s.size()
	}
	return n
}

// network returns a new network with the running means of the parameters, without the heads that withHeads has added.
func (l *learner) network() *convolutional.Network {
	n := convolutional.NewNetwork(l.architecture)
	trained := n
	if l.opt.SeesColour {
		trained = withHeads(n) // shares all layers but the last
	}
	for i, f := range l.layers {
		f.write(trained.Layers[i], f.average)
	}
	if l.opt.SeesColour {
		last := len(n.Layers) - 1
		to, from := n.Layers[last], trained.Layers[last]
		// Weights are in rows of all outputs, one row for each tap and input. Outputs of brightness are the first.
		for i := range to.Weight {
			to.Weight[i] = from.Weight[i/to.Out*from.Out+i%to.Out]
		}
		copy(to.Bias, from.Bias)
	}
	return n
}

// A network that sees colour, but learns from the loss of brightness alone, makes no use of colour. So in training its
// last layer has two more heads: outputs for the residuals of red and blue, which are removed afterwards. headWeight is
// the weight of their loss relative to brightness.
const (
	heads      = 1 + colours
	headWeight = 0.5
)

// withHeads returns n with a last layer of all heads, which begin as copies of brightness. All other layers are shared.
func withHeads(n *convolutional.Network) *convolutional.Network {
	out := *n
	out.Layers = slices.Clone(n.Layers)
	l := &out.Layers[len(out.Layers)-1]
	from := *l
	l.Out *= heads
	l.Weight, l.Bias = make([]float32, heads*len(from.Weight)), slices.Repeat(from.Bias, heads)
	for i := range l.Weight { // in rows: all outputs for a tap and an input
		l.Weight[i] = from.Weight[i/l.Out*from.Out+i%from.Out]
	}
	return &out
}

// addTrainer records that the program called name makes the steps from now on. l.trainer lists all programs in
// order. An empty list means that this program, ownName, made the steps so far.
func (l *learner) addTrainer(name string) {
	switch {
	case l.done == 0:
		l.trainer = name
	case l.trainer != name && !strings.HasSuffix(l.trainer, ", then "+name):
		l.trainer = cmp.Or(l.trainer, ownName) + ", then " + name
	}
}

// ownName is the name of this program in a list of trainers.
const ownName = "superres"

// pixels returns how many outputs for a sample have full weight in the loss: brightness; in a network for colour, all.
func (l *learner) pixels() int {
	if l.architecture.Colour {
		return l.shapes[len(l.shapes)-1].out
	}
	return l.architecture.Scale * l.architecture.Scale
}

// isReported reports whether a report is due after step number done.
func (l *learner) isReported(done int) bool { return done%l.opt.Interval == 0 || done == l.opt.Steps }

// step makes one step of training with the patches of d, here or in the remote program.
func (l *learner) step(ctx context.Context, d dataset) error {
	if l.remote != nil {
		return l.remote.step(ctx, l, d)
	}
	if l.trainer != "" { // another program has made steps
		l.addTrainer(ownName)
	}
	return l.move(ctx, func(w *worker, number int, gradient []parameters) error {
		synthetic, err := d.fill(w, l.done, number)
		if err == nil {
			l.losses[number] = l.learn(w, synthetic, gradient)
		}
		return err
	})
}

// move makes one step of training. learn adds the gradient of the loss of patch number to gradient, and sets
// l.losses[number]; it is called concurrently. Each patch has its own gradient, computed by any worker, and the
// gradients are summed in the order of the patches, so that the number of workers does not change the result.
func (l *learner) move(ctx context.Context, learn func(w *worker, number int, gradient []parameters) error) error {
	size := l.size()
	err := l.forPatches(ctx, func(w *worker, number int) error {
		gradient := l.gradients[number*size : (number+1)*size]
		clear(gradient)
		err := learn(w, number, l.divide(gradient))
		if err == nil && l.isReported(l.done+1) {
			w.findPeaks(l.peaks[number])
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := l.update(context.WithoutCancel(ctx)); err != nil { // a step is not interrupted
		return err
	}
	for _, e := range l.losses {
		l.loss += e[0] / float64(len(l.losses))
		l.square += e[1] / float64(len(l.losses))
	}
	l.steps++
	if l.done++; l.isReported(l.done) {
		l.dead = countDead(l.shapes, l.peaks)
	}
	return nil
}

// forPatches calls body for the number of each patch of a step, in parallel. Concurrent calls have different
// workers, which l keeps for later steps. It returns the errors of all calls.
func (l *learner) forPatches(ctx context.Context, body func(w *worker, number int) error) error {
	next := 0
	err := parallel.For(ctx, l.opt.Batch, 1, func() func(lo, hi int) { // once per worker; a range is one patch
		if next == len(l.workers) {
			l.workers = append(l.workers, l.newWorker())
		}
		w := l.workers[next]
		next++
		return func(lo, _ int) { l.failures[lo] = body(w, lo) }
	})
	return errors.Join(append(l.failures, err)...)
}

// divide returns the part of gradient for each layer, in the memory of gradient.
func (l *learner) divide(gradient []float32) (list []parameters) {
	for _, s := range l.shapes {
		list = append(list, s.divide(gradient))
		gradient = gradient[s.size():]
	}
	return list
}

// learn adds the gradient of the loss of the patch in w to gradient. It returns the loss, as optimiser.go defines it,
// and the mean squared error, both per pixel. Errors of brightness, or of all outputs in a network for colour, count
// fully; errors of further heads count headWeight times in the loss, and not in the mean squared error.
func (l *learner) learn(w *worker, synthetic bool, gradient []parameters) (losses [2]float64) {
	w.forward(l.layers)
	last := len(l.shapes) - 1
	s := l.shapes[last]
	pixels := l.pixels()
	count := float64(w.side * w.side * pixels)
	unit := float32(1 / (count * float64(l.opt.Batch)))
	weightOf := func(output int) float32 {
		if output < pixels {
			return 1
		}
		return headWeight
	}
	mean := 0.0 // of e², weighted
	for y := range w.side {
		d := w.inner(last, y) // first the errors, then the gradient
		clear(d)
		for x := range w.side {
			want := w.target[(y*w.side+x)*s.out:][:s.out]
			for o, v := range w.output(x, y) {
				e := v - want[o]
				d[x*s.wide+o] = e
				mean += float64(weightOf(o) * e * e)
				if o < pixels {
					losses[1] += float64(e * e)
				}
			}
		}
	}
	mean /= count
	// Errors in synthetic pictures are larger: squared, they would outweigh all other errors.
	squared := l.isSquared(l.done) && !synthetic
	square := float32(squareWeight)
	if squared && l.opt.Robust {
		square *= float32(commonSquare / (mean + leastSquare))
	}
	for y := range w.side {
		d := w.inner(last, y)
		for x := range w.side {
			for o, e := range d[x*s.wide:][:s.out] {
				slope := &d[x*s.wide+o]
				if squared {
					*slope = weightOf(o) * 2 * square * unit * e
					continue
				}
				root := float32(math.Sqrt(float64(e*e + roundness)))
				losses[0] += float64(weightOf(o) * root)
				*slope = weightOf(o) * unit * e / root
			}
		}
	}
	switch {
	case squared && l.opt.Robust:
		losses[0] = count * squareWeight * commonSquare * elementary.Log1p(mean/leastSquare)
	case squared:
		losses[0] = count * squareWeight * mean
	}
	w.backward(l.layers, gradient)
	return [2]float64{losses[0] / count, losses[1] / count}
}

// update sums the gradients of the patches, clips the sum, and moves the parameters along it. Then it moves the
// running means of the parameters towards them, by a share that is larger in the first steps.
func (l *learner) update(ctx context.Context) error {
	squares := make([]float64, len(l.layers))
	starts := make([]int, len(l.layers)) // of each layer's part of a gradient
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + l.shapes[i-1].size()
	}
	err := l.forLayers(ctx, func(i int, f *layer) {
		kernel.SumRows(f.gradient.all, l.gradients[starts[i]:], l.starts)
		f.clearPadding()
		squares[i] = sumSquares(f.gradient.all)
	})
	if err != nil {
		return err
	}
	norm := 0.0
	for _, v := range squares {
		norm += v
	}
	factor := float32(l.clipGradient(math.Sqrt(norm)))
	rate, t := l.learningRate(l.done), float64(l.done+1)
	fresh := float32(1 - min(averageDecay, (1+t)/(10+t)))
	return l.forLayers(ctx, func(_ int, f *layer) {
		f.moveWeights(factor, float32(rate), float32(l.opt.Decay))
		f.moveOthers(factor, rate, t)
		f.prepare()
		for k, v := range f.now.all {
			f.average.all[k] += fresh * (v - f.average.all[k])
		}
	})
}

// forLayers calls body for all layers in parallel.
func (l *learner) forLayers(ctx context.Context, body func(i int, f *layer)) error {
	return parallel.For(ctx, len(l.layers), 1, func() func(lo, hi int) { // a range is one layer
		return func(lo, hi int) { body(lo, l.layers[lo]) }
	})
}

// sumSquares returns the sum of the squares of values.
func sumSquares(values []float32) float64 {
	var sums [4]float64
	for i, v := range values {
		sums[i%4] += float64(v) * float64(v)
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// deadBelow is the share of the greatest output in a layer that no output of a dead channel exceeds. A dead channel
// costs time, gets little or no gradient, and so seldom recovers. Too high a learning rate causes many.
const deadBelow = 1e-3

// countDead returns the number of dead channels in all layers of shapes but the last: channels with no output above
// deadBelow times the largest in their layer. peaks[p] holds the largest outputs in patch p, layer after layer.
func countDead(shapes []shape, peaks [][]float32) (count int) {
	at := 0
	for _, s := range shapes[:len(shapes)-1] {
		greatest := make([]float32, s.wide)
		all := float32(0)
		for _, of := range peaks {
			for o, v := range of[at:][:s.wide] {
				greatest[o] = max(greatest[o], v)
				all = max(all, v)
			}
		}
		for _, v := range greatest {
			if v <= deadBelow*all {
				count++
			}
		}
		at += s.wide
	}
	return count
}
