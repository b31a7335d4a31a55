package learning

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"superres/internal/parallel"
	"superres/superres/convolutional"
)

// lessons are what a learner learns from.
type lessons interface {
	// fill sets what a worker learns the number-th part of a step from: its input, target and
	// level. drawn tells that it is a drawing. What it is depends on both numbers alone.
	fill(w *worker, step, number int) (drawn bool, err error)
	// sum is a hash of the pictures.
	sum() string
}

// learner is a network that is being trained, after some steps.
type learner struct {
	opt    Trainer
	form   convolutional.Architecture
	shapes []shape
	layers []*learned
	done   int     // steps
	norm   float64 // the running mean of that of the gradient
	loss   float64 // summed since the last report, as square
	square float64
	steps  int     // that these are sums over
	rmse   float64 // at the last report
	silent int     // channels that carried nothing at the last report

	// What follows is worked with, and made anew when learning goes on from a file.
	slots   []float32 // the gradients of the patches of a step, one after the other
	offsets []int32   // where they begin
	errors  [][2]float64
	failed  []error
	peaks   [][]float32 // of the channels, for each patch of a step before a report
	workers []*worker
}

// worker is what a patch is learned from with.
type worker struct {
	*pass
	target []float32
}

// newLearner makes the learner of a network, whose layers from number known on are random.
func newLearner(o Trainer, n *convolutional.Network, known int) *learner {
	l := &learner{opt: o, form: n.Architecture, shapes: shapesOf(n)}
	rng := rand.New(rand.NewPCG(o.Seed, 1<<63))
	for i, s := range l.shapes {
		l.layers = append(l.layers, newLearned(s, n.Layers[i], i >= known, rng))
	}
	l.prepare()
	return l
}

func (l *learner) newWorker() *worker {
	w := &worker{pass: newPass(l.shapes, l.opt.Patch)}
	w.target = make([]float32, l.opt.Patch*l.opt.Patch*l.shapes[len(l.shapes)-1].out)
	return w
}

// slotSize is how long the gradient of all layers is.
func (l *learner) slotSize() (n int) {
	for _, s := range l.shapes {
		n += s.size()
	}
	return n
}

// prepare makes what steps are worked with.
func (l *learner) prepare() {
	size := l.slotSize()
	l.slots = make([]float32, l.opt.Batch*size)
	l.errors = make([][2]float64, l.opt.Batch)
	l.failed = make([]error, l.opt.Batch)
	channels := 0
	for _, s := range l.shapes[:len(l.shapes)-1] {
		channels += s.wide
	}
	for i := range l.opt.Batch {
		l.peaks = append(l.peaks, make([]float32, channels))
		l.offsets = append(l.offsets, int32(i*size))
	}
}

// step makes a step. Each patch has its own gradient, whichever worker makes it, and they
// are summed in their order, so the bits do not depend on the number of workers.
func (l *learner) step(ctx context.Context, d lessons) error {
	layers, turned := l.current()
	size := l.slotSize()
	next := 0
	err := parallel.For(ctx, l.opt.Batch, 1, func() func(lo, hi int) {
		if next == len(l.workers) {
			l.workers = append(l.workers, l.newWorker())
		}
		w := l.workers[next]
		next++
		return func(lo, hi int) {
			slot := l.slots[lo*size : (lo+1)*size]
			clear(slot)
			drawn, err := d.fill(w, l.done, lo)
			if l.failed[lo] = err; err != nil {
				return
			}
			l.errors[lo] = l.learn(w, drawn, layers, turned, l.split(slot))
			if l.opt.reports(l.done + 1) {
				w.peaks(l.peaks[lo])
			}
		}
	})
	if err = errors.Join(append(l.failed, err)...); err != nil {
		return err
	}
	if err := l.update(context.WithoutCancel(ctx)); err != nil { // a whole step or none
		return err
	}
	for _, e := range l.errors {
		l.loss += e[0] / float64(len(l.errors))
		l.square += e[1] / float64(len(l.errors))
	}
	l.steps++
	if l.done++; l.opt.reports(l.done) {
		l.silent = countSilent(l.shapes, l.peaks)
	}
	return nil
}

// current returns the layers as they are.
func (l *learner) current() (layers []parameters, turned [][]float32) {
	for _, f := range l.layers {
		layers, turned = append(layers, f.now), append(turned, f.turned)
	}
	return layers, turned
}

// split takes the gradient of all layers apart.
func (l *learner) split(slot []float32) (list []parameters) {
	for _, s := range l.shapes {
		list = append(list, s.over(slot))
		slot = slot[s.size():]
	}
	return list
}

// learn adds the gradient of the error in what a worker was given, and returns the error that
// is made less and the squared one, as means.
func (l *learner) learn(w *worker, drawn bool, layers []parameters, turned [][]float32, to []parameters) (errors [2]float64) {
	w.forward(layers)
	last := len(l.shapes) - 1
	s := l.shapes[last]
	count := float64(len(w.target))
	unit := float32(1 / (count * float64(l.opt.Batch)))
	// Drawings are off by more: they would weigh too much when squared.
	squared := l.opt.squared(l.done) && !drawn
	for y := range w.side {
		d := w.inner(last, y)
		clear(d)
		for x := range w.side {
			want := w.target[(y*w.side+x)*s.out:][:s.out]
			for o, v := range w.out(x, y) {
				e := v - want[o]
				errors[1] += float64(e * e)
				if squared {
					d[x*s.wide+o] = 2 * squareWeight * unit * e
					continue
				}
				root := float32(math.Sqrt(float64(e*e + roundness)))
				errors[0] += float64(root)
				d[x*s.wide+o] = unit * e / root
			}
		}
	}
	if squared {
		errors[0] = squareWeight * errors[1]
	}
	w.backward(layers, turned, to)
	return [2]float64{errors[0] / count, errors[1] / count}
}
