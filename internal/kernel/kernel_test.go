package kernel

import (
	"fmt"
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

// benchmark runs body with every tier that this machine runs: the ratios to generic are what the assembly
// gains. operations are of floating point, bytes what is read and written, in one run of body.
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
}

func abs(v int) int { return max(v, -v) }

// The smallest operands: what a call costs.
func BenchmarkCall(b *testing.B) {
	v := make([][]float64, 9)
	for i := range v {
		v[i] = random(8, uint64(i))
	}
	one, out := []float64{0.5}, make([]float64, 2)
	benchmark(b, "largest", 0, 0, func() { FindLargest(v[0]) })
	benchmark(b, "add", 0, 0, func() { Add(v[0], v[1]) })
	benchmark(b, "update", 0, 0, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], v[5], one, one, one, 0) })
	benchmark(b, "project", 0, 0, func() { Project(v[0], v[1], v[2], one, v[3], out) })
	src, at, weight := random32(64, 1), []int{0, 1}, []float32{0.5, 0.5}
	benchmark(b, "combine", 0, 0, func() { Combine(src[32:40], src[:20], at, weight) })
}
