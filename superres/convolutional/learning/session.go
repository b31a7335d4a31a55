package learning

import (
	"context"
	"errors"
	"fmt"
	"math"

	"superres/internal/usage"
	"superres/superres/convolutional"
	"superres/superres/training"
)

// session is one call of Train: its options, which are valid, its pictures, and the record of the training.
type session struct {
	Trainer
	sources  []training.Source
	progress training.Progress
	record   training.Record
}

// phase names the training of brightness in calls of progress.
const phase = "learning"

// trainBrightness trains the network for brightness, completes s.record, and returns the network rounded to a stage.
func (s *session) trainBrightness(ctx context.Context) (*convolutional.Stage, error) {
	d := &pictures{session: s}
	if err := d.read(ctx); err != nil {
		return nil, err
	}
	v, err := s.readValidation(ctx)
	if err != nil {
		return nil, err
	}
	n, known, err := s.firstNetwork()
	if err != nil {
		return nil, err
	}
	l := newLearner(s.Trainer, n, known)
	if s.Kept != nil {
		l.restore(s.Kept, d)
	}
	for l.done < s.Steps {
		s.progress(phase, l.done, s.Steps)
		err := l.step(ctx, d)
		if err == nil && !l.isReported(l.done) {
			continue
		}
		if err == nil {
			var r Report
			if r, err = l.report(ctx, v); err == nil && s.Report != nil {
				s.Report(r)
			}
		}
		// When the context ends, the last step was either completed or not begun.
		if s.Keep != nil && (err == nil || ctx.Err() != nil) {
			checkpoint, failed := l.checkpoint(d)
			if failed == nil {
				failed = s.Keep(checkpoint)
			}
			err = errors.Join(err, failed)
		}
		if err != nil {
			return nil, err
		}
	}
	s.progress(phase, s.Steps, s.Steps)
	s.record.DataSHA256, s.record.RMSE = d.digest(), l.rmse
	if l.dead > 0 {
		warning := fmt.Sprintf("%d of %d channels carry nothing", l.dead, s.Channels*(s.Depth+1))
		s.record.Warnings = append(s.record.Warnings, warning)
	}
	return convolutional.NewStage(l.network())
}

// firstNetwork returns the network that the training starts from. Its layers from index known on are to be set
// to random weights.
func (s *session) firstNetwork() (n *convolutional.Network, known int, err error) {
	n = convolutional.NewNetwork(s.architecture())
	if s.From == nil {
		return n, 0, nil
	}
	from := s.From.Network()
	if from.Channels != s.Channels || from.Depth > s.Depth {
		return nil, 0, usage.Errorf("convolutional: the network to go on from has %d channels and depth %d, expected "+
			"%d and at most %d", from.Channels, from.Depth, s.Channels, s.Depth)
	}
	from = deepen(from, s.Depth)
	known = len(n.Layers)
	if from.Scale != s.Scale {
		known--
	}
	for i, l := range from.Layers[:known] {
		if l.Strength == nil || !s.Robust {
			l.Strength = n.Layers[i].Strength
		}
		n.Layers[i] = l
	}
	return n, known, nil
}

// deepen returns a network with depth layers in the chain, at least n.Depth. The new layers lie evenly
// between those of n, which it shares, and are identities.
func deepen(n *convolutional.Network, depth int) *convolutional.Network {
	a := n.Architecture
	a.Depth, a.Strength = depth, false
	out := convolutional.NewNetwork(a)
	for i := 1; i <= depth; i++ {
		l := &out.Layers[i]
		for c := range l.Out {
			l.Weight[(l.Side*l.Side/2*l.In+c)*l.Out+c] = 1
			l.Slope[c] = 1
		}
	}
	for i := range n.Depth {
		out.Layers[1+i*depth/n.Depth] = n.Layers[1+i]
	}
	out.Layers[0], out.Layers[depth+1] = n.Layers[0], n.Layers[n.Depth+1]
	return out
}

// report returns the progress since its last call and scores the validation pictures. It fails when the
// training diverges.
func (l *learner) report(ctx context.Context, v *validation) (Report, error) {
	r := Report{
		Step: l.done, Steps: l.opt.Steps, LearningRate: l.learningRate(l.done - 1),
		Loss: l.loss / float64(l.steps), RMSE: math.Sqrt(l.square / float64(l.steps)), Dead: l.dead,
	}
	if !(r.RMSE < 1) {
		return r, fmt.Errorf("convolutional: the error is %g after %d steps: use a lower rate than %g", r.RMSE, l.done,
			l.opt.LearningRate)
	}
	l.loss, l.square, l.steps, l.rmse = 0, 0, 0, r.RMSE
	var err error
	r.PSNR, err = v.score(ctx, l.network())
	return r, err
}
