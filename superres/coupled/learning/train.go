package learning

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/usage"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres/coupled"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

// Trainer learns a coupled dictionary as the paper does (section 4.2): pairs of low- and
// high-resolution patches are stacked, Y = [Y_L; Y_H], one dictionary D = [D_L; D_H] is
// learned for them, and its halves make the stage. It implements training.Trainer.
//
// The zero value is the recipe of the model that ships, but for the seed, which was 1. The
// paper's form is
//
//	Trainer{Degradation: resample.Box, Patches: 100_000, Reductions: []float64{}, Flat: -1,
//		KeepMean: true, WholePatches: true, NoRefit: true,
//		Coder: "omp:sparsity=3", Atoms: 512, BackProject: -1}
type Trainer struct {
	// Scale is what the model enlarges by, 2 to 4; 0: 2.
	Scale int
	// Degradation is how the low-resolution pictures are made; "": resample.Cubic.
	Degradation resample.Degradation
	// Patch is the side of a low-resolution patch, 1 to 16; 0: 3, the paper's.
	Patch int
	// Patches is how many pairs are drawn; 0: 300,000.
	Patches int
	// Flat leaves pairs out whose low-resolution patch varies less, as a root mean square in
	// 0..1; 0: three of 255 levels; negative: none is left out.
	Flat float64
	// Reductions are factors, above 0 and below 1, by which the pictures are reduced to be
	// learned from once more; nil: 0.5; empty: none.
	Reductions []float64
	// KeepMean codes patches with their mean; see coupled.Stage.
	KeepMean bool
	// WholePatches learns the high-resolution patches themselves, not what interpolation
	// misses of them; see coupled.Stage.
	WholePatches bool
	// NoRefit keeps D_H as it was learned together with D_L; see refit.go.
	NoRefit bool
	// Learner is the spec of the learner; "": "ksvd".
	Learner string
	// Coder is the spec of the sparse coder, of learning and enlarging; "": "omp:sparsity=2".
	Coder string
	// Atoms is K, up to 4,096; 0: 1,024.
	Atoms int
	// Iterations is how often the learner iterates at most; 0: 15.
	Iterations int
	// BackProject is how many back-projections come after the stage; 0: 3; negative: none.
	BackProject int
	// Seed is of all random draws.
	Seed uint64
	// Learned is given what the learner found, before stages are made of it; it may be nil.
	// The result is not to be changed.
	Learned func(*learners.Result)
}

// Defaults returns a trainer with all defaults filled in.
func Defaults() Trainer {
	t, _ := Trainer{}.defaults() // which are right
	return t
}

// defaults fills the defaults in and checks the options.
func (o Trainer) defaults() (Trainer, error) {
	o.Scale = cmp.Or(o.Scale, 2)
	o.Degradation = cmp.Or(o.Degradation, resample.Cubic)
	o.Patch = cmp.Or(o.Patch, 3)
	o.Patches = cmp.Or(o.Patches, 300_000)
	o.Flat = cmp.Or(o.Flat, 3./255)
	o.Learner = cmp.Or(o.Learner, "ksvd")
	o.Coder = cmp.Or(o.Coder, "omp:sparsity=2")
	o.Atoms = cmp.Or(o.Atoms, 1024)
	o.Iterations = cmp.Or(o.Iterations, 15)
	o.BackProject = cmp.Or(o.BackProject, 3)
	o.BackProject = max(o.BackProject, 0)
	if o.Reductions == nil {
		o.Reductions = []float64{0.5}
	}
	if err := o.Degradation.Check(); err != nil {
		return o, err
	}
	if err := training.CheckRanges(
		training.Range{Name: "scale", Value: o.Scale, Least: 2, Most: 4},
		training.Range{Name: "patch size", Value: o.Patch, Least: 1, Most: coupled.MaxPatch},
		training.Range{Name: "number of patches", Value: o.Patches, Least: 1, Most: 50_000_000},
		training.Range{Name: "number of atoms", Value: o.Atoms, Least: 1, Most: coupled.MaxAtoms},
		training.Range{Name: "number of iterations", Value: o.Iterations, Least: 1, Most: 1 << 20},
		training.Range{Name: "number of back-projections", Value: o.BackProject, Least: 0, Most: 1000},
	); err != nil {
		return o, err
	}
	n, m := o.sizes()
	if size := (n + m) * o.Atoms * 8; size > npz.MaxBytes/2 {
		return o, usage.Errorf("coupled: %d atoms of %d entries make a model of %d MiB, the limit is %d; use fewer atoms, a smaller patch or scale", o.Atoms, n+m, size>>20, npz.MaxBytes>>21)
	}
	return o, training.CheckReductions(o.Reductions)
}

