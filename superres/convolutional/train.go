package convolutional

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"superres/internal/kernel"
	"superres/internal/usage"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// Trainer learns the layers of a convolutional stage by gradient descent. It implements
// training.Trainer. The zero value is the recipe of the best model for photographs at scale
// 2, but for its teachers; 16 channels and a depth of 7 are those of the fast one. What is
// learned depends on the kind of processor, by rounding, but not on the number of workers.
type Trainer struct {
	// Scale is what the model enlarges by, 2 to 4; 0: 2.
	Scale int
	// Degradation is how the low-resolution pictures are made; "": resample.Cubic.
	Degradation resample.Degradation
	// Channels is how many each layer has, 16, 32, 48 or 64; 0: 48.
	Channels int
	// Depth is the number of layers in the chain, between the first and the last, 1 to 32;
	// 0: 10.
	Depth int
	// Steps is how often the parameters are moved; 0: 80,000, which take two cores with
	// AVX-512 some two hours; negative: never, and the network is that of From.
	Steps int
	// ColourSteps is how often the parameters of colour are moved, which are learned at last,
	// of pictures that have some; 0: 1,500, which take less than a minute for a network, of
	// which there are two; negative: colour is interpolated.
	ColourSteps int
	// Batch is how many patches a step learns from, 1 to 256; 0: 10.
	Batch int
	// Patch is the side of what is learned from, in low-resolution samples; what lies around
	// it is looked at besides. It is 4 to 128; 0: 36.
	Patch int
	// Rate is how far a step goes, at most, before it falls to nearly 0 as a cosine does: the
	// spectral norm of what is added to a layer's weights; 0: 0.01. A rate that is too high
	// ends in an error.
	Rate float64
	// Decay is how much of the weights a step takes away, times its rate; 0: 0.03; negative:
	// none. Without, weights grow as long as they are learned, and rounding them costs more.
	Decay float64
	// Reductions are factors, above 0 and below 1, by which the pictures are reduced to be
	// learned from once more; nil: 0.8 and 0.62; empty: none.
	Reductions []float64
	// Symmetries are those of the patches that are learned from; "": all.
	Symmetries training.Symmetries
	// JPEG passes the low-resolution pictures through JPEG files of qualities from JPEG[0] to
	// JPEG[1], 1 to 100; 0: they are as they are.
	JPEG [2]int
	// Damage has the network learn from pictures as people have them, blurred, noisy,
	// compressed, and know a level of that: see stage.Tuning.
	Damage bool
	// Drawings is the share, 0 to 1, of what is learned from that is not of the pictures: text,
	// lines, charts and the like, drawn anew for every patch, reduced as Degradation says or by
	// the mean of blocks. 0: 0.01; negative: none.
	Drawings float64
	// Grain is the deviation, in levels of 255 and of at most 20, of what the stage leaves as
	// interpolation has it: that of a camera's grain in places that are flat otherwise. 0: as
	// GrainOf says; negative: nothing.
	Grain float64
	// BackProject is how many back-projections come after the stage. They are for networks that
	// have learned from no drawings, whose means they keep; beside drawn lines they ring, and
	// noise comes back by them.
	BackProject int
	// Seed is of all random draws.
	Seed uint64
	// MaxMemory refuses pictures with which learning needs more bytes; 0: takes all.
	MaxMemory int64
	// Interval is how many steps there are from one call of Keep and Report to the next; 0:
	// 1,000.
	Interval int
	// Keep is called at every interval, after the last step, and when the context ends, with
	// what lets another run with the same options go on from there; its error ends training.
	// It may be nil.
	Keep func(state []byte) error
	// Kept is what Keep was given by a run that was interrupted. It is passed over when it is
	// of other settings or pictures; nil: there is none.
	Kept []byte
	// From is a stage of the same channels and of the same depth or less, for any scale and
	// learned from any pictures. Learning begins with its layers; those of the chain that it
	// lacks change nothing at first, and at another scale the last layer is new. nil: learning
	// begins with random layers.
	From *Stage
	// Teachers are stages for the same scale, of any channels and depth. What is learned
	// is 0.6 of the mean of what they make of the pictures in all orientations, and 0.4 of the
	// truth. They are not for Damage.
	Teachers []*Stage
	// Checks are pictures that Report is told the score of; nothing is learned from them.
	Checks []training.Source
	// Report is told at every interval how learning goes; it may be nil.
	Report func(Report)
}

// Report is how learning goes.
type Report struct {
	// Step is how many steps have been made, of Steps.
	Step, Steps int
	// Rate is that of the last step.
	Rate float64
	// Loss is the mean of what is made less, since the last report.
	Loss float64
	// RMSE is the root mean square error of the patches since the last report, of 0..1.
	RMSE float64
	// PSNR is the mean of that of the pictures to be checked, as Trainer.Checks restores
	// them: of brightness in the range that MATLAB gives it; 0: there are none.
	PSNR float64
	// Silent is how many of the channels of all layers but the last are near 0 all over the
	// patches of a step.
	Silent int
}

// learning is the phase that progress is told of.
const learning = "learning"

