package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Neither avo nor Go's assembler has the instructions for bfloat16. So they are written as bytes, and the vector
// registers of these operations are not chosen by avo but by number.

// zmm has the vector registers of 512 bits by number.
var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13,
	reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26,
	reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// encode writes, as bytes, an instruction on three registers of 512 bits that the manuals give as
// EVEX.512.F3.0F38.W0 opcode /r; they name the destination first, then the operands left and right.
func encode(name string, opcode, to, left, right int) {
	bit := func(register, n int) int { return ^register >> n & 1 } // inverted, as the encoding has it
	first := bit(to, 3)<<7 | bit(right, 4)<<6 | bit(right, 3)<<5 | bit(to, 4)<<4 | 2
	second := bit(left, 3)<<6 | bit(left, 2)<<5 | bit(left, 1)<<4 | bit(left, 0)<<3 | 1<<2 | 2
	third := 2<<5 | bit(left, 4)<<3
	operands := 3<<6 | to&7<<3 | right&7
	Comment(fmt.Sprintf("%s Z%d, Z%d, Z%d", name, right, left, to))
	Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(0x62 | first<<8 | second<<16 | third<<24)}})
	Instruction(&ir.Instruction{Opcode: "WORD", Operands: []Op{U16(opcode | operands<<8)}})
}

// addPairs adds to the lanes of register to, float32, both products of the pairs in left and right.
func addPairs(to, left, right int) { encode("VDPBF16PS", 0x52, to, left, right) }

// roundPairs sets the low half of register to to the lanes of from, float32, in bfloat16.
func roundPairs(to, from int) { encode("VCVTNEPS2BF16", 0x72, to, 0, from) }

var bfloat16Tiers = []string{AVX512BF16}

var _ = register(operation{
	name:      "roundBFloat16",
	signature: "(dst []uint16, src []float32)",
	lengths:   []string{"src"},
	needs:     "len(src) is a multiple of 16",
	assembly:  tier.roundBFloat16,
	tiers:     bfloat16Tiers,
})

func (t tier) roundBFloat16() {
	dst, src, n := pointer("dst"), pointer("src"), lengthOf("src")
	while(n, 16, func() {
		VMOVUPS(from(src, 0), zmm[0])
		roundPairs(1, 0)
		VMOVUPS(reg.Y1, from(dst, 0))
		ADDQ(U8(64), src)
		ADDQ(U8(32), dst)
		SUBQ(U8(16), n)
	})
}

var _ = register(operation{
	name:      "widenBFloat16",
	signature: "(dst []float32, src []uint16)",
	lengths:   []string{"dst"},
	needs:     "len(dst) is a multiple of 16",
	assembly:  tier.widenBFloat16,
	tiers:     bfloat16Tiers,
})

func (t tier) widenBFloat16() {
	dst, src, n, v := pointer("dst"), pointer("src"), lengthOf("dst"), t.vec()
	while(n, 16, func() {
		VPMOVZXWD(from(src, 0), v)
		VPSLLD(U8(16), v, v)
		VMOVUPS(v, from(dst, 0))
		ADDQ(U8(32), src)
		ADDQ(U8(64), dst)
		SUBQ(U8(16), n)
	})
}

var _ = register(operation{
	name:      "pairBFloat16",
	signature: "(dst []uint32, src []uint16, step, k, skip, n int)",
	needs:     "k is a multiple of 16; k and n are at least 1",
	assembly:  tier.pairBFloat16,
	tiers:     bfloat16Tiers,
})

func (t tier) pairBFloat16() {
	dst, run, step, skip, n := pointer("dst"), pointer("src"), pointer("step"), pointer("skip"), pointer("n")
	low, high := t.vec(), t.vec()
	while(n, 1, func() {
		src, k := GP64(), pointer("k")
		MOVQ(run, src)
		while(k, 16, func() {
			VPMOVZXWD(from(src, 0), low)
			VPMOVZXWD(Mem{Base: src, Index: step, Scale: 2}, high)
			VPSLLD(U8(16), high, high)
			VPORD(low, high, high)
			VMOVUPS(high, from(dst, 0))
			ADDQ(U8(32), src)
			ADDQ(U8(64), dst)
			SUBQ(U8(16), k)
		})
		LEAQ(Mem{Base: run, Index: skip, Scale: 2}, run)
		DECQ(n)
	})
}

var _ = register(operation{
	name:      "activateBFloat16",
	signature: "(h, z []uint16, sums, slope []float32)",
	lengths:   []string{"sums", "slope"},
	needs:     "len(slope) is a multiple of 16, len(sums) of len(slope)",
	assembly:  tier.activateBFloat16,
	tiers:     bfloat16Tiers,
})

