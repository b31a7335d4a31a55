// Package planted makes training signals from a known dictionary, lets learners search for it, and measures their
// errors: the experiment of the paper's Figure 1.
//
// Signals are Y = D⁰X⁰ (M×N). D⁰ (M×K) has Gaussian atoms of length 1. A column of X⁰ (K×N) has S non-zeros at
// positions drawn uniformly, with N(0,1) values. Noise may be added to Y, which the paper does not do.
package planted

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Panel has the sizes of a problem but for the number of signals.
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
	// N are the numbers of signals that our figure has.
	N []int
}

// Figure1 has the panels of the paper. It must not be changed.
var Figure1 = []Preset{
	{"a", Panel{16, 32, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"b", Panel{24, 48, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"c", Panel{24, 48, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
	{"d", Panel{32, 64, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
}

// Problem is a planted problem. It is the same for the same panel, N, noise, seed and trial.
type Problem struct {
	// Y are the signals that a learner gets, M×N.
	Y *mat.Dense
	// Dictionary is D⁰, which it is to find, M×K.
	Dictionary *sparse.Dictionary
	// Codes are X⁰, K×N.
	Codes *sparse.Codes
}

// New returns the problem of a trial with n signals. noise is the standard deviation of white Gaussian noise relative
// to the root mean square of the entries of Y without noise: 0.1 is 20 dB. The dictionary and the codes do not depend
// on it.
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

// stream hashes parts to one number, the seed of a problem's random stream, which other problems do not affect.
func stream(parts ...int) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		for shift := 0; shift < 64; shift += 8 {
			h.Write([]byte{byte(uint64(p) >> shift)}) // a hash never fails
		}
	}
	return h.Sum64()
}
