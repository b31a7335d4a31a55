package train

import (
	"fmt"

	"superres/cmd/internal/console"
	"superres/superres/anchored"
	"superres/superres/training"
)

// anchoredKind is a cascade of anchored stages.
var anchoredKind = kind{
	name:     "anchored stages",
	ask:      "--stages",
	flags:    []string{"learner", "iterations", "atoms", "flat", "back-projection", "symmetries", "input-dims", "output-dims", "jpeg"},
	defaults: defaults{learner: anchored.SphericalMeans, iterations: 8, patch: 7, flat: 1.5, backProjection: 1},
	trainer:  anchoredTrainer,
}

// anchoredTrainer makes the trainer of a cascade, which goes on where another run of it was
// interrupted.
func anchoredTrainer(opt Options) (training.Trainer, error) {
	flat, reductions, backProjection := opt.explicit()
	t := anchored.Trainer{
		Scale: opt.Scale, Degradation: opt.Degradation, Stages: opt.Stages, Symmetries: opt.Symmetries, Patch: opt.Patch,
		Atoms: opt.Atoms, InputDims: opt.InputDims, OutputDims: opt.OutputDims, Learner: opt.Learner, Iterations: opt.Iterations,
		Flat: flat, Reductions: reductions, JPEG: opt.JPEG, BackProject: backProjection, Seed: opt.Seed, MaxMemory: opt.Limits.Memory,
	}
	if need := t.Memory(); need > opt.Limits.Memory {
		return nil, console.Fail(console.ExitLimit, fmt.Errorf("learning %d atoms needs %s, the limit is %s; use --max-memory or fewer --atoms",
			t.Atoms, console.Bytes(need), console.Bytes(opt.Limits.Memory)))
	}
	if file := opt.partial(); file != "" {
		var err error
		if t.Kept, err = file.read(opt.Limits.Memory); err != nil {
			return nil, err
		}
		t.Keep = file.writer(opt.most)
	}
	return t, nil
}
