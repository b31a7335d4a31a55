package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// plainROP is the ADMM of the paper as it stands: five M×N arrays for every atom, a closed form for P, a whole SVD
// for every Z_k. Over-relaxation replaces P by αP + (1 − α)Q in the Q-step and its multiplier, and so on; v is the
// split variable of ‖Y − ΣP‖ ≤ ball.
type plainROP struct {
	y, v, l0         *mat.Dense
	p, q, z, l1, l2  []*mat.Dense
	rho, alpha, ball float64
}

func (a *plainROP) iterate() {
	m, n := a.y.Dims()
	k := len(a.q)
	c := make([]*mat.Dense, k)
	var sum, shift mat.Dense
	sum.CloneFrom(mat.NewDense(m, n, nil))
	for i := range k {
		c[i] = mat.NewDense(m, n, nil)
		c[i].Sub(a.q[i], a.l1[i])
		c[i].Add(c[i], a.z[i])
		c[i].Sub(c[i], a.l2[i])
		c[i].Scale(0.5, c[i])
		sum.Add(&sum, c[i])
	}
	shift.Sub(a.v, a.l0)
	shift.Sub(&shift, &sum)
	shift.Scale(1/float64(k+2), &shift)
	var all mat.Dense
	all.CloneFrom(mat.NewDense(m, n, nil))
	for i := range k {
		a.p[i].Add(c[i], &shift)
		all.Add(&all, a.p[i])
		var qh, zh mat.Dense
		qh.Add(a.relaxed(a.p[i], a.q[i]), a.l1[i])
		zh.Add(a.relaxed(a.p[i], a.z[i]), a.l2[i])
		a.q[i].CloneFrom(&qh)
		for j := range n {
			length := mat.Norm(qh.ColView(j), 2)
			col := a.q[i].ColView(j).(*mat.VecDense)
			col.ScaleVec(math.Max(0, 1-1/(a.rho*length)), col)
		}
		var svd mat.SVD
		if !svd.Factorize(&zh, mat.SVDThin) {
			panic("SVD")
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		a.z[i].Outer(svd.Values(nil)[0], u.ColView(0), v.ColView(0))
		a.l1[i].Sub(&qh, a.q[i])
		a.l2[i].Sub(&zh, a.z[i])
	}
	a.l0.Add(a.l0, a.relaxed(&all, a.v))
	a.v.Sub(a.l0, a.y)
	if length := mat.Norm(a.v, 2); length > a.ball {
		a.v.Scale(a.ball/length, a.v)
	}
	a.v.Add(a.y, a.v)
	a.l0.Sub(a.l0, a.v)
}

// relaxed is αp + (1 − α)q.
func (a *plainROP) relaxed(p, q *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(i, j int, v float64) float64 { return a.alpha*v + (1-a.alpha)*q.At(i, j) }, p)
	return &out
}

// The reduced state follows the plain one to 1e-8, with a penalty that changes.
func TestROPAgainstThePlainForm(t *testing.T) {
	for _, c := range []struct{ alpha, ball float64 }{{1, 0}, {1.6, 0}, {1, 0.8}, {1.6, 0.8}} {
		againstThePlainForm(t, c.alpha, c.ball)
	}
}

