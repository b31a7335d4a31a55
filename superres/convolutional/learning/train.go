package learning

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"time"

	"superres/internal/kernel"
	"superres/internal/usage"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// Trainer holds the options of a training and implements training.Trainer. Start from [Defaults] and change fields: the
// zero value is not valid. The result depends, in rounding, on the kind of processor, but not on the number of workers.
// An interrupted run may go on on a processor of another kind.
type Trainer struct {
	// Scale is the factor by which the model enlarges, 2 to 4.
	Scale int
	// Degradation says how the low-resolution pictures are computed from the training pictures.
	Degradation resample.Degradation
	// Channels is the number of channels of each layer, 16, 32, 48 or 64.
	Channels int
	// Depth is the number of layers between the first and the last, 1 to 32.
	Depth int
	// Skip is how many layers a skip connection spans, a divisor of Depth; 0: Depth. See convolutional.Architecture.
	Skip int
	// Steps is the number of gradient steps for brightness. The default of 80,000 takes an hour on two cores with
	// AVX-512. With 0 the stage is From.
	Steps int
	// ColourSteps is the number of gradient steps for each of the two networks for colour, which are trained last, on
	// the pictures that have colour. The default of 1,500 takes less than a minute each. With 0 no networks for colour
	// are trained: the model interpolates colour.
	ColourSteps int
	// Batch is the number of patches of a step, 1 to 256.
	Batch int
	// Patch is the side of the square that a patch predicts, in low-resolution samples, 4 to 128.
	Patch int
	// Margin is the greatest number of samples around a patch that the layers compute, too, 0 to 128. Where layers
	// would need more, their input is padded with zeros. With the default, 0, no time is spent beside the patch, but
	// the network learns from patches surrounded by zeros, which whole pictures never are; 128 is wider than the reach
	// of any network, so that there are no zeros. See [Defaults].
	Margin int
	// LearningRate is the learning rate of the first steps, above 0 and at most 1; it falls nearly to 0 along a cosine.
	// In each step, the change of a layer's weights has about this spectral norm. Train fails if the training diverges.
	LearningRate float64
	// Decay, times the learning rate, is the share of the weights that each step removes; 0 removes none. Without decay
	// weights grow throughout the training, and rounding them to integers loses more.
	Decay float64
	// Reductions are factors above 0 and below 1; each picture is also used reduced by each of them.
	Reductions []float64
	// Symmetries are the flips and transpositions that are applied to patches at random.
	Symmetries training.Symmetries
	// Robust trains a robust model: its low-resolution patches are noisy, compressed, sharpened and reduced in several
	// ways, as people's files are, and the strength of the degradation is an input of the network: see stage.Tuning.
	Robust bool
	// Synthetic is the share of patches, 0 to 1, from synthetic pictures of text, lines, charts and the like, not from
	// the training pictures. Each such patch shows a new picture.
	Synthetic float64
	// Grain is the grain of the stage, 0 to convolutional.MaxGrain: see convolutional.Stage.WithGrain. GrainOf returns
	// its default for other values of Degradation and Robust.
	Grain float64
	// BackProject is the number of back-projections after the stage. They suit networks trained without synthetic
	// pictures; at lines they ring, and they bring noise back.
	BackProject int
	// Seed is the seed of all random sampling.
	Seed uint64
	// MaxMemory is the number of bytes that training may take; pictures that need more are refused. 0: no limit.
	MaxMemory int64
	// Interval is the number of steps between two calls of Keep and Report.
	Interval int
	// Keep is called with a checkpoint at every interval, at times within a long one, after the last step, and when the
	// context ends. A run with the same options and pictures can go on from a checkpoint. An error of Keep ends the
	// training. nil makes no checkpoints.
	Keep func(checkpoint []byte) error
	// Kept is a checkpoint of an interrupted run, or nil. If damaged, or of other options or pictures, it is ignored.
	Kept []byte
	// From is a stage, for any scale, with the same number of channels, whose layers the training starts from. If Depth
	// is greater, layers are inserted that at first change nothing. If Depth is less, which is allowed only in a chain
	// with skips, parts of it are left out. At another scale the last layer starts at random. nil: all layers do.
	From *convolutional.Stage
	// Engine is a connection to a program that makes the steps, such as the module superres.train for Python, which
	// uses PyTorch; nil: this program makes them. A training may go on from a checkpoint of another program.
	Engine io.ReadWriter
	// SeesColour trains a network that looks at colour to enlarge brightness. From need not look at colour.
	SeesColour bool
	// Teachers have the same scale. The target includes their results (knowledge distillation). Not with Robust.
	Teachers []Teacher
	// Validation has pictures that are scored for Report and not trained on.
	Validation []training.Source
	// Report is called at every interval; it may be nil.
	Report func(Report)
}

// mostMargin is a margin wider than the reach of any network.
const mostMargin = 128

