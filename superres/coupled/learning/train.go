package learning

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/usage"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres/coupled"
	"superres/superres/resample"
	"superres/superres/training"
)

// Trainer holds the options of a training and implements training.Trainer. Start from [Defaults] and change fields: the
// zero value is not valid. The paper's form is
//
//	Trainer{Scale: 2, Degradation: resample.Box, Patch: 3, Patches: 100_000,
//		Learner: "ksvd", Coder: "omp:sparsity=3", Atoms: 512, Iterations: 30}
type Trainer struct {
	// Scale is the factor by which the model enlarges, 2 to 4.
	Scale int
	// Degradation says how the low-resolution pictures are computed from the training pictures.
	Degradation resample.Degradation
	// Patch is the side of a low-resolution patch, 1 to 16.
	Patch int
	// Patches is the number of pairs of patches that are sampled.
	Patches int
	// Pairs with a low-resolution patch of a standard deviation below Flat, in units of white, are left out.
	Flat float64
	// Reductions are factors above 0 and below 1; each picture is also used reduced by each of them.
	Reductions []float64
	// Mean subtracts the mean of each patch before coding; see coupled.Stage.
	Mean bool
	// Detail learns the residual of interpolation instead of the high-resolution patch; see coupled.Stage.
	Detail bool
	// Refit fits D_H to the codes over D_L alone after both halves have been learned; see refit.
	Refit bool
	// Learner is the spec of the dictionary learner: its name and parameters.
	Learner string
	// Coder is the spec of the sparse coder, for training and for enlarging.
	Coder string
	// Atoms is the number of atoms K, up to 4,096.
	Atoms int
	// Iterations is the greatest number of iterations of the learner.
	Iterations int
	// BackProject is the number of back-projections after the stage.
	BackProject int
	// Seed is the seed of all random sampling.
	Seed uint64
	// Fixed is a dictionary for the stacked pairs, with Atoms atoms, that is used instead of learning one; Learner and
	// Iterations then have no effect. nil: Learner learns one.
	Fixed *sparse.Dictionary
	// Learned is called with the learner's result and with the stacked pairs, one in each column, before stages are
	// built from the result. It must change neither, and may be nil.
	Learned func(found *learners.Result, stacked *mat.Dense)
}

// Defaults returns the options that trained the embedded model, except for its seed, 1.
func Defaults() Trainer {
	return Trainer{
		Scale: 2, Degradation: resample.Cubic, Patch: 3, Patches: 300_000, Flat: 3. / 255, Reductions: []float64{0.5},
		Mean: true, Detail: true, Refit: true,
		Learner: "ksvd", Coder: "omp:sparsity=2", Atoms: 1024, Iterations: 15, BackProject: 3,
	}
}

// check returns an error for the first option out of its range, or nil if there is none.
func (t Trainer) check() error {
	if err := t.Degradation.Check(); err != nil {
		return err
	}
	if err := training.CheckRanges(
		training.Range{Name: "scale", Value: t.Scale, Least: 2, Most: 4},
		training.Range{Name: "patch size", Value: t.Patch, Least: 1, Most: coupled.MaxPatch},
		training.Range{Name: "number of patches", Value: t.Patches, Least: 1, Most: 50_000_000},
		training.Range{Name: "number of atoms", Value: t.Atoms, Least: 1, Most: coupled.MaxAtoms},
		training.Range{Name: "number of iterations", Value: t.Iterations, Least: 1, Most: 1 << 20},
		training.Range{Name: "number of back-projections", Value: t.BackProject, Least: 0, Most: 1000},
	); err != nil {
		return err
	}
	n, m := t.sizes()
	if size := (n + m) * t.Atoms * 8; size > npz.MaxBytes/2 { // in float64, half of what a file may hold
		return usage.Errorf("coupled: %d atoms of %d entries make a model of %d MiB, the limit is %d; use fewer "+
			"atoms, a smaller patch or scale", t.Atoms, n+m, size>>20, npz.MaxBytes>>21)
	}
	return training.CheckReductions(t.Reductions)
}

// sizes returns the numbers of samples in a low- and in a high-resolution patch.
func (t Trainer) sizes() (low, high int) {
	low = t.Patch * t.Patch
	return low, low * t.Scale * t.Scale
}

func (t Trainer) Target() (scale int, d resample.Degradation, err error) {
	return t.Scale, t.Degradation, t.check()
}

// Memory implements training.Trainer. It counts one picture, by 64 MiB; the pairs of patches,
// Patches·Patch²·(1+Scale²)·8 bytes; and the memory of the learner or, if that is greater, a second copy of the
// pairs, as exists after sampling. It is 0 if Train would refuse t.
func (t Trainer) Memory() int64 {
	if t.check() != nil {
		return 0
	}
	learner, err := learners.New(t.Learner)
	if err != nil && t.Fixed == nil {
		return 0 // Train returns the error
	}
	coder, err := sparse.New(t.Coder)
	if err != nil {
		return 0
	}
	n, m := t.sizes()
	s := cmp.Or(sparse.MostNonZeros(coder), n+m) // the most coefficients of a code
	pairs := 8 * float64(t.Patches) * float64(n+m)
	learning := 0.
	if t.Fixed == nil {
		learning = learner.Memory(n+m, t.Patches, t.Atoms, s)
	}
	need := 64<<20 + pairs + max(pairs, learning)
	return int64(min(need, math.MaxInt64/2))
}

