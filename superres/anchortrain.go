package superres

import (
	"context"
	"sync"

	"superres/learners"
	"superres/learners/plugin"
)

// SphericalMeans is the learner of anchors that is used by default; it is none of the
// dictionary learners of package learners.
const SphericalMeans = "kmeans"

// anchoredDefaults fills in and checks the options of a cascade of anchored stages.
func (o TrainOptions) anchoredDefaults() (TrainOptions, error) {
	setDefault(&o.Scale, 2)
	setDefault(&o.Degradation, Cubic)
	setDefault(&o.Symmetries, AllSymmetries)
	setDefault(&o.Learner, SphericalMeans)
	setDefault(&o.Patch, 7)
	setDefault(&o.Atoms, 1024)
	setDefault(&o.Iterations, 8)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if err := o.Degradation.Check(); err != nil {
		return o, err
	}
	if o.Learner != SphericalMeans {
		if _, err := learners.New(o.Learner); err != nil {
			return o, err
		}
	}
	for _, c := range []struct {
		name        string
		value, from int
		to          int
	}{
		{"scale", o.Scale, 2, 4}, {"number of stages", o.Stages, 1, 16}, {"patch size", o.Patch, 3, 15},
		{"number of atoms", o.Atoms, 1, maxAnchors}, {"number of iterations", o.Iterations, 1, 1000},
		{"number of input dimensions", o.InputDims, 0, 256}, {"number of output dimensions", o.OutputDims, 0, 144},
		{"number of back-projections", o.BackProject, 0, 1000}, {"number of held-out pictures", o.HeldOut, 0, 1 << 20},
		{"number of samples", o.Samples, 0, 50_000_000},
	} {
		if c.value < c.from || c.value > c.to {
			return o, plugin.Errorf("superres: %s %d, expected %d to %d", c.name, c.value, c.from, c.to)
		}
	}
	if o.Patch%2 == 0 {
		return o, plugin.Errorf("superres: patch size %d, expected an odd one: a patch is centred on a sample", o.Patch)
	}
	if o.Symmetries != AllSymmetries && o.Symmetries != NoSymmetries {
		return o, plugin.Errorf("superres: %s", plugin.Unknown("symmetries", string(o.Symmetries), []string{string(AllSymmetries), string(NoSymmetries)}))
	}
	coefs := 0
	for stage := range o.Stages {
		coefs += o.Atoms * o.stage(stage).coefs()
	}
	if coefs > maxCoefs {
		return o, plugin.Errorf("superres: the stages have %d million coefficients, the limit is %d; use fewer atoms or stages", coefs>>20, maxCoefs>>20)
	}
	return o, o.checkReductions()
}

// stage returns the parameters of a stage, numbered from 0.
//
// The first looks at the low-resolution picture, the others at the enlargement, at
// ×3 and ×4 in cells of 2×2, which refine better than larger ones and cost the same at
// every scale. The windows are narrow: those of A+ are three times as wide, and 0.2
// dB worse. The first stage needs every dimension of its patches: 40 of the 48 cost 0.2
// dB. Of those of the enlargement, which are smooth, the rest is worth 0.03 dB, and so
// are more dimensions of the blocks.
func (o TrainOptions) stage(number int) anchoredParams {
	p := anchoredParams{
		Input: fromLow, Patch: o.Patch, Cell: o.Scale, Block: 3 * o.Scale, Sigma: 0.7, Symmetries: o.Symmetries,
		Anchors: o.Atoms, SearchDims: 16, InputDims: o.InputDims, OutputDims: o.OutputDims,
	}
	in, out := p.features(), []int{24, 36, 48}[o.Scale-2]
	if o.Symmetries == AllSymmetries {
		in-- // the mean is taken off
	}
	if number > 0 {
		in, out = 40, 20
		p.Input, p.Cell, p.Block, p.Patch = fromCurrent, 2, 6, 4+2*o.Scale
		p.Sigma = 1.2 * float64(o.Scale)
	}
	setDefault(&p.InputDims, in)
	setDefault(&p.OutputDims, out)
	p.OutputDims = min(p.OutputDims, p.Block*p.Block)
	p.InputDims, p.SearchDims = min(p.InputDims, p.features()), min(p.SearchDims, p.features())
	return p
}

// anchoredMemory is what learning takes beside the pictures: samples, equations,
// regressors.
func (o TrainOptions) anchoredMemory() int64 {
	most := int64(0)
	for stage := range o.Stages {
		p := o.stage(stage)
		k, in, out := int64(p.Anchors), int64(p.InputDims), int64(p.OutputDims)
		features, size := int64(p.features()), int64(p.Block*p.Block)
		equations := 3*8*k*in*(in+out) + 8*k*in*out + 4*(batchPatches+4*patchesTogether)*(in+out+4)
		sample := 2 * 4 * int64(o.samples()) * (features + size + 16)
		most = max(most, equations, sample)
	}
	return 96<<20 + most
}

// trainAnchored learns a cascade of anchored stages, one after the other, each
// followed by back-projection; see anchorData for the two folds.
func trainAnchored(ctx context.Context, train, held []Source, opt TrainOptions) (*Model, error) {
	d := &anchorData{opt: opt}
	if err := d.open(ctx, train); err != nil {
		return nil, err
	}
	m, back, err := d.blankModel(len(train))
	if err != nil {
		return nil, err
	}
	m.Provenance.HeldOut = len(held)
	// The work: each stage sees all pixels twice, the last but once.
	all := int64(2*opt.Stages-1) * d.pixels
	done := newTally(func(pixels int64) { opt.Progress("learning", int(pixels>>10), int(all>>10)) })
	kept, without := d.kept()
	for stage := range opt.Stages {
		fresh := stage == len(kept)
		if fresh {
			a, by, err := d.learnStage(ctx, stage, done.add)
			if err != nil {
				return nil, err
			}
			kept, without = append(kept, a), append(without, by)
		} else {
			done.add(d.pixels)
		}
		a := kept[stage]
		m.addStage(a, back)
		if stage == opt.Stages-1 {
			break
		}
		if fresh {
			if err := d.keep(m, without); err != nil {
				return nil, err
			}
		}
		if err := d.advance(ctx, a, without[stage], back, done.add); err != nil {
			return nil, err
		}
	}
	return m, m.scoreStages(ctx, held, opt)
}

