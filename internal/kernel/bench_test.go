package kernel

import "testing"

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
