package comparison

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/sparse"
)

// measure builds or learns the dictionary for r.task and sets the figures in r: the errors of the held-out signals when
// they are coded, and when they are denoised after noise of each strength in denoiseLevels was added.
func (r *signalResult) measure(ctx context.Context, data signalData) error {
	coder, err := sparse.New(r.Coder)
	if err != nil {
		return err
	}
	m, n := data.heldOut.Dims()
	seed := r.Seed + uint64(r.Run)
	var d *sparse.Dictionary
	switch r.Learner {
	case fixedDCT:
		d, err = overcompleteDCT(m, r.Atoms, data.square, 1)
	case fixedSamples:
		d, err = learners.Start(data.train, r.Atoms, seed)
	default:
		learner, err := learners.New(r.Learner)
		if err != nil {
			return err
		}
		l, err := learner.Learn(ctx, data.train, learners.Options{Atoms: r.Atoms,
			Iterations: r.MostIterations, Coder: coder, Seed: seed})
		if err != nil {
			return err
		}
		last := l.Steps[len(l.Steps)-1]
		d, r.Training, r.Seconds, r.Falling = l.Dictionary, last.RMSE, last.Elapsed.Seconds(), l.Falling()
	}
	if err != nil {
		return err
	}
	if r.HeldOut, err = codedError(ctx, coder, d, data.heldOut, data.heldOut); err != nil {
		return err
	}
	unit := 1.0 // of denoiseLevels, in the unit of the signals
	if !data.square {
		unit = mat.Norm(data.heldOut, 2) / math.Sqrt(float64(m*n)) / 100
	}
	for i, level := range denoiseLevels {
		sigma := unit * level
		rng := rand.New(rand.NewPCG(seed, uint64(20+i))) // each level has other noise, the same for all learners
		noisy := mat.DenseCopyOf(data.heldOut)
		noisy.Apply(func(_, _ int, v float64) float64 { return v + sigma*rng.NormFloat64() }, noisy)
		until := sparse.OMP{Tolerance: gain * sigma * math.Sqrt(float64(m))}
		e, err := codedError(ctx, until, d, noisy, data.heldOut)
		if err != nil {
			return err
		}
		r.Denoised = append(r.Denoised, e)
	}
	return nil
}

// codedError codes the signals y over the dictionary D in d with c, y ≈ Dx, and returns the RMS of truth − Dx.
func codedError(ctx context.Context, c sparse.Coder, d *sparse.Dictionary, y, truth *mat.Dense) (float64, error) {
	codes, err := c.Code(ctx, d, y)
	if err != nil {
		return 0, err
	}
	var e mat.Dense
	e.Sub(truth, codes.Rebuild(d))
	m, n := y.Dims()
	return mat.Norm(&e, 2) / math.Sqrt(float64(m*n)), nil
}

// overcompleteDCT returns a dictionary of k atoms of length 1: entry i = 0 … m−1 of atom f = 0 … k−1 is proportional to
// cos((i + ½)·π·below·f/k), less its mean over i unless f is 0. below, 0 to 1, is the share of frequencies used, the
// lowest first. If square is true, an atom is the product of two such cosines, with √m for m and ⌈√k⌉ for k, over the
// rows and columns of a patch, row by row; the k products with the smallest sums of frequencies are taken.
func overcompleteDCT(m, k int, square bool, below float64) (*sparse.Dictionary, error) {
	side, count := m, k // number of entries of a cosine, and number of cosines
	if square {
		side, count = int(math.Round(math.Sqrt(float64(m)))), int(math.Ceil(math.Sqrt(float64(k))))
	}
	cosines := make([][]float64, count)
	for f := range cosines {
		mean := 0.0
		for i := range side {
			v := math.Cos((float64(i) + 0.5) * math.Pi * below * float64(f) / float64(count))
			cosines[f], mean = append(cosines[f], v), mean+v/float64(side)
		}
		for i := range cosines[f] {
			if f > 0 {
				cosines[f][i] -= mean
			}
		}
	}
	var atoms []float64
	if !square {
		for _, c := range cosines {
			atoms = append(atoms, c...)
		}
	} else {
		pairs := make([][2]int, 0, count*count)
		for a := range count {
			for b := range count {
				pairs = append(pairs, [2]int{a, b})
			}
		}
		slices.SortStableFunc(pairs, func(p, q [2]int) int { return p[0] + p[1] - q[0] - q[1] })
		for _, p := range pairs[:k] {
			for _, v := range cosines[p[0]] {
				for _, w := range cosines[p[1]] {
					atoms = append(atoms, v*w)
				}
			}
		}
	}
	for j := range k {
		learners.Normalise(atoms[j*m : (j+1)*m])
	}
	return sparse.FromAtoms(m, atoms)
}