// samples goes over the samples of rows of len(slope) channels, by up to four vectors of channels at a time: first is
// given their number and the offset in bytes of the first, and body, for each sample, that in float32, and half of
// that, which is the offset in bfloat16. Then last is called.
func samples(end reg.GPVirtual, first func(w int, offset reg.GPVirtual), body func(w int, i, half reg.GPVirtual),
	last func(w int, offset reg.GPVirtual)) {
	n, pitch, offset := lengthOf("slope"), GP64(), GP64()
	MOVQ(n, pitch)
	SHLQ(U8(2), pitch)
	XORQ(offset, offset)
	for _, w := range []int{4, 3, 2, 1} {
		while(n, 16*w, func() {
			first(w, offset)
			i, half := GP64(), GP64()
			MOVQ(offset, i)
			loop := label("loop")
			Label(loop)
			MOVQ(i, half)
			SHRQ(U8(1), half)
			body(w, i, half)
			ADDQ(pitch, i)
			CMPQ(i, end)
			JL(LabelRef(loop))
			last(w, offset)
			ADDQ(U32(64*w), offset)
			SUBQ(U8(16*w), n)
		})
	}
}

func (t tier) activateBFloat16() {
	h, z, sums, slope, end := pointer("h"), pointer("z"), pointer("sums"), pointer("slope"), lengthOf("sums")
	SHLQ(U8(2), end)
	v, low, short, zero, slopes := zmm[0], zmm[1], 2, zmm[3], zmm[4:]
	VPXORQ(zero, zero, zero)
	samples(end, func(w int, offset reg.GPVirtual) {
		for j := range w {
			VMOVUPS(at(slope, offset, 64*j), slopes[j])
		}
	}, func(w int, i, half reg.GPVirtual) {
		for j := range w {
			VMOVUPS(at(sums, i, 64*j), v)
			roundPairs(short, 0)
			VMOVUPS(reg.Y2, at(z, half, 32*j))
			VMINPS(zero, v, low)
			VMAXPS(zero, v, v)
			VFMADD231PS(slopes[j], low, v)
			roundPairs(short, 0)
			VMOVUPS(reg.Y2, at(h, half, 32*j))
		}
	}, func(int, reg.GPVirtual) {})
}

var _ = register(operation{
	name:      "activateBackBFloat16",
	signature: "(dst []uint16, d []float32, z []uint16, slope, toSlope, toBias []float32)",
	lengths:   []string{"d", "slope"},
	needs:     "len(slope) is a multiple of 16, len(d) of len(slope)",
	assembly:  tier.activateBackBFloat16,
	tiers:     bfloat16Tiers,
})

func (t tier) activateBackBFloat16() {
	dst, d, z, end := pointer("dst"), pointer("d"), pointer("z"), lengthOf("d")
	slope, toSlope, toBias := pointer("slope"), pointer("toSlope"), pointer("toBias")
	SHLQ(U8(2), end)
	v, low, short, zero := zmm[0], zmm[1], 2, zmm[3]
	slopes, slopeSums, biasSums := zmm[4:], zmm[8:], zmm[12:]
	VPXORQ(zero, zero, zero)
	samples(end, func(w int, offset reg.GPVirtual) {
		for j := range w {
			VMOVUPS(at(slope, offset, 64*j), slopes[j])
			VMOVUPS(at(toSlope, offset, 64*j), slopeSums[j])
			VMOVUPS(at(toBias, offset, 64*j), biasSums[j])
		}
	}, func(w int, i, half reg.GPVirtual) {
		for j := range w {
			VMOVUPS(at(d, i, 64*j), v)
			VPMOVZXWD(at(z, half, 32*j), low)
			VPSLLD(U8(16), low, low)
			VCMPPS(U8(less), zero, low, reg.K1)
			VMINPS(zero, low, low)
			VFMADD231PS(low, v, slopeSums[j])
			VMULPS(slopes[j], v, reg.K1, v)
			VADDPS(v, biasSums[j], biasSums[j])
			roundPairs(short, 0)
			VMOVUPS(reg.Y2, at(dst, half, 32*j))
		}
	}, func(w int, offset reg.GPVirtual) {
		for j := range w {
			VMOVUPS(slopeSums[j], at(toSlope, offset, 64*j))
			VMOVUPS(biasSums[j], at(toBias, offset, 64*j))
		}
	})
}
