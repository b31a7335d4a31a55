package train

import (
	"superres/cmd/internal/console"
	"superres/superres"
	"superres/superres/convolutional"
	"superres/superres/convolutional/learning"
	"superres/superres/training"
)

// stageOf returns the first convolutional stage of m, or an error that contains name and purpose (as "begin with").
func stageOf(m *superres.Model, name, purpose string) (*convolutional.Stage, error) {
	for _, s := range m.Stages {
		if found, ok := convolutional.Of(s); ok {
			return found, nil
		}
	}
	return nil, console.Failf(console.ExitModel, "%s has no convolutional stage to %s", name, purpose)
}

// convolutionalTrainer returns the trainer of a convolutional stage with the settings opt. The trainer continues from
// the state file of an interrupted training, if there is one; else it begins with the mean of the networks of --init.
// It fails if training needs more memory than the limit.
func convolutionalTrainer(opt Options) (training.Trainer, error) {
	t, all := opt.convolutional, opt.coupled // opt.coupled has the options for models of all kinds, too
	t.Scale, t.Degradation, t.Patch, t.Reductions = all.Scale, all.Degradation, all.Patch, all.Reductions
	t.BackProject, t.Seed, t.MaxMemory, t.Report = all.BackProject, all.Seed, opt.Limits.Memory, opt.report
	t.Engine = opt.pipe
	if need := t.Memory(); need > opt.Limits.Memory {
		return nil, console.Failf(console.ExitLimit, "learning %d layers of %d channels needs %s, the "+
			"limit is %s; use --max-memory, or fewer --channels or less --depth", t.Depth, t.Channels,
			console.Bytes(need), console.Bytes(opt.Limits.Memory))
	}
	var err error
	var first []*convolutional.Stage
	for i, m := range opt.first { // the models of --init
		s, err := stageOf(m, opt.Init[i], "begin with")
		if err != nil {
			return nil, err
		}
		first = append(first, s)
	}
	if len(first) > 0 {
		if t.From, err = convolutional.MeanOf(first...); err != nil {
			return nil, console.Failf(console.ExitUsage, "--init: %w", err)
		}
	}
	for i, m := range opt.teachers { // the models of --teachers: networks of other programs, or stages
		if m.Network != nil {
			t.Teachers = append(t.Teachers, learning.NetworkTeacher(m.Network))
			continue
		}
		s, err := stageOf(m, opt.Teachers[i], "learn from")
		if err != nil {
			return nil, err
		}
		t.Teachers = append(t.Teachers, learning.StageTeacher(s, t.SeesColour))
	}
	file := opt.partial()
	if t.Kept, err = file.read(opt.Limits.Memory); err != nil {
		return nil, err
	}
	t.Keep = file.writer(opt.most)
	return t, nil
}
