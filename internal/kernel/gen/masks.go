package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mask selects lanes of a vector: by a mask register, or by the highest bit of each lane of a vector.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// mask returns the mask that set writes to the register that it gets.
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

// compare returns the mask of the lanes of float32 for which a predicate of a and b holds.
func (t tier) compare(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPS(U8(predicate), b, a, to) })
}

// choose sets the lanes of to that the mask selects to those of value.
func (t tier) choose(m mask, value, to reg.VecVirtual) {
	if t.lanes == 8 {
		VMOVAPS(value, m.k, to)
	} else {
		VBLENDVPS(m.v, value, to, to)
	}
}

// The predicates of comparisons, all false for NaN.
const (
	lessOrEqual = 2
	less        = 17
	greater     = 30
)

// where sets the lanes of to for which a predicate of a and b holds to those of value, of float64.
func (t tier) where(predicate int, a, b, value, to reg.VecVirtual) {
	m := t.compare64(predicate, a, b)
	if t.lanes == 8 {
		VMOVAPD(value, m.k, to)
	} else {
		VBLENDVPD(m.v, value, to, to)
	}
}

// compare64 is compare for float64.
func (t tier) compare64(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPD(U8(predicate), b, a, to) })
}

const floatOne = 0x3f800000
