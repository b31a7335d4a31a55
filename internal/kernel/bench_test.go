package kernel

import (
	"cmp"
	"fmt"
	"testing"
)

// listBenchmarks returns an entry for each operation and size: the number of operations and of bytes read and written
// in a call of run, where they say how good it is. The unit is that of a billion operations a second, GFLOP/s
// unless it is given.
func listBenchmarks() (list []benchmark) {
	add := func(name string, operations, bytes float64, run func()) {
		list = append(list, benchmark{name: name, operations: operations, bytes: bytes, run: run})
	}
	for _, n := range []int{9, 30, 64} { // a batch of signals and a panel of atoms
		a, u, c := random(32*n, 1), random(32*n, 2), make([]float64, 32*32)
		add(fmt.Sprintf("Mul/n=%d", n), float64(2*32*32*n), 0, func() { Mul(c, 32, a, 32, u, 32, 32, n, 32) })
	}

	const atoms = 512 // a step of OMP with three members before it
	p, corr, gram, basis := make([]float64, atoms), random(atoms, 1), random(atoms, 2), random(4*atoms, 3)
	fresh, row := random(atoms, 4), []float64{.1, .2, .3}
	add("FindLargest", 0, 8*atoms, func() { FindLargest(corr) })
	add("Advance", 2*5*atoms, 0, func() { Advance(p, corr, gram, basis, atoms, row, 1, 1e-3) })
	add("Score", 0, 8*5*atoms, func() { Score(basis[:atoms], fresh, p, corr, 1e-9, 1e-9) })

	const ld, n = 32, 16 // 16 columns in the nearest cache
	var v [6][]float64
	for i := range v {
		v[i] = random(ld*n, uint64(i))
	}
	u, shrink, w, length, out := make([]float64, ld), make([]float64, n), random(n, 1), random(n, 2), []float64{0, 0}
	u[0] = 1
	add("ROPUpdate", 0, 8*7*ld*n, func() { ROPUpdate(v[0], v[1], v[2], v[3], v[4], u, shrink, w, length, 1) })
	add("Shorten", 0, 0, func() { Shorten(shrink, w, length, 10, 0.5, 1, out) })
	add("ROPResidual", 0, 8*6*ld*n, func() { ROPResidual(v[0], v[1], v[3], v[4], v[5], shrink, w, out, ld, 0) })
	add("PowerStep", 4*ld*n, 0, func() { PowerStep(v[1], u, v[5][:ld]) })
	add("Project", 0, 8*2*ld*n, func() { Project(v[1], v[0], u, shrink, w, out) })
	add("Mask", 0, 8*3*ld*n, func() { Mask(v[0], v[1], v[2]) })
	add("Rescale", 0, 8*4*ld*n, func() { Rescale(v[0], v[1], u, shrink, w, 1) })

	const side = 54 // of a layer, forward and backward
	for _, c := range []int{16, 32, 48, 64} {
		src, dst, weight := random32((side+2)*(side+2)*c, 1), make([]float32, side*side*c), random32(9*c*c, 2)
		bias, slopes, samples := make([]float32, c), make([]float32, c), float64(side*side)
		work := 2 * 9 * float64(c*c) * samples
		add(fmt.Sprintf("Convolve32/channels=%d", c), work, 0, func() {
			for y := range side {
				Convolve32(dst[y*side*c:], src[y*(side+2)*c:], c, (side+2)*c, 3, 3*c, weight, bias, side)
			}
		})
		add(fmt.Sprintf("Correlate/channels=%d", c), work, 0, func() {
			for y := 0; y < side; y += 6 {
				for r := range 3 {
					Correlate(weight[r*3*c*c:], c, src[(y+r)*(side+2)*c:], c, (side+2)*c, dst[y*side*c:], side*c, 6,
						side, 3*c)
				}
			}
		})
		const tiles = 14 // in a row, each of 4×4 samples
		places := make([]float32, 36*tiles*c)
		for name, by := range map[string]winogradMap{"SpreadSamples": SpreadSamples, "GatherSums": GatherSums,
			"SpreadGradients": SpreadGradients} {
			add(fmt.Sprintf("%s/channels=%d", name, c), 0, 4*12*tiles*float64(c),
				func() { by(places, tiles*c, c, src, c, 4*c, c, tiles) })
		}
		add(fmt.Sprintf("Activate/channels=%d", c), 0, 8*samples*float64(c), func() { Activate(src, dst, bias) })
		add(fmt.Sprintf("ActivateBack/channels=%d", c), 0, 12*samples*float64(c),
			func() { ActivateBack(dst, src, bias, slopes, slopes) })
	}
	const weights = 32 * 1024
	all := make([]float32, 4*weights)
	add("Adam", 0, 28*weights,
		func() { Adam(all[:weights], all[weights:], all[2*weights:], all[3*weights:], 1, 0.1, 0.01, 1, 1) })

	const samples = 768 // of a row, with layers of integers; each product with its sum
	for _, size := range [][4]int{{5, 3, 1, 32}, {3, 24, 16, 16}, {3, 48, 32, 32}, {3, 48, 32, 16}} {
		rows, words, step, outputs := size[0], size[1], size[2], size[3]
		f, line := randomFilter(rows, words, step, outputs, 8, 1), samples*step+2*words
		src, dst, start := randomShorts(rows*line, 1), make([]int16, samples*outputs), make([]int, rows)
		for j := range start {
			start[j] = j * line
		}
		list = append(list, benchmark{fmt.Sprintf("Convolve/%dx%d/outputs=%d", rows, words, outputs), "GMAC/s",
			float64(2 * rows * words * outputs * samples), 0, func() { Convolve(dst, src, start, samples, f, nil) }})
	}
	for _, size := range [][2]int{{16, 16}, {32, 32}, {48, 48}, {64, 64}, {96, 32}, {192, 64}} {
		channels, outputs := size[0], size[1]
		f, line := randomFilter(3, 3*channels/2, channels, outputs, 9-channels/32, 1), (samples+2)*channels
		if !f.PrepareWinograd() {
			panic("a filter of small weights is refused")
		}
		src, dst, work := clippedShorts(4*line, 1), make([]int16, 2*samples*outputs), &Winograd{}
		rows, to := []int{0, line, 2 * line, 3 * line}, [2]int{0, samples * outputs}
		list = append(list, benchmark{fmt.Sprintf("ConvolveTwoRows/%dto%d", channels, outputs), "GMAC/s",
			float64(2 * 9 * channels * outputs * samples), 0,
			func() { ConvolveTwoRows(dst, to, src, rows, samples, f, nil, [2]int{}, work) }})
	}
	for _, size := range [][4]int{{16, 16, 3, 1}, {32, 32, 3, 1}, {48, 48, 3, 1}, {64, 64, 3, 1}, {192, 64, 3, 1},
		{64, 64, 1, 1}, {3, 64, 3, 1}, {64, 64, 3, 2}, {64, 64, 3, 64}} {
		in, out, side, last := size[0], size[1], size[2], size[3]
		t := Taps{Outputs: out, Inputs: in, Groups: 1, Height: side, Width: side}
		dilation := 1
		if last > 2 {
			t.Groups = last
		} else {
			dilation = last
		}
		step := in
		t.Weight = random32(side*side*in*out, 1)
		f := NewFloatFilter(t, step, dilation, 1)
		n, line := f.Together(), (samples+2*dilation)*step
		work, src, dst := &FloatWork{}, random32(6*line, 2), make([]float32, n*samples*f.Outputs)
		rows, to := make([]int, side+n-1), make([]int, n)
		for i := range rows {
			rows[i] = i * line
		}
		for i := range to {
			to[i] = i * samples * f.Outputs
		}
		list = append(list, benchmark{fmt.Sprintf("ConvolveFloats/%dto%d/side=%d,%d", in, out, side, last), "GMAC/s",
			float64(n * side * side * in * out / t.Groups * samples), 0,
			func() { ConvolveFloats(dst, to, src, rows, samples, f, nil, nil, work) }})
	}
	activations, other, sum := random32(samples*64, 1), random32(samples*64, 2), make([]float32, samples*64)
	add("AddFloats", 0, 12*samples*64, func() { AddFloats(sum, activations, other) })
	add("ScaleFloats", 0, 8*samples*64, func() { ScaleFloats(sum, activations, other[:64], other[64:]) })
	for f, name := range map[Function]string{Exp: "Exp", SiLU: "SiLU", GELU: "GELU"} {
		add(name, 0, 8*samples*64, func() { f.Compute(sum, activations) })
	}

	const scale, step = 2, 32 // a row of pixels
	src, base, sums := uniform32(5*2*samples, 1), uniform32(2*samples, 2), uniform32((samples+2)*step, 2)
	dst, pix, paeth := make([]float32, 2*samples), make([]uint8, 4*2*samples), make([]uint8, 4*2*samples)
	least, most := uniform32(samples, 3), uniform32(samples+2, 4)
	at, weight := []int{0, 2 * samples, 4 * samples, 6 * samples}, uniform32(4, 3)
	add("Combine", 2*4*2*samples, 0, func() { Combine(dst, src, at, weight) })
	add("CombineOnto", 2*4*2*samples, 0, func() { CombineOnto(dst, base, src, at, weight) })
	add("AddPixels", 0, 4*samples*5*scale, func() {
		AddPixels(base, base, sums, scale, step, 2*scale*scale, Row{[]float32{1}, 0}, Row{least, 1}, Row{most, 1})
	})
	add("BoundFlatAreas", 0, 4*5*samples,
		func() { BoundFlatAreas(least, most[:samples], src[:samples+2], src[samples:], src[2*samples:]) })
	add("Paint", 0, 16*2*samples, func() { Paint(pix, base, src, src, 0.5, 0.2) })
	add("Paeth", 0, 4*(8*samples-3), func() { Paeth(paeth[3:], pix[3:], pix, pix[3:], pix) })
	return list
}

// benchmark is an entry of listBenchmarks.
type benchmark struct {
	name, unit        string
	operations, bytes float64
	run               func()
}

// BenchmarkKernels runs each entry with every tier that this machine runs: the ratios to generic are what the
// assembly gains.
func BenchmarkKernels(b *testing.B) {
	for _, c := range listBenchmarks() {
		for i := range Tiers() {
			restore := Use(i)
			b.Run(c.name+"/"+Tier(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.run()
				}
				nanoseconds := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if unit := cmp.Or(c.unit, "GFLOP/s"); c.operations > 0 {
					b.ReportMetric(c.operations/nanoseconds, unit)
				}
				if c.bytes > 0 {
					b.ReportMetric(c.bytes/nanoseconds, "GB/s")
				}
			})
			restore()
		}
	}
}