func againstThePlainForm(t *testing.T, alpha, ball float64) {
	const m, n, k = 5, 17, 7
	rng := rand.New(rand.NewPCG(1, 0))
	y := mat.NewDense(m, n, nil)
	y.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, y)
	d := must.Get(Start(y, k, 2))(t)
	s := must.Get(newROPState(columns(y), m, d, 1, false))(t)
	s.power = 400 // as good as the SVD
	s.alpha, s.ball, s.v = alpha, ball, slices.Clone(s.y)
	unpadded := func(v []float64) *mat.Dense { return mat.DenseCopyOf(mat.NewDense(n, s.ld, v).Slice(0, n, 0, m).T()) }
	plain := &plainROP{y: unpadded(s.y), l0: mat.NewDense(m, n, nil), alpha: alpha, ball: ball}
	plain.v = mat.DenseCopyOf(plain.y)
	zero := func() *mat.Dense { return mat.NewDense(m, n, nil) }
	start := zero()
	for i := range k {
		z := unpadded(s.z[i*n*s.ld : (i+1)*n*s.ld])
		start.Add(start, z)
		plain.p, plain.q, plain.z = append(plain.p, zero()), append(plain.q, mat.DenseCopyOf(z)), append(plain.z, z)
		plain.l1, plain.l2 = append(plain.l1, zero()), append(plain.l2, zero())
	}
	if !mat.EqualApprox(start, plain.y, 1e-9) {
		t.Fatal("the start does not meet D·X = Y")
	}
	for it := range 20 {
		rho := 3 + 2*float64(it/5)
		next := 3 + 2*float64((it+1)/5)
		plain.rho = rho
		plain.iterate()
		s.iterate(rho, rho/next)
		for _, l := range append(append([]*mat.Dense{plain.l0}, plain.l1...), plain.l2...) {
			l.Scale(rho/next, l)
		}
		for i := range k {
			q, z := zero(), zero()
			for j := range n {
				for h := range m {
					at := (i*n+j)*s.ld + h
					q.Set(h, j, s.shrink[i*n+j]*s.q[at])
					z.Set(h, j, s.w[i*n+j]*s.u[i*s.ld+h])
				}
			}
			if !mat.EqualApprox(q, plain.q[i], 1e-8) || !mat.EqualApprox(z, plain.z[i], 1e-8) {
				t.Fatalf("α %g, ε %g, iteration %d, atom %d: Q or Z differs", alpha, ball, it, i)
			}
		}
		if l0 := unpadded(s.lambda); !mat.EqualApprox(l0, plain.l0, 1e-8) {
			t.Fatalf("α %g, ε %g, iteration %d: Λ0 differs", alpha, ball, it)
		}
	}
}

// Paper is the plain form from the same start, to the last digits of 40 iterations.
func TestPaperIsThePlainForm(t *testing.T) {
	y := plantedSignals(6, 9, 2, 40, 6)
	start := must.Get(sparse.FromAtoms(6, plantedAtoms(6, 9, 7)))(t)
	r := must.Get(ROP{Paper: true, Penalty: 12}.Learn(context.Background(), y,
		Options{Init: start, Iterations: 40}))(t)
	s := must.Get(newROPState(columns(y), 6, start, 0, false))(t)
	zero := func() *mat.Dense { return mat.NewDense(6, 40, nil) }
	plain := &plainROP{y: zero(), l0: zero(), rho: 12, alpha: 1}
	plain.y.Scale(s.scale, y)
	plain.v = mat.DenseCopyOf(plain.y)
	for k := range 9 {
		z := zero()
		z.Outer(1, mat.NewVecDense(6, s.direction(k)[:6]), mat.NewVecDense(40, s.row(k)))
		plain.p, plain.q, plain.z = append(plain.p, zero()), append(plain.q, z), append(plain.z, mat.DenseCopyOf(z))
		plain.l1, plain.l2 = append(plain.l1, zero()), append(plain.l2, zero())
	}
	for range 40 {
		plain.iterate()
	}
	codes := r.Codes.Dense()
	for k, z := range plain.z {
		for j := range 40 {
			for i := range 6 {
				want := z.At(i, j) / s.scale
				if plain.q[k].At(i, j) == 0 { // X is zero where Q is
					want = 0
				}
				if got := r.Dictionary.Atom(k)[i] * codes.At(k, j); math.Abs(got-want) > 1e-8 {
					t.Fatalf("atom %d, signal %d: %g, the plain form has %g", k, j, got, want)
				}
			}
		}
	}
}

