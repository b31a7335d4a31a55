// Package planted makes training signals from a known dictionary, lets learners
// find it, and measures how near they came: the paper's Figure 1.
//
// Signals are Y = D⁰X⁰ (M×N). D⁰ (M×K) has Gaussian atoms of length 1; a column of
// X⁰ (K×N) has S non-zeros at uniformly drawn places, with N(0,1) values. Noise, an
// extension of the paper's experiment, is added to Y.
package planted

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Panel is a family of problems: all but the number of signals.
type Panel struct {
	// M is the number of entries of a signal.
	M int
	// K is the number of atoms.
	K int
	// S is the number of non-zeros of a signal.
	S int
}

// Preset is a panel of the paper.
type Preset struct {
	// Name is the letter by which the paper calls the panel.
	Name string
	Panel
	// N are the numbers of signals at which ours is drawn.
	N []int
}

// Figure1 is the paper's experiment. It is not to be changed.
var Figure1 = []Preset{
	{"a", Panel{16, 32, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"b", Panel{24, 48, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"c", Panel{24, 48, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
	{"d", Panel{32, 64, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
}

// Problem is a planted problem. It is the same for the same panel, N, noise, seed
// and trial.
type Problem struct {
	// Y is M×N, what a learner is given.
	Y *mat.Dense
	// Dictionary is M×K, what it is to find.
	Dictionary *sparse.Dictionary
	// Codes are K×N, those by which the signals were made of the dictionary.
	Codes *sparse.Codes
}

// New makes the problem of a trial with n signals. noise is the standard deviation
// of white Gaussian noise relative to the root mean square of the entries of Y
// without it: 0.1 is 20 dB. The problem without noise is the same for every noise.
func New(p Panel, n int, noise float64, seed uint64, trial int) (*Problem, error) {
	switch {
	case p.M < 1 || p.K < 1 || n < 1:
		return nil, plugin.Errorf("planted: %d entries, %d atoms, %d signals: expected at least 1 of each", p.M, p.K, n)
	case p.S < 1 || p.S > p.K:
		return nil, plugin.Errorf("planted: %d non-zeros a signal of %d atoms: expected 1 to %d", p.S, p.K, p.K)
	case !(noise >= 0) || math.IsInf(noise, 0):
		return nil, plugin.Errorf("planted: noise %g: expected 0 or more", noise)
	}
	rng := rand.New(rand.NewPCG(seed, stream(p.M, p.K, p.S, n, trial)))
	d, err := sparse.NewDictionary(gaussian(p.M, p.K, rng))
	if err != nil {
		return nil, err
	}
	codes := &sparse.Codes{Atoms: p.K, Start: make([]int, 1, n+1)}
	for range n {
		column := make([]float64, p.K)
		for _, k := range rng.Perm(p.K)[:p.S] {
			column[k] = rng.NormFloat64()
		}
		for k, v := range column {
			if v != 0 {
				codes.Index, codes.Value = append(codes.Index, int32(k)), append(codes.Value, v)
			}
		}
		codes.Start = append(codes.Start, len(codes.Index))
	}
	y := codes.Rebuild(d)
	if noise > 0 {
		sd := noise * mat.Norm(y, 2) / math.Sqrt(float64(p.M*n))
		y.Apply(func(_, _ int, v float64) float64 { return v + sd*rng.NormFloat64() }, y)
	}
	return &Problem{Y: y, Dictionary: d, Codes: codes}, nil
}

// gaussian returns k Gaussian columns of length 1.
func gaussian(m, k int, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(m, k, nil)
	d.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d)
	for j := range k {
		atom := d.ColView(j).(*mat.VecDense)
		atom.ScaleVec(1/mat.Norm(atom, 2), atom)
	}
	return d
}

// stream makes one number of many, so that every problem has random numbers of its
// own whatever else is run.
func stream(parts ...int) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		for shift := 0; shift < 64; shift += 8 {
			h.Write([]byte{byte(uint64(p) >> shift)}) // a hash never fails
		}
	}
	return h.Sum64()
}
