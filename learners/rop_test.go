package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// plainROP is the ADMM of the paper as it stands: five M×N arrays for every atom,
// a closed form for P, a whole SVD for every Z_k.
type plainROP struct {
	y, l0           *mat.Dense
	p, q, z, l1, l2 []*mat.Dense
	rho             float64
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
	shift.Sub(a.y, a.l0)
	shift.Sub(&shift, &sum)
	shift.Scale(1/float64(k+2), &shift)
	var all mat.Dense
	all.CloneFrom(mat.NewDense(m, n, nil))
	for i := range k {
		a.p[i].Add(c[i], &shift)
		all.Add(&all, a.p[i])
		var qh, zh mat.Dense
		qh.Add(a.p[i], a.l1[i])
		zh.Add(a.p[i], a.l2[i])
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
	a.l0.Add(a.l0, &all)
	a.l0.Sub(a.l0, a.y)
}

// The reduced state follows the plain one to 1e-8, with a penalty that changes.
func TestROPAgainstThePlainForm(t *testing.T) {
	const m, n, k = 5, 17, 7
	rng := rand.New(rand.NewPCG(1, 0))
	y := mat.NewDense(m, n, nil)
	y.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, y)
	d, err := Start(y, k, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newROPState(columns(y), m, d, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	s.power = 400 // as good as the SVD
	plain := &plainROP{y: mat.DenseCopyOf(mat.NewDense(n, m, s.y).T()), l0: mat.NewDense(m, n, nil)}
	zero := func() *mat.Dense { return mat.NewDense(m, n, nil) }
	start := zero()
	for i := range k {
		z := mat.DenseCopyOf(mat.NewDense(n, m, s.z[i*n*m:(i+1)*n*m]).T())
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
					at := (i*n+j)*m + h
					q.Set(h, j, s.shrink[i*n+j]*s.q[at])
					z.Set(h, j, s.w[i*n+j]*s.u[i*m+h])
				}
			}
			if !mat.EqualApprox(q, plain.q[i], 1e-8) || !mat.EqualApprox(z, plain.z[i], 1e-8) {
				t.Fatalf("iteration %d, atom %d: Q or Z differs", it, i)
			}
		}
		if l0 := mat.NewDense(n, m, s.lambda).T(); !mat.EqualApprox(l0, plain.l0, 1e-8) {
			t.Fatalf("iteration %d: Λ0 differs", it)
		}
	}
}

// With a fixed penalty and many iterations all residuals vanish: the paper's
// section on convergence.
func TestROPConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	y := plantedSignals(16, 20, 2, 300, 3)
	r, err := ROP{Penalty: 15}.Learn(context.Background(), y, Options{Atoms: 20, Iterations: 5000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Steps[len(r.Steps)-1]
	if r.Stop != Settled || last.Primal > 1e-6 || last.Dual > 1e-6 || last.RMSE > 1e-6 || last.NonZeros != 2 {
		t.Errorf("%s after %d: primal %g, dual %g, RMSE %g, %g non-zeros", r.Stop, len(r.Steps), last.Primal, last.Dual, last.RMSE, last.NonZeros)
	}
}

// A planted dictionary is found, from the signals and the number of atoms alone.
func TestROPFindsAPlantedDictionary(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const m, k, n = 16, 32, 400
	for seed := range uint64(2) {
		y := plantedSignals(m, k, 3, n, seed)
		r, err := ROP{}.Learn(context.Background(), y, Options{Atoms: k, Iterations: 500, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		truth := plantedAtoms(m, k, seed)
		for i := range k {
			for j := range k {
				if math.Abs(product(truth[i*m:(i+1)*m], r.Dictionary.Atom(j))) > 0.999 {
					found++
					break
				}
			}
		}
		last := r.Steps[len(r.Steps)-1]
		t.Logf("seed %d: %d of %d atoms, %.2f non-zeros, RMSE %.2g, primal %.2g, dual %.2g", seed, found, k, last.NonZeros, last.RMSE, last.Primal, last.Dual)
		if found < k {
			t.Errorf("seed %d: %d of %d atoms were found", seed, found, k)
		}
	}
}

func plantedAtoms(m, k int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 10))
	d := make([]float64, m*k)
	for i := range d {
		d[i] = rng.NormFloat64()
	}
	for i := range k {
		normalise(d[i*m : (i+1)*m])
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

func BenchmarkROP(b *testing.B) {
	y := plantedSignals(32, 64, 6, 1600, 1)
	d, err := Start(y, 64, 1)
	if err != nil {
		b.Fatal(err)
	}
	s, err := newROPState(columns(y), 32, d, 1, true)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.iterate(10, 1)
	}
}
