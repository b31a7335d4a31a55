package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mask selects lanes of a vector. It is a mask register, or a vector with the highest bit set in the selected lanes.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// mask returns a new mask: a mask register with AVX-512, otherwise a vector. set writes the instruction that sets it.
func (t tier) mask(set func(to reg.Register)) mask {
	if t.lanes == 8 {
		m := mask{k: K()}
		set(m.k)
		return m
	}
	m := mask{v: t.vec()}
	set(m.v)
	return m
}

// compare returns the mask of the float32 lanes where a predicate holds for a and b.
func (t tier) compare(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPS(U8(predicate), b, a, to) })
}

// choose copies from value to dst the lanes that the mask selects.
func (t tier) choose(m mask, value, dst reg.VecVirtual) {
	if t.lanes == 8 {
		VMOVAPS(value, m.k, dst)
	} else {
		VBLENDVPS(m.v, value, dst, dst)
	}
}

// The predicates of comparisons. All are false for NaN.
const (
	lessOrEqual = 2
	less        = 17
	greater     = 30
)

// where copies from value to dst the float64 lanes in which a predicate holds for a and b.
func (t tier) where(predicate int, a, b, value, dst reg.VecVirtual) {
	m := t.compare64(predicate, a, b)
	if t.lanes == 8 {
		VMOVAPD(value, m.k, dst)
	} else {
		VBLENDVPD(m.v, value, dst, dst)
	}
}

// compare64 is compare for float64.
func (t tier) compare64(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPD(U8(predicate), b, a, to) })
}

const floatOne = 0x3f800000
