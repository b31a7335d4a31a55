package learning

import (
	"context"

	"superres/internal/usage"
	"superres/superres/convolutional"
)

// Lesson is a patch from which a network learns something other than to enlarge pictures.
type Lesson interface {
	// Fill sets window, side×side samples, to brightness, 0 to 1: the patch in the middle, and its surroundings.
	Fill(window []float32, side int)
	// Grade returns the loss of the results that the network has for the patch: for each of Patch×Patch samples Scale²
	// results, side by side. It sets slopes to the derivatives of the loss with respect to results. It keeps no slice.
	Grade(results, slopes []float32) float64
}

// Teach trains a network with lessons instead of pictures: each step with Batch of them, which lesson returns for the
// number of the step and the number in the step, on which alone they may depend. lesson is called concurrently. Options
// about pictures and their damage are not used. Report gets the steps, the rate and the loss at every interval. digest
// stands for the lessons: training goes on from Kept only if Kept was made with the same digest.
func (t Trainer) Teach(
	ctx context.Context, digest string, lesson func(step, number int) (Lesson, error),
) (*convolutional.Stage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.SeesColour || t.Robust {
		return nil, usage.Errorf("convolutional: lessons are of brightness alone")
	}
	s := &session{Trainer: t, progress: func(string, int, int) {}}
	n, known, err := s.firstNetwork()
	if err != nil {
		return nil, err
	}
	l := newLearner(t, n, known)
	err = s.learn(ctx, l, digest, func() error { return l.teach(ctx, lesson) }, &validation{})
	if err != nil {
		return nil, err
	}
	return convolutional.NewStage(l.network())
}

// teach makes a step of training; number counts its lessons. Grade returns the loss and sets slopes to its derivatives.
func (l *learner) teach(ctx context.Context, lesson func(step, number int) (Lesson, error)) error {
	return l.move(ctx, func(w *worker, number int, gradient []parameters) error {
		one, err := lesson(l.done, number)
		if err != nil {
			return err
		}
		one.Fill(w.input, w.sides[0])
		w.forward(l.layers)
		last := len(l.shapes) - 1
		s := l.shapes[last]
		results := make([]float32, 0, len(w.target))
		for y := range w.side {
			for x := range w.side {
				results = append(results, w.output(x, y)...)
			}
		}
		slopes := w.target // free, as lessons have no target, nor squared errors, the second number in losses
		l.losses[number] = [2]float64{one.Grade(results, slopes)}
		for y := range w.side {
			d := w.inner(last, y)
			clear(d)
			for x := range w.side {
				copy(d[x*s.wide:], slopes[(y*w.side+x)*s.out:][:s.out])
			}
		}
		w.backward(l.layers, gradient)
		return nil
	})
}
