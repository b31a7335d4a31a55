package train

import "superres/superres/training"

// kind is a kind of model that can be learned.
type kind struct {
	// name is what messages call models of the kind.
	name string
	// ask is the flag that asks for the kind. It is empty for the one that is learned when no other is asked for.
	ask string
	// trainer makes the trainer, once it is clear that there is memory for it.
	trainer func(Options) (training.Trainer, error)
}

// kinds are all that there are.
var kinds = []kind{coupledKind, convolutionalKind}

// kindOf returns the kind of model that is asked for.
func kindOf(opt Options) kind {
	if opt.Convolutional {
		return convolutionalKind
	}
	return coupledKind
}
