package learners

import (
	"context"
	"flag"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/plugin"
)

// ROP learns by rank-one projection: dictionary and codes are one variable, a set
// of rank-one matrices Z_k = d_k·x^k, and learning is one problem,
//
//	minimise Σ_k ‖Z_k‖_{2,1}  subject to  Y = Σ_k Z_k,  rank Z_k ≤ 1,
//
// ‖·‖_{2,1} the sum of the lengths of the columns. There is no coder and nothing
// to tune: it takes Y, K and a seed. It is solved by ADMM on P = Q = Z with the
// scaled multipliers Λ0 (of Y = ΣP), Λ1 (P = Q) and Λ2 (P = Z), see ropState.
//
// Y is scaled to columns of length 1 (root mean square) inside. The penalty ρ grows
// geometrically over the iterations; atoms that have become a mixture of two are
// found by their coherence and taken apart while it does. The row of X is taken where Q_k is not zero, which the shrinkage decides exactly.
//
// An iteration costs about 10·M·N·K operations; memory is two M×N×K arrays.
//
// Dictionary Learning Using Rank-One Projection (ROP): formulation (8), ADMM (12)
// to (18). Two slips of its text are mended: the third constraint is Z = P
// throughout, and u, v are left and right singular vectors.
type ROP struct {
	Penalty float64 // ρ, kept fixed; 0: grows from 5 to 50
}

func init() {
	Register(Info{
		Name:      "rop",
		Summary:   "rank-one projection: one problem for dictionary and codes, solved by ADMM; needs no coder",
		Reference: "Dictionary Learning Using Rank-One Projection (ROP)",
		New: func(fs *flag.FlagSet) Learner {
			l := &ROP{}
			fs.Float64Var(&l.Penalty, "penalty", 0, "keep the penalty fixed; 0: grow it from 5 to 50")
			return l
		},
	})
}

// The growth of the penalty, and when atoms are looked at: Note: found on planted
// problems. Looking every 2.5 % of the iterations, from 10 to 60 %, left the error
// by optimal assignment that is given below; every 10 % left 0.071, 0.0088, 0.0055
// at the first three N. Mean of 20 problems, (M,K,S) = (16,32,3), 500 iterations:
//
//	N       100    150     200     400
//	error   0.055  0.0080  0.0002  0.0000
//
// and at (24,48,6), 8 problems, N = 300 0.006, N = 400 0.003.
const (
	firstPenalty, lastPenalty = 5, 50
	penaltySteps              = 50
	lookEvery                 = 0.025 // of the iterations
	firstLook, lastLook       = 0.1, 0.6
	fewIterations             = 40 // below it nothing is looked at
)

// ropLimit is the most bytes that the two arrays may take.
const ropLimit = 8 << 30

// ropTolerance ends the iterations: primal and dual residual, relative.
const ropTolerance = 1e-7

// Memory implements Sized: the two arrays, and a part of S and D·X for every eighth
// atom.
func (ROP) Memory(m, n, k int) float64 {
	return 18 * float64(m) * float64(n) * float64(k+8)
}

// Learn implements Learner. opt.Coder is not used.
func (l ROP) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	began := time.Now()
	if l.Penalty < 0 || math.IsNaN(l.Penalty) || math.IsInf(l.Penalty, 0) {
		return nil, plugin.Errorf("learners: penalty %g, expected 0 or more", l.Penalty)
	}
	opt, d, err := prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	if need := 16 * int64(m) * int64(n) * int64(opt.Atoms); need > ropLimit {
		return nil, plugin.Errorf("learners: rop on %d signals of %d entries with %d atoms takes %.1f GiB, the limit is %d; use fewer signals, or another learner",
			n, m, opt.Atoms, float64(need)/(1<<30), ropLimit>>30)
	}
	s, err := newROPState(columns(y), m, d, opt.Seed, opt.Init == nil)
	if err != nil {
		return nil, err
	}
	result := &Result{Stop: IterationLimit}
	every := max(1, opt.Iterations/penaltySteps)
	for it := 1; it <= opt.Iterations; it++ {
		// Between iterations only: within one, half of the atoms would be ahead.
		if err := ctx.Err(); err != nil {
			return cancelled(s.take(result)), err
		}
		penalty, next := l.penalty(it, every, opt.Iterations), l.penalty(it+1, every, opt.Iterations)
		s.iterate(penalty, penalty/next)
		replaced := 0
		if look(it, opt.Iterations) {
			replaced = s.restart()
		}
		step := s.step
		step.Iteration, step.Replaced, step.Elapsed = it, replaced, time.Since(began)
		result.Steps = append(result.Steps, step)
		if opt.Trace != nil {
			opt.Trace(step)
		}
		if step.Primal <= ropTolerance && step.Dual <= ropTolerance {
			result.Stop = Settled
			break
		}
	}
	return finish(s.take(result))
}

// look tells whether atoms are looked at after an iteration.
func look(it, iterations int) bool {
	all := float64(iterations)
	every := lookEvery * all
	due := it == int(every*math.Ceil(float64(it)/every))
	return due && iterations >= fewIterations && float64(it) >= firstLook*all && float64(it) <= lastLook*all
}

// penalty returns ρ of an iteration: the same for every iterations in a row.
func (l ROP) penalty(it, every, iterations int) float64 {
	if l.Penalty > 0 {
		return l.Penalty
	}
	last := max(1, (iterations-1)/every)
	return firstPenalty * math.Pow(lastPenalty/firstPenalty, float64(min((it-1)/every, last))/float64(last))
}
