package train

import (
	"superres/cmd/internal/console"
	"superres/superres/coupled"
	"superres/superres/training"
)

// coupledKind is a coupled dictionary and back-projections: the paper's.
var coupledKind = kind{
	name:    "coupled models",
	trainer: coupledTrainer,
}

// coupledTrainer makes the trainer of a coupled model.
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
