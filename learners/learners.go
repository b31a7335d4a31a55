package learners

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Learner learns a dictionary from training signals. A learner is a plain value
// and keeps nothing between calls: concurrent use is safe.
type Learner interface {
	// Learn returns a dictionary of opt.Atoms atoms for the columns of y (M×N). It
	// fails when y is empty, not finite or zero, when the sum of its squares is above
	// 1e290 or below 1e-280, and when opt does not fit it. When ctx ends it returns the
	// result of the last whole iteration, if there is one, together with ctx.Err(). y
	// is not changed; the result is the caller's and is the same for the same y, opt
	// and learner, whatever the number of workers.
	Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error)
	// Memory estimates the bytes that Learn takes at its peak, the result included and Y
	// not, to learn k atoms from n signals of m entries, with s non-zeros in a code at
	// most. It is no less than what is in use, and no more than twice that: garbage comes
	// on top. It depends on the number of workers, and overflows for no sizes.
	Memory(m, n, k, s int) float64
}

// Options is what every learner is told. The zero value of a field is its default.
type Options struct {
	// Atoms is K, the number of atoms. The default, 0, is as many as Init has; without Init
	// it must be given.
	Atoms int
	// Iterations is how many there are at most. The default, 0, is 100.
	Iterations int
	// Coder codes the signals. ROP has no use for it. The default, nil, is OMP with 3
	// non-zeros a signal.
	Coder sparse.Coder
	// Init is the first dictionary, M×K. The default, nil, is training signals drawn by Seed.
	Init *sparse.Dictionary
	// Seed is that of all random draws. The default is 0.
	Seed uint64
	// Trace is called after every iteration. It observes and never steers. The default, nil,
	// is not to be told.
	Trace func(Step)
}

// Step is the state after one iteration.
type Step struct {
	// Iteration is the number of the iteration, from 1. It is 0 in the only step of a learner
	// that does not tell its iterations, as a program outside may not.
	Iteration int
	// RMSE is ‖Y − DX‖_F / √(MN), in the units of Y.
	RMSE float64
	// NonZeros is the mean number of non-zeros in a column of X.
	NonZeros float64
	// Primal and Dual are the relative residuals of learners that have them, otherwise 0.
	Primal, Dual float64
	// Replaced is how many atoms were begun anew in this iteration.
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
	Settled        StopReason = "dictionary settled"   // no atom moves by more than 1e-9; or residuals vanish
	Stalled        StopReason = "no more improvement"  // 60 iterations without 0.1 % less residual
	Cancelled      StopReason = "cancelled by context" // ctx ended
)

// Result is a learned dictionary and the codes of the training signals over it.
// The largest entry of every atom is positive.
type Result struct {
	// Dictionary is D.
	Dictionary *sparse.Dictionary
	// Codes is X.
	Codes *sparse.Codes
	// Steps are the states after each iteration, of which there is one at least.
	Steps []Step
	// Stop is why the learner ended.
	Stop StopReason
	// Warnings are what a reader of the result should know, such as atoms that nothing uses.
	Warnings []error
}

// Info describes a registered learner.
type Info = plugin.Info[Learner]

var registry = plugin.NewRegistry[Learner]("learner")

// Register adds a learner. It panics when the name is taken. Call it in init.
func Register(info Info) { registry.Register(info) }

// List describes the registered learners, sorted by name.
func List() []Info { return registry.List() }

// Names returns the names of the registered learners, sorted.
func Names() []string { return registry.Names() }

// New makes the learner of a spec: a name, or a name with parameters such as
// "ksvd:exact=false". The error for an unknown one lists the known.
func New(spec string) (Learner, error) { return registry.New(spec) }

// Prepare begins a learner: it checks y and opt, fills the defaults in and returns
// the first dictionary, its atoms of length 1.
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
	if energy > 1e290 {
		return opt, nil, errors.New("learners: the training signals are too large for their squares to be summed")
	}
	if energy < 1e-280 {
		return opt, nil, errors.New("learners: all training signals are zero, or too small to square")
	}
	if opt.Init != nil {
		rows, k := opt.Init.Dims()
		if opt.Atoms == 0 {
			opt.Atoms = k
		}
		if rows != m || k != opt.Atoms {
			return opt, nil, plugin.Errorf("learners: the first dictionary is %d×%d, expected %d×%d", rows, k, m, opt.Atoms)
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

// Start returns the dictionary a learner begins with when it is given none: k
// training signals, no column twice, drawn by seed and brought to length 1, and
// Gaussian directions once no signal is left.
func Start(y *mat.Dense, k int, seed uint64) (*sparse.Dictionary, error) {
	m, n := y.Dims()
	rng := rand.New(rand.NewPCG(seed, 0))
	atoms := make([]float64, 0, k*m)
	for _, j := range rng.Perm(n) {
		if len(atoms) == k*m {
			break
		}
		atom := mat.Col(nil, j, y)
		if normalise(atom) > 0 {
			atoms = append(atoms, atom...)
		}
	}
	for len(atoms) < k*m {
		atom := make([]float64, m)
		for i := range atom {
			atom[i] = rng.NormFloat64()
		}
		normalise(atom)
		atoms = append(atoms, atom...)
	}
	return sparse.FromAtoms(m, atoms)
}

func unitAtoms(d *sparse.Dictionary) (*sparse.Dictionary, error) {
	m, k := d.Dims()
	atoms := make([]float64, 0, m*k)
	for j := range k {
		atoms = append(atoms, d.Atom(j)...)
		if normalise(atoms[j*m:]) == 0 {
			return nil, fmt.Errorf("learners: atom %d of the first dictionary is zero", j)
		}
	}
	return sparse.FromAtoms(m, atoms)
}

// normalise brings v to length 1 and returns the length it had; a zero vector is
// left alone.
func normalise(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 0
	}
	sum := 0.0 // of the scaled entries: neither overflows nor underflows
	for _, x := range v {
		sum += (x / largest) * (x / largest)
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = v[i] / largest / length
	}
	return largest * length
}

// largestIsNegative tells whether the entry of v with the largest absolute value
// (the first, if several) is negative.
func largestIsNegative(v []float64) bool {
	at := 0
	for i, x := range v {
		if math.Abs(x) > math.Abs(v[at]) {
			at = i
		}
	}
	return v[at] < 0
}
