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

// session is one call of Train: its options, which have been checked, its pictures, and the record of the training.
type session struct {
	Trainer
	sources  []training.Source
	progress training.Progress
	record   training.Record
}

// phase is the name of the training of brightness in calls of progress.
const phase = "learning"

// keepTime is the time after which Keep is called even within an interval, which may take hours with a large network.
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

// learn makes the remaining steps of l, with a report at each interval, and a checkpoint then or after keepTime. step
// makes one step, digest is the hash of the pictures or lessons, and v holds the pictures to score in reports.
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
		// When the context ends, the last step was either completed or not begun. Before the first step there is
		// nothing to keep, and a checkpoint of another training is not overwritten.
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

// firstNetwork returns the network that the training starts from: new, or the network of s.From, made to fit s. Layers
// from index known on need random weights. It fails if channels, depth, skips or the inputs for colour do not allow it.
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
		known-- // the last layer has other outputs
	}
	for i, l := range from.Layers[:known] {
		for k, list := range n.Layers[i].Levels {
			if l.Levels[k] == nil || !s.Robust {
				l.Levels[k] = list // new levels of 0, or none if s is not robust; else they stay as in From
			}
		}
		n.Layers[i] = l
	}
	return n, known, nil
}

// addColour returns a network that computes the same as n, with further inputs for colour that have weights of 0. The
// two networks share all layers but the first.
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

// shorten returns a network of layers of n, which has skips, with depth layers in the chain, at most n.Depth. Skips
// divide the chain into parts; some are left out, evenly. As parts only add to their inputs, the rest still works.
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

// deepen returns a network with depth layers in the chain, at least n.Depth, that computes the same as n. It shares the
// layers of n. The new layers are spread evenly and are identities. In a chain with skips whole parts are new; the last
// layer of such a part is 0, since its output is added to the input of the part.
func deepen(n *convolutional.Network, depth int) *convolutional.Network {
	a := n.Architecture
	a.Depth, a.Strength, a.Trust = depth, false, false // new layers have no levels: firstNetwork adds them
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
	size := max(n.Skip, 1) // layers of a part
	for i := 0; i < n.Depth; i += size {
		copy(out.Layers[1+i*depth/n.Depth/size*size:][:size], n.Layers[1+i:]) // to the beginning of a part
	}
	out.Layers[0], out.Layers[depth+1] = n.Layers[0], n.Layers[n.Depth+1]
	return out
}

// report returns the progress since its last call and the score of validation pictures. It fails if training diverged.
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
	case !(r.RMSE < 1): // 1 is the difference between black and white
		return r, l.diverged(r.RMSE)
	}
	l.loss, l.square, l.steps, l.rmse = 0, 0, 0, r.RMSE
	var err error
	r.PSNR, err = v.score(ctx, l.network())
	return r, err
}

// diverged returns the error of a training that has diverged, with the error rmse of the network.
func (l *learner) diverged(rmse float64) error {
	return fmt.Errorf("convolutional: the error is %g after %d steps: use a lower rate than %g", rmse, l.done,
		l.opt.LearningRate)
}

// pixels returns the number of low-resolution pixels that a network has been shown after a number of steps.
func (t Trainer) pixels(steps int) int64 { return int64(steps) * int64(t.Batch*t.Patch*t.Patch) }

// counted returns a Report in which only the fields for the amount of work are set, for the given number of steps.
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

// newPace begins the estimate for a run that follows step number first; earlier runs have made the steps before.
func (t Trainer) newPace(first int) pace { return pace{began: time.Now(), first: first, last: t.Steps} }

// estimate returns the time since the run began, and the time that it will still take. steps is the number of steps
// made by all runs, and must be more than p.first, the number when this run began.
func (p pace) estimate(steps int) (elapsed, left time.Duration) {
	elapsed = time.Since(p.began)
	share := float64(p.last-steps) / float64(steps-p.first)
	return elapsed, time.Duration(share * float64(elapsed))
}