// Defaults returns the options for the best model for photographs at scale 2. The fast model has 16 channels, depth 7.
//
// Pixels that are shown beside zeros teach as much as other pixels, so a margin only wastes time: in equal time,
// training without margins shows 1.5 to 1.8 times as many pixels and gains 0.03 to 0.05 dB on held-out pictures. But
// digits, with patches that are whole pictures of 14×14 samples, need the margin of 128: their error on MNIST's test
// images is 0.0105 with it and 0.0109 without, in 1.4 times the time.
//
// A small network gains 0.04 to 0.05 dB from a teacher; a large network that is its own teacher only improves
// drawings. 10 % drawings in place of 1 % raise drawings from 29.5 to 31.9 dB, and cost photographs 0.01 dB. Deep and
// narrow networks only keep up at first: 24 layers of 32 channels are behind 10 of 48 after a billion pixels. Seeing
// colour is worth 0.08 to 0.14 dB at ×3 and ×4, and harms single pictures at ×2. 64 channels and 16 layers with a skip
// every 4, for the effort max, have 0.1 dB more than photo at each scale. The mean of networks that were trained on
// from the same network, for some ten thousand steps each, can be 0.01 to 0.04 dB better than all of them, as photo
// and photo-max at ×4 are, but is useless if one was trained too far. Further steps no longer improve photo at ×2.
//
// Nothing is gained by activations that are curves, by rotating colours around the colour wheel, by squared errors
// in the last 40 % of the steps in place of 15 %, by momentum of 0.9, or by picking, of two patches, the one with
// the larger residual, as training does nevertheless. Training without negatives loses 0.02 dB.
func Defaults() Trainer {
	return Trainer{
		Scale: 2, Degradation: resample.Cubic, Channels: 48, Depth: 10, Steps: 80_000, ColourSteps: 1500, Batch: 16,
		Patch: 32, LearningRate: 0.01, Decay: 0.03, Reductions: []float64{0.8, 0.62},
		Symmetries: training.AllSymmetries, Synthetic: 0.01, Grain: GrainOf(resample.Cubic, false), Interval: 1000,
	}
}

// GrainOf returns the default grain for a degradation: 2 levels for clean photographs, and 0 for digits and for robust
// models, since flat areas there have strokes to be sharpened or noise to be removed.
func GrainOf(d resample.Degradation, robust bool) float64 {
	if d == resample.Cubic && !robust {
		return 2
	}
	return 0
}

// Report is the progress of a training. If Trainer.Kept is given and the training is not finished, there is a report
// before the first step. That report has only the fields up to Products, and a Step of 0 if Kept was ignored.
type Report struct {
	// Step is the number of steps made so far, in this run and in earlier runs that it continues, out of Steps.
	Step, Steps int
	// Pixels is the number of low-resolution pixels shown in these steps, without margins: Step·Batch·Patch².
	Pixels int64
	// Products is the number of products (multiply-adds) of the forward pass for Pixels.
	Products float64
	// Elapsed is the time since this run began its first step, and Left the time that all further steps will take at
	// the pace of this run. Neither counts reading the pictures and learning colour.
	Elapsed, Left time.Duration
	// LearningRate is the learning rate of the last step.
	LearningRate float64
	// Loss is the mean loss of the steps since the last report.
	Loss float64
	// RMSE is the root mean square error over the patches since the last report, in units of white.
	RMSE float64
	// PSNR is the mean PSNR of Trainer.Validation in dB, on luma as MATLAB computes it; 0: there are no such pictures.
	PSNR float64
	// Dead is the number of channels, in all layers but the last, that stay near 0 in all patches of a step.
	Dead int
}

