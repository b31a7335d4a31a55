package learners

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Online learns from one small batch of signals after the other. Two matrices summarise all past batches. After batch
// t, with signals y and their codes x over the current D,
//
//	A ← β A + Σ xxᵀ,   B ← β B + Σ yxᵀ,   β = (1 − 1/t)^ρ,
//
// and D takes one step of block coordinate descent on ½ tr DᵀDA − tr DᵀB, the misfit of all batches, in which batch t'
// has the weight (t'/t)^ρ: for one atom after the other
//
//	d_k ← d_k + (b_k − D a_k) / A_kk,   with the columns a_k of A and b_k of B.
//
// Then each atom is scaled to length 1, and its rows of A and B and its column of A are multiplied by its old length.
// The paper only bounds the lengths by 1, because its ℓ₁ norm shrinks the codes; a pursuit does not shrink them.
//
// An iteration is one pass over all signals, as in the other learners, in random batches. All signals are then coded
// over the new D, which gives the step and the codes of the iteration. Atoms that no signal uses are replaced, for the
// next pass, by the signals with the largest residuals, and their rows of A and B are set to zero.
//
// A batch costs its coding and K²·M for the step of D. The memory, besides Y and X, is 2K², a few K·M and a batch.
//
// Note: old codes belong to worse dictionaries, so forgetting pays. A large ρ is better after many passes, and a
// small one after few; ρ → 0 is the paper's simplest algorithm. Mean error (1 − |cos| to the true atom) of 8 planted
// problems, M = 16 entries, K = 32 atoms, S = 3 non-zeros, N = 2,000 signals, at most 200 passes:
//
//	ρ       0      1      3      10     30     MOD    K-SVD
//	error   0.072  0.044  0.046  0.030  0.018  0.020  0.029
//
// J. Mairal, F. Bach, J. Ponce, G. Sapiro: Online dictionary learning for sparse coding, ICML 2009,
// doi:10.1145/1553374.1553463; with ρ in: Online learning for matrix factorization and sparse coding, JMLR 11 (2010).
type Online struct {
	// Batch is the largest number of signals in a batch. The default, 0, is 256, or K if that is more.
	Batch int
	// Forget is ρ. With a larger ρ the weight of past batches falls faster. The default, 0, is 10.
	Forget float64
	// Keep keeps coherent and rarely used atoms. By default they are replaced during learning: see restart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "online",
		Summary:   "online learning: a step of block coordinate descent after every small batch of signals",
		Reference: "Mairal, Bach, Ponce, Sapiro 2009",
		Revision:  1,
		New: func(fs *flag.FlagSet) Learner {
			l := &Online{}
			fs.IntVar(&l.Batch, "batch", 0, "signals between two updates at most; 0: 256, or as many as atoms, if more")
			fs.Float64Var(&l.Forget, "forget", 0, "weight of batch s after batch t is (s/t)^forget; 0: 10")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// Check returns an error for invalid parameters.
func (l Online) Check() error {
	return plugin.CheckNumbers("learners: online", map[string]float64{"batch": float64(l.Batch), "forget": l.Forget})
}

// Memory implements Learner. It counts A, B, the atoms and the atoms before a pass; the dictionary and the codes of the
// last pass; and the larger of two amounts: for a batch, with its own A and B, and for coding all signals after a pass.
func (l Online) Memory(m, n, k, s int) float64 {
	atoms, signals := float64(m)*float64(k), float64(n)
	batch := min(n, l.batch(k))
	last, coding := sparse.Memory(m, k, n, s)
	batchCodes, working := sparse.Memory(m, k, batch, s)
	always := 8*(6*atoms+square(k)) + last
	batchWork := 8*signals + 8*float64(m)*float64(batch) + 8*atoms + batchCodes + max(working, 8*(square(k)+atoms))
	finalWork := 8*atoms + last + max(coding, replacementBytes*signals+8*workers(n)*float64(m))
	return always + max(batchWork, finalWork)
}

// batch returns the largest number of signals in a batch, for k atoms.
func (l Online) batch(k int) int {
	if l.Batch == 0 {
		return max(256, k)
	}
	return l.Batch
}

// withDefaults returns l for k atoms and the signals y: defaults filled in, and Batch at most the number of signals.
func (l Online) withDefaults(y *mat.Dense, k int) Online {
	_, n := y.Dims()
	l.Batch = min(l.batch(k), n)
	if l.Forget == 0 {
		l.Forget = 10
	}
	return l
}

// Learn implements Learner.
func (l Online) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	began := time.Now()
	if err := l.Check(); err != nil {
		return nil, err
	}
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	l = l.withDefaults(y, opt.Atoms)
	s := newOnlineState(d)
	rng := rand.New(rand.NewPCG(opt.Seed, 1))
	watch, again := newProgress(opt, y, began), newRestarts(opt.Iterations, l.Keep)
	renewed := 0 // the atoms that were restarted since the last pass
	for done := false; !done; {
		before := slices.Clone(s.atoms)
		if err := s.learn(ctx, y, l, opt.Coder, rng); err != nil {
			return watch.fail(ctx, err)
		}
		d, err := s.dictionary()
		if err != nil {
			return nil, err
		}
		codes, err := opt.Coder.Code(ctx, d, y)
		if err != nil {
			return watch.fail(ctx, err)
		}
		errs, sum, err := squaredErrors(ctx, y, d, codes)
		if err != nil {
			return watch.fail(ctx, err)
		}
		replaced := renewed + s.replace(y, codes.Usage(), errs)
		objective := sparse.Objective(opt.Coder, sum, codes)
		done = watch.endStep(d, codes, sum, objective, replaced, largestMove(before, s.atoms))
		renewed = 0
		if it := len(watch.result.Steps); again.isDue(it, done) && watch.mayGoOn() {
			var changed bool
			copy(before, s.atoms)
			renewed, changed = again.check(it, s.atoms, codes, objective, errs,
				func(j int) []float64 { return mat.Col(nil, j, y) })
			if changed {
				s.forget(before)
				watch.goOn()
				done = false
			}
		}
	}
	return Finish(watch.result)
}

// onlineState is the state of online learning: the atoms, and the sums over past batches.
type onlineState struct {
	m, k    int
	atoms   []float64 // K×M: atom after atom
	a       []float64 // K×K: A
	b       []float64 // K×M: Bᵀ
	batches int
}

// newOnlineState returns a state with the atoms of d and no past batches.
func newOnlineState(d *sparse.Dictionary) *onlineState {
	m, k := d.Dims()
	return &onlineState{m: m, k: k, atoms: d.Atoms(), a: make([]float64, k*k), b: make([]float64, k*m)}
}

// rows returns d_k, a_k and b_k.
func (s *onlineState) rows(k int) (d, a, b []float64) {
	return s.atoms[k*s.m : (k+1)*s.m], s.a[k*s.k : (k+1)*s.k], s.b[k*s.m : (k+1)*s.m]
}

// dictionary returns the present atoms.
func (s *onlineState) dictionary() (*sparse.Dictionary, error) {
	return sparse.FromAtoms(s.m, slices.Clone(s.atoms))
}

// learn learns from all signals, coded by coder, in batches of at most l.Batch, in a random order from rng.
func (s *onlineState) learn(ctx context.Context, y *mat.Dense, l Online, coder sparse.Coder, rng *rand.Rand) error {
	m, n := y.Dims()
	order := rng.Perm(n)
	count := (n + l.Batch - 1) / l.Batch // the number of batches, which have nearly equal sizes
	for i := range count {
		chosen := order[i*n/count : (i+1)*n/count]
		slices.Sort(chosen) // a batch of all signals does not depend on the seed
		batch := mat.NewDense(m, len(chosen), nil)
		for r := range m {
			from, to := y.RawRowView(r), batch.RawRowView(r)
			for c, j := range chosen {
				to[c] = from[j]
			}
		}
		d, err := s.dictionary()
		if err != nil {
			return err
		}
		codes, err := coder.Code(ctx, d, batch)
		if err != nil {
			return err
		}
		s.add(batch, codes, l.Forget) // to the sums over past batches
		s.descend()                   // updates the atoms to suit these sums
	}
	return nil
}

// add adds a batch to A and B, after reducing the weight of the past batches. forget is ρ.
func (s *onlineState) add(batch *mat.Dense, codes *sparse.Codes, forget float64) {
	s.batches++
	keep := elementary.Pow(1-1/float64(s.batches), forget) // β, 0 for the first batch
	signal := make([]float64, s.m)
	xx, xy := codes.NormalEquations(s.m, func(j int) []float64 { return mat.Col(signal, j, batch) })
	upper := xx.RawSymmetric().Data
	for i := range s.k {
		for j := i; j < s.k; j++ {
			v := keep*s.a[i*s.k+j] + upper[i*s.k+j]
			s.a[i*s.k+j], s.a[j*s.k+i] = v, v
		}
	}
	for i, v := range xy.RawMatrix().Data { // b holds Bᵀ
		s.b[i] = keep*s.b[i] + v
	}
}

// descend minimises ½ tr DᵀDA − tr DᵀB over one atom after the other. Then it scales the atoms to length 1, and A and B
// to fit. Atoms that no past batch has used, with A_kk at rounding error, do not change.
func (s *onlineState) descend() {
	largest := 0.0
	length, u := make([]float64, s.k), make([]float64, s.m)
	for k := range s.k {
		largest, length[k] = max(largest, s.a[k*s.k+k]), 1
	}
	for k := range s.k {
		d, a, b := s.rows(k)
		if a[k] <= 1e-20*largest {
			continue
		}
		copy(u, b)
		for j, v := range a {
			if v != 0 { // A and B fit unscaled atoms: an atom j < k already has length 1 in place of length[j]
				axpy(-v*length[j], s.atoms[j*s.m:(j+1)*s.m], u)
			}
		}
		for i, v := range d {
			u[i] = v + u[i]/a[k]
		}
		if l := Normalise(u); l > 1e-10 { // otherwise u is rounding error
			copy(d, u)
			length[k] = l
		}
	}
	for k, l := range length {
		_, a, b := s.rows(k)
		for j := range a {
			a[j] *= l * length[j]
		}
		for i := range b {
			b[i] *= l
		}
	}
}

// replace replaces the atoms that no signal uses by the signals with the largest errors, as long as there are signals
// with errors above 0, and sets the rows of A and B of the new atoms to zero. It returns how many atoms it replaced.
// usage holds how many signals use each atom, errs the squared error of each signal.
func (s *onlineState) replace(y *mat.Dense, usage []int, errs []float64) int {
	worst, count, before := worstSignals(errs), 0, slices.Clone(s.atoms)
	for k, uses := range usage {
		if uses > 0 || count == len(worst) {
			continue
		}
		d, _, _ := s.rows(k)
		Normalise(mat.Col(d, worst[count], y))
		count++
	}
	s.forget(before)
	return count
}

// forget sets the rows of A and B, and the columns of A, to zero for each atom that differs from its copy in before:
// the sums over past batches belong to the old atom.
func (s *onlineState) forget(before []float64) {
	for k := range s.k {
		d, a, b := s.rows(k)
		if slices.Equal(d, before[k*s.m:(k+1)*s.m]) {
			continue
		}
		clear(b)
		for j := range a {
			a[j], s.a[j*s.k+k] = 0, 0
		}
	}
}

// squaredErrors returns ‖y − Dx‖² of every signal, 0 if rounding error (at most 1e-18·‖y‖²), and the sum of all.
func squaredErrors(ctx context.Context, y *mat.Dense, d *sparse.Dictionary, codes *sparse.Codes) (errs []float64,
	sum float64, err error) {
	m, n := y.Dims()
	errs = make([]float64, n)
	const grain = 64 // signals that a worker takes at a time
	err = parallel.For(ctx, n, grain, func() func(lo, hi int) {
		residual := make([]float64, m)
		return func(lo, hi int) {
			for j := lo; j < hi; j++ {
				floor := 1e-18 * energy(mat.Col(residual, j, y))
				index, value := codes.Column(j)
				for i, k := range index {
					axpy(-value[i], d.Atom(int(k)), residual)
				}
				if errs[j] = energy(residual); errs[j] <= floor {
					errs[j] = 0
				}
			}
		}
	})
	for _, v := range errs {
		sum += v
	}
	return errs, sum, err
}
