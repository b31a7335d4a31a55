package main

import (
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "addScaled",
	signature: "(dst, x, y []int16, a, b []float32, clip float32)",
	lengths:   []string{"dst", "a"},
	needs:     "len(a) is a multiple of 16, at least 16, len(dst) a multiple of it",
	tiers:     []string{AVX2, AVX512BW},
	assembly: func(t tier) {
		t.eachEntry([]string{"a", "b"}, func(m func(name string, size int) Mem) reg.VecVirtual {
			sum, product := t.signed(m("x", 2)), t.signed(m("y", 2))
			VCVTDQ2PS(sum, sum)
			VCVTDQ2PS(product, product)
			VMULPS(m("a", 4), sum, sum)
			VMULPS(m("b", 4), product, product)
			VADDPS(product, sum, sum)
			return sum
		})
	},
})

var _ = register(operation{
	name:      "multiplyScaled",
	signature: "(dst, x, y []int16, a []float32, clip float32)",
	lengths:   []string{"dst", "a"},
	needs:     "len(a) is a multiple of 16, at least 16, len(dst) a multiple of it",
	tiers:     []string{AVX2, AVX512BW},
	assembly: func(t tier) {
		t.eachEntry([]string{"a"}, func(m func(name string, size int) Mem) reg.VecVirtual {
			v, by := t.vec(), t.vec()
			VPMOVZXWD(m("x", 2), v) // pairs of which the second is 0
			VPMOVZXWD(m("y", 2), by)
			VPMADDWD(by, v, v)
			VCVTDQ2PS(v, v)
			VMULPS(m("a", 4), v, v)
			return v
		})
	},
})

// signed returns as many integers of 16 bits at m as make a vector of 32 bits.
func (t tier) signed(m Mem) reg.VecVirtual {
	v := t.vec()
	VPMOVSXWD(m, v)
	return v
}

// eachEntry writes the loops over samples and over their channels. value returns float32 for a vector of entries, m the
// memory of that part of a parameter whose entries have size bytes; factors are the parameters that have an entry for
// each channel. Values are clipped, rounded and stored.
func (t tier) eachEntry(factors []string, value func(m func(name string, size int) Mem) reg.VecVirtual) {
	most, least := t.number32("clip"), t.zero()
	VSUBPS(most, least, least)
	t.eachSample([]string{"x", "y"}, 2, factors, func(m func(name string, size int) Mem) reg.VecVirtual {
		v := value(m)
		VMAXPS(least, v, v)
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v)
		return v
	})
}

// eachSample is eachEntry for values that are integers of 32 bits, stored in 16, and inputs whose entries have size
// bytes.
func (t tier) eachSample(inputs []string, size int, factors []string,
	value func(m func(name string, size int) Mem) reg.VecVirtual) {
	base := map[string]reg.GPVirtual{"dst": pointer("dst")}
	for _, name := range slices.Concat(inputs, factors) {
		base[name] = pointer(name)
	}
	left, c, channels := lengthOf("dst"), GP64(), lengthOf(factors[0])
	while(left, 1, func() {
		XORQ(c, c)
		top := label("channels")
		Label(top)
		m := func(name string, size int) Mem { return Mem{Base: base[name], Index: c, Scale: uint8(size)} }
		v := value(m)
		if t.lanes == 8 {
			VPMOVDW(v, m("dst", 2))
		} else {
			high := XMM()
			VEXTRACTI128(U8(1), v, high)
			VPACKSSDW(high, v.AsX(), high)
			VMOVDQU(high, m("dst", 2))
		}
		ADDQ(U8(t.lanes32()), c)
		CMPQ(c, channels)
		JLT(LabelRef(top))
		LEAQ(Mem{Base: base["dst"], Index: channels, Scale: 2}, base["dst"])
		for _, name := range inputs {
			LEAQ(Mem{Base: base[name], Index: channels, Scale: uint8(size)}, base[name])
		}
		SUBQ(channels, left)
	})
}

var _ = register(operation{
	name:      "splitHigh",
	signature: "(dst []int16, a, b, c, slope, factor []float32)",
	lengths:   []string{"dst", "slope"},
	needs:     "len(slope) is a multiple of 16, at least 16, len(dst) a multiple of it",
	tiers:     []string{AVX2, AVX512BW},
	assembly:  func(t tier) { t.split(func(n, _ reg.VecVirtual) {}) },
})