// blankModel is a model without stages, and what comes after each of them, if anything.
func (d *anchorData) blankModel(pictures int) (*Model, *BackProject, error) {
	opt := d.opt
	m := &Model{Scale: opt.Scale, Degradation: opt.Degradation, Kernel: Bicubic}
	m.Provenance = Provenance{
		Command: opt.Command, Learner: opt.Learner, Atoms: opt.Atoms, Iterations: opt.Iterations, Seed: opt.Seed,
		Data: opt.Data, Pictures: pictures, DataSHA256: d.survey.Data,
	}
	for _, p := range d.planes {
		m.Provenance.Patches += p.w / opt.Scale * (p.h / opt.Scale)
	}
	if opt.BackProject == 0 {
		return m, nil, nil
	}
	back, err := NewBackProject(opt.Scale, opt.BackProject, opt.Degradation)
	return m, back, err
}

func (m *Model) addStage(a *Anchored, back *BackProject) {
	m.Stages = append(m.Stages, a)
	if back != nil {
		m.Stages = append(m.Stages, back)
	}
}

// learnStage learns one stage, and the regressors to restore the pictures of each fold
// with, which have not seen them.
func (d *anchorData) learnStage(ctx context.Context, stage int, report func(int64)) (a *Anchored, without [folds]regressors, err error) {
	sample, err := d.sample(ctx, blankAnchored(d.opt.Scale, d.opt.stage(stage)), stage)
	if err != nil {
		return nil, without, err
	}
	if a, err = d.findAnchors(ctx, sample, stage); err != nil {
		return nil, without, err
	}
	sample = anchorSample{}
	without, shipped, err := d.learnRegressors(ctx, a, report)
	if err != nil {
		return nil, without, err
	}
	a, err = a.with(shipped)
	return a, without, err
}

// findAnchors learns all of a stage but its regressors, which are 0.
func (d *anchorData) findAnchors(ctx context.Context, sample anchorSample, stage int) (*Anchored, error) {
	p := d.opt.stage(stage)
	t, err := d.learnTables(ctx, blankAnchored(d.opt.Scale, p), sample, stage)
	if err != nil {
		return nil, err
	}
	p.Centroids = len(t.centroids) / p.SearchDims
	p.Candidates = len(t.lists) / p.Centroids
	t.maps, t.steps = make([]uint8, p.Anchors*p.coefs()), make([]float32, p.Anchors)
	return newAnchored(d.opt.Scale, p, t)
}

// with returns the stage with regressors.
func (a *Anchored) with(r regressors) (*Anchored, error) {
	t := a.tables
	t.maps, t.steps = r.maps, r.steps
	return newAnchored(a.scale, a.params, t)
}

// learnRegressors learns the regressors of a stage from the pictures of all folds but
// one, for each, and from all.
func (d *anchorData) learnRegressors(ctx context.Context, a *Anchored, report func(int64)) (without [folds]regressors, all regressors, err error) {
	var equations [folds]*normalEquations
	for fold := range folds {
		if equations[fold], err = d.accumulate(ctx, a, fold, report); err != nil {
			return without, all, err
		}
	}
	return solveFolds(ctx, equations, a.params)
}

// solveFolds solves the equations of all folds but one, for each, and of all.
func solveFolds(ctx context.Context, equations [folds]*normalEquations, p anchoredParams) (without [folds]regressors, all regressors, err error) {
	solve := func(n *normalEquations) (r regressors) {
		var maps []float32
		if err == nil {
			maps, err = n.solve(ctx)
		}
		if err == nil {
			r = p.packRegressors(maps)
		}
		return r
	}
	for fold := range folds {
		without[1-fold] = solve(equations[fold])
	}
	all = solve(joined(equations[:]...))
	return without, all, err
}

// blankAnchored is a stage that can bring patches into canonical form, and no more.
func blankAnchored(scale int, p anchoredParams) *Anchored {
	return &Anchored{params: p, scale: scale, form: newCanonical(p.Patch, p.Sigma), in: scaled(orbits(p.Patch), lanes), out: scaled(orbits(p.Block), lanes)}
}

// scoreStages scores the held-out pictures after every stage.
func (m *Model) scoreStages(ctx context.Context, held []Source, opt TrainOptions) error {
	if len(held) == 0 {
		return nil
	}
	for i, s := range m.Stages {
		if _, is := s.(*Anchored); !is {
			continue
		}
		end := i + 1
		if opt.BackProject > 0 {
			end++
		}
		part := *m
		part.Stages = m.Stages[:end]
		score, err := part.score(ctx, held, opt.Progress)
		if err != nil {
			return err
		}
		m.Provenance.StageScores = append(m.Provenance.StageScores, score.Model)
		m.Provenance.Score = score
	}
	return nil
}

// tally adds numbers from many goroutines and reports their sum to one at a time.
type tally struct {
	mu     sync.Mutex
	sum    int64
	report func(int64)
}

func newTally(report func(int64)) *tally { return &tally{report: report} }

func (t *tally) add(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum += n
	t.report(t.sum)
}
