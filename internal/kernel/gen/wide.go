package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name: "sumRuns",
	signature: "(dst []int32, samples int, src []int16, rows []int, step, words int, " +
		"weights, bias []int32)",
	lengths:  []string{"rows", "bias"},
	needs:    "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly: tier.sumRuns,
	tiers:    []string{AVX2, AVX512BW, AVX512, NEON},
})

// sumRuns stores the sums as they are.
func (t tier) sumRuns() {
	t.filter(func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
		dst, line := pointer("dst"), lengthOf("bias")
		outputs(dst, line, sample, output, 4)
		wide := len(acc) / tall
		for s := range tall {
			for i := range wide {
				VMOVUPS(acc[s*wide+i], from(dst, i*t.bytes()))
			}
			ADDQ(line, dst)
		}
	})
}

// parts has what addParts needs: the number of bits of the low parts of samples, the power of two, and one less than
// it.
type parts struct {
	bits       int
	step, mask reg.VecVirtual
}

// parts returns the constants for low parts of a number of bits.
func (t tier) parts(bits int) parts {
	return parts{bits, t.constant32(uint32(127+bits) << 23), t.constant32(1<<bits - 1)}
}

// addParts returns low + high·2^bits in float32, rounded once, for sums high of at most 22 bits. The upper bits of low
// are added to high, which makes two numbers that float32 holds: only their sum is rounded. It changes low and high.
func (t tier) addParts(low, high reg.VecVirtual, p parts) reg.VecVirtual {
	upper := t.vec()
	VPSRAD(U8(p.bits), low, upper)
	VPADDD(upper, high, high)
	if t.lanes == 8 {
		VPANDD(p.mask, low, low)
	} else {
		VPAND(p.mask, low, low)
	}
	VCVTDQ2PS(high, high)
	VCVTDQ2PS(low, low)
	VMULPS(p.step, high, high)
	VADDPS(low, high, high)
	return high
}

var _ = register(operation{
	name:      "splitEntries",
	signature: "(low, high, src []int16)",
	lengths:   []string{"src"},
	needs:     "len(src) is a multiple of 16",
	assembly:  tier.splitEntries,
	tiers:     []string{AVX2},
})

// splitEntries divides 16 entries at a time.
func (t tier) splitEntries() {
	low, high, src, n, one := pointer("low"), pointer("high"), pointer("src"), lengthOf("src"), t.vec()
	VPCMPEQW(one, one, one)
	while(n, 16, func() {
		x, h := t.load(from(src, 0)), t.vec()
		VPSRAW(U8(13), x, h)
		VPSUBW(one, h, h)
		VPSRAW(U8(1), h, h)
		VMOVUPS(h, from(high, 0))
		VPSLLW(U8(14), h, h)
		VPSUBW(h, x, x)
		VMOVUPS(x, from(low, 0))
		for _, p := range []reg.GPVirtual{low, high, src} {
			ADDQ(U8(32), p)
		}
		SUBQ(U8(16), n)
	})
}

var _ = register(operation{
	name:      "addWideSums",
	signature: "(dst []float32, low, high []int32, scale []float32)",
	lengths:   []string{"dst", "scale"},
	needs:     "len(scale) is a multiple of 16, at least 16, len(dst) a multiple of it",
	assembly:  tier.addWideSums,
	tiers:     []string{AVX2, AVX512BW},
})

// addWideSums goes through the outputs of one sample after the other.
func (t tier) addWideSums() {
	dst, low, high, scale := pointer("dst"), pointer("low"), pointer("high"), pointer("scale")
	left, outputs, o, step := lengthOf("dst"), lengthOf("scale"), GP64(), t.parts(14)
	while(left, 1, func() {
		XORQ(o, o)
		top := label("outputs")
		Label(top)
		m := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: o, Scale: 4} }
		v := t.addParts(t.load(m(low)), t.load(m(high)), step)
		VMULPS(m(scale), v, v)
		VMOVUPS(v, m(dst))
		ADDQ(U8(t.lanes32()), o)
		CMPQ(o, outputs)
		JLT(LabelRef(top))
		for _, p := range []reg.GPVirtual{dst, low, high} {
			LEAQ(Mem{Base: p, Index: outputs, Scale: 4}, p)
		}
		SUBQ(outputs, left)
	})
}

var _ = register(operation{
	name: "scaleWideSums",
	signature: "(dst []int16, samples int, low, high []int32, positive, negative []float32, limits []int16, " +
		"skip []int16, skipStep, dstStep int)",
	lengths:  []string{"positive"},
	needs:    "samples is at least 1, len(positive) a multiple of 16, at least 16",
	assembly: tier.scaleWideSums,
	tiers:    []string{AVX2, AVX512BW},
})

// The bits of 32767 and −32767 in float32.
const (
	maxShort      = 0x46fffe00
	minusMaxShort = 0xc6fffe00
)

// scaleWideSums goes through the outputs of one sample after the other, 16 at a time.
func (t tier) scaleWideSums() {
	dst, low, high, skip, n := pointer("dst"), pointer("low"), pointer("high"), pointer("skip"), pointer("samples")
	positive, negative, outputs := pointer("positive"), pointer("negative"), lengthOf("positive")
	limits, o, by, step := pointer("limits"), GP64(), t.vec(), t.parts(14)
	most, least := t.constant32(maxShort), t.constant32(minusMaxShort)
	sample := label("sample")
	Label(sample)
	XORQ(o, o)
	top := label("outputs")
	Label(top)
	var acc []reg.VecVirtual
	for i := range 16 / t.lanes32() {
		m := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: o, Scale: 4, Disp: i * t.bytes()} }
		v := t.addParts(t.load(m(low)), t.load(m(high)), step)
		t.chooseScale(v, t.load(m(positive)), m(negative), by)
		VMULPS(by, v, v)
		VMAXPS(least, v, v)
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v)
		acc = append(acc, v)
	}
	short := acc[0].AsY()
	if t.lanes == 8 {
		VPMOVSDW(acc[0], short)
	} else {
		VPACKSSDW(acc[1], short, short)
		VPERMQ(U8(0b11011000), short, short)
	}
	clipAndAdd(short, limits, Mem{Base: skip, Index: o, Scale: 2})
	VMOVUPS(short, Mem{Base: dst, Index: o, Scale: 2})
	ADDQ(U8(16), o)
	CMPQ(o, outputs)
	JLT(LabelRef(top))
	for _, p := range []reg.GPVirtual{low, high} {
		LEAQ(Mem{Base: p, Index: outputs, Scale: 4}, p)
	}
	MOVQ(place(Param("dstStep")), o)
	LEAQ(Mem{Base: dst, Index: o, Scale: 2}, dst)
	MOVQ(place(Param("skipStep")), o)
	LEAQ(Mem{Base: skip, Index: o, Scale: 2}, skip)
	DECQ(n)
	JNZ(LabelRef(sample))
}
