package train

import "superres/superres/training"

// kind is a kind of model that superres train can learn.
type kind struct {
	// name is what messages call models of the kind.
	name string
	// ask is the flag that selects the kind. It is empty for the kind that is learned without such a flag.
	ask string
	// trainer returns the trainer, or an error if training needs more memory than the limit.
	trainer func(Options) (training.Trainer, error)
}

// kinds are all kinds of model.
var kinds = []kind{coupledKind, convolutionalKind}

// kindOf returns the kind of model that opt selects.
func kindOf(opt Options) kind {
	if opt.Convolutional {
		return convolutionalKind
	}
	return coupledKind
}
