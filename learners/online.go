package learners

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Online learns from one small batch of signals after the other. What the past
// says about D is kept in two matrices: at batch t, coded over the D of then,
//
//	A ← β A + Σ xxᵀ,   B ← β B + Σ yxᵀ,   β = (1 − 1/t)^ρ,
//
// and D takes one step of block coordinate descent on ½ tr DᵀDA − tr DᵀB, the
// misfit of all batches weighted by (t'/t)^ρ: for every atom in turn
//
//	d_k ← d_k + (b_k − D a_k) / A_kk.
//
// Then the atoms are brought to length 1, and A and B take the lengths over. The
// paper has lengths of at most 1 instead: its codes are shrunk, those of a pursuit
// are not.
//
// An iteration is one pass over all signals, as in the other learners, in batches
// drawn anew; a last coding of all of them over the D it ends with gives its step
// and codes. Atoms that none of them uses begin the next pass as the worst
// represented signals, without a past.
//
// A batch costs its coding and K²·M for D; memory beyond Y and X is 2K², a few K·M
// and a batch.
//
// Note: old codes are those of worse dictionaries, so forgetting pays. A large ρ ends
// better after many passes, a small one after few; without it, ρ → 0, is the paper's
// algorithm at its simplest. Error by optimal assignment, mean of 8 planted problems,
// (M,K,S) = (16,32,3), N = 2,000, at most 200 passes:
//
//	ρ       0      1      3      10     30     MOD    K-SVD
//	error   0.072  0.044  0.046  0.030  0.018  0.020  0.029
//
// J. Mairal, F. Bach, J. Ponce, G. Sapiro: Online dictionary learning for sparse
// coding, ICML 2009, doi:10.1145/1553374.1553463; with ρ in: Online learning for
// matrix factorization and sparse coding, JMLR 11 (2010).
type Online struct {
	// Batch is how many signals a batch has at most. The default, 0, is 256, or K if that is
	// more.
	Batch int
	// Forget is ρ, the power by which the past is forgotten. The default, 0, is 10.
	Forget float64
}

func init() {
	Register(Info{
		Name:      "online",
		Summary:   "online learning: a step of block coordinate descent after every small batch of signals",
		Reference: "Mairal, Bach, Ponce, Sapiro 2009",
		New: func(fs *flag.FlagSet) Learner {
			l := &Online{}
			fs.IntVar(&l.Batch, "batch", 0, "signals coded between two updates at most; 0: 256, or as many as atoms")
			fs.Float64Var(&l.Forget, "forget", 0, "power of the batch number that weights the past; 0: 10")
			return l
		},
	})
}

// Check refuses parameters that mean nothing.
func (l Online) Check() error {
	if l.Batch < 0 {
		return plugin.Errorf("learners: online with batches of %d signals, expected at least 1 (0: 256)", l.Batch)
	}
	if !(l.Forget >= 0) || math.IsInf(l.Forget, 0) {
		return plugin.Errorf("learners: online with a power of %g to forget, expected more than 0 (0: 10)", l.Forget)
	}
	return nil
}

// Memory implements Learner: A, B and the atoms, also as they were before a pass; the
// dictionary and the codes of the last pass; and the work of a batch, with A and B of its own,
// or that of coding all signals in the end.
func (l Online) Memory(m, n, k, s int) float64 {
	atoms, signals := float64(m)*float64(k), float64(n)
	batch := min(n, l.batch(k))
	last, coding := sparse.Memory(m, k, n, s)
	held, working := sparse.Memory(m, k, batch, s)
	always := 8*(4*atoms+square(k)) + last
	one := 8*signals + 8*float64(m)*float64(batch) + 8*atoms + held + max(working, 8*(square(k)+atoms))
	all := 8*atoms + last + max(coding, replacing*signals+8*workers(n)*float64(m))
	return always + max(one, all)
}

// batch is how many signals a batch has at most, with k atoms.
func (l Online) batch(k int) int {
	if l.Batch == 0 {
		return max(256, k)
	}
	return l.Batch
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
	_, n := y.Dims()
	l.Batch = min(l.batch(opt.Atoms), n)
	if l.Forget == 0 {
		l.Forget = 10
	}
	s := newPast(d)
	rng := rand.New(rand.NewPCG(opt.Seed, 1))
	watch := newProgress(opt, y, began)
	for done := false; !done; {
		before := slices.Clone(s.atoms)
		d, codes, err := s.pass(ctx, y, l, opt.Coder, rng)
		if err != nil {
			return watch.fail(ctx, err)
		}
		left, err := leftOver(ctx, y, d, codes)
		if err != nil {
			return watch.fail(ctx, err)
		}
		replaced := s.replace(y, codes.Usage(), left)
		sum := 0.0
		for _, v := range left {
			sum += v
		}
		done = watch.done(d, codes, sum, replaced, largestMove(before, s.atoms))
	}
	return Finish(watch.result)
}

