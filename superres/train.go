package superres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// TrainOptions tell Train what to learn. Zero fields have the defaults said.
type TrainOptions struct {
	Scale        int         // 2 to 4; 0: 2
	Degradation  Degradation // "": Cubic
	Patch        int         // side of a low-resolution patch; 0: 3, the paper's
	Patches      int         // pairs to draw; 0: 100,000
	Flat         float64     // pairs whose low-resolution patch varies less (RMS, 0..1) are left out
	Reductions   []float64   // train on the pictures reduced by these factors as well
	Mean, Detail bool        // see Coupled
	Refit        bool        // see refit
	Learner      string      // spec; "": "ksvd"
	Coder        string      // spec, for learning and upscaling; "": "omp:sparsity=3"
	Atoms        int         // 0: 512
	Iterations   int         // of the learner, at most; 0: 30
	BackProject  int         // back-projections after the coupled stage
	HeldOut      int         // pictures kept from training, to be scored
	Seed         uint64
	// Of a cascade: see Anchored. Patches, Mean, Detail, Refit and Coder are of the
	// coupled model alone, and the defaults of some others differ.
	Stages     int        // anchored stages, each followed by BackProject back-projections; 0: a coupled model
	Symmetries Symmetries // "": AllSymmetries
	InputDims  int        // coordinates of a patch; 0: all in the first stage, then 40
	OutputDims int        // coordinates of a block; 0: by the scale, 24 to 48, then 20
	Samples    int        // patches that the bases and anchors of a stage are found from; 0: 150 an atom, 30,000 at least
	JPEG       [2]int     // the reduced pictures go through JPEG files of qualities from JPEG[0] to JPEG[1]; 0: they do not
	MaxMemory  int64      // refuse pictures with which learning needs more bytes; 0: take all
	// Keep is called after every stage but the last with what lets another run go on
	// from there when this one is interrupted; its error ends training. Kept is what
	// was kept: it is passed over when it is of other settings or pictures. nil: none.
	Keep    func(stages []byte) error `json:"-"`
	Kept    []byte                    `json:"-"`
	Command string                    // recorded in the model
	Data    []string                  // recorded in the model
	// Learned is given what the learner found, before a coupled model is made of it; it
	// may be nil. The result is not to be changed.
	Learned func(*learners.Result) `json:"-"`
	// Progress is called from one goroutine as the work goes on; it may be nil.
	Progress func(phase string, done, total int) `json:"-"`
}

func (o TrainOptions) defaults() (TrainOptions, error) {
	if o.Stages != 0 {
		return o.anchoredDefaults()
	}
	setDefault(&o.Scale, 2)
	setDefault(&o.Degradation, Cubic)
	setDefault(&o.Patch, 3)
	setDefault(&o.Patches, 100_000)
	setDefault(&o.Learner, "ksvd")
	setDefault(&o.Coder, "omp:sparsity=3")
	setDefault(&o.Atoms, 512)
	setDefault(&o.Iterations, 30)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if err := o.Degradation.Check(); err != nil {
		return o, err
	}
	for _, c := range []struct {
		name        string
		value, from int
		to          int
	}{
		{"scale", o.Scale, 2, 4}, {"patch size", o.Patch, 1, maxPatch}, {"number of patches", o.Patches, 1, 50_000_000},
		{"number of atoms", o.Atoms, 1, maxAtoms}, {"number of iterations", o.Iterations, 1, 1 << 20},
		{"number of back-projections", o.BackProject, 0, 1000}, {"number of held-out pictures", o.HeldOut, 0, 1 << 20},
	} {
		if c.value < c.from || c.value > c.to {
			return o, plugin.Errorf("superres: %s %d, expected %d to %d", c.name, c.value, c.from, c.to)
		}
	}
	n, m := o.sizes()
	if size := (n + m) * o.Atoms * 8; size > npz.MaxBytes/2 {
		return o, plugin.Errorf("superres: %d atoms of %d entries make a model of %d MiB, the limit is %d; use fewer atoms, a smaller patch or scale", o.Atoms, n+m, size>>20, npz.MaxBytes>>21)
	}
	return o, o.checkReductions()
}

