package learners

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Learner learns a dictionary from training signals. It keeps no state between calls, and is safe for concurrent use.
type Learner interface {
	// Learn returns a dictionary of opt.Atoms atoms for the columns of y (M×N). It returns an error if y is empty,
	// not finite or zero, if the sum of its squares is above 1e290 or below 1e-280, or if opt does not fit y. When
	// ctx ends it returns the result of the last complete iteration, if there is one, together with ctx.Err(). Learn
	// does not change y. The result, which belongs to the caller, has the same bits for any number of workers.
	Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error)
	// Memory estimates how many bytes Learn uses at its peak for k atoms and n signals of m entries, with at most s
	// non-zeros in a code. It counts the result, but not y or garbage. The estimate is one to two times the true
	// number. It depends on the number of workers, and does not overflow for any sizes.
	Memory(m, n, k, s int) float64
}

// Coderless is a learner that finds codes by itself: it does not use Options.Coder, and is not given the sparsity.
type Coderless interface{ IgnoresCoder() }

// Options are the options that all learners have. The zero value of a field is its default.
type Options struct {
	// Atoms is K, the number of atoms. The default, 0, is the number of atoms of Init, which must then be set.
	Atoms int
	// Iterations is the largest number of iterations. The default, 0, is 100.
	Iterations int
	// Coder codes the signals, unless the learner is Coderless. The default, nil, is OMP with min(3, K) non-zeros.
	Coder sparse.Coder
	// Init is the first dictionary, M×K. The default, nil, is a random sample of the training signals: see Start.
	Init *sparse.Dictionary
	// Seed is the seed of all random numbers. The default is 0.
	Seed uint64
	// Trace is called after every iteration. It does not change the result. The default is nil, which is not called.
	Trace func(Step)
}

// Step is the state after one iteration.
type Step struct {
	// Iteration is the number of the iteration, counted from 1. It is 0 in the only step of a learner that does not
	// report its iterations, such as an external program without a trace.
	Iteration int
	// RMSE is ‖Y − DX‖_F / √(MN), in the units of Y.
	RMSE float64
	// NonZeros is the mean number of non-zeros in a column of X.
	NonZeros float64
	// Primal and Dual are the relative primal and dual residuals of ADMM (learner ROP). Other learners set them to 0.
	Primal, Dual float64
	// Replaced is the number of atoms that were replaced in this iteration.
	Replaced int
	// Elapsed is the time since Learn was called.
	Elapsed time.Duration
}

// StopReason says why a learner ended.
type StopReason string

// The reasons to stop.
const (
	IterationLimit StopReason = "iteration limit"
	Exact          StopReason = "residual is zero"     // ‖Y − DX‖_F ≤ 1e-9 ‖Y‖_F
	Settled        StopReason = "dictionary settled"   // no new atom, no entry moves by > 1e-9; ROP: see ropTolerance
	Stalled        StopReason = "no more improvement"  // 60 iterations without 0.2 % less objective
	Cancelled      StopReason = "cancelled by context" // ctx ended
)

// Result is a learned dictionary and the codes of the training signals over it. In every atom, the entry with the
// largest absolute value is positive.
type Result struct {
	// Dictionary is D.
	Dictionary *sparse.Dictionary
	// Codes is X.
	Codes *sparse.Codes
	// Steps are the states after each iteration. There is at least one step.
	Steps []Step
	// Stop says why the learner ended.
	Stop StopReason
	// Warnings tell a person what may be wrong with the result, such as unused atoms.
	Warnings []error
}

// Least returns the smallest RMSE of all steps. The dictionary comes from the last step, which may have a larger RMSE.
func (r *Result) Least() float64 {
	least := math.Inf(1)
	for _, s := range r.Steps {
		least = min(least, s.RMSE)
	}
	return least
}

// Falling reports whether the limit of iterations ended the learning while the RMSE still fell by more than 1 % over
// the last tenth of the steps, of which there must be 10 or more. An RMSE below a thousandth of the first counts as 0.
func (r *Result) Falling() bool {
	last := len(r.Steps) - 1
	end, before := r.Steps[last].RMSE, r.Steps[last-len(r.Steps)/10].RMSE
	return r.Stop == IterationLimit && end < 0.99*before && end > r.Steps[0].RMSE/1000
}

// Info describes a registered learner.
type Info = plugin.Info[Learner]

var registry = plugin.NewRegistry[Learner]("learner")

// Register adds a learner. It panics if info.Name is empty or already registered. Call it in init.
func Register(info Info) { registry.Register(info) }

// List describes the registered learners, sorted by name.
func List() []Info { return registry.List() }

// New returns the learner that spec names. A spec is a name, or a name with parameters such as "ksvd:exact=false". The
// error for an unknown name or parameter lists the known ones.
func New(spec string) (Learner, error) { return registry.New(spec) }

// Revision returns the revision of the learner that spec names. Stored results of another revision differ from what the
// learner computes now. An external program has revision 0; its plugin.Fingerprint tells its versions apart.
func Revision(spec string) (int, error) { return registry.Revision(spec) }