// past is what online learning keeps of the batches it has seen.
type past struct {
	m, k    int
	atoms   []float64 // K×M: atom after atom
	a       []float64 // K×K: A
	b       []float64 // K×M: Bᵀ
	batches int
}

func newPast(d *sparse.Dictionary) *past {
	m, k := d.Dims()
	s := &past{m: m, k: k, a: make([]float64, k*k), b: make([]float64, k*m)}
	for j := range k {
		s.atoms = append(s.atoms, d.Atom(j)...)
	}
	return s
}

// rows returns d_k, a_k and b_k.
func (s *past) rows(k int) (d, a, b []float64) {
	return s.atoms[k*s.m : (k+1)*s.m], s.a[k*s.k : (k+1)*s.k], s.b[k*s.m : (k+1)*s.m]
}

func (s *past) dictionary() (*sparse.Dictionary, error) {
	return sparse.FromAtoms(s.m, slices.Clone(s.atoms))
}

// pass takes all signals in, batch after batch, and returns the dictionary it ends
// with and their codes over it.
func (s *past) pass(ctx context.Context, y *mat.Dense, l Online, coder sparse.Coder, rng *rand.Rand) (*sparse.Dictionary, *sparse.Codes, error) {
	m, n := y.Dims()
	order := rng.Perm(n)
	count := (n + l.Batch - 1) / l.Batch
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
			return nil, nil, err
		}
		codes, err := coder.Code(ctx, d, batch)
		if err != nil {
			return nil, nil, err
		}
		s.add(batch, codes, l.Forget)
		s.descend()
	}
	d, err := s.dictionary()
	if err != nil {
		return nil, nil, err
	}
	codes, err := coder.Code(ctx, d, y)
	return d, codes, err
}

// add takes a batch into A and B.
func (s *past) add(batch *mat.Dense, codes *sparse.Codes, forget float64) {
	s.batches++
	keep := math.Pow(1-1/float64(s.batches), forget)
	signal := make([]float64, s.m)
	xx, xy := codes.NormalEquations(s.m, func(j int) []float64 { return mat.Col(signal, j, batch) })
	upper := xx.RawSymmetric().Data
	for i := range s.k {
		for j := i; j < s.k; j++ {
			v := keep*s.a[i*s.k+j] + upper[i*s.k+j]
			s.a[i*s.k+j], s.a[j*s.k+i] = v, v
		}
	}
	for i, v := range xy.RawMatrix().Data {
		s.b[i] = keep*s.b[i] + v
	}
}

// descend minimises ½ tr DᵀDA − tr DᵀB over one atom after the other and brings
// them to length 1. Atoms without a past stay.
func (s *past) descend() {
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
			if v != 0 {
				axpy(-v*length[j], s.atoms[j*s.m:(j+1)*s.m], u)
			}
		}
		for i, v := range d {
			u[i] = v + u[i]/a[k]
		}
		if l := normalise(u); l > 1e-10 { // else nothing but rounding
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

// replace begins the atoms that no signal uses anew, as the signals with the most
// left of them, and returns how many they are.
func (s *past) replace(y *mat.Dense, usage []int, left []float64) int {
	worst, count := worstSignals(left), 0
	for k, uses := range usage {
		if uses > 0 || count == len(worst) {
			continue
		}
		d, a, b := s.rows(k)
		normalise(mat.Col(d, worst[count], y))
		count++
		clear(b)
		for j := range a {
			a[j], s.a[j*s.k+k] = 0, 0
		}
	}
	return count
}

// leftOver returns ‖y_n − Dx_n‖² of every signal, 0 where it is rounding error.
func leftOver(ctx context.Context, y *mat.Dense, d *sparse.Dictionary, codes *sparse.Codes) ([]float64, error) {
	m, n := y.Dims()
	left := make([]float64, n)
	err := parallel.For(ctx, n, 64, func() func(lo, hi int) {
		rest := make([]float64, m)
		return func(lo, hi int) {
			for j := lo; j < hi; j++ {
				floor := 1e-18 * energy(mat.Col(rest, j, y))
				index, value := codes.Column(j)
				for i, k := range index {
					axpy(-value[i], d.Atom(int(k)), rest)
				}
				if left[j] = energy(rest); left[j] <= floor {
					left[j] = 0
				}
			}
		}
	})
	return left, err
}
