package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
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
	tiers:    []string{AVX2, AVX512, NEON, SIMD128},
})

var _ = register(operation{
	name: "residual",
	signature: "(dst []float32, samples int, src []int16, rows []int, step, words int, " +
		"weights, bias []int32, scale []float32)",
	lengths:  []string{"rows", "bias"},
	needs:    "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly: tier.residual,
	simd:     simdResidual,
	tiers:    []string{AVX2, AVX512, NEON, SIMD128},
})

// convolve scales, rounds and clips the sums while they are in registers.
func (t tier) convolve() { t.filter(4, t.store) }

// store scales, rounds and clips the sums of a tile of tall samples, and writes them to dst.
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

// residual scales the sums while they are in registers, and leaves them float32.
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

// filter sums up tiles of outputs of samples in registers, as many as they hold, and calls finish with the sums of
// each: with AVX2, of tall samples. The last tile of a row of samples ends where the row ends, and makes some of them
// again. The weights of a pair are loaded once a tile, and a pair of entries is loaded for as many outputs as there are
// in the tile.
func (t tier) filter(tall int, finish func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int)) {
	type shape struct {
		tall, wide int
		tile       func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int)
		three      bool // for runs of three samples alone
	}
	shapes := []shape{
		{tall: 10, wide: 2, tile: t.threeTile, three: true}, {tall: 12, wide: 2, tile: t.filterTile},
		{tall: 24, wide: 1, tile: t.filterTile},
	}
	if t.name == AVX2 {
		shapes = []shape{{tall: tall, wide: 2, tile: t.filterTile}}
	}
	output, left := GP64(), lengthOf("bias")
	XORQ(output, output)
	acc := t.vecs(24)
	for _, s := range shapes {
		skip := label("longer")
		if s.three {
			words, step := pointer("words"), pointer("step")
			SHLQ(U8(1), words)
			LEAQ(Mem{Base: step, Index: step, Scale: 2}, step)
			CMPQ(words, step)
			JNE(LabelRef(skip))
		}
		while(left, s.wide*t.lanes32(), func() {
			along("samples", s.tall, func(sample reg.GPVirtual) {
				sums := acc[:s.tall*s.wide]
				s.tile(sums, sample, output, s.tall)
				finish(sums, sample, output, s.tall)
			})
			ADDQ(U8(s.wide*t.lanes32()), output)
			SUBQ(U8(s.wide*t.lanes32()), left)
		})
		if s.three {
			Label(skip)
		}
	}
}