// Prepare checks y and opt. It returns opt with defaults filled in, and the first dictionary with atoms of length 1.
func Prepare(y *mat.Dense, opt Options) (Options, *sparse.Dictionary, error) {
	if y.IsEmpty() {
		return opt, nil, errors.New("learners: there are no training signals")
	}
	m, n := y.Dims()
	energy := 0.0
	for j := range n {
		e := 0.0
		for i := range m {
			v := y.At(i, j)
			e += v * v
		}
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return opt, nil, fmt.Errorf("learners: training signal %d is not finite, or too large to square", j)
		}
		energy += e
	}
	if energy > 1e290 { // float64 ends at 1.8e308: room is left for sums of many such numbers
		return opt, nil, errors.New("learners: the training signals are too large for their squares to be summed")
	}
	if energy < 1e-280 { // and begins at 2.2e-308: room for the 1e-18 of it that counts as rounding error
		return opt, nil, errors.New("learners: all training signals are zero, or too small to square")
	}
	if opt.Init != nil {
		rows, k := opt.Init.Dims()
		if opt.Atoms == 0 {
			opt.Atoms = k
		}
		if rows != m || k != opt.Atoms {
			return opt, nil, plugin.Errorf("learners: the first dictionary is %d×%d, expected %d×%d", rows, k, m,
				opt.Atoms)
		}
	}
	if opt.Atoms < 1 {
		return opt, nil, plugin.Errorf("learners: %d atoms, expected at least 1", opt.Atoms)
	}
	switch {
	case opt.Iterations < 0:
		return opt, nil, plugin.Errorf("learners: %d iterations, expected at least 1 (0: 100)", opt.Iterations)
	case opt.Iterations == 0:
		opt.Iterations = 100
	}
	if opt.Coder == nil {
		opt.Coder = sparse.OMP{Sparsity: min(3, opt.Atoms)}
	}
	if opt.Init != nil {
		d, err := unitAtoms(opt.Init)
		return opt, d, err
	}
	d, err := Start(y, opt.Atoms, opt.Seed)
	return opt, d, err
}

// Start returns the first dictionary for options without Init: k training signals, chosen at random without repetition
// and scaled to length 1. Where y has fewer than k non-zero signals, random Gaussian directions fill the rest.
func Start(y *mat.Dense, k int, seed uint64) (*sparse.Dictionary, error) {
	m, n := y.Dims()
	rng := rand.New(rand.NewPCG(seed, 0))
	atoms := make([]float64, 0, k*m)
	for _, j := range rng.Perm(n) {
		if len(atoms) == k*m {
			break
		}
		atom := mat.Col(nil, j, y)
		if Normalise(atom) > 0 {
			atoms = append(atoms, atom...)
		}
	}
	for len(atoms) < k*m {
		atom := make([]float64, m)
		for i := range atom {
			atom[i] = rng.NormFloat64()
		}
		Normalise(atom)
		atoms = append(atoms, atom...)
	}
	return sparse.FromAtoms(m, atoms)
}

// unitAtoms returns a copy of d with atoms scaled to length 1. An atom of zeros is an error.
func unitAtoms(d *sparse.Dictionary) (*sparse.Dictionary, error) {
	m, k := d.Dims()
	atoms := d.Atoms()
	for j := range k {
		if Normalise(atoms[j*m:(j+1)*m]) == 0 {
			return nil, fmt.Errorf("learners: atom %d of the first dictionary is zero", j)
		}
	}
	return sparse.FromAtoms(m, atoms)
}

// Normalise scales v to length 1 and returns its length before. A zero vector is not changed.
func Normalise(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 0
	}
	sum := 0.0 // of squares of the scaled entries, which neither overflow nor all underflow
	for _, x := range v {
		sum += (x / largest) * (x / largest)
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = v[i] / largest / length
	}
	return largest * length
}

// largestIsNegative reports whether the first entry of v with the largest absolute value is negative.
func largestIsNegative(v []float64) bool {
	largest := 0.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(largest) {
			largest = x
		}
	}
	return largest < 0
}

// twoStageMemory returns the peak memory of the loop alternate in bytes, for k atoms, n signals of m entries and at
// most s non-zeros in a code. update is the extra memory of the update. The loop always holds two arrays of the size of
// Y (signals and residual), the codes of this and of the last iteration, the rows of X, where codes begin, 5 numbers an
// atom, and the best atoms of all checks (restart.go): in coding one more copy of the atoms, in the update three.
func twoStageMemory(m, n, k, s int, update float64) float64 {
	signals, atoms, nonZeros := float64(m)*float64(n), float64(m)*float64(k), float64(n)*float64(min(s, k))
	result, working := sparse.Memory(m, k, n, s)
	const code, position = 12, 12 // bytes of a non-zero in codes, and in rowAt and rowPos
	always := 8*2*signals + result + (code+position)*nonZeros + 8*float64(n) + 8*5*float64(k) + 8*atoms
	return always + max(8*atoms+working, 8*3*atoms+max(update, replacementBytes*float64(n)))
}

// replacementBytes is the memory for a signal while unused atoms are replaced: its squared error, and its index.
const replacementBytes = 16

// workers returns how many workers share n signals, where each worker takes 64 signals at a time.
func workers(n int) float64 {
	return min(float64(runtime.GOMAXPROCS(0)), math.Ceil(float64(n)/64))
}

func square(n int) float64 { return float64(n) * float64(n) }
