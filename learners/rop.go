package learners

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/learners/plugin"
)

// ROP learns by rank-one projection. Dictionary and codes are one variable, a set of rank-one matrices Z_k = d_k·x^k,
// and learning is one problem,
//
//	minimise Σ_k ‖Z_k‖_{2,1}  subject to  Y = Σ_k Z_k,  rank Z_k ≤ 1,
//
// where ‖·‖_{2,1} is the sum of the lengths of the columns. It needs no coder, only Y, K and a seed. It is solved by
// ADMM on P = Q = Z with the scaled multipliers Λ0 (of Y = ΣP), Λ1 (P = Q) and Λ2 (P = Z): see ropstate.go.
//
// The learner scales Y to columns of length 1 (root mean square). The penalty ρ grows geometrically over the
// iterations, and the steps are over-relaxed. While ρ grows, atoms that have become a mixture of two atoms, or a single
// large signal, are found and replaced. A code has a non-zero where the shrinkage leaves the column of Q_k above zero.
//
// With few signals the minimum of Σ‖Z_k‖_{2,1} is not at the dictionary that generated them, because its codes have
// fewer and larger entries. So, from some iteration on, long columns are shrunk less, as a concave function of their
// lengths would do in place of the norm (Chartrand, Nonconvex splitting for regularized low-rank + sparse
// decomposition, IEEE Transactions on Signal Processing 60 (2012), uses such shrinkages in ADMM): see Norm.
//
// Where the noise of Y is known, Noise relaxes the constraint to ‖Y − Σ_k Z_k‖_F ≤ ε, as the paper suggests. Without
// Noise, the noise is represented like the rest of Y, by many small non-zeros. With M = 16, K = 32, S = 3, N = 400, and
// noise of 0.2 times the signals' root mean square, the error is 0.028 without Noise, 0.004 with it, and 0.063 with
// K-SVD, which knows S. EstimateNoise needs no such knowledge: see ropnoise.go. With K ≤ M atoms see whitenedStart.
//
// An iteration has one or two sweeps. A sweep costs about 30·M·N·K operations in one pass over two M×N×K arrays, which
// take nearly all of the memory. 12,500 signals of 64 entries and 256 atoms take 3.5 GB and, on two processors, 0.36 s
// for a sweep, 0.07 s of it for reading and writing the arrays; 100,000 signals take 26 GB and 3 s. To learn from so
// many signals, use a sample of them, or K-SVD, which holds only Y and the codes.
//
// Dictionary Learning Using Rank-One Projection (ROP): formulation (8), ADMM (12) to (18). Two slips in its text are
// corrected: the third constraint is Z = P throughout, and u, v are left and right singular vectors.
type ROP struct {
	// Paper runs the iteration of the paper: constant ρ, the norm, one sweep, no relaxation, no replaced atoms. Z_k is
	// then the best rank-one approximation; by default it is the result of two power steps from the Z_k before. Where
	// the paper is silent, defaults hold: for the start, X (zero where Q is) and the scale of Y, to which ρ relates.
	Paper bool
	// Penalty is a constant penalty ρ for all iterations. The default, 0, is 20 with Paper; otherwise ρ grows from 5 to
	// 30 in the first nine tenths of the iterations, and to 2000 in the last tenth.
	Penalty float64
	// Relaxation is α, above 0 and below 2. The default, 0, is 1.7. 1 is no relaxation, which Paper requires.
	Relaxation float64
	// Norm keeps the paper's shrinkage of columns q̂ of P_k + Λ1_k by (1 − t)₊, t = 1/(ρ‖q̂‖). By default 1 − t becomes
	// 1 − t·(1 − c + ct), where c grows from 0 to 0.6 and, with few signals, falls again. Penalty implies Norm.
	Norm bool
	// Sweeps is how many passes of ADMM over all Z_k an iteration has. The default, 0, is 2 passes, or 1 pass if
	// there are fewer than two signals per atom, since with more passes such signals soon become atoms themselves.
	Sweeps int
	// Noise is the root mean square of the noise in the entries of Y, in the units of Y: ε = Noise·√(MN); 0: no noise.
	Noise float64
	// EstimateNoise replaces Noise by an estimate, several times from half of the iterations on: see ropnoise.go.
	EstimateNoise bool
	// Keep keeps all atoms. By default atoms that are mixtures or single large signals are replaced: see roprestart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "rop",
		Summary:   "rank-one projection: one problem for dictionary and codes, solved by ADMM; needs no coder",
		Reference: "Dictionary Learning Using Rank-One Projection (ROP)",
		Revision:  2,
		New: func(fs *flag.FlagSet) Learner {
			l := &ROP{}
			fs.BoolVar(&l.Paper, "paper", false, "the iteration as published: one penalty, 20 unless given, no "+
				"relaxation, no restarts")
			fs.Float64Var(&l.Relaxation, "relaxation", 0, "over-relaxation, above 0 and below 2; 0: 1.7; 1: none")
			fs.Var(noiseParam{l}, "noise", "root mean square of the noise in the entries, where it is known; auto: "+
				"estimate it after half of the iterations")
			fs.BoolVar(&l.Norm, "norm", false,
				"shrink by the paper's norm all the time, not less where entries are large")
			fs.IntVar(&l.Sweeps, "sweeps", 0, "passes of ADMM in an iteration; 0: 2, or 1 where there are fewer "+
				"than two signals an atom")
			fs.Float64Var(&l.Penalty, "penalty", 0, "keep the penalty fixed; 0: grow it from 5 to 2000")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// The growth of the penalty ρ and of c (see ROP.Norm), and the relaxation, were chosen on planted problems. Note: mean
// error (1 − |cos| to the true atom) of 20 problems of superres recover --seed 1 with M = 16 entries, K = 32 atoms, S =
// 3 non-zeros and N signals, 500 iterations. Each line adds a change to the lines above it; –, blank: not measured.
//
//	N                                80     100    150    200
//	atoms that are mixtures replaced –      0.059  0.0107 0.0002
//	single large signals replaced    0.089  0.033  0.0009 0.0002
//	over-relaxation by 1.6           0.082  0.026  0.0008
//	checks up to 75 %, not 60 %      0.074  0.023  0.0008 0.0002
//
// The final penalty limits how accurate the atoms become, since the remaining error is about 1/ρ. If ρ grows too early,
// the atoms no longer move. Below is the mean error in millionths, of 60 problems in the first three columns and the
// fifth and sixth, 40 in the seventh and eighth, and 5 to 10 in the others:
//
//	M, K, S              16, 32, 3                24, 48, 3    24, 48, 6      32, 64, 6
//	N                    80    100   200  400     100    400   200    400     400
//	norm, 1 sweep        83000 25000 250  12      103000 6     41000  280     6
//	2 sweeps, c grows to 0.8, and falls to 0 from 0.8 to 0.95 of the iterations; ρ is 30 at 0.7 of them, then grows
//	    to 150           41000 7000  85   4       53000  22    2800   276     16
//	    to 600           44000 11000 220  155     56000  4     650    66
//	2 sweeps, c grows to 0.8 and stays; ρ is 30 at 0.9 of the iterations, then grows
//	    to 1000          34000 4300  3    2       53000  6     1200   5       15
//	    to 2000          34000 4300  1    0.4     53000  2     380    2       6
//	      with c to 0.6  41000 6400  3    0.4     63000  2     900    3       6
//
// c grows to 0.6, not 0.8, since where nothing can be found (M = 24, K = 48, S = 6, N = 100) c to 0.6, the norm and c
// to 0.8 err by 0.292, 0.294 and 0.302, and with noise of 0.5 times the signals' root mean square (M = 16, K = 32, S =
// 3, N = 150) by 0.243, 0.242 and 0.257. With noise of 0.02 times and N = 400, c to 0.6 gives 0.0001, the norm 0.0003.
//
// At N = 80 the solutions with the norm have a sum of norms 2 % smaller than the true dictionary and codes, and a sum
// of square roots of norms 1.3 to 1.5 times as large.
const (
	firstPenalty, middlePenalty, lastPenalty = 5, 30, 2000
	settleAfter                              = 0.9        // of the sweeps: then ρ grows to lastPenalty
	penaltySteps                             = 50         // about how many values ρ has
	mostConcave                              = 0.6        // the largest c
	normUntil, concaveFrom                   = 0.15, 0.55 // of the sweeps: c grows to mostConcave
	concaveFall                              = 0.2        // of the sweeps: in which c falls to 0
	relaxation                               = 1.7        // the default of α
)

// schedule holds the settings that depend on the number of signals.
type schedule struct {
	sweeps       int     // sweeps in an iteration
	concaveUntil float64 // the share of the sweeps after which c falls; 1: it never falls
}

// fewSignals is the number of signals per atom below which scheduleForFew applies. Few signals, as the 144 patches of a
// digit for 128 atoms, soon become atoms themselves, the sooner the more work an iteration does. Errors of superres
// compare with its protocols single and pooled: 0.073 and 0.048 with scheduleForMany and a c (see ROP.Norm) that grows
// to 0.8, 0.068 and 0.043 with one sweep and c to 0.6, and 0.064 and 0.042 if c also falls in the end.
const fewSignals = 2

var (
	scheduleForMany = schedule{sweeps: 2, concaveUntil: 1}
	scheduleForFew  = schedule{sweeps: 1, concaveUntil: 0.7}
)

// paperPenalty is the default ρ with Paper. The paper does not state a value.
const paperPenalty = 20

// denseCodes, times M, is the mean number of non-zeros of a signal above which a result without Noise gets a warning.
const denseCodes = 0.5

// ropLimit is the largest size of the two large arrays together, in bytes.
const ropLimit = 8 << 30

// ropTolerance is the relative primal and dual residual at which the iterations end, unless atoms were just replaced.
const ropTolerance = 1e-7

// Memory implements Learner. It counts the two large arrays, a part of S for every eight atoms, the arrays of the size
// of Y, w and the shrinkage. It adds the memory of the largest of five steps: the start, a pass with one worker for
// every processor, the gathering of S, replacing an atom, and the result. Codes may be dense, so s does not matter.
func (l ROP) Memory(m, n, k, _ int) float64 {
	ld, atoms, count := float64(kernel.Pad(m)), float64(k), float64(n)
	signals := ld * count
	groups := math.Ceil(atoms / ropGrain)
	state := 8 * ((2*atoms+4+groups)*signals + ld*atoms + 2*atoms*count)
	if l.Noise > 0 || l.EstimateNoise {
		state += 8 * signals
	}
	start := 8 * (3*signals + atoms*count + 2*ld*atoms + 4*square(min(m, n)))
	work := ld*float64(2*min(ropColumns, n)+2) + count
	if l.Paper {
		work += 5 * square(kernel.Pad(min(m, n)))
	}
	pass := 8 * work * min(groups, float64(runtime.GOMAXPROCS(0)))
	gather := 8 * (2*ld*float64(kernel.PadTo(min(gatherGrain, n), kernel.Rows)) + 2*atoms*gatherGrain) * workers(n)
	restart := 8 * (signals + count + 3*square(min(m, n)))
	result := 8*(2*ld*atoms+count) + 12*atoms*count
	return state + max(start, pass, gather, restart, result)
}

// Check returns an error for invalid parameters.
func (l ROP) Check() error {
	if !(l.Relaxation >= 0 && l.Relaxation < 2) { // 0 stands for the default
		return plugin.Errorf("learners: relaxation %g, expected more than 0 and less than 2", l.Relaxation)
	}
	if l.Paper && (l.Relaxation > 0 && l.Relaxation != 1 || l.Sweeps > 1) {
		return plugin.Errorf("learners: rop: the paper's iteration has one sweep and no relaxation, got sweeps %d and "+
			"relaxation %g; leave them out, or leave out paper", l.Sweeps, l.Relaxation)
	}
	return plugin.CheckNumbers("learners: rop",
		map[string]float64{"penalty": l.Penalty, "sweeps": float64(l.Sweeps), "noise": l.Noise})
}

func (ROP) IgnoresCoder() {}

// Learn implements Learner. opt.Coder is not used.
func (l ROP) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	began := time.Now()
	if err := l.Check(); err != nil {
		return nil, err
	}
	if l.Paper {
		l.Penalty, l.Relaxation, l.Sweeps, l.Keep = cmp.Or(l.Penalty, paperPenalty), 1, 1, true
	}
	l.Relaxation = cmp.Or(l.Relaxation, relaxation)
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	plan := scheduleForMany
	if n < fewSignals*opt.Atoms {
		plan = scheduleForFew
	}
	l.Sweeps = cmp.Or(l.Sweeps, plan.sweeps)
	if need := 16 * float64(kernel.Pad(m)) * float64(n) * float64(opt.Atoms); need > ropLimit {
		return nil, plugin.Errorf("learners: rop on %d signals of %d entries with %d atoms takes %.1f GiB, the "+
			"limit is %d; use fewer signals, or another learner",
			n, m, opt.Atoms, need/(1<<30), ropLimit>>30)
	}
	if opt.Init == nil && !l.Paper {
		if d, err = withoutTwins(y, d, opt.Seed); err != nil {
			return nil, err
		}
		if opt.Atoms <= m {
			if d, err = whitenedStart(y, d, opt); err != nil {
				return nil, err
			}
		}
	}
	s, err := newROPState(columns(y), m, d, opt.Seed, opt.Init == nil)
	if err != nil {
		return nil, err
	}
	s.alpha, s.exact = l.Relaxation, l.Paper
	if l.Noise > 0 {
		s.relax(l.Noise)
	}
	result := &Result{Stop: IterationLimit}
	sweeps := opt.Iterations * l.Sweeps
	period := max(1, sweeps/penaltySteps)
	replaced := 0
	for sweep := 1; sweep <= sweeps; sweep++ {
		// A sweep is always completed, because inside a sweep some atoms are already updated and others are not.
		if err := ctx.Err(); err != nil {
			return finishCancelled(s.fill(result)), err
		}
		penalty, next := l.penalty(sweep, period, sweeps), l.penalty(sweep+1, period, sweeps)
		if l.EstimateNoise && isNoiseDue(sweep, sweeps) {
			noise, err := s.estimateNoise(ctx)
			if err != nil {
				return finishCancelled(s.fill(result)), err
			}
			s.relax(noise)
		}
		s.concave = l.concavity(plan, sweep, sweeps)
		s.iterate(penalty, penalty/next)
		if !l.Keep && isCheckDue(sweep, sweeps) {
			replaced += s.restart()
		}
		if sweep%l.Sweeps != 0 {
			continue
		}
		step := s.step
		step.Iteration, step.Replaced, step.Elapsed = sweep/l.Sweeps, replaced, time.Since(began)
		result.Steps = append(result.Steps, step)
		if opt.Trace != nil {
			opt.Trace(step)
		}
		if replaced == 0 && step.Primal <= ropTolerance && step.Dual <= ropTolerance {
			result.Stop = Settled
			break
		}
		replaced = 0
	}
	result, err = Finish(s.fill(result))
	if err != nil {
		return nil, err
	}
	if used := s.step.NonZeros; s.ball == 0 && used > denseCodes*float64(m) {
		result.Warnings = append(result.Warnings, fmt.Errorf("learners: rop: codes have %.1f non-zeros a signal, for "+
			"%d entries and %d atoms, which is not sparse; where signals have noise, use rop:noise=auto, or a learner "+
			"with a coder", used, m, opt.Atoms))
	}
	return result, nil
}

// concavity returns c, which makes the shrinkage concave (see ROP.Norm), for a sweep with a number from 1 to sweeps: 0
// until normUntil of the sweeps, then in proportion up to mostConcave at concaveFrom, and, from plan.concaveUntil of
// the sweeps on, down to 0 within concaveFall of them. c is always 0 with Norm or a fixed Penalty.
func (l ROP) concavity(plan schedule, sweep, sweeps int) float64 {
	if l.Norm || l.Penalty > 0 {
		return 0
	}
	share := float64(sweep) / float64(sweeps)
	return mostConcave * max(min((share-normUntil)/(concaveFrom-normUntil), 1,
		1+(plan.concaveUntil-share)/concaveFall), 0)
}

// penalty returns ρ for a sweep with a number from 1 to sweeps + 1: the fixed Penalty if there is one, or else a ρ
// that grows geometrically from firstPenalty to middlePenalty until settleAfter of the sweeps, and then to
// lastPenalty. ρ stays the same for period sweeps in a row, and is lastPenalty for sweep number sweeps + 1.
func (l ROP) penalty(sweep, period, sweeps int) float64 {
	if l.Penalty > 0 {
		return l.Penalty
	}
	last := max(1, (sweeps-1)/period)
	share := float64(min((sweep-1)/period, last)) / float64(last)
	if share > settleAfter {
		return middlePenalty * elementary.Pow(lastPenalty/middlePenalty, (share-settleAfter)/(1-settleAfter))
	}
	return firstPenalty * elementary.Pow(middlePenalty/firstPenalty, share/settleAfter)
}