// along writes a loop over the tiles of a row, whose length is the parameter of a name. tile gets the index of
// the first of the tall samples of a tile. The last tile ends where the row ends.
func along(name string, tall int, tile func(first reg.GPVirtual)) {
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

// steps has registers with the bytes of a step, of three steps and, where they are needed, of five.
type steps struct{ one, three, five reg.GPVirtual }

// at returns the memory that begins n steps, up to 5, and offset bytes behind base.
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

// together is the number of samples that share a pointer.
const together = 6

// filterTile sets acc to the sums of a tile of tall samples.
func (t tier) filterTile(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
	wide := len(acc) / tall
	t.overRows(acc, wide, sample, output, tall, func(weights, block reg.GPVirtual,
		at func(s int) Mem) (words reg.GPVirtual, add, next func()) {
		return pointer("words"), func() {
			var w []reg.VecVirtual
			for i := range wide {
				if m := from(weights, i*t.bytes()); t.lanes == 4 || i == 0 {
					w = append(w, t.load(m))
				} else {
					w = append(w, t.load(Mem{Base: weights, Index: block, Scale: 1}))
				}
			}
			for s := range tall {
				x := t.broadcast32(at(s))
				for i := range w {
					t.dotPairs(w[i], x, acc[s*wide+i])
				}
			}
		}, func() {}
	})
}

// threeTile is filterTile for runs of three samples: a pair of entries is loaded once for the three samples
// whose runs it belongs to.
func (t tier) threeTile(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
	wide := len(acc) / tall
	second := GP64() // the weights of the second block of outputs
	t.overRows(acc, wide, sample, output, tall+2, func(weights, block reg.GPVirtual,
		at func(s int) Mem) (words reg.GPVirtual, add, next func()) {
		tap := pointer("step") // what lies between the weights of two samples of a run
		SHLQ(U8(5), tap)
		if wide > 1 {
			MOVQ(weights, second)
			ADDQ(block, second)
		}
		words = pointer("step")
		SHRQ(U8(1), words)
		return words, func() {
			var w [][]reg.VecVirtual
			for _, p := range []reg.GPVirtual{weights, second}[:wide] {
				later := func(scale uint8) reg.VecVirtual { return t.load(Mem{Base: p, Index: tap, Scale: scale}) }
				w = append(w, []reg.VecVirtual{t.load(from(p, 0)), later(1), later(2)})
			}
			if wide > 1 {
				ADDQ(U8(64), second)
			}
			for s := range tall + 2 {
				x := t.broadcast32(at(s))
				for i := range 3 {
					for k := range wide {
						if n := s - i; n >= 0 && n < tall {
							t.dotPairs(w[k][i], x, acc[n*wide+k])
						}
					}
				}
			}
		}, func() { LEAQ(Mem{Base: weights, Index: tap, Scale: 2}, weights) }
	})
}

// overRows sets acc, wide vectors for a sample, to the biases, and goes through the pairs of tall samples in all
// rows: begin returns how many pairs of a row there are, and what adds one of them and goes to the weights of the
// next row from those behind the last one. Between the weights of two blocks of 16 outputs lie block bytes.
func (t tier) overRows(acc []reg.VecVirtual, wide int, sample, output reg.GPVirtual, tall int,
	begin func(weights, block reg.GPVirtual, at func(s int) Mem) (words reg.GPVirtual, add, next func())) {
	t.overTaps(acc, wide, sample, output, tall, "words", func(reg.GPVirtual) {},
		func(reg.GPVirtual) Op { return U8(4) }, begin)
}

// overTaps is overRows with entries that lie farther apart: words is the parameter with the number of pairs, or of
// entries, in a run, enter moves the pointer to a sample to its first entry, and stride returns the bytes from one
// pair, or entry, to the next.
func (t tier) overTaps(acc []reg.VecVirtual, wide int, sample, output reg.GPVirtual, tall int,
	words string, enter func(row reg.GPVirtual), stride func(step reg.GPVirtual) Op,
	begin func(weights, block reg.GPVirtual, at func(s int) Mem) (words reg.GPVirtual, add, next func())) {
	bias, weights := pointer("bias"), pointer("weights")
	LEAQ(Mem{Base: bias, Index: output, Scale: 4}, bias)
	for i := range wide {
		VMOVUPS(from(bias, i*t.bytes()), acc[i])
	}
	for i := wide; i < len(acc); i++ {
		VMOVAPS(acc[i-wide], acc[i])
	}
	rows, count, block, r := pointer("rows"), lengthOf("rows"), pointer(words), GP64()
	IMULQ(count, block)
	MOVQ(block, r)
	IMULQ(output, r)
	LEAQ(Mem{Base: weights, Index: r, Scale: 4}, weights)
	SHLQ(U8(6), block)
	steps := steps{pointer("step"), GP64(), GP64()}
	step := steps.one
	SHLQ(U8(1), step)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, steps.three)
	LEAQ(Mem{Base: step, Index: step, Scale: 4}, steps.five)
	base := make([]reg.GPVirtual, (tall+together-1)/together)
	at := func(s int) Mem { return steps.at(base[s/together], s%together, 0) }
	while(count, 1, func() {
		for i := range base {
			base[i] = GP64()
		}
		first, r := pointer("src"), GP64()
		MOVQ(sample, r)
		IMULQ(step, r)
		ADDQ(r, first)
		enter(first)
		MOVQ(from(rows, 0), r)
		LEAQ(Mem{Base: first, Index: r, Scale: 2}, base[0])
		for i := range base[1:] {
			LEAQ(Mem{Base: base[i], Index: steps.three, Scale: 2}, base[i+1])
		}
		left, add, next := begin(weights, block, at)
		top := label("words")
		Label(top)
		add()
		for _, b := range base {
			ADDQ(stride(step), b)
		}
		ADDQ(U8(64), weights)
		DECQ(left)
		JNZ(LabelRef(top))
		next()
		ADDQ(U8(8), rows)
		DECQ(count)
	})
}

// dotPairs adds, in every lane, the products of two integers of x with two of y.
func (t tier) dotPairs(x, y, acc reg.VecVirtual) {
	if t.name == AVX512 {
		vnni("VPDPWSSD", x, y, acc)
		return
	}
	v := t.vec()
	VPMADDWD(x, y, v)
	VPADDD(v, acc, acc)
}

// vnni writes an instruction that avo does not know.
func vnni(opcode string, x, y, acc reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode: opcode, Operands: []Op{x, y, acc}, Inputs: []Op{x, y, acc}, Outputs: []Op{acc},
		ISA: []string{"AVX512_VNNI"},
	})
}
