package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scaleAndClip returns a function that writes code for the 16 or 32 sums in acc, of the outputs from output on. The
// code multiplies each sum by a scale of its output, rounds and clips it, adds skip, clips again, and stores it at dst.
func (t tier) scaleAndClip(output reg.GPVirtual, vectors int) func(acc []reg.VecVirtual, dst, skip reg.GPVirtual) {
	up, down := pointer("positive"), pointer("negative")
	LEAQ(Mem{Base: up, Index: output, Scale: 4}, up)
	LEAQ(Mem{Base: down, Index: output, Scale: 4}, down)
	var positive []reg.VecVirtual
	for i := range vectors {
		positive = append(positive, t.load(from(up, i*t.bytes())))
	}
	by, limits := t.vec(), pointer("limits")
	return func(acc []reg.VecVirtual, dst, skip reg.GPVirtual) {
		for i, v := range acc {
			t.scaleAndRound(v, positive[i], from(down, i*t.bytes()), by)
			if t.lanes == 8 {
				short := v.AsY()
				VPMOVSDW(v, short)
				clipAndAdd(short, limits, from(skip, 32*i))
				VMOVUPS(short, from(dst, 32*i))
			}
		}
		if t.lanes == 4 {
			v := acc[0]
			VPACKSSDW(acc[1], v, v)
			VPERMQ(U8(0b11011000), v, v) // packing has put the quarters in the order 0, 2, 1, 3
			clipAndAdd(v, limits, from(skip, 0))
			VMOVDQU(v, from(dst, 0))
		}
	}
}

// scaleAndRound multiplies each sum in v by its lane of positive, or of negative if the sum is negative, and rounds it.
// by is a scratch register.
func (t tier) scaleAndRound(v, positive reg.VecVirtual, negative Mem, by reg.VecVirtual) {
	t.chooseScale(v, positive, negative, by)
	VCVTDQ2PS(v, v)
	VMULPS(by, v, v)
	VCVTPS2DQ(v, v)
}

// chooseScale sets each lane of by to positive, or to negative if that lane of v is negative.
func (t tier) chooseScale(v, positive reg.VecVirtual, negative Mem, by reg.VecVirtual) {
	if t.lanes == 8 {
		below := K()
		VPMOVD2M(v, below)
		VBLENDMPS(negative, positive, below, by)
	} else {
		VBLENDVPS(v, negative, positive, by)
	}
}

// clipAndAdd clips the outputs in v to the first two limits, the largest and the smallest value, adds skip, and clips
// the sums to the last two, in the same order. Each of the four limits is repeated in 32 entries.
func clipAndAdd(v reg.Register, limits reg.GPVirtual, skip Mem) {
	VPMINSW(from(limits, 0), v, v)
	VPMAXSW(from(limits, 64), v, v)
	VPADDSW(skip, v, v)
	VPMINSW(from(limits, 128), v, v)
	VPMAXSW(from(limits, 192), v, v)
}

// outputs writes code that moves p to an output of a sample. p points to lines, one for each sample, of entries of
// size bytes, 2 or 4. It also converts the register line, the length of a line, from entries to bytes.
func outputs(p, line, sample, output reg.GPVirtual, size int) {
	r := GP64()
	if size == 2 {
		SHLQ(U8(1), line)
	} else {
		SHLQ(U8(2), line)
	}
	MOVQ(line, r)
	IMULQ(sample, r)
	ADDQ(r, p)
	LEAQ(Mem{Base: p, Index: output, Scale: uint8(size)}, p)
}
