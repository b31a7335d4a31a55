package train

import (
	"superres/cmd/internal/console"
	"superres/superres/coupled"
	"superres/superres/training"
)

// coupledKind is the kind of a model that is a coupled dictionary and back-projections, as in the paper.
var coupledKind = kind{
	name:    "coupled models",
	trainer: coupledTrainer,
}

// coupledTrainer returns the trainer of a coupled model, or an error if it needs more memory than the limit.
func coupledTrainer(opt Options) (training.Trainer, error) {
	t := opt.coupled
	if err := coupled.Storable(t.Coder); err != nil {
		return nil, err
	}
	if need := t.Memory(); need > opt.Limits.Memory {
		return nil, console.Failf(console.ExitLimit, "learning %d atoms from %d patches needs %s, the "+
			"limit is %s; use --max-memory, fewer --patches or fewer --atoms", t.Atoms, t.Patches, console.Bytes(need),
			console.Bytes(opt.Limits.Memory))
	}
	return t, nil
}
