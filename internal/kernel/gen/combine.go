package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "combine",
	signature: "(dst, src []float32, at []int, weight []float32)",
	lengths:   []string{"dst", "at"},
	needs:     "len(at) is at least 1",
	assembly:  func(t tier) { t.combine(false) },
	simd:      func(f *function) { f.simdCombine(false) },
	tiers:     []string{AVX2, AVX512, SIMD128},
})

var _ = register(operation{
	name:      "combineOnto",
	signature: "(dst, base, src []float32, at []int, weight []float32)",
	lengths:   []string{"dst", "at"},
	assembly:  func(t tier) { t.combine(true) },
	simd:      func(f *function) { f.simdCombine(true) },
	tiers:     []string{AVX2, AVX512, SIMD128},
})

// combine goes over dst eight vectors at a time, then one, then a sample: each sum is in the order of the
// parts, wherever it stands. Products are rounded before they are added, so that all tiers and all other
// machines find the same.
func (t tier) combine(onto bool) {
	dst, src, ats, weight, n := pointer("dst"), pointer("src"), pointer("at"), pointer("weight"), lengthOf("dst")
	var base reg.GPVirtual
	var most, least reg.VecVirtual
	if onto {
		base = pointer("base")
		most, least = t.constant32(floatOne), t.zero()
	}
	acc := make([]reg.VecVirtual, 8)
	for i := range acc {
		acc[i] = t.vec()
	}
	k, from, w := GP64(), GP64(), t.vec()
	// parts runs body for every part: its weight is in w, its samples at from.
	parts := func(load func(), body func()) {
		XORQ(k, k)
		top, out := label("part"), label("done")
		Label(top)
		CMPQ(k, place(Param(lengthName("at"))))
		JGE(LabelRef(out))
		MOVQ(Mem{Base: ats, Index: k, Scale: 8}, from)
		LEAQ(Mem{Base: src, Index: from, Scale: 4}, from)
		load()
		body()
		INCQ(k)
		JMP(LabelRef(top))
		Label(out)
	}
	advance := func(bytes, samples int) {
		ADDQ(U32(bytes), dst)
		ADDQ(U32(bytes), src)
		if onto {
			ADDQ(U32(bytes), base)
		}
		SUBQ(U32(samples), n)
	}
	lanes := 2 * t.lanes
	for _, vectors := range []int{8, 1} {
		while(n, vectors*lanes, func() {
			for i, v := range acc[:vectors] {
				if onto {
					VMOVUPS(Mem{Base: base, Disp: i * t.bytes()}, v)
				} else {
					t.clear(v)
				}
			}
			parts(func() { VBROADCASTSS(Mem{Base: weight, Index: k, Scale: 4}, w) }, func() {
				for i, v := range acc[:vectors] {
					product := t.vec()
					VMULPS(Mem{Base: from, Disp: i * t.bytes()}, w, product)
					VADDPS(product, v, v)
				}
			})
			for i, v := range acc[:vectors] {
				if onto {
					VMAXPS(least, v, v) // NaN: the first operand, which is 0
					VMINPS(most, v, v)
				}
				VMOVUPS(v, Mem{Base: dst, Disp: i * t.bytes()})
			}
			advance(vectors*t.bytes(), vectors*lanes)
		})
	}
	while(n, 1, func() {
		v, w := acc[0].AsX(), w.AsX()
		if onto {
			VMOVSS(Mem{Base: base}, v)
		} else {
			VXORPS(v, v, v)
		}
		parts(func() { VMOVSS(Mem{Base: weight, Index: k, Scale: 4}, w) }, func() {
			VMULSS(Mem{Base: from}, w, w)
			VADDSS(w, v, v)
		})
		if onto {
			VMAXSS(least.AsX(), v, v)
			VMINSS(most.AsX(), v, v)
		}
		VMOVSS(v, Mem{Base: dst})
		advance(4, 1)
	})
}
