package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// eachTier runs a test with every tier that this machine runs.
func eachTier(t *testing.T, test func(t *testing.T)) {
	for i := range Tiers() {
		restore := Use(i)
		t.Run(Tier(), test)
		restore()
	}
}

// refuses makes calls that must panic: what does not fit is refused before any assembly
// runs.
func refuses(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// random gives n normal numbers that are the same for a seed.
func random(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 20))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func random32(n int, seed uint64) []float32 {
	v := make([]float32, n)
	for i, x := range random(n, seed) {
		v[i] = float32(x)
	}
	return v
}

// uniform32 gives n numbers of −1..1 that are the same for a seed.
func uniform32(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 21))
	v := make([]float32, n)
	for i := range v {
		v[i] = 2*rng.Float32() - 1
	}
	return v
}

// tolerance is how far a tier may be from the definition, relative to the sum of the
// absolute values of what is added, which these inputs keep below a few hundred.
const tolerance = 1e-12

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

func sameVector(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !near(got[i], want[i]) {
			t.Fatalf("%s: entry %d is %g, defined as %g", what, i, got[i], want[i])
		}
	}
}

// sameVector32 allows for rounding; the sums of these tests are below a few hundred.
func sameVector32(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; g != w && !(math.Abs(float64(g-w)) <= 2e-5*max(1, math.Abs(float64(w)))) && !(g != g && w != w) {
			t.Fatalf("%s: entry %d is %g, defined as %g", what, i, g, w)
		}
	}
}

// benchmark runs body with every tier that this machine runs: the ratios to generic are
// what the assembly gains. operations are of floating point, bytes what is read and
// written, in one run of body.
func benchmark(b *testing.B, name string, operations, bytes float64, body func()) {
	benchmarkIn(b, "GFLOP/s", name, operations, bytes, body)
}

// benchmarkIn is benchmark with another name for a billion operations a second.
func benchmarkIn(b *testing.B, unit, name string, operations, bytes float64, body func()) {
	for i := range Tiers() {
		restore := Use(i)
		b.Run(fmt.Sprintf("%s/%s", name, Tier()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				body()
			}
			per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if operations > 0 {
				b.ReportMetric(operations/per, unit)
			}
			if bytes > 0 {
				b.ReportMetric(bytes/per, "GB/s")
			}
		})
		restore()
	}
}

func TestUse(t *testing.T) {
	if Tier() != tierNames[len(tierNames)-1] {
		t.Logf("this machine runs up to %s of %v", Tier(), tierNames)
	}
	was := Tier()
	restore := Use(0)
	if Tier() != "generic" {
		t.Errorf("tier 0 is %s", Tier())
	}
	if restore(); Tier() != was {
		t.Errorf("%s is in use, expected %s again", Tier(), was)
	}
	refuses(t, map[string]func(){"before": func() { Use(-1) }, "beyond": func() { Use(Tiers()) }})
}

func abs(v int) int { return max(v, -v) }
