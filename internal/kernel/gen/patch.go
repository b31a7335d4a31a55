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

// forms rounds every product and every sum, in the order of the entries, so that all
// tiers find the same forms: a patch may be on the border of two.
func (t tier) forms() {
	t.begin("forms", "forms *int32, mean, raw *float32, offsets *int32, weights *float32, entries, n int)",
		"is Forms; n is a multiple of 16.")
	forms, mean, raw, n := pointer("forms"), pointer("mean"), pointer("raw"), pointer("n")
	while(n, t.lanes32(), func() {
		offsets, weights, entries := pointer("offsets"), pointer("weights"), pointer("entries")
		m := t.zeros(4)
		while(entries, 1, func() {
			x := t.load(entry(raw, offsets, 0))
			for c := range m {
				v := t.spread32(from(weights, 4*c))
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
	end()
}

// orient takes the eight entries of an orbit at a time: all its flips are exchanges
// of registers.
func (t tier) orient(name string, back bool) {
	doc, src32 := "is Orient; n is a multiple of 16.", "float32"
	if back {
		doc, src32 = "is Restore; n is a multiple of 16.", "int32"
	}
	t.begin(name, "dst *float32, to *int32, src *"+src32+", from, forms *int32, level *float32, orbits, n int)", doc)
	dst, src, forms, levels, n := pointer("dst"), pointer("src"), pointer("forms"), pointer("level"), pointer("n")
	while(n, t.lanes32(), func() {
		form := t.load(from(forms, 0))
		flipX, flipY, turned := t.has(form, 0), t.has(form, 1), t.has(form, 2)
		sign := t.vec()
		VPSLLD(U8(28), form, sign)
		t.and(t.constant32(signBit), sign, sign)
		level := t.load(from(levels, 0)) // the mean, or what 1 stands for
		if back {
			t.xor(sign, level, level)
		}
		to, list, orbits := pointer("to"), pointer("from"), pointer("orbits")
		while(orbits, 1, func() {
			v := make([]reg.VecVirtual, 8) // by the bits: mirrored across, down, turned
			for i := range v {
				if back {
					v[i] = t.vec()
					VCVTDQ2PS(entry(src, list, i), v[i])
					VMULPS(level, v[i], v[i])
					continue
				}
				v[i] = t.load(entry(src, list, i))
				VSUBPS(level, v[i], v[i])
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
			DECQ(orbits)
		})
		for _, p := range []reg.GPVirtual{dst, src, forms, levels} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes32()), n)
	})
	end()
}

// spreadParam is the float32 parameter of a name, in every lane.
func (t tier) spreadParam(name string) reg.VecVirtual { return t.spread32(place(Param(name))) }

func (t tier) sumRows() {
	t.begin("sumRows", "dst, src *float32, offsets *int32, terms, n int)", "is SumRows; n is a multiple of 16.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	for _, w := range []int{4, 64 / t.bytes()} {
		while(n, w*t.lanes32(), func() {
			offsets, terms := pointer("offsets"), pointer("terms")
			sum := t.zeros(w)
			while(terms, 1, func() {
				r := GP64()
				MOVLQSX(from(offsets, 0), r)
				for i := range w {
					VADDPS(Mem{Base: src, Index: r, Scale: 4, Disp: i * t.bytes()}, sum[i], sum[i])
				}
				ADDQ(U8(4), offsets)
				DECQ(terms)
			})
			for i := range w {
				VMOVUPS(sum[i], from(dst, i*t.bytes()))
			}
			ADDQ(U32(w*t.bytes()), src)
			ADDQ(U32(w*t.bytes()), dst)
			SUBQ(U32(w*t.lanes32()), n)
		})
	}
	end()
}
