// Package planted makes training signals from a known dictionary, lets learners search for it, and measures their
// errors: the experiment of the paper's Figure 1.
//
// Signals are Y = D⁰X⁰ (M×N). D⁰ (M×K) has Gaussian atoms of length 1. A column of X⁰ (K×N) has S non-zeros with N(0,1)
// values at uniformly random positions. A Model generates signals that the paper does not have: with noise, outliers,
// other distributions of coefficients, or atoms that are unequally used or coherent.
package planted

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Panel holds the sizes of a problem except for the number of signals.
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
	// Name is the letter of the panel in the paper.
	Name string
	Panel
	// N lists the numbers of signals that our version of the figure shows.
	N []int
}

// Figure1 lists the panels of the paper's Figure 1. It must not be changed.
var Figure1 = []Preset{
	{"a", Panel{16, 32, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"b", Panel{24, 48, 3}, []int{50, 100, 150, 200, 300, 400, 600, 800}},
	{"c", Panel{24, 48, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
	{"d", Panel{32, 64, 6}, []int{100, 200, 300, 400, 600, 800, 1200, 1600}},
}

// Problem is a planted problem. It is the same for the same panel, N, Model, seed and trial.
type Problem struct {
	// Y are the signals that a learner gets, M×N.
	Y *mat.Dense
	// Dictionary is D⁰, M×K, which the learner should find.
	Dictionary *sparse.Dictionary
	// Codes are X⁰, K×N.
	Codes *sparse.Codes
}

// Coefficients are the distributions of the non-zeros of codes, all of mean square 1.
var Coefficients = []string{"gaussian", "uniform", "signs", "laplace", "nonnegative"}

// Uses are the ways in which atoms are used: "equal", all equally often; "zipf", atom k = 0, 1, … with weight 1/(k+1).
var Uses = []string{"equal", "zipf"}

// Model says what planted signals are like. The zero value is the paper's model.
type Model struct {
	// Noise is the standard deviation of white Gaussian noise relative to the root mean square of the entries of Y
	// without noise: 0.1 is 20 dB. The dictionary and the codes do not depend on it.
	Noise float64 `json:"noise"`
	// Coefficients names one of the distributions Coefficients. The default, "", is "gaussian". "nonnegative" gives the
	// absolute values of Gaussian numbers.
	Coefficients string `json:"coefficients,omitempty"`
	// Use is one of Uses. The default, "", is "equal".
	Use string `json:"use,omitempty"`
	// Coherence, at least 0 and below 1, is the share of the energy of each atom along one direction, which is the same
	// for all atoms. It is about the mean cosine between atoms.
	Coherence float64 `json:"coherence,omitempty"`
	// Outliers is the share of the signals, 0 to 1, that is replaced by Gaussian noise of the same mean energy.
	Outliers float64 `json:"outliers,omitempty"`
	// ByChance puts each atom into a code with probability S/K, and at least one atom, so that the mean is about S.
	ByChance bool `json:"by_chance,omitempty"`
}

// check refuses invalid values.
func (model Model) check() error {
	switch {
	case !(model.Noise >= 0) || math.IsInf(model.Noise, 0):
		return plugin.Errorf("planted: noise %g: expected 0 or more", model.Noise)
	case !(model.Coherence >= 0 && model.Coherence < 1):
		return plugin.Errorf("planted: coherence %g: expected 0 or more and less than 1", model.Coherence)
	case !(model.Outliers >= 0 && model.Outliers <= 1):
		return plugin.Errorf("planted: outliers %g: expected 0 to 1", model.Outliers)
	case model.Coefficients != "" && !slices.Contains(Coefficients, model.Coefficients):
		return plugin.Errorf("planted: coefficients %q: expected one of %v", model.Coefficients, Coefficients)
	case model.Use != "" && !slices.Contains(Uses, model.Use):
		return plugin.Errorf("planted: use %q: expected one of %v", model.Use, Uses)
	}
	return nil
}

// New returns the problem of a trial with n signals of the paper's model plus noise: see Model.Noise.
func New(p Panel, n int, noise float64, seed uint64, trial int) (*Problem, error) {
	return Model{Noise: noise}.New(p, n, seed, trial)
}

// New returns the problem of a trial with n signals of this model. The same arguments give the same problem.
func (model Model) New(p Panel, n int, seed uint64, trial int) (*Problem, error) {
	switch {
	case p.M < 1 || p.K < 1 || n < 1:
		return nil, plugin.Errorf("planted: %d entries, %d atoms, %d signals: expected at least 1 of each", p.M, p.K, n)
	case p.S < 1 || p.S > p.K:
		return nil, plugin.Errorf("planted: %d non-zeros a signal of %d atoms: expected 1 to %d", p.S, p.K, p.K)
	}
	if err := model.check(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, stream(p.M, p.K, p.S, n, trial)))
	atoms := gaussian(p.M, p.K, rng)
	if model.Coherence > 0 {
		align(atoms, model.Coherence, rng)
	}
	d, err := sparse.NewDictionary(atoms)
	if err != nil {
		return nil, err
	}
	codes := &sparse.Codes{Atoms: p.K, Start: make([]int, 1, n+1)}
	for range n {
		column := make([]float64, p.K)
		for _, k := range model.support(p, rng) {
			column[k] = model.coefficient(rng)
		}
		for k, v := range column {
			if v != 0 {
				codes.Index, codes.Value = append(codes.Index, int32(k)), append(codes.Value, v)
			}
		}
		codes.Start = append(codes.Start, len(codes.Index))
	}
	y := codes.Rebuild(d)
	level := mat.Norm(y, 2) / math.Sqrt(float64(p.M*n))
	if count := int(math.Round(model.Outliers * float64(n))); count > 0 {
		for _, j := range rng.Perm(n)[:count] {
			for i := range p.M {
				y.Set(i, j, level*rng.NormFloat64())
			}
		}
	}
	if model.Noise > 0 {
		sd := model.Noise * level
		y.Apply(func(_, _ int, v float64) float64 { return v + sd*rng.NormFloat64() }, y)
	}
	return &Problem{Y: y, Dictionary: d, Codes: codes}, nil
}

// support returns the atoms of a random code, drawn as Use says: S atoms or, with ByChance, a random number above 0.
func (model Model) support(p Panel, rng *rand.Rand) []int {
	count := p.S
	if model.ByChance {
		count = 0
		for range p.K {
			if rng.Float64() < float64(p.S)/float64(p.K) {
				count++
			}
		}
		count = max(count, 1)
	}
	if model.Use != "zipf" {
		return rng.Perm(p.K)[:count]
	}
	// The atoms with the least Exp(1)/weight are a weighted sample without repetition (Efraimidis, Spirakis 2006).
	key, order := make([]float64, p.K), make([]int, p.K)
	for k := range key {
		key[k], order[k] = rng.ExpFloat64()*float64(k+1), k // the weight is 1/(k+1)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	return order[:count]
}

// coefficient returns a random non-zero of a code, of mean square 1, from the distribution model.Coefficients.
func (model Model) coefficient(rng *rand.Rand) float64 {
	switch model.Coefficients {
	case "uniform":
		return math.Sqrt(3) * (2*rng.Float64() - 1)
	case "signs":
		return float64(2*rng.IntN(2) - 1)
	case "laplace":
		return math.Copysign(rng.ExpFloat64()/math.Sqrt2, rng.Float64()-0.5)
	case "nonnegative":
		return math.Abs(rng.NormFloat64())
	}
	return rng.NormFloat64()
}

// align changes atoms so that the share c of the energy of each lies along one random direction, the same for all.
// Atoms keep the directions of their other parts, and get length 1.
func align(atoms *mat.Dense, c float64, rng *rand.Rand) {
	m, k := atoms.Dims()
	common := gaussian(m, 1, rng).ColView(0)
	for j := range k {
		atom := atoms.ColView(j).(*mat.VecDense)
		atom.AddScaledVec(atom, -mat.Dot(atom, common), common)
		if length := mat.Norm(atom, 2); length > 0 {
			atom.ScaleVec(math.Sqrt(1-c)/length, atom)
		}
		atom.AddScaledVec(atom, math.Sqrt(c), common)
		atom.ScaleVec(1/mat.Norm(atom, 2), atom)
	}
}

// gaussian returns k random Gaussian columns of m entries, scaled to length 1.
func gaussian(m, k int, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(m, k, nil)
	d.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d)
	for j := range k {
		atom := d.ColView(j).(*mat.VecDense)
		atom.ScaleVec(1/mat.Norm(atom, 2), atom)
	}
	return d
}

// stream hashes parts into a seed, so that each problem has random numbers of its own.
func stream(parts ...int) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		for shift := 0; shift < 64; shift += 8 {
			h.Write([]byte{byte(uint64(p) >> shift)}) // a hash never fails
		}
	}
	return h.Sum64()
}