func (o TrainOptions) checkReductions() error {
	for _, r := range o.Reductions {
		if !(r > 0 && r < 1) {
			return plugin.Errorf("superres: reduction %g, expected more than 0 and less than 1", r)
		}
	}
	return nil
}

// coder makes the coder, and finds one that does not suit the number of atoms
// before there is work.
func (o TrainOptions) coder() (sparse.Coder, error) {
	n, _ := o.sizes()
	zero, err := sparse.FromAtoms(n, make([]float64, n*o.Atoms))
	if err != nil {
		return nil, err
	}
	return newCoder(o.Coder, zero)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// ErrPictures is wrapped by errors about the training pictures: there are too few,
// or they hold too little.
var ErrPictures = errors.New("pictures cannot be learned from")

// Memory estimates the bytes that Train takes at its peak: for a coupled model,
// beside one picture; for a cascade, beside all of them, of which a pixel takes 4
// bytes and 1/scale² more, in each of the reductions too, and 30 while it is one of
// those that the workers restore. It is nothing when the options are wrong, which
// Train will say.
func (o TrainOptions) Memory() int64 {
	o, err := o.defaults()
	if err != nil {
		return 0
	}
	if o.Stages > 0 {
		return o.anchoredMemory()
	}
	n, m := o.sizes()
	return 64<<20 + int64(o.Patches)*int64(n+m)*8*5 + int64(o.Atoms)*int64(o.Atoms)*8*4
}

// Train learns a model from pictures: a cascade of anchored stages when opt.Stages says
// so, and otherwise a coupled dictionary, as the paper does (section 4.2): pairs of
// low- and high-resolution patches are stacked, Y = [Y_L; Y_H], one dictionary
// D = [D_L; D_H] is learned for them, and its halves make the coupled stage. Held-out pictures, drawn by the seed, are scored at the end.
//
// The same pictures in the same order, options and seed give a model with the
// same bytes. Memory of a coupled model: the pairs, Patches·Patch²·(1+scale²)·8
// bytes, four times over while learning, a few times Atoms²·8 bytes, and one picture.
// When ctx ends Train returns ctx.Err().
func Train(ctx context.Context, sources []Source, opt TrainOptions) (*Model, error) {
	opt, err := opt.defaults()
	if err != nil {
		return nil, err
	}
	if len(sources) <= opt.HeldOut {
		return nil, plugin.Errorf("superres: %d pictures, of which %d are to be held out: none is left to learn from", len(sources), opt.HeldOut)
	}
	train, held := holdOut(sources, opt.HeldOut, opt.Seed)
	for _, src := range held { // rather now than after hours of learning
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		if b, side := img.Bounds(), 4*opt.Scale; b.Dx() < side || b.Dy() < side {
			return nil, fmt.Errorf("%s: %w: a held-out picture of %d×%d, expected at least %d×%d", src.Name, ErrPictures, b.Dx(), b.Dy(), side, side)
		}
	}
	if opt.Stages > 0 {
		return trainAnchored(ctx, train, held, opt)
	}
	return trainCoupled(ctx, train, held, opt)
}

func trainCoupled(ctx context.Context, train, held []Source, opt TrainOptions) (*Model, error) {
	learner, err := learners.New(opt.Learner)
	if err != nil {
		return nil, err
	}
	coder, err := opt.coder()
	if err != nil {
		return nil, err
	}
	s := newSampler(opt)
	for i, src := range train {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		opt.Progress("reading pictures", i, len(train))
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		s.add(img)
	}
	opt.Progress("reading pictures", len(train), len(train))
	stacked, err := s.pairs()
	if err != nil {
		return nil, err
	}
	n, _ := opt.sizes()
	rows, count := stacked.Dims()
	low, high := stacked.Slice(0, n, 0, count).(*mat.Dense), stacked.Slice(n, rows, 0, count).(*mat.Dense)
	result, err := learner.Learn(ctx, stacked, learners.Options{
		Atoms: opt.Atoms, Iterations: opt.Iterations, Coder: coder, Seed: opt.Seed,
		Trace: func(step learners.Step) { opt.Progress("learning", step.Iteration, opt.Iterations) },
	})
	if err != nil {
		return nil, err
	}
	if opt.Learned != nil {
		opt.Learned(result)
	}
	m, err := opt.build(ctx, result.Dictionary, low, high, coder)
	if err != nil {
		return nil, err
	}
	last := result.Steps[len(result.Steps)-1]
	m.Provenance = Provenance{
		Command: opt.Command, Learner: opt.Learner, Coder: opt.Coder, Atoms: opt.Atoms,
		Iterations: last.Iteration, Stop: string(result.Stop), Seed: opt.Seed,
		Data: opt.Data, Pictures: len(train), Patches: count, DataSHA256: s.sum(),
		TrainRMSE: last.RMSE, HeldOut: len(held),
	}
	for _, w := range result.Warnings {
		m.Provenance.Warnings = append(m.Provenance.Warnings, w.Error())
	}
	if len(held) > 0 {
		m.Provenance.Score, err = m.score(ctx, held, opt.Progress)
	}
	return m, err
}

// holdOut draws count sources by the seed; both parts keep their order.
func holdOut(sources []Source, count int, seed uint64) (train, held []Source) {
	drawn := rand.New(rand.NewPCG(seed, 2)).Perm(len(sources))[:count]
	for i, s := range sources {
		if slices.Contains(drawn, i) {
			held = append(held, s)
		} else {
			train = append(train, s)
		}
	}
	return train, held
}

// build makes the model of a stacked dictionary.
func (o TrainOptions) build(ctx context.Context, d *sparse.Dictionary, low, high *mat.Dense, coder sparse.Coder) (*Model, error) {
	n, m := o.sizes()
	dl, err := d.Rows(0, n)
	if err != nil {
		return nil, err
	}
	dh, err := d.Rows(n, n+m)
	if err != nil {
		return nil, err
	}
	if o.Refit {
		if dh, err = refit(ctx, dl, low, high, coder); err != nil {
			return nil, err
		}
	}
	recipe := Recipe{
		Scale: o.Scale, Patch: o.Patch, Mean: o.Mean, Detail: o.Detail, Degradation: o.Degradation, Kernel: Bicubic,
		Coder: o.Coder, BackProjection: o.BackProject,
	}
	return recipe.Model(dl.Matrix(), dh.Matrix())
}

// single rounds the atoms to float32, which upscaling computes in; a model file
// that holds such numbers packs to half the size.
func single(d *sparse.Dictionary) (*sparse.Dictionary, error) {
	x := d.Matrix()
	x.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	return sparse.NewDictionary(x)
}

// refit replaces the high half of a learned dictionary by the one that suits the
// codes found at upscaling time, which know the low half only:
//
//	D_H ← argmin ‖Y_H − D_H·X‖²_F + λ‖D_H‖²_F,  X = code(Y_L, D_L).
//
// R. Zeyde, M. Elad, M. Protter: On single image scale-up using
// sparse-representations, Curves and Surfaces 2010,
// doi:10.1007/978-3-642-27413-8_47, learn their high half in this way alone.
func refit(ctx context.Context, dl *sparse.Dictionary, low, high *mat.Dense, coder sparse.Coder) (*sparse.Dictionary, error) {
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
		return nil, fmt.Errorf("superres: the codes of the training patches are degenerate; use fewer atoms or more patches")
	}
	var dh mat.Dense
	if err := chol.SolveTo(&dh, xy); err != nil {
		if _, warning := err.(mat.Condition); !warning {
			return nil, err
		}
	}
	return sparse.NewDictionary(dh.T())
}
