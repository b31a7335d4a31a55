package learning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

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

// keepTime is the time after which Keep is called before the interval is over, so that a crash costs no more than that:
// the interval of a large network may take hours.
const keepTime = 5 * time.Minute

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
	if err := s.learn(ctx, l, d.digest(), func() error { return l.step(ctx, d) }, v); err != nil {
		return nil, err
	}
	s.progress(phase, s.Steps, s.Steps)
	s.record.DataSHA256, s.record.RMSE, s.record.Trainer = d.digest(), l.rmse, l.trainer
	if l.dead > 0 {
		warning := fmt.Sprintf("%d of %d channels carry nothing", l.dead, s.Channels*(s.Depth+1))
		s.record.Warnings = append(s.record.Warnings, warning)
	}
	return convolutional.NewStage(l.network())
}

// learn makes the steps of l that are not made yet, with reports and checkpoints. step makes one; digest is the hash of
// what it learns from.
func (s *session) learn(ctx context.Context, l *learner, digest string, step func() error, v *validation) error {
	if s.Kept != nil {
		l.restore(s.Kept, digest)
	}
	pace, kept := s.newPace(l.done), time.Now()
	if s.Kept != nil && l.done < s.Steps && s.Report != nil {
		s.Report(s.counted(l.done))
	}
	for l.done < s.Steps {
		s.progress(phase, l.done, s.Steps)
		err := step()
		reported := l.isReported(l.done)
		if err == nil && !reported && time.Since(kept) < keepTime {
			continue
		}
		if err == nil && reported {
			var r Report
			if r, err = l.report(ctx, v); err == nil && s.Report != nil {
				r.Elapsed, r.Left = pace.estimate(r.Step)
				s.Report(r)
			}
		}
		// When the context ends, the last step was either completed or not begun. Before the first there is nothing to
		// keep, and what was kept of another training is not replaced.
		if s.Keep != nil && l.done > 0 && (err == nil || ctx.Err() != nil) {
			checkpoint, failed := l.checkpoint(digest)
			if failed == nil {
				failed = s.Keep(checkpoint)
			}
			err, kept = errors.Join(err, failed), time.Now()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstNetwork returns the network that the training starts from. Its layers from index known on are to be set
// to random weights.
func (s *session) firstNetwork() (n *convolutional.Network, known int, err error) {
	n = convolutional.NewNetwork(s.architecture())
	if s.From == nil {
		return n, 0, nil
	}
	from := s.From.Network()
	if from.Skip != s.Skip {
		return nil, 0, usage.Errorf("convolutional: the network to go on from has a skip every %d layers, expected %d",
			from.Skip, s.Skip)
	}
	switch {
	case from.Channels != s.Channels || s.Skip == 0 && from.Depth > s.Depth:
		return nil, 0, usage.Errorf("convolutional: the network to go on from has %d channels and depth %d, expected "+
			"%d and at most %d", from.Channels, from.Depth, s.Channels, s.Depth)
	case from.SeesColour && !s.SeesColour:
		return nil, 0, usage.Errorf("convolutional: the network to go on from looks at colour, the one to train does " +
			"not")
	case s.SeesColour && !from.SeesColour:
		from = addColour(from)
	}
	if from.Depth > s.Depth {
		from = shorten(from, s.Depth)
	} else {
		from = deepen(from, s.Depth)
	}
	known = len(n.Layers)
	if from.Scale != s.Scale {
		known--
	}
	for i, l := range from.Layers[:known] {
		for k, list := range n.Layers[i].Levels {
			if l.Levels[k] == nil || !s.Robust {
				l.Levels[k] = list
			}
		}
		n.Layers[i] = l
	}
	return n, known, nil
}

// addColour returns a network that computes the same as n, whose other layers it shares, with weights of 0 for colour.
func addColour(n *convolutional.Network) *convolutional.Network {
	out := *n
	out.SeesColour, out.Layers = true, slices.Clone(n.Layers)
	l := &out.Layers[0]
	l.In += colours
	l.Weight = nil
	none := make([]float32, colours*l.Out)
	for taps := range slices.Chunk(n.Layers[0].Weight, l.Out) {
		l.Weight = append(append(l.Weight, none...), taps...) // brightness is the last input
	}
	return &out
}

// shorten returns a network of the layers of n, depth of them in the chain, at most n.Depth: of the parts that skips
// divide the chain into some are left out, evenly. As a part adds to what it is given, the others still work.
func shorten(n *convolutional.Network, depth int) *convolutional.Network {
	a := n.Architecture
	a.Depth, a.Strength, a.Trust = depth, false, false
	out := convolutional.NewNetwork(a)
	have, parts := n.Depth/n.Skip, depth/n.Skip
	for i := range parts {
		from := (i*have + parts/2) / parts
		copy(out.Layers[1+i*n.Skip:][:n.Skip], n.Layers[1+from*n.Skip:])
	}
	out.Layers[0], out.Layers[depth+1] = n.Layers[0], n.Layers[n.Depth+1]
	return out
}

// deepen returns a network with depth layers in the chain, at least n.Depth, that computes the same as n, whose layers
// it shares. The new ones lie evenly between them and are identities. In a chain with skips whole parts are new; the
// last layer of such a part is 0, since it is added to what the part is given.
func deepen(n *convolutional.Network, depth int) *convolutional.Network {
	a := n.Architecture
	a.Depth, a.Strength, a.Trust = depth, false, false
	out := convolutional.NewNetwork(a)
	for i := 1; i <= depth; i++ {
		l := &out.Layers[i]
		if n.Skip > 0 && i%n.Skip == 0 { // the last of a part
			continue
		}
		for c := range l.Out {
			l.Weight[(l.Side*l.Side/2*l.In+c)*l.Out+c] = 1
			l.Slope[c] = 1
		}
	}
	size := max(n.Skip, 1) // of a part
	for i := 0; i < n.Depth; i += size {
		copy(out.Layers[1+i*depth/n.Depth/size*size:][:size], n.Layers[1+i:])
	}
	out.Layers[0], out.Layers[depth+1] = n.Layers[0], n.Layers[n.Depth+1]
	return out
}

// report returns the progress since its last call and scores the validation pictures. It fails when the
// training diverges.
func (l *learner) report(ctx context.Context, v *validation) (Report, error) {
	r := l.opt.counted(l.done)
	if err := l.fetch(); err != nil {
		return r, err
	}
	r.LearningRate, r.Dead = l.learningRate(l.done-1), l.dead
	r.Loss, r.RMSE = l.loss/float64(l.steps), math.Sqrt(l.square/float64(l.steps))
	switch {
	case math.IsNaN(r.Loss):
		return r, l.diverged(r.Loss)
	case !(r.RMSE < 1):
		return r, l.diverged(r.RMSE)
	}
	l.loss, l.square, l.steps, l.rmse = 0, 0, 0, r.RMSE
	var err error
	r.PSNR, err = v.score(ctx, l.network())
	return r, err
}

// diverged returns the error of a training that diverges: its root mean square error is rmse.
func (l *learner) diverged(rmse float64) error {
	return fmt.Errorf("convolutional: the error is %g after %d steps: use a lower rate than %g", rmse, l.done,
		l.opt.LearningRate)
}

// pixels returns the number of low-resolution pixels that a network is shown in a number of steps.
func (t Trainer) pixels(steps int) int64 { return int64(steps) * int64(t.Batch*t.Patch*t.Patch) }

// counted returns a Report with the fields that count what was done in a number of steps.
func (t Trainer) counted(steps int) Report {
	r := Report{Step: steps, Steps: t.Steps, Pixels: t.pixels(steps)}
	r.Products = float64(r.Pixels) * float64(t.architecture().Products())
	return r
}

// pace estimates how long a run still takes.
type pace struct {
	began       time.Time
	first, last int // the run begins after step first and ends after step last
}

// newPace begins the estimate for a run that goes on after step first.
func (t Trainer) newPace(first int) pace { return pace{began: time.Now(), first: first, last: t.Steps} }

// estimate returns the time since the run began, and the time that it still takes after a number of steps, which must
// be more than first.
func (p pace) estimate(steps int) (elapsed, left time.Duration) {
	elapsed = time.Since(p.began)
	share := float64(p.last-steps) / float64(steps-p.first)
	return elapsed, time.Duration(share * float64(elapsed))
}
