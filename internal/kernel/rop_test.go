package kernel

import (
	"math"
	"slices"
	"testing"
)

func TestMask(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			w, s := random(n, 1), random(n, 2)
			for i := range s {
				switch i % 5 {
				case 0, 3:
					s[i] = 0
				case 1:
					s[i] = math.Copysign(0, -1)
				case 2:
					s[i] = math.NaN()
				}
			}
			x := slices.Repeat([]float64{7}, n+1)
			count, want := Mask(x, w, s), 0
			for i, v := range w {
				if s[i] == 0 {
					v = 0
				} else {
					want++
				}
				if x[i] != v {
					t.Fatalf("entry %d of %d is %g, expected %g", i, n, x[i], v)
				}
			}
			if count != want || x[n] != 7 {
				t.Fatalf("%d of %d, expected %d; then %g", count, n, want, x[n])
			}
		}
	})
}

// The sums of Project are those that its shorter forms stand for.
func TestProjectSums(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const ld, cols = 24, 9
		z, q, u, shrink := random(ld*cols, 1), random(ld*cols, 2), random(ld, 3), make([]float64, cols)
		length := 0.0
		for _, v := range u {
			length += v * v
		}
		for i := range u {
			u[i] /= math.Sqrt(length)
		}
		for j := range shrink {
			shrink[j] = float64(j%3) / 2
		}
		w, out, want := make([]float64, cols), make([]float64, 2), make([]float64, 2)
		Project(z, q, u, shrink, w, out)
		for j, s := range shrink {
			x := 0.0
			for i, v := range u {
				x += v * z[j*ld+i]
			}
			for i, v := range u {
				a, b := s*q[j*ld+i]-x*v, z[j*ld+i]-x*v
				want[0] += a * a
				want[1] += b * b
			}
		}
		for i, v := range want {
			if math.Abs(out[i]-v) > 1e-12*v {
				t.Errorf("sum %d: %g, expected %g", i, out[i], v)
			}
		}
	})
}

// The loops of ROP over 16 columns of 32 entries in the nearest cache.
func BenchmarkROP(b *testing.B) {
	const ld, n = 32, 16
	var v [6][]float64
	for i := range v {
		v[i] = random(ld*n, uint64(i))
	}
	u, shrink, w, length, out := make(
		[]float64, ld,
	), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 2)
	u[0] = 1
	benchmark(b, "update", 0, 8*7*ld*n, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], u, shrink, w, length, 1) })
	benchmark(b, "shorten", 0, 0, func() { Shorten(shrink, w, length, 10, 0.5, 1, out) })
	benchmark(b, "residual", 0, 8*6*ld*n, func() { ROPResidual(v[0], v[1], v[3], v[4], v[5], shrink, w, out, ld, 0) })
	benchmark(b, "power", 4*ld*n, 0, func() { PowerStep(v[1], u, v[5][:ld]) })
	benchmark(b, "project", 0, 8*2*ld*n, func() { Project(v[1], v[0], u, shrink, w, out) })
	benchmark(b, "mask", 0, 8*3*ld*n, func() { Mask(v[0], v[1], v[2]) })
	benchmark(b, "rescale", 0, 8*4*ld*n, func() { Rescale(v[0], v[1], u, shrink, w, 1) })
}

// The update of ROP over arrays that no cache holds. What bounds it is memory: the share is
// of what copying them reaches, which Go has in assembly.
func BenchmarkMemory(b *testing.B) {
	const ld, n = 32, 100_000
	var v [5][]float64
	for i := range v {
		v[i] = NewArray(ld * n)
	}
	u, shrink, w, length := random(ld, 1), random(n, 2), random(n, 3), make([]float64, n)
	rate := func(b *testing.B, bytes float64, body func()) float64 {
		for b.Loop() {
			body()
		}
		r := bytes * float64(b.N) / float64(b.Elapsed().Nanoseconds())
		b.ReportMetric(r, "GB/s")
		return r
	}
	ceiling := 0.0
	b.Run("copy", func(b *testing.B) {
		ceiling = rate(b, 2*8*ld*n, func() { copy(v[0], v[1]) })
	})
	for i := range Tiers() {
		restore := Use(i)
		b.Run("update/"+Tier(), func(b *testing.B) {
			r := rate(b, 7*8*ld*n, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], u, shrink, w, length, 1) })
			if ceiling > 0 {
				b.ReportMetric(100*r/ceiling, "%-of-copy")
			}
		})
		restore()
	}
}
