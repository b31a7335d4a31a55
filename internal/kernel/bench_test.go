package kernel

import (
	"fmt"
	"testing"
)

// benchmark runs body with every form that this machine has: the ratios to generic are
// what the assembly gains. operations are of floating point, bytes what is read and
// written, in one run of body.
func benchmark(b *testing.B, name string, operations, bytes float64, body func()) {
	defer func(was int) { current = was }(current)
	for i := range tiers {
		current = i
		b.Run(fmt.Sprintf("%s/%s", name, Tier()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				body()
			}
			per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if operations > 0 {
				b.ReportMetric(operations/per, "GFLOP/s")
			}
			if bytes > 0 {
				b.ReportMetric(bytes/per, "GB/s")
			}
		})
	}
}

// The product of a batch of signals and a panel of atoms.
func BenchmarkMul(b *testing.B) {
	for _, n := range []int{9, 30, 64} {
		a, u, c := random(32*n, 1), random(32*n, 2), make([]float64, 32*32)
		benchmark(b, fmt.Sprintf("n=%d", n), float64(2*32*32*n), 0, func() { Mul(c, 32, a, 32, u, 32, 32, n, 32) })
	}
}

func BenchmarkLargest(b *testing.B) {
	v := random(512, 1)
	benchmark(b, "n=512", 0, 8*512, func() { Largest(v) })
}

// A step of OMP with three members before it.
func BenchmarkAdvance(b *testing.B) {
	const n = 512
	p, corr, gram, basis, row := make([]float64, n), random(n, 1), random(n, 2), random(4*n, 3), []float64{.1, .2, .3}
	benchmark(b, "n=512", 2*5*n, 0, func() { Advance(p, corr, gram, basis, n, row, 1, 1e-3) })
}

func BenchmarkScore(b *testing.B) {
	const n = 512
	score, fresh, p, corr := make([]float64, n), random(n, 1), make([]float64, n), random(n, 2)
	benchmark(b, "n=512", 0, 8*5*n, func() { Score(score, fresh, p, corr, 1e-9, 1e-9) })
}

// The loops of ROP over 16 columns of 32 entries in the nearest cache.
func BenchmarkROP(b *testing.B) {
	const ld, n = 32, 16
	var v [6][]float64
	for i := range v {
		v[i] = random(ld*n, uint64(i))
	}
	u, shrink, w, length, out := make([]float64, ld), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 2)
	u[0] = 1
	benchmark(b, "update", 0, 8*7*ld*n, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], u, shrink, w, length, 1) })
	benchmark(b, "shorten", 0, 0, func() { Shorten(shrink, w, length, 10, 1, out) })
	benchmark(b, "residual", 0, 8*6*ld*n, func() { ROPResidual(v[0], v[1], v[3], v[4], v[5], shrink, w, out, ld, 0) })
	benchmark(b, "power", 4*ld*n, 0, func() { PowerStep(v[1], u, v[5][:ld]) })
	benchmark(b, "project", 0, 8*2*ld*n, func() { Project(v[1], v[0], u, shrink, w, out) })
	benchmark(b, "masked", 0, 8*3*ld*n, func() { Masked(v[0], v[1], v[2]) })
	benchmark(b, "rescale", 0, 8*4*ld*n, func() { Rescale(v[0], v[1], u, shrink, w, 1) })
}

// The loops of the anchored stages over a block of 48 patches of 8×8 samples.
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

// The ceilings: two arrays in memory, and multiply-adds on registers.
func BenchmarkCeiling(b *testing.B) {
	x, y := Array(1<<21), Array(1<<21)
	benchmark(b, "bandwidth", 0, 32<<21, func() { Stream(x, y) })
	const rounds = 1000
	b.Run("arithmetic/"+Tier(), func(b *testing.B) {
		operations := 0.0
		for b.Loop() {
			operations += MultiplyAdd(rounds)
		}
		b.ReportMetric(operations/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	})
}

// The fifth filter of PNG over a row of 4,096 pixels of three bytes.
func BenchmarkPaeth(b *testing.B) {
	const n = 3 * 4096
	out, x, above := make([]byte, n), make([]byte, n+3), make([]byte, n+3)
	for i := range x {
		x[i], above[i] = byte(i*i>>5), byte(i*i>>6)
	}
	benchmark(b, "row", 0, 4*n, func() { Paeth(out, x[3:], x[:n], above[3:], above[:n]) })
}