// defaults fills the defaults in and checks the options.
func (o Trainer) defaults() (Trainer, error) {
	o.Scale = cmp.Or(o.Scale, 2)
	o.Degradation = cmp.Or(o.Degradation, resample.Cubic)
	o.Channels = cmp.Or(o.Channels, 48)
	o.Depth = cmp.Or(o.Depth, 10)
	o.Steps = cmp.Or(o.Steps, 80_000)
	o.ColourSteps = cmp.Or(o.ColourSteps, 1500)
	o.Batch = cmp.Or(o.Batch, 10)
	o.Patch = cmp.Or(o.Patch, 36)
	o.Interval = cmp.Or(o.Interval, 1000)
	o.Rate = cmp.Or(o.Rate, 0.01)
	o.Decay = max(cmp.Or(o.Decay, 0.03), 0)
	o.Drawings = max(cmp.Or(o.Drawings, 0.01), 0)
	o.Grain = max(cmp.Or(o.Grain, GrainOf(o.Degradation, o.Damage)), 0)
	if o.Reductions == nil {
		o.Reductions = []float64{0.8, 0.62}
	}
	o.Symmetries = cmp.Or(o.Symmetries, training.AllSymmetries)
	if err := errors.Join(o.Degradation.Check(), o.Symmetries.Check()); err != nil {
		return o, err
	}
	if err := training.CheckRanges(
		training.Range{Name: "scale", Value: o.Scale, Least: 2, Most: 4},
		training.Range{Name: "number of channels", Value: o.Channels, Least: 16, Most: 64},
		training.Range{Name: "depth", Value: o.Depth, Least: 1, Most: 32},
		training.Range{Name: "number of steps", Value: max(o.Steps, 1), Least: 1, Most: 1 << 30},
		training.Range{Name: "number of steps of colour", Value: max(o.ColourSteps, 1), Least: 1, Most: 1 << 30},
		training.Range{Name: "number of patches in a batch", Value: o.Batch, Least: 1, Most: 256},
		training.Range{Name: "patch size", Value: o.Patch, Least: 4, Most: 128},
		training.Range{Name: "number of back-projections", Value: o.BackProject, Least: 0, Most: 1000},
		training.Range{Name: "number of steps from one report to the next", Value: o.Interval, Least: 1, Most: 1 << 30},
	); err != nil {
		return o, err
	}
	if o.Steps < 0 && (o.From == nil || o.From.scale != o.Scale) {
		return o, usage.Errorf("convolutional: no steps, and no network for scale %d to take as it is", o.Scale)
	}
	for _, t := range o.Teachers {
		if t.scale != o.Scale || o.Damage {
			return o, usage.Errorf("convolutional: a teacher for scale %d, expected one for %d, and no damage", t.scale, o.Scale)
		}
	}
	if o.Channels%kernel.Lanes != 0 {
		return o, usage.Errorf("convolutional: %d channels, expected a multiple of %d", o.Channels, kernel.Lanes)
	}
	if !(o.Rate > 0 && o.Rate <= 1) {
		return o, usage.Errorf("convolutional: rate %g, expected more than 0 and at most 1", o.Rate)
	}
	if !(o.Decay*o.Rate < 1) {
		return o, usage.Errorf("convolutional: weight decay %g, expected less than 1/%g, the rate", o.Decay, o.Rate)
	}
	if !(o.Drawings <= 1) {
		return o, usage.Errorf("convolutional: a share of drawings of %g, expected at most 1", o.Drawings)
	}
	if !(o.Grain <= maxGrain) {
		return o, usage.Errorf("convolutional: grain of %g levels, expected at most %d", o.Grain, maxGrain)
	}
	if o.JPEG[1] != 0 && (o.JPEG[0] < 1 || o.JPEG[0] > o.JPEG[1] || o.JPEG[1] > 100) {
		return o, usage.Errorf("convolutional: JPEG qualities %d to %d, expected 1 to 100", o.JPEG[0], o.JPEG[1])
	}
	return o, training.CheckReductions(o.Reductions)
}

// GrainOf is the Grain of a trainer that is told none: 2 levels for photographs, and 0 where flat
// places have what is to be learned too, strokes of digits, or damage.
func GrainOf(d resample.Degradation, damage bool) float64 {
	if d == resample.Cubic && !damage {
		return 2
	}
	return 0
}

// Target implements training.Trainer.
func (o Trainer) Target() (scale int, d resample.Degradation, err error) {
	o, err = o.defaults()
	return o.Scale, o.Degradation, err
}

// Checking implements training.Checked.
func (o Trainer) Checking(held []training.Source) training.Trainer {
	o.Checks = append(slices.Clip(o.Checks), held...)
	return o
}

// Memory implements training.Trainer: the layers, the gradients of the patches of a step,
// what the workers hold, beside all pictures, of which a pixel takes 2 bytes and 1/scale²
// more, in each of the reductions too.
func (o Trainer) Memory() int64 {
	o, err := o.defaults()
	if err != nil {
		return 0
	}
	total := int64(96 << 20)
	shapes := newNetwork(o.Scale, o.Channels, o.Depth).shapes()
	for _, s := range shapes {
		rows, wide := int64(s.rows()), int64(s.wide)
		total += 4 * (int64(7+o.Batch)*rows*wide + 4*wide*wide)
	}
	workers := int64(min(runtime.GOMAXPROCS(0), o.Batch))
	return total + workers*newPass(shapes, o.Patch).bytes()
}