// Target implements training.Trainer.
func (o Trainer) Target() (scale int, d resample.Degradation, err error) {
	o, err = o.defaults()
	return o.Scale, o.Degradation, err
}

// Memory implements training.Trainer: beside one picture it takes the pairs,
// Patches·Patch²·(1+scale²)·8 bytes, twice while they are drawn, and what the learner does.
func (o Trainer) Memory() int64 {
	o, err := o.defaults()
	if err != nil {
		return 0
	}
	learner, err := learners.New(o.Learner)
	if err != nil {
		return 0 // Train says what is wrong
	}
	coder, err := sparse.New(o.Coder)
	if err != nil {
		return 0
	}
	n, m := o.sizes()
	s := cmp.Or(sparse.MostNonZeros(coder), n+m)
	pairs := 8 * float64(o.Patches) * float64(n+m)
	need := 64<<20 + pairs + max(pairs, learner.Memory(n+m, o.Patches, o.Atoms, s))
	return int64(min(need, math.MaxInt64/2))
}

// coder makes the coder, and finds one that does not suit the number of atoms
// before there is work.
func (o Trainer) coder() (sparse.Coder, error) {
	n, _ := o.sizes()
	zero, err := sparse.FromAtoms(n, make([]float64, n*o.Atoms))
	if err != nil {
		return nil, err
	}
	return coupled.NewCoder(o.Coder, zero)
}

// Train implements training.Trainer.
func (o Trainer) Train(ctx context.Context, sources []training.Source, progress training.Progress) (*training.Result, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, int, int) {}
	}
	learner, err := learners.New(o.Learner)
	if err != nil {
		return nil, err
	}
	coder, err := o.coder()
	if err != nil {
		return nil, err
	}
	s := newSampler(o)
	for i, src := range sources {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress("reading pictures", i, len(sources))
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		s.add(img)
	}
	progress("reading pictures", len(sources), len(sources))
	stacked, err := s.pairs()
	if err != nil {
		return nil, err
	}
	n, _ := o.sizes()
	rows, count := stacked.Dims()
	low, high := stacked.Slice(0, n, 0, count).(*mat.Dense), stacked.Slice(n, rows, 0, count).(*mat.Dense)
	result, err := learner.Learn(ctx, stacked, learners.Options{
		Atoms: o.Atoms, Iterations: o.Iterations, Coder: coder, Seed: o.Seed,
		Trace: func(step learners.Step) { progress("learning", step.Iteration, o.Iterations) },
	})
	if err != nil {
		return nil, err
	}
	if o.Learned != nil {
		o.Learned(result)
	}
	stages, err := o.stages(ctx, result.Dictionary, low, high, coder)
	if err != nil {
		return nil, err
	}
	last := result.Steps[len(result.Steps)-1]
	record := training.Record{
		Learner: o.Learner, Coder: o.Coder, Atoms: o.Atoms, Iterations: last.Iteration, Stop: string(result.Stop), Seed: o.Seed,
		Pictures: len(sources), Patches: count, DataSHA256: s.total.String(), RMSE: last.RMSE,
	}
	for _, w := range result.Warnings {
		record.Warnings = append(record.Warnings, w.Error())
	}
	return &training.Result{Stages: stages, Record: record}, nil
}

// stages makes the stages of a stacked dictionary.
func (o Trainer) stages(ctx context.Context, d *sparse.Dictionary, low, high *mat.Dense, coder sparse.Coder) ([]stage.Stage, error) {
	n, m := o.sizes()
	dl, err := d.Rows(0, n)
	if err != nil {
		return nil, err
	}
	dh, err := d.Rows(n, n+m)
	if err != nil {
		return nil, err
	}
	if !o.NoRefit {
		if dh, err = refit(ctx, dl, low, high, coder); err != nil {
			return nil, err
		}
	}
	recipe := coupled.Recipe{
		Scale: o.Scale, Patch: o.Patch, Mean: !o.KeepMean, Detail: !o.WholePatches, Degradation: o.Degradation, Kernel: resample.Bicubic,
		Coder: o.Coder, BackProjection: o.BackProject,
	}
	return recipe.Stages(dl.Matrix(), dh.Matrix())
}
