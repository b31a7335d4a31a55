// Package fit makes models by training: it holds pictures out, has a trainer learn stages from
// the others, and scores the model of these stages on those that were held out.
package fit

import (
	"context"
	"fmt"

	"superres/internal/usage"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
	"superres/superres/training"
)

// Options are what Train is told beside the options of the trainer. The zero value
// scores nothing.
type Options struct {
	// HeldOut is how many pictures are kept from training, to be scored.
	HeldOut int
	// Seed draws those that are held out.
	Seed uint64
	// Command is recorded in the model as what made it.
	Command string
	// Data are recorded in the model as the names of what it was trained on.
	Data []string
	// Init is recorded in the model as where the one comes from that the trainer begins with;
	// it may be nil.
	Init *superres.Provenance
	// Teachers is recorded as where the models come from that the trainer learns from.
	Teachers []superres.Provenance
	// Progress is told how far the work has come; it may be nil.
	Progress training.Progress
}

// Train has a trainer learn stages from pictures, makes a model of them, and scores it on
// those that were held out.
//
// The same pictures in the same order, trainer and options give a model with the same
// bytes. Errors about the pictures wrap training.ErrPictures. When ctx ends Train returns
// ctx.Err().
func Model(ctx context.Context, sources []training.Source, trainer training.Trainer, opt Options) (*superres.Model, error) {
	scale, degradation, err := trainer.Target()
	if err != nil {
		return nil, err
	}
	if err := training.CheckRanges(training.Range{Name: "number of held-out pictures", Value: opt.HeldOut, Least: 0, Most: 1 << 20}); err != nil {
		return nil, err
	}
	if len(sources) <= opt.HeldOut {
		return nil, usage.Errorf("superres: %d pictures, of which %d are to be held out: none is left to learn from", len(sources), opt.HeldOut)
	}
	train, held := training.HoldOut(sources, opt.HeldOut, opt.Seed)
	for _, src := range held { // rather now than after hours of learning
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		if b, side := img.Bounds(), 4*scale; b.Dx() < side || b.Dy() < side {
			return nil, fmt.Errorf("%s: %w: a held-out picture of %d×%d, expected at least %d×%d", src.Name, training.ErrPictures, b.Dx(), b.Dy(), side, side)
		}
	}
	if c, ok := trainer.(training.Validated); ok {
		trainer = c.WithValidation(held)
	}
	learned, err := trainer.Train(ctx, train, opt.Progress)
	if err != nil {
		return nil, err
	}
	r := learned.Record
	m := &superres.Model{Scale: scale, Degradation: degradation, Kernel: resample.Bicubic, Stages: learned.Stages, Colour: learned.Colour, Subsampled: learned.Subsampled}
	m.Provenance = superres.Provenance{
		Init: opt.Init, Teachers: opt.Teachers, Command: opt.Command, Learner: r.Learner, Coder: r.Coder, Atoms: r.Atoms, Iterations: r.Iterations, Stop: r.Stop, Seed: r.Seed,
		Data: opt.Data, Warnings: r.Warnings, Pictures: r.Pictures, Patches: r.Patches, DataSHA256: r.DataSHA256, TrainRMSE: r.RMSE,
		HeldOut: len(held),
	}
	if len(held) > 0 {
		if m.Provenance.Score, err = scoreOf(ctx, m, held, opt.Progress); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// scoreOf returns the means of how well the model and bicubic interpolation restore pictures.
func scoreOf(ctx context.Context, m *superres.Model, held []training.Source, progress training.Progress) (*superres.Score, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	bicubic := superres.Plain(resample.Bicubic)
	bicubic.Degradation = m.Degradation
	models := []*superres.Model{m, bicubic}
	got := make([][]score.Metrics, len(models))
	for i, src := range held {
		progress("scoring", i, len(held))
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		for j, model := range models {
			one, err := model.Restore(ctx, img, m.Scale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", src.Name, err)
			}
			got[j] = append(got[j], one)
		}
	}
	progress("scoring", len(held), len(held))
	return &superres.Score{Model: score.Mean(got[0]), Bicubic: score.Mean(got[1])}, nil
}
