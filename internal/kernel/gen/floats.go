package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// eachFloat registers an operation on two rows of float32, entry by entry.
func eachFloat(name string, do func(...Op)) struct{} {
	return register(operation{
		name:      name,
		signature: "(dst, a, b []float32)",
		lengths:   []string{"dst"},
		needs:     "len(dst) is a multiple of 16",
		tiers:     []string{AVX2, AVX512BW},
		assembly: func(t tier) {
			dst, a, b, n := pointer("dst"), pointer("a"), pointer("b"), lengthOf("dst")
			while(n, 16, func() {
				for i := range 16 / t.lanes32() {
					v := t.load(from(a, i*t.bytes()))
					do(from(b, i*t.bytes()), v, v)
					VMOVUPS(v, from(dst, i*t.bytes()))
				}
				for _, p := range []reg.GPVirtual{dst, a, b} {
					ADDQ(U8(64), p)
				}
				SUBQ(U8(16), n)
			})
		},
	})
}

var (
	_ = eachFloat("addFloats", VADDPS)
	_ = eachFloat("subtractFloats", VSUBPS)
	_ = eachFloat("multiplyFloats", VMULPS)
)

var _ = register(operation{
	name:      "interpolate",
	signature: "(dst, src, table []float32, most, perUnit, middle, below, above float32)",
	lengths:   []string{"dst", "table"},
	needs:     "len(dst) is a multiple of 16, len(table) at least 2",
	tiers:     []string{AVX2, AVX512BW},
	assembly:  tier.interpolate,
})

// interpolate looks up as many values as a vector has.
func (t tier) interpolate() {
	dst, src, table, n, last := pointer("dst"), pointer("src"), pointer("table"), lengthOf("dst"), lengthOf("table")
	most, perUnit, middle := t.number32("most"), t.number32("perUnit"), t.number32("middle")
	below, above, least, zero, end := t.number32("below"), t.number32("above"), t.zero(), t.zero(), t.vec()
	VSUBPS(most, least, least)
	SUBQ(U8(2), last)
	x := XMM()
	VMOVD(last.As32(), x)
	VPBROADCASTD(x, end)
	while(n, t.lanes32(), func() {
		v := t.load(from(src, 0))
		inside, place, at, low, next := t.vec(), t.vec(), t.vec(), t.vec(), t.vec()
		VMAXPS(least, v, inside)
		VMINPS(most, inside, inside)
		VMULPS(perUnit, inside, place)
		VADDPS(middle, place, place)
		VCVTTPS2DQ(place, at)
		VPMINSD(end, at, at)
		t.gather(table, at, 0, low)
		t.gather(table, at, 4, next)
		VCVTDQ2PS(at, at)
		VSUBPS(at, place, place)
		VSUBPS(low, next, next)
		VMULPS(next, place, place)
		VADDPS(place, low, low)
		slope := t.vec()
		VMOVAPS(above, slope)
		t.choose(t.compare(less, v, zero), below, slope)
		VSUBPS(inside, v, v)
		VMULPS(slope, v, v)
		VADDPS(v, low, low)
		VMOVUPS(low, from(dst, 0))
		ADDQ(U8(t.bytes()), dst)
		ADDQ(U8(t.bytes()), src)
		SUBQ(U8(t.lanes32()), n)
	})
}

// gather sets the lanes of to to the entries of 32 bits at offset bytes behind those that the lanes of index name.
func (t tier) gather(base reg.GPVirtual, index reg.VecVirtual, offset int, to reg.VecVirtual) {
	m := Mem{Base: base, Index: index, Scale: 4, Disp: offset}
	if t.lanes == 8 {
		all := K()
		KXNORW(all, all, all)
		VGATHERDPS(m, all, to)
		return
	}
	all := t.constant32(math.MaxUint32)
	VGATHERDPS(all, m, to)
}
