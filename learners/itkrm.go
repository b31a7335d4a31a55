package learners

import (
	"context"
	"flag"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// ITKrM is iterative thresholding and K residual means: each atom becomes the mean of what it explains,
//
//	d_k ← Σ_n sign(d_kᵀy_n)·(r_n + d_k·d_kᵀy_n) over the signals n that use atom k,
//
// with r_n = y_n − P y_n the residual of the projection on the atoms that y_n uses; then atoms are brought to length 1.
// In the paper the S atoms with the largest |d_kᵀy_n| are used. Here the coder chooses them: with OMP, y_n − P y_n is
// the residual it leaves, and learners differ by their updates alone.
//
// With Adaptive the number of atoms is found too, from opt.Atoms on, at most twice that. At every fortieth of the
// iterations, from a tenth of them to three quarters:
//
//   - of two atoms with |cos| above 0.7 the one that fewer signals use goes, and so do atoms that fewer than M signals
//     use, counted by weight: fewer do not determine an atom;
//   - candidates are learned from the residuals alone, by K residual means with one atom a residual, from the three
//     largest. Those join that explain more than half of the energy of at least M/2 residuals and have |cos| below 0.7
//     with all atoms.
//
// An iteration costs the coding, and N·S·M.
//
// K. Schnass: Convergence radius and sample complexity of ITKM algorithms for dictionary learning, Applied and
// Computational Harmonic Analysis 45 (2018), doi:10.1016/j.acha.2016.08.002; M. Pali, K. Schnass: Dictionary learning –
// from local towards global and adaptive, Information and Inference 12 (2023). Its thresholds are others.
type ITKrM struct {
	// Adaptive lets the dictionary have another number of atoms than opt.Atoms, by which it begins. By default it has
	// as many.
	Adaptive bool
	// Keep leaves coherent and hardly used atoms as they are. By default they restart: see the note in restart.go.
	// With Adaptive they go instead.
	Keep bool
}

const (
	prunedSimilar  = 0.7 // |cos| above which the less used of two atoms goes
	mostCandidates = 3
	newSimilar     = 0.7 // |cos| below which a candidate may join
)

func init() {
	Register(Info{
		Name:      "itkrm",
		Summary:   "iterative thresholding and K residual means; can find the number of atoms too",
		Reference: "Schnass 2018; Pali, Schnass 2023",
		New: func(fs *flag.FlagSet) Learner {
			l := &ITKrM{}
			fs.BoolVar(&l.Adaptive, "adaptive", false, "find the number of atoms too, from the given one on")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// Memory implements Learner.
func (l ITKrM) Memory(m, n, k, s int) float64 {
	if l.Adaptive {
		k *= 2
	}
	return twoStageMemory(m, n, k, s, 8*float64(k)*float64(m))
}

// Learn implements Learner. With Adaptive the dictionary may have more or fewer than opt.Atoms atoms.
func (l ITKrM) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	if !l.Adaptive {
		return alternate(ctx, y, opt, l.Keep, residualMeans)
	}
	began := time.Now()
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	_, k := d.Dims()
	p := &problem{m: m, n: n, k: k, signals: columns(y), residual: make([]float64, m*n), iterations: opt.Iterations}
	watch := newProgress(opt, y, began)
	for done := false; !done; {
		codes, err := opt.Coder.Code(ctx, d, y)
		if err != nil {
			return watch.fail(ctx, err)
		}
		p.iteration++
		_, p.k = d.Dims()
		p.load(d, codes)
		before := slices.Clone(p.atoms)
		if err := residualMeans(ctx, p); err != nil {
			return watch.fail(ctx, err)
		}
		if d, err = sparse.FromAtoms(m, p.atoms); err != nil {
			return nil, err
		}
		sum := energy(p.residual)
		done = watch.endStep(d, codes, sum, sparse.Objective(opt.Coder, sum, codes), 0, largestMove(before, p.atoms))
		due := isCheckDue(p.iteration, opt.Iterations) ||
			done && float64(p.iteration) < lastCheck*float64(opt.Iterations)
		if !due || !watch.mayGoOn() {
			continue
		}
		atoms := p.prune()
		atoms = p.addCandidates(atoms, 2*opt.Atoms)
		if changed := !slices.Equal(atoms, p.atoms); changed {
			if d, err = sparse.FromAtoms(m, atoms); err != nil {
				return nil, err
			}
			watch.goOn()
			done = false
		}
	}
	return Finish(watch.result)
}

// residualMeans sets every used atom to the mean of what it explains. The values of the codes are then least squares.
func residualMeans(ctx context.Context, p *problem) error {
	next := make([]float64, len(p.atoms))
	for k := range p.k {
		d, to := p.atom(k), next[k*p.m:(k+1)*p.m]
		signals, _ := p.row(k)
		for _, j := range signals {
			along := dot(d, p.signal(int(j)))
			sign := math.Copysign(1, along)
			axpy(sign, p.residualOf(int(j)), to)
			axpy(sign*along, d, to)
		}
		if Normalise(to) < 1e-10*math.Sqrt(energy(p.signals)) {
			copy(to, d) // unused: it stays
		}
	}
	copy(p.atoms, next)
	_, err := p.fit(ctx, 0)
	return err
}

// prune returns the atoms that stay: without the less used of coherent pairs, and without those that fewer than M
// signals use, but never none.
func (p *problem) prune() []float64 {
	sum, square := make([]float64, p.k), make([]float64, p.k)
	for i, a := range p.codes.Index {
		v := math.Abs(p.codes.Value[i])
		sum[a], square[a] = sum[a]+v, square[a]+v*v
	}
	order := make([]int, p.k)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch ua, ub := users(sum[a], square[a]), users(sum[b], square[b]); {
		case ua > ub:
			return -1
		case ua < ub:
			return 1
		}
		return 0
	})
	var kept []int
	for i, k := range order {
		similar := slices.ContainsFunc(kept, func(o int) bool {
			return math.Abs(dot(p.atom(k), p.atom(o))) > prunedSimilar
		})
		if i == 0 || !similar && users(sum[k], square[k]) >= float64(p.m) {
			kept = append(kept, k)
		}
	}
	slices.Sort(kept)
	var atoms []float64
	for _, k := range kept {
		atoms = append(atoms, p.atom(k)...)
	}
	return atoms
}

// addCandidates returns atoms with those candidates from the residuals that may join, up to most atoms.
func (p *problem) addCandidates(atoms []float64, most int) []float64 {
	worst := worstSignals(p.errors())
	var candidates []float64
	for _, j := range worst[:min(mostCandidates, len(worst))] {
		c := slices.Clone(p.residualOf(j))
		Normalise(c)
		candidates = append(candidates, c...)
	}
	count := len(candidates) / p.m
	candidate := func(i int) []float64 { return candidates[i*p.m : (i+1)*p.m] }
	explained := make([]int, count) // the residuals of which a candidate explains more than half
	for range 10 {
		next := make([]float64, len(candidates))
		clear(explained)
		for j := range p.n {
			r := p.residualOf(j)
			best, along := -1, 0.0
			for i := range count {
				if v := dot(candidate(i), r); math.Abs(v) > math.Abs(along) {
					best, along = i, v
				}
			}
			if best < 0 {
				continue
			}
			axpy(math.Copysign(1, along), r, next[best*p.m:(best+1)*p.m])
			if along*along > energy(r)/2 && energy(r) > 1e-18*energy(p.signal(j)) {
				explained[best]++
			}
		}
		for i := range count {
			if Normalise(next[i*p.m:(i+1)*p.m]) > 0 {
				copy(candidate(i), next[i*p.m:(i+1)*p.m])
			}
		}
	}
	for i := range count {
		similar := false
		for a := 0; a < len(atoms); a += p.m {
			similar = similar || math.Abs(dot(atoms[a:a+p.m], candidate(i))) > newSimilar
		}
		if len(atoms) < most*p.m && !similar && 2*explained[i] >= p.m {
			atoms = append(atoms, candidate(i)...)
		}
	}
	return atoms
}
