package train

import "superres/superres/training"

// kind is a kind of model that can be learned.
type kind struct {
	// name is what messages call models of the kind.
	name string
	// ask is the flag that asks for the kind. It is empty for the one that is learned when
	// no other is asked for.
	ask string
	// flags are those that concern the kind, of all that do not concern every kind.
	flags []string
	// defaults are what the kind has where flags that all kinds have are not given.
	defaults defaults
	// trainer makes the trainer, once it is clear that there is memory for it.
	trainer func(Options) (training.Trainer, error)
}

// defaults are those of the flags that all kinds have, but with values of their own.
type defaults struct {
	learner        string
	iterations     int
	patch          int
	flat           float64
	backProjection int
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

// explicit returns options as the trainers want them: their 0 and nil are defaults of their
// own, and none is -1 or an empty list.
func (opt Options) explicit() (flat float64, reductions []float64, backProjection int) {
	reductions = opt.Reductions
	if reductions == nil {
		reductions = []float64{}
	}
	return orNone(opt.Flat / 255), reductions, orNone(opt.BackProjection)
}

// orNone is a number as the trainers want it: see explicit.
func orNone[T int | float64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}
