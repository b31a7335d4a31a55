package anchored

import (
	"cmp"
	"context"
	"math"
	"sync"

	"superres/internal/usage"
	"superres/learners"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// SphericalMeans is the learner of anchors that is used by default; it is none of the
// dictionary learners of package learners.
const SphericalMeans = "kmeans"

// Trainer learns a cascade: stages one after the other, each followed by back-projection,
// and each from pictures as those before it restore them. It implements training.Trainer.
// The zero value is a recipe for photographs at scale 2: with it four stages, learned from
// 66 of them, have 37.26 dB on Set5.
type Trainer struct {
	// Scale is what the model enlarges by, 2 to 4; 0: 2.
	Scale int
	// Degradation is how the low-resolution pictures are made; "": resample.Cubic.
	Degradation resample.Degradation
	// Stages is how many are learned, 1 to 16; 0: 4.
	Stages int
	// Symmetries are those under which a stage does the same; "": all.
	Symmetries training.Symmetries
	// Patch is the side of a patch of the first stage, odd, 3 to 15; 0: 7.
	Patch int
	// Atoms is K, the anchors of each stage, up to 16,384; 0: 4,096.
	Atoms int
	// InputDims is the number of coordinates of a patch; 0: all in the first stage, then 40.
	InputDims int
	// OutputDims is the number of coordinates of a block; 0: by the scale, 24 to 48, then 20.
	OutputDims int
	// Learner is the spec of a learner of package learners for the anchors, which are then
	// the atoms of a dictionary; "": SphericalMeans.
	Learner string
	// Iterations is how often the learner iterates at most; 0: 8.
	Iterations int
	// Samples is how many patches the bases and anchors of a stage are found from; 0: 150 an
	// atom, 30,000 at least.
	Samples int
	// Flat leaves patches out that vary less, as a root mean square in 0..1; 0: one and a
	// half of 255 levels; negative: none is left out but those of one level.
	Flat float64
	// Reductions are factors, above 0 and below 1, by which the pictures are reduced to be
	// learned from once more; nil: 0.97, 0.94 and so on to 0.40; empty: none.
	Reductions []float64
	// JPEG passes the reduced pictures through JPEG files of qualities from JPEG[0] to
	// JPEG[1], 1 to 100; 0: they are as they are.
	JPEG [2]int
	// BackProject is how many back-projections come after each stage; 0: 2; negative: none.
	BackProject int
	// Seed is of all random draws.
	Seed uint64
	// MaxMemory refuses pictures with which learning needs more bytes; 0: takes all.
	MaxMemory int64
	// Keep is called after every stage but the last with what lets another run go on from
	// there when this one is interrupted; its error ends training. It may be nil.
	Keep func(stages []byte) error
	// Kept is what Keep was given by a run that was interrupted. It is passed over when it is
	// of other settings or pictures; nil: there is none.
	Kept []byte
}

// defaults fills the defaults in and checks the options.
func (o Trainer) defaults() (Trainer, error) {
	o.Scale = cmp.Or(o.Scale, 2)
	o.Degradation = cmp.Or(o.Degradation, resample.Cubic)
	o.Stages = cmp.Or(o.Stages, 4)
	o.Symmetries = cmp.Or(o.Symmetries, training.AllSymmetries)
	o.Learner = cmp.Or(o.Learner, SphericalMeans)
	o.Patch = cmp.Or(o.Patch, 7)
	o.Atoms = cmp.Or(o.Atoms, 4096)
	o.Iterations = cmp.Or(o.Iterations, 8)
	o.Flat = cmp.Or(o.Flat, 1.5/255)
	o.BackProject = cmp.Or(o.BackProject, 2)
	o.Flat, o.BackProject = max(o.Flat, 0), max(o.BackProject, 0)
	if o.Reductions == nil {
		for percent := 97; percent >= 40; percent -= 3 {
			o.Reductions = append(o.Reductions, float64(percent)/100)
		}
	}
	if err := o.Degradation.Check(); err != nil {
		return o, err
	}
	if o.Learner != SphericalMeans {
		if _, err := learners.New(o.Learner); err != nil {
			return o, err
		}
	}
	if err := training.CheckRanges(
		training.Range{Name: "scale", Value: o.Scale, Least: 2, Most: 4},
		training.Range{Name: "number of stages", Value: o.Stages, Least: 1, Most: 16},
		training.Range{Name: "patch size", Value: o.Patch, Least: 3, Most: 15},
		training.Range{Name: "number of atoms", Value: o.Atoms, Least: 1, Most: maxAnchors},
		training.Range{Name: "number of iterations", Value: o.Iterations, Least: 1, Most: 1000},
		training.Range{Name: "number of input dimensions", Value: o.InputDims, Least: 0, Most: 256},
		training.Range{Name: "number of output dimensions", Value: o.OutputDims, Least: 0, Most: 144},
		training.Range{Name: "number of back-projections", Value: o.BackProject, Least: 0, Most: 1000},
		training.Range{Name: "number of samples", Value: o.Samples, Least: 0, Most: 50_000_000},
	); err != nil {
		return o, err
	}
	if o.Patch%2 == 0 {
		return o, usage.Errorf("anchored: patch size %d, expected an odd one: a patch is centred on a sample", o.Patch)
	}
	if err := o.Symmetries.Check(); err != nil {
		return o, err
	}
	coefs := 0
	for number := range o.Stages {
		coefs += o.Atoms * o.params(number).coefs()
	}
	if coefs > maxCoefs {
		return o, usage.Errorf("anchored: the stages have %d million coefficients, the limit is %d; use fewer atoms or stages", coefs>>20, maxCoefs>>20)
	}
	return o, training.CheckReductions(o.Reductions)
}

// stage returns the parameters of a stage, numbered from 0.
//
// The first looks at the low-resolution picture, the others at the enlargement, at
// ×3 and ×4 in cells of 2×2, which refine better than larger ones and cost the same at
// every scale. The windows are narrow: those of A+ are three times as wide, and 0.2
// dB worse. The first stage needs every dimension of its patches: 40 of the 48 cost 0.2
// dB. Of those of the enlargement, which are smooth, the rest is worth 0.03 dB, and so
// are more dimensions of the blocks.
func (o Trainer) params(number int) params {
	p := params{
		Input: fromLow, Patch: o.Patch, Cell: o.Scale, Block: 3 * o.Scale, Sigma: 0.7, Symmetries: o.Symmetries,
		Anchors: o.Atoms, SearchDims: 16, InputDims: o.InputDims, OutputDims: o.OutputDims,
	}
	in, out := p.features(), []int{24, 36, 48}[o.Scale-2]
	if o.Symmetries == training.AllSymmetries {
		in-- // the mean is taken off
	}
	if number > 0 {
		in, out = 40, 20
		p.Input, p.Cell, p.Block, p.Patch = fromCurrent, 2, 6, 4+2*o.Scale
		p.Sigma = 1.2 * float64(o.Scale)
	}
	p.InputDims = cmp.Or(p.InputDims, in)
	p.OutputDims = cmp.Or(p.OutputDims, out)
	p.OutputDims = min(p.OutputDims, p.Block*p.Block)
	p.InputDims, p.SearchDims = min(p.InputDims, p.features()), min(p.SearchDims, p.features())
	return p
}

// Target implements training.Trainer.
func (o Trainer) Target() (scale int, d resample.Degradation, err error) {
	o, err = o.defaults()
	return o.Scale, o.Degradation, err
}

// Memory implements training.Trainer: samples, equations, regressors, beside all pictures,
// of which a pixel takes 4 bytes and 1/scale² more, in each of the reductions too, and 30
// while it is one of those that the workers restore.
func (o Trainer) Memory() int64 {
	o, err := o.defaults()
	if err != nil {
		return 0
	}
	most := int64(0)
	for number := range o.Stages {
		p := o.params(number)
		k, in, out := int64(p.Anchors), int64(p.InputDims), int64(p.OutputDims)
		features, size := int64(p.features()), int64(p.Block*p.Block)
		equations := 3*8*k*in*(in+out) + 8*k*in*out + 4*(batchPatches+4*patchesTogether)*(in+out+4)
		drawn := 2 * 4 * int64(o.samples()) * (features + size + 16)
		most = max(most, equations, drawn+o.learning(p.SearchDims, p.Anchors))
	}
	return 96<<20 + most
}

// learning is what the learner of the anchors takes, with its signals.
func (o Trainer) learning(dims, anchors int) int64 {
	if o.Learner == SphericalMeans {
		return 0
	}
	learner, err := learners.New(o.Learner)
	if err != nil {
		return 0 // Train says what is wrong
	}
	need := 8*float64(dims)*float64(o.samples()) + learner.Memory(dims, o.samples(), anchors, 1)
	return int64(min(need, math.MaxInt64/4))
}

// Train implements training.Trainer. A stage learns from pictures as the stages before it
// restore pictures that they have not seen: there are two folds (data.go).
func (o Trainer) Train(ctx context.Context, sources []training.Source, progress training.Progress) (*training.Result, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	d := &data{opt: o, progress: progress}
	if err := d.open(ctx, sources); err != nil {
		return nil, err
	}
	var back *stage.BackProject
	if o.BackProject > 0 {
		if back, err = stage.NewBackProject(o.Scale, o.BackProject, o.Degradation); err != nil {
			return nil, err
		}
	}
	// The work: each stage sees all pixels twice, the last but once.
	all := int64(2*o.Stages-1) * d.pixels
	done := newTally(func(pixels int64) { progress("learning", int(pixels>>10), int(all>>10)) })
	learned, crossFold := d.kept()
	for number := range o.Stages {
		fresh := number == len(learned)
		if fresh {
			a, by, err := d.learnStage(ctx, number, done.add)
			if err != nil {
				return nil, err
			}
			learned, crossFold = append(learned, a), append(crossFold, by)
		} else {
			done.add(d.pixels)
		}
		if number == o.Stages-1 {
			break
		}
		if fresh {
			if err := d.keep(learned, crossFold); err != nil {
				return nil, err
			}
		}
		if err := d.advance(ctx, learned[number], crossFold[number], back, done.add); err != nil {
			return nil, err
		}
	}
	result := &training.Result{Record: training.Record{
		Learner: o.Learner, Atoms: o.Atoms, Iterations: o.Iterations, Seed: o.Seed, Pictures: len(sources), DataSHA256: d.digest.String(),
	}}
	for _, p := range d.planes {
		result.Record.Patches += p.w / o.Scale * (p.h / o.Scale)
	}
	for _, a := range learned {
		result.Stages = append(result.Stages, a)
		if back != nil {
			result.Stages = append(result.Stages, back)
		}
	}
	return result, nil
}

// learnStage learns one stage, and the regressors to restore the pictures of each fold
// with, which have not seen them.
func (d *data) learnStage(ctx context.Context, stage int, report func(int64)) (a *Stage, crossFold [folds]regressors, err error) {
	drawn, err := d.sample(ctx, blankStage(d.opt.Scale, d.opt.params(stage)), stage)
	if err != nil {
		return nil, crossFold, err
	}
	if a, err = d.findAnchors(ctx, drawn, stage); err != nil {
		return nil, crossFold, err
	}
	drawn = sample{}
	crossFold, shipped, err := d.learnRegressors(ctx, a, report)
	if err != nil {
		return nil, crossFold, err
	}
	a, err = a.with(shipped)
	return a, crossFold, err
}

// findAnchors learns all of a stage but its regressors, which are 0.
func (d *data) findAnchors(ctx context.Context, drawn sample, stage int) (*Stage, error) {
	p := d.opt.params(stage)
	t, err := d.learnTables(ctx, blankStage(d.opt.Scale, p), drawn, stage)
	if err != nil {
		return nil, err
	}
	p.Centroids = len(t.centroids) / p.SearchDims
	p.Candidates = len(t.lists) / p.Centroids
	t.maps, t.steps = make([]uint8, p.Anchors*p.coefs()), make([]float32, p.Anchors)
	return newStage(d.opt.Scale, p, t)
}

// with returns the stage with regressors.
func (a *Stage) with(r regressors) (*Stage, error) {
	t := a.tables
	t.maps, t.steps = r.maps, r.steps
	return newStage(a.scale, a.params, t)
}

// learnRegressors learns the regressors of a stage from the pictures of all folds but
// one, for each, and from all.
func (d *data) learnRegressors(ctx context.Context, a *Stage, report func(int64)) (crossFold [folds]regressors, all regressors, err error) {
	var equations [folds]*normalEquations
	for fold := range folds {
		if equations[fold], err = d.accumulate(ctx, a, fold, report); err != nil {
			return crossFold, all, err
		}
	}
	return solveFolds(ctx, equations, a.params)
}

// solveFolds solves the equations of all folds but one, for each, and of all.
func solveFolds(ctx context.Context, equations [folds]*normalEquations, p params) (crossFold [folds]regressors, all regressors, err error) {
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
		crossFold[1-fold] = solve(equations[fold])
	}
	all = solve(joined(equations[:]...))
	return crossFold, all, err
}

// blankAnchored is a stage that can bring patches into canonical form, and no more.
func blankStage(scale int, p params) *Stage {
	return &Stage{params: p, scale: scale, form: newCanonical(p.Patch, p.Sigma), in: scaled(orbits(p.Patch), tileWidth), out: scaled(orbits(p.Block), tileWidth)}
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