// What the paper's iteration does not have is refused beside it.
func TestPaperHasNoParameterButThePenalty(t *testing.T) {
	for spec, ok := range map[string]bool{
		"rop:paper": true, "rop:paper=true,penalty=30,relaxation=1,sweeps=1": true, "rop:paper,noise=0.1": true,
		"rop:paper,relaxation=1.7": false, "rop:paper,sweeps=2": false,
	} {
		if _, err := New(spec); (err == nil) != ok {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// With a fixed penalty and many iterations all residuals vanish: the paper's section on convergence.
func TestROPConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	y := plantedSignals(16, 20, 2, 300, 3)
	r := must.Get(ROP{Penalty: 15}.Learn(context.Background(), y,
		Options{Atoms: 20, Iterations: 5000, Seed: 1}))(t)
	last := r.Steps[len(r.Steps)-1]
	if r.Stop != Settled || last.Primal > 1e-6 || last.Dual > 1e-6 || last.RMSE > 1e-6 || last.NonZeros != 2 {
		t.Errorf("%s after %d: primal %g, dual %g, RMSE %g, %g non-zeros", r.Stop, len(r.Steps), last.Primal,
			last.Dual, last.RMSE, last.NonZeros)
	}
}

// With Noise, the residual is the noise, and X has fewer non-zeros.
func TestROPLeavesTheNoise(t *testing.T) {
	y := plantedSignals(12, 18, 2, 150, 4)
	rng := rand.New(rand.NewPCG(5, 0))
	y.Apply(func(_, _ int, v float64) float64 { return v + 0.05*rng.NormFloat64() }, y)
	opt := Options{Atoms: 18, Iterations: 200, Seed: 1}
	exact := must.Get(ROP{}.Learn(context.Background(), y, opt))(t)
	told := must.Get(ROP{Noise: 0.05}.Learn(context.Background(), y, opt))(t)
	a, b := exact.Steps[len(exact.Steps)-1], told.Steps[len(told.Steps)-1]
	if math.Abs(b.RMSE-0.05) > 0.002 || b.NonZeros > 0.7*a.NonZeros {
		t.Errorf("RMSE %g with %g non-zeros, without being told %g with %g", b.RMSE, b.NonZeros, a.RMSE, a.NonZeros)
	}
}

// Where a signal is one atom alone, ROP finds all atoms: those that it starts from are no twins.
func TestROPFindsLoneAtoms(t *testing.T) {
	const m, k = 16, 24
	for seed := range uint64(3) {
		r := must.Get(ROP{}.Learn(context.Background(), plantedSignals(m, k, 1, 400, seed),
			Options{Atoms: k, Iterations: 100, Seed: 1}))(t)
		truth := plantedAtoms(m, k, seed)
		for i := range k {
			if best := nearest(truth[i*m:(i+1)*m], k, r.Dictionary.Atom); best < 0.98 {
				t.Errorf("seed %d: atom %d is met with |cos| %g", seed, i, best)
			}
		}
	}
	few := mat.NewDense(2, 5, []float64{1, 2, 0, 3, 1, 0, 0, 1, 0, 0})
	if _, err := (ROP{}).Learn(context.Background(), few, Options{Atoms: 4, Iterations: 3}); err != nil {
		t.Errorf("of two directions: %v", err)
	}
}

// An atom that is one large signal becomes the atom that is missing, and one that is a mixture of two becomes the
// other.
func TestROPBeginsWrongAtomsAnew(t *testing.T) {
	const m, k, n = 16, 20, 200
	truth := plantedAtoms(m, k, 7)
	y := plantedSignals(m, k, 2, n, 7)
	for _, c := range []struct {
		name string
		atom func(signal []float64) []float64
	}{
		{"spike", slices.Clone[[]float64]},
		{"mixture", func([]float64) []float64 {
			mix := slices.Clone(truth[:m])
			axpy(1.2, truth[m:2*m], mix)
			return mix
		}},
	} {
		atoms := slices.Clone(truth)
		signals := columns(y)
		copy(atoms, c.atom(signals[:m]))
		Normalise(atoms[:m])
		d := must.Get(sparse.FromAtoms(m, atoms))(t)
		s := must.Get(newROPState(signals, m, d, 1, false))(t)
		for range 30 {
			s.iterate(15, 1)
		}
		if count := s.restart(); count != 1 {
			t.Errorf("%s: %d atoms were restarted", c.name, count)
		}
		for range 150 {
			s.iterate(15, 1)
		}
		if best := nearest(truth[:m], k, s.direction); best < 0.995 {
			t.Errorf("%s: the missing atom is met with |cos| %g", c.name, best)
		}
	}
}

// nearest returns the largest |cos| between the atom want and k others.
func nearest(want []float64, k int, atom func(i int) []float64) (best float64) {
	for i := range k {
		best = max(best, math.Abs(dot(want, atom(i)[:len(want)])))
	}
	return best
}

func plantedAtoms(m, k int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 10))
	d := make([]float64, m*k)
	for i := range d {
		d[i] = rng.NormFloat64()
	}
	for i := range k {
		Normalise(d[i*m : (i+1)*m])
	}
	return d
}

func plantedSignals(m, k, s, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 11))
	d := plantedAtoms(m, k, seed)
	y := mat.NewDense(m, n, nil)
	for j := range n {
		signal := make([]float64, m)
		for _, i := range rng.Perm(k)[:s] {
			axpy(rng.NormFloat64(), d[i*m:(i+1)*m], signal)
		}
		y.SetCol(j, signal)
	}
	return y
}
