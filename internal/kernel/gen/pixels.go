package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name: "addPixels",
	signature: "(dst, was, sums []float32, n, scale, step, outputs int, share []float32, shareStep int, " +
		"least []float32, leastStep int, most []float32, mostStep int)",
	needs:    "n is at least 1, scale 2, 3 or 4",
	assembly: tier.addPixels,
	simd:     simdAddPixels,
	tiers:    []string{AVX2, NEON, SIMD128}, // a sample is four numbers at most
})

// addPixels has a loop for each scale. A loop processes all pixels of a sample together.
func (t tier) addPixels() {
	dst, was, left, n := pointer("dst"), pointer("was"), pointer("sums"), pointer("n")
	step, scale := pointer("step"), pointer("scale")
	share, least, most := pointer("share"), pointer("least"), pointer("most")
	own, next := GP64(), GP64()
	MOVQ(step, own)
	ADDQ(pointer("outputs"), own)
	LEAQ(Mem{Base: left, Index: own, Scale: 8}, next)
	LEAQ(Mem{Base: left, Index: own, Scale: 4}, own)
	SHLQ(U8(2), step)
	following := func(row reg.GPVirtual, name string) {
		to := GP64()
		MOVQ(place(Param(name)), to)
		LEAQ(Mem{Base: row, Index: to, Scale: 4}, row)
	}
	done := label("done")
	for s := 2; s <= 4; s++ {
		other := label("other")
		CMPQ(scale, U8(s))
		JNE(LabelRef(other))
		while(n, 1, func() {
			v, sum, one, bound := fewOf(s, left), reg.VecVirtual(nil), reg.VecVirtual(nil), XMM()
			sum, v = v, fewOf(s, was)
			one = fewOf(s, own)
			VADDPS(one, sum, sum)
			one = fewOf(s, next)
			VADDPS(one, sum, sum)
			VBROADCASTSS(Mem{Base: share}, bound)
			VMULPS(bound, sum, sum)
			VADDPS(sum, v, v)
			VBROADCASTSS(Mem{Base: least}, bound)
			VMAXPS(bound, v, v) // for NaN, and for zeros of both signs: the first operand
			VBROADCASTSS(Mem{Base: most}, bound)
			VMINPS(v, bound, v)
			switch s {
			case 4:
				VMOVUPS(v, Mem{Base: dst})
			case 3:
				VEXTRACTPS(U8(2), v, Mem{Base: dst, Disp: 8})
				fallthrough
			case 2:
				VMOVLPS(v, Mem{Base: dst})
			}
			for _, p := range []reg.GPVirtual{dst, was} {
				ADDQ(U8(4*s), p)
			}
			for _, p := range []reg.GPVirtual{left, own, next} {
				ADDQ(step, p)
			}
			following(share, "shareStep")
			following(least, "leastStep")
			following(most, "mostStep")
			DECQ(n)
		})
		JMP(LabelRef(done))
		Label(other)
	}
	Label(done)
}

// fewOf loads n float32, 2 to 4, at p, followed by zeros.
func fewOf(n int, p reg.GPVirtual) reg.VecVirtual {
	v := XMM()
	if n == 4 {
		VMOVUPS(Mem{Base: p}, v)
		return v
	}
	VMOVQ(Mem{Base: p}, v)
	if n == 3 {
		VINSERTPS(U8(2<<4), Mem{Base: p, Disp: 8}, v, v)
	}
	return v
}

var _ = register(operation{
	name:      "boundFlatAreas",
	signature: "(least, most, above, row, below []float32)",
	lengths:   []string{"least"},
	needs:     "len(least) is a multiple of 8",
	assembly:  tier.boundFlatAreas,
	simd:      simdBoundFlatAreas,
	tiers:     []string{AVX2, SIMD128},
})

// boundFlatAreas finds the extremes of the nine samples first, and then counts the samples that equal them. An extreme
// that fewer than three samples have becomes −∞ or +∞. The code compares the bits of samples: the bits of
// kernel.Missing, −0, are the greatest unsigned integer and the least signed one, so Missing is never an extreme.
func (t tier) boundFlatAreas() {
	least, most, n := pointer("least"), pointer("most"), lengthOf("least")
	rows := []reg.GPVirtual{pointer("row"), pointer("above"), pointer("below")}
	lowest, highest, two := t.constant32(minusInf32), t.constant32(inf32), t.constant32(2)
	i := GP64()
	XORQ(i, i)
	each := func(body func(v reg.VecVirtual)) {
		for _, row := range rows {
			for _, x := range []int{1, 0, 2} {
				v := t.vec()
				VMOVUPS(Mem{Base: row, Index: i, Scale: 4, Disp: 4 * x}, v)
				body(v)
			}
		}
	}
	while(n, t.lanes32(), func() {
		lo, hi, los, his := t.vec(), t.vec(), t.zero(), t.zero()
		first := true
		each(func(v reg.VecVirtual) {
			if first { // the sample in the middle
				VMOVAPS(v, lo)
				VMOVAPS(v, hi)
				first = false
				return
			}
			VPMINUD(v, lo, lo)
			VPMAXSD(v, hi, hi)
		})
		each(func(v reg.VecVirtual) {
			is := t.vec()
			VPCMPEQD(v, lo, is)
			VPSUBD(is, los, los) // equal lanes of is hold −1
			VPCMPEQD(v, hi, v)
			VPSUBD(v, his, his)
		})
		VPCMPGTD(two, los, los)
		VBLENDVPS(los, lo, lowest, lo)
		VMOVUPS(lo, Mem{Base: least, Index: i, Scale: 4})
		VPCMPGTD(two, his, his)
		VBLENDVPS(his, hi, highest, hi)
		VMOVUPS(hi, Mem{Base: most, Index: i, Scale: 4})
		ADDQ(U8(t.lanes32()), i)
		SUBQ(U8(t.lanes32()), n)
	})
}

const (
	inf32      = 0x7f800000
	minusInf32 = 0xff800000
)