// Train implements training.Trainer.
func (o Trainer) Train(ctx context.Context, sources []training.Source, progress training.Progress) (*training.Result, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	r := &training.Result{Record: training.Record{
		Learner: "muon", Iterations: max(o.Steps, 0), Stop: "iterations", Seed: o.Seed,
		Pictures: len(sources), Patches: max(o.Steps, 0) * o.Batch,
	}}
	s := o.From
	if o.Steps > 0 {
		if s, err = o.brightness(ctx, sources, progress, &r.Record); err != nil {
			return nil, err
		}
	}
	s = s.leaving(o.Grain)
	r.Stages = []stage.Stage{s}
	if o.BackProject > 0 {
		back, err := stage.NewBackProject(o.Scale, o.BackProject, o.Degradation)
		if err != nil {
			return nil, err
		}
		r.Stages = append(r.Stages, back)
	}
	if o.ColourSteps > 0 {
		r.Colour, r.Subsampled, err = o.learnColour(ctx, s, sources, progress, &r.Record)
	}
	return r, err
}

// brightness learns the stage, and records how.
func (o Trainer) brightness(ctx context.Context, sources []training.Source, progress training.Progress, record *training.Record) (*Stage, error) {
	d := &pictures{opt: o}
	if err := d.read(ctx, sources, progress); err != nil {
		return nil, err
	}
	c, err := readChecks(ctx, o)
	if err != nil {
		return nil, err
	}
	l, err := o.begin(d)
	if err != nil {
		return nil, err
	}
	for l.done < o.Steps {
		progress(learning, l.done, o.Steps)
		err := l.step(ctx, d)
		if err == nil && !o.reports(l.done) {
			continue
		}
		if err == nil {
			err = l.tell(ctx, c)
		}
		// When the context ends, a step is whole or was not begun.
		if o.Keep != nil && (err == nil || ctx.Err() != nil) {
			err = errors.Join(err, o.Keep(l.save(d)))
		}
		if err != nil {
			return nil, err
		}
	}
	progress(learning, o.Steps, o.Steps)
	record.DataSHA256, record.RMSE = d.sum(), l.rmse
	if l.silent > 0 {
		record.Warnings = append(record.Warnings, fmt.Sprintf("%d of %d channels carry nothing", l.silent, o.Channels*(o.Depth+1)))
	}
	return newStage(l.network())
}

// begin makes the learner that training starts or goes on with.
func (o Trainer) begin(d lessons) (*learner, error) {
	n := newNetwork(o.Scale, o.Channels, o.Depth)
	known := 0 // layers that are not new
	var from *network
	if o.From != nil {
		from = o.From.network()
		if from.channels != o.Channels || len(from.layers) > len(n.layers) {
			return nil, usage.Errorf("convolutional: the network to go on from has %d channels and depth %d, expected %d and at most %d", from.channels, len(from.layers)-2, o.Channels, o.Depth)
		}
		from = from.deepened(o.Depth)
		known = len(n.layers)
		if from.scale != o.Scale {
			known--
		}
		copy(n.layers[:known], from.layers)
		for i := range n.layers {
			n.layers[i].level = nil
		}
	}
	if o.Damage {
		n.knowLevels()
		if from != nil {
			for i, l := range from.layers {
				copy(n.layers[i].level, l.level)
			}
		}
	}
	l := newLearner(o, n, known)
	if o.Kept != nil {
		l.load(d)
	}
	return l, nil
}

// tell reports how learning goes, to whoever wants to know.
func (l *learner) tell(ctx context.Context, c *checks) error {
	r, err := l.report(ctx, c)
	if err == nil && l.opt.Report != nil {
		l.opt.Report(r)
	}
	return err
}

// report says how learning goes since it was last called.
func (l *learner) report(ctx context.Context, c *checks) (Report, error) {
	r := Report{
		Step: l.done, Steps: l.opt.Steps, Rate: l.opt.rate(l.done - 1),
		Loss: l.loss / float64(l.steps), RMSE: math.Sqrt(l.square / float64(l.steps)), Silent: l.silent,
	}
	if !(r.RMSE < 1) {
		return r, fmt.Errorf("convolutional: the error is %g after %d steps: use a lower rate than %g", r.RMSE, l.done, l.opt.Rate)
	}
	l.loss, l.square, l.steps, l.rmse = 0, 0, 0, r.RMSE
	var err error
	if r.PSNR, err = c.score(ctx, l.network()); err != nil {
		return r, err
	}
	return r, nil
}

// network is the running mean of the layers.
func (l *learner) network() *network {
	n := l.params.network(l.opt.Scale)
	for i, f := range l.layers {
		f.put(f.mean, n.layers[i])
	}
	return n
}
