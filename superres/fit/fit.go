// Package fit trains models. It sets some pictures aside (holds them out), lets a trainer learn stages from the others,
// builds a model from the stages, and scores it on the held-out pictures.
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

// Options are the options of Train; the trainer has options of its own. The zero value holds no pictures out and
// records no command, data or other models.
type Options struct {
	// HeldOut is the number of pictures that are held out from training and scored.
	HeldOut int
	// Seed chooses the pictures that are held out.
	Seed uint64
	// Command is the command that trains the model, for its provenance.
	Command string
	// Data are the names of the training data, for the provenance.
	Data []string
	// Init are the provenances of the models that the trainer starts from.
	Init []superres.Provenance
	// Teachers are the provenances of the models that the trainer imitates, besides the pictures.
	Teachers []superres.Provenance
	// Progress is called as the work goes on. It may be nil.
	Progress training.Progress
}

// Train returns a model with the stages that trainer learns from the sources, except the held-out pictures. The
// provenance of the model includes its score on the held-out pictures.
//
// The same pictures in the same order, the same trainer and the same options give a model with the same bytes. Errors
// about the pictures wrap training.ErrPictures. When ctx ends, Train returns ctx.Err().
func Train(
	ctx context.Context, sources []training.Source, trainer training.Trainer, opt Options,
) (*superres.Model, error) {
	scale, degradation, err := trainer.Target()
	if err != nil {
		return nil, err
	}
	heldOut := training.Range{Name: "number of held-out pictures", Value: opt.HeldOut, Least: 0, Most: 1 << 20}
	if err := training.CheckRanges(heldOut); err != nil {
		return nil, err
	}
	if len(sources) <= opt.HeldOut {
		return nil, usage.Errorf("superres: %d pictures, of which %d are to be held out: none is left to learn from",
			len(sources), opt.HeldOut)
	}
	train, held := training.HoldOut(sources, opt.HeldOut, opt.Seed)
	for _, src := range held { // an error now is better than an error after hours of learning
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		if b, side := img.Bounds(), 4*scale; b.Dx() < side || b.Dy() < side {
			return nil, fmt.Errorf("%s: %w: a held-out picture of %d×%d, expected at least %d×%d",
				src.Name, training.ErrPictures, b.Dx(), b.Dy(), side, side)
		}
	}
	if v, ok := trainer.(training.Validated); ok {
		trainer = v.WithValidation(held)
	}
	learned, err := trainer.Train(ctx, train, opt.Progress)
	if err != nil {
		return nil, err
	}
	r := learned.Record
	m := &superres.Model{
		Scale: scale, Degradation: degradation, Kernel: resample.Bicubic,
		Stages: learned.Stages, Colour: learned.Colour, Subsampled: learned.Subsampled,
	}
	m.Provenance = superres.Provenance{
		Teachers: opt.Teachers, Command: opt.Command, Data: opt.Data, HeldOut: len(held),
		Learner: r.Learner, Coder: r.Coder, Atoms: r.Atoms, Iterations: r.Iterations, Stop: r.Stop, Seed: r.Seed,
		Warnings: r.Warnings, Pictures: r.Pictures, Patches: r.Patches, Pixels: r.Pixels, DataSHA256: r.DataSHA256,
		TrainRMSE: r.RMSE, Trainer: r.Trainer,
	}
	if len(opt.Init) > 0 {
		m.Provenance.Init, m.Provenance.InitOthers = &opt.Init[0], opt.Init[1:]
	}
	if len(held) > 0 {
		if m.Provenance.Score, err = scoreModel(ctx, m, held, opt.Progress); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// scoreModel reduces the pictures, restores them with m and with bicubic interpolation, and returns the mean scores.
func scoreModel(
	ctx context.Context, m *superres.Model, pictures []training.Source, progress training.Progress,
) (*superres.Score, error) {
	progress = progress.OrNone()
	bicubic := superres.Plain(resample.Bicubic)
	bicubic.Degradation = m.Degradation
	models := []*superres.Model{m, bicubic}
	scores := make([][]score.Metrics, len(models))
	for i, src := range pictures {
		progress("scoring", i, len(pictures))
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		for j, model := range models {
			metrics, err := model.Restore(ctx, img, m.Scale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", src.Name, err)
			}
			scores[j] = append(scores[j], metrics)
		}
	}
	progress("scoring", len(pictures), len(pictures))
	return &superres.Score{Model: score.Mean(scores[0]), Bicubic: score.Mean(scores[1])}, nil
}
