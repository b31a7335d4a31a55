package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mask is a choice among the lanes of a vector: a mask register, or a vector with the highest bit of every
// lane.
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

// The predicates of comparisons, all false for NaN.
const (
	lessOrEqual = 2
	less        = 17
	greater     = 30
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
