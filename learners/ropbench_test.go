package learners

import (
	"math"
	"slices"
	"testing"
)

// fiveArrays is the paper's iteration as one would write it down: P, Q, Z, Λ1 and Λ2 in five arrays, a loop for each
// of its steps, two power steps for Z. It is what the speed of ropState is a ratio to.
type fiveArrays struct {
	m, n, k         int
	y, l0           []float64 // N×M
	p, q, z, l1, l2 []float64 // K×N×M
	u               []float64 // K×M
	rho             float64
}

func (a *fiveArrays) iterate() {
	size := a.n * a.m
	total := make([]float64, size)
	for k := range a.k {
		at := k * size
		for i := range size {
			a.p[at+i] = (a.q[at+i] - a.l1[at+i] + a.z[at+i] - a.l2[at+i]) / 2
			total[i] += a.p[at+i]
		}
	}
	for i := range size {
		total[i] = (a.y[i] - a.l0[i] - total[i]) / float64(a.k+2)
	}
	for k := range a.k {
		at := k * size
		for i := range size {
			a.p[at+i] += total[i]
		}
	}
	for j := range a.k * a.n {
		at, length := j*a.m, 0.0
		for i := range a.m {
			a.q[at+i] = a.p[at+i] + a.l1[at+i]
			length += a.q[at+i] * a.q[at+i]
		}
		s := math.Max(0, 1-1/(a.rho*math.Sqrt(length)))
		for i := range a.m {
			a.q[at+i] *= s
		}
	}
	next := make([]float64, a.m)
	for k := range a.k {
		at, u := k*size, a.u[k*a.m:(k+1)*a.m]
		for i := range size {
			a.z[at+i] = a.p[at+i] + a.l2[at+i]
		}
		for range 2 {
			clear(next)
			for j := range a.n {
				x := 0.0
				for i := range a.m {
					x += u[i] * a.z[at+j*a.m+i]
				}
				for i := range a.m {
					next[i] += x * a.z[at+j*a.m+i]
				}
			}
			normalise(next)
			copy(u, next)
		}
		for j := range a.n {
			x := 0.0
			for i := range a.m {
				x += u[i] * a.z[at+j*a.m+i]
			}
			for i := range a.m {
				a.z[at+j*a.m+i] = x * u[i]
			}
		}
	}
	clear(total)
	for k := range a.k {
		at := k * size
		for i := range size {
			a.l1[at+i] += a.p[at+i] - a.q[at+i]
			a.l2[at+i] += a.p[at+i] - a.z[at+i]
			total[i] += a.p[at+i]
		}
	}
	for i := range size {
		a.l0[i] += total[i] - a.y[i]
	}
}

func newROPBench(b *testing.B) *ropState {
	y := plantedSignals(32, 64, 6, 1600, 1)
	d, err := Start(y, 64, 1)
	if err != nil {
		b.Fatal(err)
	}
	s, err := newROPState(columns(y), 32, d, 1, true)
	if err != nil {
		b.Fatal(err)
	}
	s.alpha = 1
	return s
}

// An iteration at M = 32, N = 1600, K = 64: the plain form, and ropState.
func BenchmarkROP(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		s := newROPBench(b)
		a := &fiveArrays{m: s.m, n: s.n, k: s.k, y: s.y, l0: make([]float64, len(s.y)), rho: 10,
			p: slices.Clone(s.q), q: slices.Clone(s.q), z: slices.Clone(s.q), u: slices.Clone(s.u),
			l1: make([]float64, len(s.q)), l2: make([]float64, len(s.q))}
		for b.Loop() {
			a.iterate()
		}
	})
	b.Run("fused", func(b *testing.B) {
		s := newROPBench(b)
		for b.Loop() {
			s.iterate(10, 1)
		}
	})
}

// The fused form is the plain one: 10 iterations from the same start.
func TestFusedROPIsThePlainOne(t *testing.T) {
	const m, n, k = 8, 60, 12
	y := plantedSignals(m, k, 2, n, 3)
	d, err := Start(y, k, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newROPState(columns(y), m, d, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	s.alpha = 1
	a := &fiveArrays{m: m, n: n, k: k, y: s.y, l0: make([]float64, n*m), rho: 10,
		p: slices.Clone(s.q), q: slices.Clone(s.q), z: slices.Clone(s.q), u: slices.Clone(s.u),
		l1: make([]float64, len(s.q)), l2: make([]float64, len(s.q))}
	for it := range 10 {
		a.iterate()
		s.iterate(10, 1)
		for i, v := range a.u {
			if math.Abs(s.u[i]-v) > 1e-10 {
				t.Fatalf("iteration %d: u differs by %g", it, s.u[i]-v)
			}
		}
	}
}
