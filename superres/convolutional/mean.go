package convolutional

import "superres/internal/usage"

// MeanOf returns a stage in which each weight, bias, level and slope is the mean over stages, and the grain is the
// grain of the first; a single stage is returned itself. The mean of networks that were trained on from the same
// network, for some ten thousand steps, can be better than each: see learning.Defaults. With different starts it is
// worthless. There must be at least one stage; MeanOf fails if their architectures differ. No stage is changed.
func MeanOf(stages ...*Stage) (*Stage, error) {
	if len(stages) == 1 {
		return stages[0], nil
	}
	mean := NewNetwork(stages[0].params.architecture(stages[0].scale))
	for i := range mean.Layers {
		clear(mean.Layers[i].Slope) // NewNetwork has set them, and the sums begin with 0
	}
	share := 1 / float32(len(stages))
	for _, s := range stages {
		n := s.Network()
		if n.Architecture != mean.Architecture {
			return nil, usage.Errorf("convolutional: the mean of networks of several shapes: %s, and %s",
				mean.Architecture, n.Architecture)
		}
		for i := range mean.Layers {
			sums, terms := mean.Layers[i].numbers(), n.Layers[i].numbers()
			for j, sum := range sums {
				for at, v := range terms[j] {
					sum[at] += float32(share * v)
				}
			}
		}
	}
	out, err := NewStage(mean)
	if err != nil {
		return nil, err
	}
	return out.WithGrain(stages[0].params.Grain), nil
}

// numbers returns all numbers of l, sharing its memory: weights, biases, slopes, and levels if it has any.
func (l *Layer) numbers() [][]float32 {
	return append([][]float32{l.Weight, l.Bias, l.Slope}, l.Levels[:]...)
}