// Train implements training.Trainer.
func (t Trainer) Train(
	ctx context.Context, sources []training.Source, progress training.Progress,
) (*training.Result, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	progress = progress.OrNone()
	if _, err := learners.New(t.Learner); err != nil && t.Fixed == nil { // before anything is read
		return nil, err
	}
	n, _ := t.sizes()
	zero, err := sparse.FromAtoms(n, make([]float64, n*t.Atoms))
	if err != nil {
		return nil, err
	}
	coder, err := coupled.NewCoder(t.Coder, zero) // fails now rather than after the learning
	if err != nil {
		return nil, err
	}
	s := newSampler(t)
	if err := s.read(ctx, sources, progress); err != nil {
		return nil, err
	}
	stacked, err := s.pairs()
	if err != nil {
		return nil, err
	}
	found, err := t.dictionary(ctx, stacked, coder, progress)
	if err != nil {
		return nil, err
	}
	if t.Learned != nil {
		t.Learned(found, stacked)
	}
	low, high, err := t.splitDictionary(ctx, found.Dictionary, stacked, coder)
	if err != nil {
		return nil, err
	}
	stages, err := coupled.Recipe{
		Scale: t.Scale, Patch: t.Patch, Mean: t.Mean, Detail: t.Detail, Degradation: t.Degradation,
		Kernel: resample.Bicubic, Coder: t.Coder, BackProjection: t.BackProject,
	}.Stages(low.Matrix(), high.Matrix())
	if err != nil {
		return nil, err
	}
	_, count := stacked.Dims()
	last := found.Steps[len(found.Steps)-1]
	record := training.Record{
		Learner: t.Learner, Coder: t.Coder, Atoms: t.Atoms, Iterations: last.Iteration, Stop: string(found.Stop),
		Seed: t.Seed, Pictures: len(sources), Patches: count, DataSHA256: s.hash.String(), RMSE: last.RMSE,
	}
	for _, w := range found.Warnings {
		record.Warnings = append(record.Warnings, w.Error())
	}
	return &training.Result{Stages: stages, Record: record}, nil
}

// dictionary returns the learner's result for the stacked pairs or, if t.Fixed is set, t.Fixed with its codes and its
// error. progress gets the iterations of the learner.
func (t Trainer) dictionary(
	ctx context.Context, stacked *mat.Dense, coder sparse.Coder, progress training.Progress,
) (*learners.Result, error) {
	if t.Fixed != nil {
		began := time.Now()
		x, err := coder.Code(ctx, t.Fixed, stacked)
		if err != nil {
			return nil, err
		}
		m, count := stacked.Dims()
		var rest mat.Dense
		rest.Sub(stacked, x.Rebuild(t.Fixed))
		return &learners.Result{Dictionary: t.Fixed, Codes: x, Stop: "nothing is learned", Steps: []learners.Step{{
			RMSE:     mat.Norm(&rest, 2) / math.Sqrt(float64(m)*float64(count)),
			NonZeros: float64(len(x.Value)) / float64(count), Elapsed: time.Since(began),
		}}}, nil
	}
	learner, err := learners.New(t.Learner)
	if err != nil {
		return nil, err
	}
	return learner.Learn(ctx, stacked, learners.Options{
		Atoms: t.Atoms, Iterations: t.Iterations, Coder: coder, Seed: t.Seed,
		Trace: func(step learners.Step) { progress("learning", step.Iteration, t.Iterations) },
	})
}

// splitDictionary returns the halves D_L and D_H of d, the dictionary that was learned from stacked pairs. With Refit,
// D_H is fitted to the codes over D_L in place of the learned half.
func (t Trainer) splitDictionary(
	ctx context.Context, d *sparse.Dictionary, stacked *mat.Dense, coder sparse.Coder,
) (low, high *sparse.Dictionary, err error) {
	n, m := t.sizes()
	if low, err = d.Rows(0, n); err != nil {
		return nil, nil, err
	}
	if t.Refit {
		_, count := stacked.Dims()
		high, err = refit(ctx, low, stacked.Slice(0, n, 0, count).(*mat.Dense),
			stacked.Slice(n, n+m, 0, count).(*mat.Dense), coder)
		return low, high, err
	}
	high, err = d.Rows(n, n+m)
	return low, high, err
}

// refit returns the high half D_H that suits the codes found when a picture is enlarged, which depend on the low half
// dl, D_L, alone. low holds the low-resolution patches Y_L, and high the high-resolution patches Y_H:
//
//	D_H ← argmin ‖Y_H − D_H·X‖²_F + λ‖D_H‖²_F,  X = code(Y_L, D_L),
//
// with a λ of about 10⁻⁶ times the mean of the diagonal of XXᵀ, so that the equations can be solved. R. Zeyde, M. Elad,
// M. Protter: On single image scale-up using sparse-representations, Curves and Surfaces 2010,
// doi:10.1007/978-3-642-27413-8_47, learn D_H only in this way.
func refit(
	ctx context.Context, dl *sparse.Dictionary, low, high *mat.Dense, coder sparse.Coder,
) (*sparse.Dictionary, error) {
	x, err := coder.Code(ctx, dl, low)
	if err != nil {
		return nil, err
	}
	_, k := dl.Dims()
	m, _ := high.Dims()
	signal := make([]float64, m)
	xx, xy := x.NormalEquations(m, func(j int) []float64 { return mat.Col(signal, j, high) })
	lambda := 1e-6 * (mat.Trace(xx)/float64(k) + 1e-12)
	for i := range k {
		xx.SetSym(i, i, xx.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(xx) {
		return nil, errors.New("coupled: the codes of the training patches are degenerate; use fewer atoms or " +
			"more patches")
	}
	var dh mat.Dense
	if err := chol.SolveTo(&dh, xy); err != nil {
		if _, warning := err.(mat.Condition); !warning { // a bad condition still gives a result
			return nil, err
		}
	}
	return sparse.NewDictionary(dh.T())
}
