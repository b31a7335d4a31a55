package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mask is a choice among the lanes of a vector: a mask register, or a vector with the
// highest bit of every lane.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// mask is what set makes of the register that it is given.
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

// compare is where a compares to b.
func (t tier) compare(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPS(U8(predicate), b, a, to) })
}

// choose sets to = value where the mask says so.
func (t tier) choose(m mask, value, to reg.VecVirtual) {
	if t.lanes == 8 {
		VMOVAPS(value, m.k, to)
	} else {
		VBLENDVPS(m.v, value, to, to)
	}
}

// swap exchanges a and b where the mask says so; it returns where they are then.
func (t tier) swap(m mask, a, b reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
	c := t.vec()
	if t.lanes == 8 {
		VBLENDMPS(b, a, m.k, c)
		VMOVAPS(a, m.k, b)
	} else {
		VBLENDVPS(m.v, b, a, c)
		VBLENDVPS(m.v, a, b, b)
	}
	return c, b
}

// bits is a vector of a number where the mask says so, of 0 elsewhere.
func (t tier) bits(m mask, number uint32) reg.VecVirtual {
	v, c := t.vec(), t.constant32(number)
	if t.lanes == 8 {
		VMOVDQA32_Z(c, m.k, v)
	} else {
		VPAND(c, m.v, v)
	}
	return v
}

// has is where a bit of v is set.
func (t tier) has(v reg.VecVirtual, bit int) mask {
	if t.lanes == 8 {
		m := mask{k: K()}
		VPTESTMD(t.constant32(1<<bit), v, m.k)
		return m
	}
	m := mask{v: t.vec()}
	VPSLLD(U8(31-bit), v, m.v)
	return m
}

const signBit = 0x80000000

func (t tier) xor(a, b, to reg.VecVirtual) {
	if t.lanes == 8 {
		VPXORD(a, b, to)
	} else {
		VPXOR(a, b, to)
	}
}

func (t tier) and(a, b, to reg.VecVirtual) {
	if t.lanes == 8 {
		VPANDD(a, b, to)
	} else {
		VPAND(a, b, to)
	}
}

// Predicates of a comparison, false for NaN.
const (
	equal32 = 0
	less32  = 17
)

// Predicates of a comparison, both false for NaN.
const (
	le      = 2
	greater = 30
)

// where sets to = value in the lanes with a compared to b.
func (t tier) where(predicate int, a, b, value, to reg.VecVirtual) {
	m := t.compare64(predicate, a, b)
	if t.lanes == 8 {
		VMOVAPD(value, m.k, to)
	} else {
		VBLENDVPD(m.v, value, to, to)
	}
}

// compare64 is where a compares to b, of float64.
func (t tier) compare64(predicate int, a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VCMPPD(U8(predicate), b, a, to) })
}

const floatOne = 0x3f800000