// check returns an error for the first option out of its range, or nil if there is none.
func (t Trainer) check() error {
	if err := errors.Join(t.Degradation.Check(), t.Symmetries.Check()); err != nil {
		return err
	}
	if err := training.CheckRanges(
		training.Range{Name: "scale", Value: t.Scale, Least: 2, Most: 4},
		training.Range{Name: "number of channels", Value: t.Channels, Least: 16, Most: 64},
		training.Range{Name: "depth", Value: t.Depth, Least: 1, Most: 32},
		training.Range{Name: "number of layers from one skip to the next", Value: t.Skip, Least: 0, Most: t.Depth},
		training.Range{Name: "margin", Value: t.Margin, Least: 0, Most: mostMargin},
		training.Range{Name: "number of steps", Value: t.Steps, Least: 0, Most: 1 << 30},
		training.Range{Name: "number of steps of colour", Value: t.ColourSteps, Least: 0, Most: 1 << 30},
		training.Range{Name: "number of patches in a batch", Value: t.Batch, Least: 1, Most: 256},
		training.Range{Name: "patch size", Value: t.Patch, Least: 4, Most: 128},
		training.Range{Name: "number of back-projections", Value: t.BackProject, Least: 0, Most: 1000},
		training.Range{Name: "number of steps from one report to the next", Value: t.Interval, Least: 1, Most: 1 << 30},
	); err != nil {
		return err
	}
	switch {
	case t.Steps == 0 && (t.From == nil || t.From.Scale() != t.Scale):
		return usage.Errorf("convolutional: no steps, and no network for scale %d to take as it is", t.Scale)
	case t.Skip > 0 && t.Depth%t.Skip > 0:
		return usage.Errorf("convolutional: a skip every %d layers, expected a divisor of the depth %d", t.Skip,
			t.Depth)
	case t.Channels%kernel.Lanes != 0:
		return usage.Errorf("convolutional: %d channels, expected a multiple of %d", t.Channels, kernel.Lanes)
	case !(t.LearningRate > 0 && t.LearningRate <= 1):
		return usage.Errorf("convolutional: rate %g, expected more than 0 and at most 1", t.LearningRate)
	case !(t.Decay >= 0 && t.Decay*t.LearningRate < 1):
		return usage.Errorf("convolutional: weight decay %g, expected at least 0 and less than 1/%g, the rate", t.Decay,
			t.LearningRate)
	case !(t.Synthetic >= 0 && t.Synthetic <= 1):
		return usage.Errorf("convolutional: a share of drawings of %g, expected 0 to 1", t.Synthetic)
	case !(t.Grain >= 0 && t.Grain <= convolutional.MaxGrain):
		return usage.Errorf("convolutional: grain of %g levels, expected 0 to %d", t.Grain, convolutional.MaxGrain)
	}
	for _, teacher := range t.Teachers {
		if teacher.Scale() != t.Scale || t.Robust {
			return usage.Errorf("convolutional: a teacher for scale %d, expected one for %d, and no damage",
				teacher.Scale(), t.Scale)
		}
	}
	return training.CheckReductions(t.Reductions)
}

// Target implements training.Trainer.
func (t Trainer) Target() (scale int, d resample.Degradation, err error) {
	return t.Scale, t.Degradation, t.check()
}

// WithValidation implements training.Validated.
func (t Trainer) WithValidation(held []training.Source) training.Trainer {
	t.Validation = append(slices.Clip(t.Validation), held...)
	return t
}

// architecture returns the architecture of the network for brightness.
func (t Trainer) architecture() convolutional.Architecture {
	return convolutional.Architecture{Scale: t.Scale, Channels: t.Channels, Depth: t.Depth, Skip: t.Skip,
		SeesColour: t.SeesColour, Strength: t.Robust, Trust: t.Robust}
}

// Memory implements training.Trainer. It counts the layers, the gradients of the patches of a step and the buffers of
// the workers. It does not count the pictures and their reductions: see pictures.bytes.
func (t Trainer) Memory() int64 {
	if t.check() != nil {
		return 0
	}
	total := int64(96 << 20) // for all that is not counted
	a := t.architecture()
	a.Strength, a.Trust = false, false // too small to count
	n := convolutional.NewNetwork(a)
	if t.SeesColour {
		n = withHeads(n)
	}
	shapes := shapesOf(n)
	gradients := t.Batch
	if t.Engine != nil {
		gradients = 0 // the other program has them
	}
	for _, s := range shapes {
		rows, wide := int64(s.rows()), int64(s.wide)
		total += 4 * (int64(9+gradients)*rows*wide + 4*wide*wide) // 9 for arrays of layer; the latter for muon
	}
	workers := int64(min(runtime.GOMAXPROCS(0), t.Batch))
	return total + workers*newPass(shapes, a.Every(), t.Patch, t.Margin).bytes()
}

// Train implements training.Trainer. It trains brightness, or takes From as it is if Steps is 0, and then colour.
func (t Trainer) Train(
	ctx context.Context, sources []training.Source, progress training.Progress,
) (*training.Result, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	progress = progress.OrNone()
	s := &session{Trainer: t, sources: sources, progress: progress, record: training.Record{
		Learner: "muon", Iterations: t.Steps, Stop: "iterations", Seed: t.Seed, Pictures: len(sources),
		Patches: t.Steps * t.Batch, Pixels: t.pixels(t.Steps),
	}}
	bright := t.From
	if t.Steps > 0 {
		var err error
		if bright, err = s.trainBrightness(ctx); err != nil {
			return nil, err
		}
	}
	bright = bright.WithGrain(t.Grain)
	r := &training.Result{Stages: []stage.Stage{bright}}
	if t.BackProject > 0 {
		back, err := stage.NewBackProject(t.Scale, t.BackProject, t.Degradation)
		if err != nil {
			return nil, err
		}
		r.Stages = append(r.Stages, back)
	}
	if t.ColourSteps > 0 {
		var err error
		if r.Colour, r.Subsampled, err = s.trainColour(ctx, bright); err != nil {
			return nil, err
		}
	}
	r.Record = s.record
	return r, nil
}
