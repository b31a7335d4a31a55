package train

import (
	"fmt"

	"superres/cmd/internal/console"
	"superres/superres/coupled"
	"superres/superres/coupled/learning"
	"superres/superres/training"
)

// coupledKind is a coupled dictionary and back-projections: the paper's.
var coupledKind = kind{
	name:    "coupled models",
	trainer: coupledTrainer,
}

// coupledTrainer makes the trainer of a coupled model.
func coupledTrainer(opt Options) (training.Trainer, error) {
	if err := coupled.Storable(opt.Coder); err != nil {
		return nil, err
	}
	flat, backProjection := opt.explicit()
	t := learning.Trainer{
		Scale: opt.Scale, Degradation: opt.Degradation, Patch: opt.Patch, Patches: opt.Patches, Flat: flat, Reductions: opt.Reductions,
		KeepMean: !opt.Mean, WholePatches: !opt.Detail, NoRefit: !opt.Refit,
		Learner: opt.Learner, Coder: opt.Coder, Atoms: opt.Atoms, Iterations: opt.Iterations, BackProject: backProjection, Seed: opt.Seed,
	}
	if need := t.Memory(); need > opt.Limits.Memory {
		return nil, console.Fail(console.ExitLimit, fmt.Errorf("learning %d atoms from %d patches needs %s, the limit is %s; use --max-memory, fewer --patches or fewer --atoms",
			t.Atoms, t.Patches, console.Bytes(need), console.Bytes(opt.Limits.Memory)))
	}
	return t, nil
}
