package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// Past summarises the parts of the signals that a learner has seen so far, where memory does not hold all signals. The
// zero value stands for no part. A Past may be kept in a file: LearnPart needs nothing else from the past.
type Past struct {
	// Dictionary is the dictionary after the last part. It is nil before the first part.
	Dictionary *sparse.Dictionary
	// Parts is the number of parts.
	Parts int
	// Batches, A (K×K) and B (M×K) are the sums of Online over all past batches. They are nil with other learners.
	Batches int
	A, B    *mat.Dense
}

// summing is implemented by learners that keep sums over the parts, which only Online does.
type summing interface {
	learnPart(ctx context.Context, s *onlineState, y *mat.Dense, opt Options, next *Past) error
}

// heldOut is the largest number of signals of a part that are coded before the learner sees the part.
const heldOut = 4096

// LearnPart learns from another part of the signals, y (M×N), and updates past. Online continues with its sums; every
// other learner begins with the dictionary of the part before, so that the last parts weigh most. opt.Iterations is the
// number of iterations on this part. opt.Init is used for the first part only.
//
// The step that LearnPart returns tells how well opt.Coder codes up to 4,096 evenly spaced signals of this part over
// the dictionary of the parts before. The learner has not seen these signals, unless parts overlap. Iteration is the
// number of the part. LearnPart fails under the same conditions as Learner.Learn, and then does not change past.
func LearnPart(ctx context.Context, l Learner, y *mat.Dense, opt Options, past *Past) (Step, error) {
	began := time.Now()
	if past.Dictionary != nil {
		opt.Init = past.Dictionary
	}
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return Step{}, err
	}
	opt.Seed += uint64(past.Parts) // each part draws its own order
	m, n := y.Dims()
	sample := mat.NewDense(m, min(n, heldOut), nil)
	_, taken := sample.Dims()
	for i := range m {
		from, to := y.RawRowView(i), sample.RawRowView(i)
		for j := range to {
			to[j] = from[j*n/taken]
		}
	}
	codes, err := opt.Coder.Code(ctx, d, sample)
	if err != nil {
		return Step{}, err
	}
	errs, sum, err := squaredErrors(ctx, sample, d, codes)
	if err != nil {
		return Step{}, err
	}
	step := Step{Iteration: past.Parts + 1, RMSE: math.Sqrt(sum / float64(m*taken)),
		NonZeros: codes.NonZeros()}
	next := Past{Parts: past.Parts + 1}
	if online, ok := l.(summing); ok {
		s := newOnlineState(d)
		if past.A != nil {
			s.recall(past)
			step.Replaced = s.replace(sample, codes.Usage(), errs)
		}
		err = online.learnPart(ctx, s, y, opt, &next)
	} else {
		opt.Init, opt.Trace = d, nil
		var r *Result
		if r, err = l.Learn(ctx, y, opt); err == nil {
			next.Dictionary = r.Dictionary
		}
	}
	if err != nil {
		return Step{}, err
	}
	*past, step.Elapsed = next, time.Since(began)
	return step, nil
}

// learnPart makes opt.Iterations passes over y, starting from s, and writes the resulting state to next.
func (l Online) learnPart(ctx context.Context, s *onlineState, y *mat.Dense, opt Options, next *Past) (err error) {
	if err := l.Check(); err != nil {
		return err
	}
	l = l.withDefaults(y, opt.Atoms)
	rng := rand.New(rand.NewPCG(opt.Seed, 1))
	for range opt.Iterations {
		if err := s.learn(ctx, y, l, opt.Coder, rng); err != nil {
			return err
		}
	}
	next.Batches, next.A, next.B = s.batches, mat.NewDense(s.k, s.k, s.a), mat.NewDense(s.m, s.k, nil)
	next.B.Copy(mat.NewDense(s.k, s.m, s.b).T()) // s.b holds Bᵀ
	next.Dictionary, err = s.dictionary()
	return err
}

// recall copies the sums of past into s.
func (s *onlineState) recall(past *Past) {
	s.batches = past.Batches
	mat.NewDense(s.k, s.k, s.a).Copy(past.A)
	mat.NewDense(s.k, s.m, s.b).Copy(past.B.T())
}
