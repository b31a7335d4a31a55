package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name: "convolve",
	signature: "(dst []int16, samples int, src []int16, rows []int, step, words int, weights, bias []int32, " +
		"positive, negative []float32, limits []int16, skip []int16, skipStep, dstStep int)",
	lengths:  []string{"rows", "bias"},
	needs:    "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly: tier.convolve,
	simd:     simdConvolve,
	tiers:    []string{AVX2, AVXVNNI, AVX512, NEON, SIMD128},
})

var _ = register(operation{
	name: "residual",
	signature: "(dst []float32, samples int, src []int16, rows []int, step, words int, " +
		"weights, bias []int32, scale []float32)",
	lengths:  []string{"rows", "bias"},
	needs:    "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly: tier.residual,
	simd:     simdResidual,
	tiers:    []string{AVX2, AVXVNNI, AVX512, NEON, SIMD128},
})

// convolve scales, rounds and clips the sums while they are in registers.
func (t tier) convolve() { t.filter(4, t.store) }

// store scales, rounds and clips the sums of a tile, adds skip, clips them again and stores them at dst. sample and
// output are the first of the tile, and tall is the number of its samples. acc has their sums, sample by sample.
func (t tier) store(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
	dst, line, skip, skipLine := pointer("dst"), pointer("dstStep"), pointer("skip"), pointer("skipStep")
	outputs(dst, line, sample, output, 2)
	outputs(skip, skipLine, sample, output, 2)
	wide := len(acc) / tall
	finish := t.scaleAndClip(output, wide)
	for s := range tall {
		finish(acc[s*wide:][:wide], dst, skip)
		ADDQ(line, dst)
		ADDQ(skipLine, skip)
	}
}

// residual multiplies the sums by the scale of their output and stores them as float32, neither rounded nor clipped.
func (t tier) residual() {
	t.filter(4, func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
		dst, line, p := pointer("dst"), lengthOf("bias"), pointer("scale")
		outputs(dst, line, sample, output, 4)
		LEAQ(Mem{Base: p, Index: output, Scale: 4}, p)
		wide := len(acc) / tall
		var scale []reg.VecVirtual
		for i := range wide {
			scale = append(scale, t.load(from(p, i*t.bytes())))
		}
		for s := range tall {
			for i, by := range scale {
				v := acc[s*wide+i]
				VCVTDQ2PS(v, v)
				VMULPS(by, v, v)
				VMOVUPS(v, from(dst, i*t.bytes()))
			}
			ADDQ(line, dst)
		}
	})
}

// filter computes the sums of tiles of samples and outputs, as large as the registers can hold, and calls finish with
// the sums of each tile. tall is the number of samples in a tile with AVX2. The last tile of a row ends where the row
// ends, so that some samples are computed twice. With AVX-512 a tile has 24 samples and one vector of 16 outputs,
// which suits every number of outputs. A second loop with wider tiles would only make the outer layers 4 % faster.
func (t tier) filter(tall int, finish func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int)) {
	wide := 2
	if t.lanes == 8 { // AVX-512
		tall, wide = 24, 1
	}
	output, left, acc := GP64(), lengthOf("bias"), t.vecs(tall*wide)
	XORQ(output, output)
	while(left, wide*t.lanes32(), func() {
		tileRow("samples", tall, func(sample reg.GPVirtual) {
			t.filterTile(acc, sample, output, tall)
			finish(acc, sample, output, tall)
		})
		ADDQ(U8(wide*t.lanes32()), output)
		SUBQ(U8(wide*t.lanes32()), left)
	})
}

// tileRow writes a loop over the tiles of a row; the parameter called name is the length of the row. tile writes the
// body, given the index of the first sample of a tile of `tall` samples. The last tile ends where the row ends.
func tileRow(name string, tall int, tile func(first reg.GPVirtual)) {
	first := GP64()
	XORQ(first, first)
	top, out := label("tile"), label("row")
	Label(top)
	tile(first)
	last := pointer(name)
	SUBQ(U8(tall), last)
	CMPQ(first, last)
	JGE(LabelRef(out))
	ADDQ(U8(tall), first)
	CMPQ(first, last)
	CMOVQGT(last, first)
	JMP(LabelRef(top))
	Label(out)
}

// steps holds registers with the bytes of one step, of three steps and, where needed, of five.
type steps struct{ one, three, five reg.GPVirtual }

// at returns the memory at base plus n steps (n is at most 5) plus offset bytes.
func (s steps) at(base reg.GPVirtual, n, offset int) Mem {
	m := Mem{Base: base, Disp: offset}
	switch n {
	case 1, 2, 4:
		m.Index, m.Scale = s.one, uint8(n)
	case 3:
		m.Index, m.Scale = s.three, 1
	case 5:
		m.Index, m.Scale = s.five, 1
	}
	return m
}

// samplesPerPointer is the number of samples that are addressed from one pointer.
const samplesPerPointer = 6

// filterTile sets acc to the sums of a tile: the biases plus all products. sample and output are the first of the
// tile, and tall is the number of its samples. The loops go over the runs of a sample and the words of a run.
func (t tier) filterTile(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
	wide := len(acc) / tall
	bias, weights := pointer("bias"), pointer("weights")
	LEAQ(Mem{Base: bias, Index: output, Scale: 4}, bias)
	for i := range wide {
		VMOVUPS(from(bias, i*t.bytes()), acc[i])
	}
	for i := wide; i < len(acc); i++ {
		VMOVAPS(acc[i-wide], acc[i])
	}
	rows, count, r := pointer("rows"), lengthOf("rows"), pointer("words")
	IMULQ(count, r)
	IMULQ(output, r)
	LEAQ(Mem{Base: weights, Index: r, Scale: 4}, weights)
	steps := steps{pointer("step"), GP64(), GP64()}
	step := steps.one
	SHLQ(U8(1), step)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, steps.three)
	LEAQ(Mem{Base: step, Index: step, Scale: 4}, steps.five)
	base := make([]reg.GPVirtual, (tall+samplesPerPointer-1)/samplesPerPointer)
	while(count, 1, func() {
		for i := range base {
			base[i] = GP64()
		}
		first, r := pointer("src"), GP64()
		MOVQ(sample, r)
		IMULQ(step, r)
		ADDQ(r, first)
		MOVQ(from(rows, 0), r)
		LEAQ(Mem{Base: first, Index: r, Scale: 2}, base[0])
		for i := range base[1:] {
			LEAQ(Mem{Base: base[i], Index: steps.three, Scale: 2}, base[i+1])
		}
		left, top := pointer("words"), label("words")
		Label(top)
		var w []reg.VecVirtual
		for i := range wide {
			w = append(w, t.load(from(weights, i*t.bytes())))
		}
		for s := range tall {
			x := t.broadcast32(steps.at(base[s/samplesPerPointer], s%samplesPerPointer, 0))
			for i := range w {
				t.dotPairs(w[i], x, acc[s*wide+i])
			}
		}
		for _, b := range base {
			ADDQ(U8(4), b)
		}
		ADDQ(U8(64), weights)
		DECQ(left)
		JNZ(LabelRef(top))
		ADDQ(U8(8), rows)
		DECQ(count)
	})
}

// dotPairs adds to each 32-bit lane of acc the products x₀·y₀ + x₁·y₁ of the two 16-bit halves.
func (t tier) dotPairs(x, y, acc reg.VecVirtual) {
	if t.name == AVX512 || t.name == AVXVNNI {
		vnni(t, x, y, acc)
		return
	}
	v := t.vec()
	VPMADDWD(x, y, v)
	VPADDD(v, acc, acc)
}
