package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// entry is the vector of float32 whose offset in elements is number i of a list.
func entry(base, list reg.GPVirtual, i int) Mem {
	r := GP64()
	MOVLQSX(from(list, 4*i), r)
	return Mem{Base: base, Index: r, Scale: 4}
}

var _ = register(operation{
	name:      "formsOf",
	signature: "(forms []int32, mean, raw []float32, offsets []int32, weights []float32)",
	lengths:   []string{"forms", "offsets"},
	needs:     "len(forms) is a multiple of 16",
	assembly:  tier.formsOf,
})

// formsOf rounds every product and every sum, in the order of the entries, so that all
// tiers find the same forms: a patch may be on the border of two.
func (t tier) formsOf() {
	forms, mean, raw, n := pointer("forms"), pointer("mean"), pointer("raw"), lengthOf("forms")
	while(n, t.lanes32(), func() {
		offsets, weights, entries := pointer("offsets"), pointer("weights"), lengthOf("offsets")
		m := t.zeros(4)
		while(entries, 1, func() {
			x := t.load(entry(raw, offsets, 0))
			for c := range m {
				v := t.broadcast32(from(weights, 4*c))
				VMULPS(x, v, v)
				VADDPS(v, m[c], m[c])
			}
			ADDQ(U8(4), offsets)
			ADDQ(U8(16), weights)
			DECQ(entries)
		})
		VMOVUPS(m[0], from(mean, 0))
		gx, gy, zero := m[1], m[2], t.zero()
		negative := t.compare(less32, m[3], zero)
		sign := t.bits(negative, signBit)
		t.xor(sign, gx, gx)
		t.xor(sign, gy, gy)
		x, y := t.compare(less32, gx, zero), t.compare(less32, gy, zero)
		magnitude := t.constant32(signBit - 1)
		t.and(magnitude, gx, gx)
		t.and(magnitude, gy, gy)
		form := t.bits(negative, 8)
		for i, m := range []mask{x, y, t.compare(less32, gx, gy)} {
			t.xor(t.bits(m, 1<<i), form, form)
		}
		VMOVUPS(form, from(forms, 0))
		for _, p := range []reg.GPVirtual{forms, mean, raw} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes32()), n)
	})
}

var _ = register(operation{
	name:      "orient",
	signature: "(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32)",
	lengths:   []string{"to", "forms"},
	needs:     "len(to) is a multiple of 8, len(forms) of 16",
	assembly:  func(t tier) { t.orient(false) },
})

var _ = register(operation{
	name:      "restore",
	signature: "(dst []float32, to, src, from, forms []int32, scale []float32)",
	lengths:   []string{"to", "forms"},
	needs:     "len(to) is a multiple of 8, len(forms) of 16",
	assembly:  func(t tier) { t.orient(true) },
})

// orient takes the eight entries of an orbit at a time: all its flips are exchanges
// of registers.
func (t tier) orient(back bool) {
	by := "mean"
	if back {
		by = "scale"
	}
	dst, src, forms, numbers, n := pointer("dst"), pointer("src"), pointer("forms"), pointer(by), lengthOf("forms")
	while(n, t.lanes32(), func() {
		form := t.load(from(forms, 0))
		flipX, flipY, turned := t.has(form, 0), t.has(form, 1), t.has(form, 2)
		sign := t.vec()
		VPSLLD(U8(28), form, sign)
		t.and(t.constant32(signBit), sign, sign)
		number := t.load(from(numbers, 0)) // the mean, or what 1 stands for
		if back {
			t.xor(sign, number, number)
		}
		to, list, left := pointer("to"), pointer("from"), lengthOf("to")
		while(left, 8, func() {
			v := make([]reg.VecVirtual, 8) // by the bits: mirrored across, down, turned
			for i := range v {
				if back {
					v[i] = t.vec()
					VCVTDQ2PS(entry(src, list, i), v[i])
					VMULPS(number, v[i], v[i])
					continue
				}
				v[i] = t.load(entry(src, list, i))
				VSUBPS(number, v[i], v[i])
				t.xor(sign, v[i], v[i])
			}
			across := func() {
				for i := 0; i < 8; i += 2 {
					v[i], v[i+1] = t.swap(flipX, v[i], v[i+1])
				}
			}
			down := func() {
				for _, i := range []int{0, 1, 4, 5} {
					v[i], v[i+2] = t.swap(flipY, v[i], v[i+2])
				}
			}
			turn := func() {
				for i, j := range []int{4, 6, 5, 7} { // mirrored across and down change places
					v[i], v[j] = t.swap(turned, v[i], v[j])
				}
			}
			if back {
				turn()
				down()
				across()
			} else {
				across()
				down()
				turn()
			}
			for i := range v {
				VMOVUPS(v[i], entry(dst, to, i))
			}
			ADDQ(U8(32), list)
			ADDQ(U8(32), to)
			SUBQ(U8(8), left)
		})
		for _, p := range []reg.GPVirtual{dst, src, forms, numbers} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes32()), n)
	})
}
