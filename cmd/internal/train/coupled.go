package train

import (
	"superres/cmd/internal/console"
	"superres/superres/coupled"
	"superres/superres/training"
)

// The kinds of model, as messages call them: the paper's coupled dictionaries, and chains of convolutions.
const (
	coupledModels       = "coupled models"
	convolutionalStages = "convolutional stages"
)

// kind returns the kind of model that opt asks for.
func (opt Options) kind() string {
	if opt.Convolutional {
		return convolutionalStages
	}
	return coupledModels
}

// trainer returns the trainer for models of opt.kind(). It fails if training needs more memory than the limit.
func (opt Options) trainer() (training.Trainer, error) {
	if opt.Convolutional {
		return convolutionalTrainer(opt)
	}
	t := opt.coupled
	if err := coupled.Storable(t.Coder); err != nil {
		return nil, err
	}
	if need := t.Memory(); need > opt.Limits.Memory {
		return nil, console.Failf(console.ExitLimit, "learning %d atoms from %d patches needs %s, the limit is %s; "+
			"use --max-memory, fewer --patches or fewer --atoms", t.Atoms, t.Patches, console.Bytes(need),
			console.Bytes(opt.Limits.Memory))
	}
	return t, nil
}
