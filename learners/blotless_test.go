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

func upTo(k int) []int {
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	return order
}

// supportProblem returns a problem with N signals of S atoms of a Gaussian d, their true support, and other Gaussian
// atoms with their least-squares coefficients on it.
func supportProblem(t *testing.T, d *mat.Dense, s, n int, seed uint64) *problem {
	t.Helper()
	m, k := d.Dims()
	rng := rand.New(rand.NewPCG(seed, 3))
	start := gauss(rng, m, k)
	y := mat.NewDense(m, n, nil)
	codes := &sparse.Codes{Atoms: k, Start: []int{0}}
	for j := range n {
		support := rng.Perm(k)[:s]
		slices.Sort(support)
		signal, part := mat.NewVecDense(m, nil), mat.NewDense(m, s, nil)
		for i, a := range support {
			signal.AddScaledVec(signal, rng.NormFloat64(), d.ColView(a))
			part.SetCol(i, mat.Col(nil, a, start))
			codes.Index = append(codes.Index, int32(a))
		}
		y.SetCol(j, signal.RawVector().Data)
		var x mat.VecDense
		must.Succeed(t, x.SolveVec(part, signal))
		codes.Value = append(codes.Value, x.RawVector().Data...)
		codes.Start = append(codes.Start, len(codes.Index))
	}
	dict := must.Get(sparse.NewDictionary(start))(t)
	return newProblem(y, dict, codes)
}

// gauss returns k Gaussian atoms of length 1.
func gauss(rng *rand.Rand, m, k int) *mat.Dense {
	d := mat.NewDense(m, k, nil)
	for j := range k {
		atom := make([]float64, m)
		for i := range atom {
			atom[i] = rng.NormFloat64()
		}
		Normalise(atom)
		d.SetCol(j, atom)
	}
	return d
}

// largestDistance returns the largest distance between an atom and the atom of d in its column, up to sign.
func largestDistance(atoms []float64, d *mat.Dense) float64 {
	m, k := d.Dims()
	far := 0.0
	for j := range k {
		plus, minus := 0.0, 0.0
		for i, v := range atoms[j*m : (j+1)*m] {
			plus += (v - d.At(i, j)) * (v - d.At(i, j))
			minus += (v + d.At(i, j)) * (v + d.At(i, j))
		}
		far = max(far, math.Sqrt(min(plus, minus)))
	}
	return far
}

// checkUpdate checks that atoms have length 1 and that the residual is Y − DX, as after every update.
func checkUpdate(t *testing.T, p *problem) {
	t.Helper()
	for k := range p.k {
		if length := math.Sqrt(energy(p.atom(k))); !(math.Abs(length-1) < 1e-12) {
			t.Errorf("atom %d has length %g", k, length)
		}
	}
	kept := slices.Clone(p.residual)
	p.refresh()
	if move := largestMove(kept, p.residual); !(move <= 1e-12*math.Sqrt(energy(p.signals))) {
		t.Errorf("the residual is off by %g", move)
	}
}

// subspace returns k Gaussian atoms that span only rank of m dimensions.
func subspace(rng *rand.Rand, m, rank, k int) *mat.Dense {
	var d mat.Dense
	d.Mul(gauss(rng, m, rank), gauss(rng, rank, k))
	for j := range k {
		atom := mat.Col(nil, j, &d)
		Normalise(atom)
		d.SetCol(j, atom)
	}
	return &d
}

// With the true support the dictionary is found to rounding error: complete, overcomplete, and in a subspace, where
// R_b has half its rank and a block as few atoms.
func TestBLOTLESSFindsTheDictionaryOfAKnownSupport(t *testing.T) {
	rng := rand.New(rand.NewPCG(0, 1))
	for name, c := range map[string]struct {
		d *mat.Dense
		n int
	}{
		"complete": {gauss(rng, 16, 16), 200}, "overcomplete": {gauss(rng, 16, 32), 400},
		"subspace": {subspace(rng, 24, 12, 20), 300},
	} {
		p := supportProblem(t, c.d, 3, c.n, 0)
		updates, order := 0, rand.New(rand.NewPCG(1, 2))
		for ; updates < 100 && largestDistance(p.atoms, c.d) > 1e-10; updates++ {
			err := BLOTLESS{Inner: 20, Plain: true}.update(context.Background(), p, order.Perm(p.k))
			must.Succeed(t, err)
		}
		checkUpdate(t, p)
		if distance := largestDistance(p.atoms, c.d); !(distance <= 1e-10) {
			t.Errorf("%s: an atom is %g away after %d updates", name, distance, updates)
		}
	}
}

// A block is left as it was if its rows of X stay dependent, here two that share their only signal. The other block is
// updated.
func TestBLOTLESSLeavesDependentRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	p := supportProblem(t, gauss(rng, 4, 8), 2, 60, 6)
	codes := &sparse.Codes{Atoms: 8, Start: []int{0}}
	for j := range p.n {
		a, b := 2+rng.IntN(3), 5+rng.IntN(3)
		if j == 0 {
			a, b = 0, 1
		}
		codes.Index = append(codes.Index, int32(a), int32(b))
		codes.Value = append(codes.Value, rng.NormFloat64(), rng.NormFloat64())
		codes.Start = append(codes.Start, len(codes.Index))
	}
	before := slices.Clone(p.atoms)
	d := must.Get(sparse.FromAtoms(4, before))(t)
	p.load(d, codes)
	must.Succeed(t, (BLOTLESS{Inner: 20, Plain: true}).update(context.Background(), p, upTo(8)))
	checkUpdate(t, p)
	if !slices.Equal(p.atoms[:16], before[:16]) || largestMove(p.atoms[16:], before[16:]) == 0 {
		t.Error("atoms 0 to 3 are to stay as they are, and 4 to 7 to change")
	}
}
