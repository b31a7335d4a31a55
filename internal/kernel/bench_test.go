package kernel

import (
	"fmt"
	"testing"
)

// The smallest operands: what a call costs.
func BenchmarkCall(b *testing.B) {
	v := make([][]float64, 9)
	for i := range v {
		v[i] = random(8, uint64(i))
	}
	one, out := []float64{0.5}, make([]float64, 2)
	benchmark(b, "largest", 0, 0, func() { Largest(v[0]) })
	benchmark(b, "add", 0, 0, func() { Add(v[0], v[1]) })
	benchmark(b, "update", 0, 0, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], v[5], one, one, one, 0) })
	benchmark(b, "project", 0, 0, func() { Project(v[0], v[1], v[2], one, v[3], out) })
	src, at, weight := random32(64, 1), []int{0, 1}, []float32{0.5, 0.5}
	benchmark(b, "combine", 0, 0, func() { Combine(src[32:40], src[:20], at, weight) })
	words, bytes := make([]int32, 64), make([]uint8, 64+MapRoom)
	maps := &Maps{Words: 1, Out: 16, Steps: weight[:1], Bytes: bytes}
	order, start := []int32{0}, []int32{0, 1}
	r := make([]float32, 16)
	benchmark(b, "regress", 0, 0, func() { Regress(r, 16, words, 1, weight, words, order, start, maps) })
}

// The loops of the anchored stages over 48 patches of 8×8 samples.
func BenchmarkPatches(b *testing.B) {
	const lanes, size, width = 48, 64, 64
	raw, p, mean, forms := random32(size*lanes, 1), make([]float32, size*lanes), make([]float32, lanes), make([]int32, lanes)
	offsets, weights, list := make([]int32, size), random32(4*size, 2), orbits(8)
	for i := range offsets {
		offsets[i] = int32(i * lanes)
	}
	for i := range list {
		list[i] *= lanes
	}
	ints := randomWords(size*lanes, 0, 255, 1)
	benchmark(b, "forms", 8*size*lanes, 4*size*lanes, func() { Forms(forms, mean, raw, offsets, weights) })
	benchmark(b, "orient", 0, 8*size*lanes, func() { Orient(p, list, raw, list, forms, mean) })
	benchmark(b, "restore", 0, 8*size*lanes, func() { Restore(p, list, ints, list, forms, mean) })
	pairs, scale, sum := make([]int32, size/2*lanes), make([]float32, lanes), make([]int32, lanes)
	benchmark(b, "pairs", 0, (4+2)*size*lanes, func() { Pairs(pairs, lanes, scale, raw, lanes, size, 8191) })
	rows, a := make([]int32, width*lanes), randomWords(size/2*width, 0, 255, 3)
	benchmark(b, "mulpairs", 2*size*lanes*width, 0, func() { MulPairs(rows, lanes, a, width, pairs, lanes, width, size/2, lanes) })
	words := make([]int32, lanes*16)
	benchmark(b, "pack", 0, (4+1)*width*lanes, func() { Pack(words, 16, scale, sum, rows, lanes, width) })
	benchmark(b, "mulpairs/synthesis", 2*20*40*lanes, 0, func() { MulPairs(rows, lanes, a, 40, pairs, lanes, 40, 10, lanes) })
	const dims, candidates = 16, 256
	z, at, index, best := make([]int32, dims/Quad*lanes), randomWords(dims/Quad*candidates, 0, 255, 4), make([]int32, lanes), make([]int32, lanes)
	order := make([]int32, lanes)
	for i := range order {
		order[i] = int32(i * 7 % lanes)
	}
	benchmark(b, "transpose", 0, 8*dims*lanes/Quad, func() { Transpose(z, lanes, words, 16, order, dims/Quad) })
	benchmark(b, "nearest", 2*dims*candidates*lanes, 0, func() { Nearest(index, best, z, lanes, at, candidates, candidates, dims/Quad) })
	const in, out = 40, 20
	for _, n := range []int{1, 2, 3, 4} {
		maps := &Maps{Words: in / Quad, Out: out, Steps: mean[:lanes/n], Bytes: make([]uint8, in*out*lanes/n+MapRoom)}
		start := make([]int32, lanes/n+1)
		for k := range start {
			start[k] = int32(k * n)
		}
		r := make([]float32, lanes*32)
		benchmark(b, fmt.Sprintf("regress/n=%d", n), 2*in*out*lanes, 0, func() { Regress(r, 32, words, 16, scale, sum, order, start, maps) })
	}
	const cols, terms = 768, 9
	src, dst := random32(cols*terms+16, 5), make([]float32, cols)
	for i := range terms {
		offsets[i] = int32(i*cols + i)
	}
	benchmark(b, "sum", 0, 4*(terms+1)*cols, func() { SumRows(dst, src, offsets[:terms]) })
}