var _ = register(operation{
	name:      "splitLow",
	signature: "(dst []int16, a, b, c, slope, factor []float32)",
	lengths:   []string{"dst", "slope"},
	needs:     "len(slope) is a multiple of 16, at least 16, len(dst) a multiple of it",
	tiers:     []string{AVX2, AVX512BW},
	assembly: func(t tier) {
		t.split(func(n, high reg.VecVirtual) {
			VPSLLD(U8(splitBits), high, high)
			VPSUBD(high, n, high)
		})
	},
})

// splitBits is the number of bits of the low part, and mostSplit the largest magnitude of a number that is split.
const (
	splitBits = 10
	mostSplit = (1<<12 - 1) << splitBits
)

// split makes integers and their high parts. part makes of these, in place, what is stored.
func (t tier) split(part func(n, high reg.VecVirtual)) {
	most, least := t.constant32(math.Float32bits(mostSplit)), t.constant32(math.Float32bits(-mostSplit))
	half, zero := t.constant32(1<<(splitBits-1)), t.zero()
	value := func(m func(name string, size int) Mem) reg.VecVirtual {
		sum, sloped := t.load(m("a", 4)), t.vec()
		VADDPS(m("b", 4), sum, sum)
		VADDPS(m("c", 4), sum, sum)
		VMULPS(m("slope", 4), sum, sloped)
		t.choose(t.compare(less, sum, zero), sloped, sum)
		VMULPS(m("factor", 4), sum, sum)
		VMAXPS(least, sum, sum)
		VMINPS(most, sum, sum)
		VCVTPS2DQ(sum, sum)
		high := t.vec()
		VPADDD(half, sum, high)
		VPSRAD(U8(splitBits), high, high)
		part(sum, high)
		return high
	}
	t.eachSample([]string{"a", "b", "c"}, 4, []string{"slope", "factor"}, value)
}

var _ = register(operation{
	name:      "countClipped",
	signature: "(v []int16, magnitude int) int",
	lengths:   []string{"v"},
	needs:     "len(v) is a multiple of 16",
	assembly:  tier.countClipped,
	tiers:     []string{AVX2},
})

// countClipped makes entries that are large enough −1 and the others 0. The square sums of pairs are the numbers of
// such entries.
func (t tier) countClipped() {
	v, n := pointer("v"), lengthOf("v")
	bound, sums, high := YMM(), t.zero(), XMM()
	VMOVD(place(Param("magnitude")), high)
	VPBROADCASTW(high, bound)
	while(n, 16, func() {
		size, most := YMM(), YMM()
		VPABSW(from(v, 0), size)
		VPMAXUW(size, bound, most)
		VPCMPEQW(size, most, most)
		VPMADDWD(most, most, most)
		VPADDD(most, sums, sums)
		ADDQ(U8(32), v)
		SUBQ(U8(16), n)
	})
	VEXTRACTI128(U8(1), sums, high)
	VPADDD(high, sums.AsX(), high)
	low, sum := XMM(), GP64()
	VPSHUFD(U8(0xee), high, low)
	VPADDD(high, low, low)
	VPSHUFD(U8(0x55), low, high)
	VPADDD(high, low, low)
	VMOVD(low, sum.As32())
	Store(sum, ReturnIndex(0))
}

var _ = register(operation{
	name:      "maxMagnitude",
	signature: "(v []int16) int",
	lengths:   []string{"v"},
	needs:     "len(v) is a multiple of 64, at least 64",
	assembly:  tier.maxMagnitude,
	tiers:     []string{AVX2},
})

// maxMagnitude keeps the largest of each lane of 64 entries.
func (t tier) maxMagnitude() {
	v, n := pointer("v"), lengthOf("v")
	most := t.zeros(4)
	while(n, 64, func() {
		for i, m := range most {
			size := t.vec()
			VPABSW(from(v, i*t.bytes()), size)
			VPMAXUW(size, m, m)
		}
		ADDQ(U8(64), v)
		ADDQ(U8(64), v)
		SUBQ(U8(64), n)
	})
	for i := len(most) / 2; i > 0; i /= 2 {
		for k := range i {
			VPMAXUW(most[k+i], most[k], most[k])
		}
	}
	x := XMM()
	VEXTRACTI128(U8(1), most[0], x)
	VPMAXUW(most[0].AsX(), x, x)
	ones, r := XMM(), GP64() // the least of the complements
	VPCMPEQW(ones, ones, ones)
	VPXOR(ones, x, x)
	VPHMINPOSUW(x, x)
	VMOVD(x, r.As32())
	XORL(U32(0xffff), r.As32())
	MOVWLZX(r.As16(), r.As32())
	Store(r, ReturnIndex(0))
}
