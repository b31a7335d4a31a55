package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "pairs",
	signature: "(words []int32, ld int, scale, p []float32, ldp, entries int, peak float32)",
	lengths:   []string{"scale"},
	needs:     "len(scale) is a multiple of 16",
	assembly:  tier.pairs,
})

// pairs takes as many lanes as a vector has at a time.
func (t tier) pairs() {
	words, ld, scale, p, ldp, n := pointer("words"), pointer("ld"), pointer("scale"), pointer("p"), pointer("ldp"), lengthOf("scale")
	SHLQ(U8(2), ld)
	SHLQ(U8(2), ldp)
	var odd reg.OpmaskVirtual
	if t.lanes == 8 {
		r := GP32()
		odd = K()
		MOVL(U32(0xaaaaaaaa), r)
		KMOVD(r, odd)
	}
	while(n, t.lanes32(), func() {
		most, row := t.constant32(floatFloor), GP64()
		MOVQ(p, row)
		t.most32(most, row, ldp, pointer("entries"))
		inverse, peak := t.vec(), t.number32("peak")
		VDIVPS(most, peak, inverse)
		VDIVPS(peak, most, most)
		VMOVUPS(most, from(scale, 0))
		entries, to := pointer("entries"), GP64()
		MOVQ(words, to)
		MOVQ(p, row)
		integer := func() reg.VecVirtual {
			v := t.vec()
			VMULPS(from(row, 0), inverse, v)
			VCVTPS2DQ(v, v)
			ADDQ(ldp, row)
			return v
		}
		put := func(low, high reg.VecVirtual) {
			VPSLLD(U8(16), high, high)
			if t.lanes == 8 {
				VMOVDQU16(high, odd, low)
			} else {
				VPBLENDW(U8(0xaa), high, low, low)
			}
			VMOVUPS(low, from(to, 0))
			ADDQ(ld, to)
		}
		while(entries, 2, func() {
			low := integer()
			put(low, integer())
			SUBQ(U8(2), entries)
		})
		while(entries, 1, func() {
			low := integer()
			put(low, t.zero())
			DECQ(entries)
		})
		for _, p := range []reg.GPVirtual{words, scale, p} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes32()), n)
	})
}

// most32 sets most to the largest magnitude of float32 in k rows, four at a time and
// the rest one at a time; row is moved behind them.
func (t tier) most32(most reg.VecVirtual, row, ld, k reg.GPVirtual) {
	magnitude := t.constant32(signBit - 1)
	for _, n := range []int{4, 1} {
		while(k, n, func() {
			for range n {
				v := t.load(from(row, 0))
				t.and(magnitude, v, v)
				VMAXPS(v, most, most)
				ADDQ(ld, row)
			}
			SUBQ(U8(n), k)
		})
	}
}

var _ = register(operation{
	name:      "mulPairs",
	signature: "(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int)",
	needs:     "rows is a multiple of 8, cols of 16",
	assembly:  tier.mulPairs,
})

// mulPairs is mul32 for integers.
func (t tier) mulPairs() {
	tall, widths := t.integerTiles()
	t.tiles(tall, widths, func(acc []reg.VecVirtual, a, lda, b, ldb reg.GPVirtual, w int) {
		t.tile(acc, a, lda, b, ldb, pointer("words"), w, func(left reg.VecVirtual, right, acc []reg.VecVirtual) {
			for i, x := range right {
				t.dotPairs(x, left, acc[i])
			}
		})
	})
}

// integerTiles are the rows, and the vectors a row, of the tiles of products of integers.
func (t tier) integerTiles() (tall int, widths []int) {
	if t.lanes == 8 {
		return 8, []int{3, 2, 1}
	}
	return 4, []int{2} // a product takes a register of its own
}

// dotPairs adds, in every lane, the products of two integers of x with two of y.
func (t tier) dotPairs(x, y, acc reg.VecVirtual) {
	if t.name == AVX512 {
		vnni("VPDPWSSD", x, y, acc)
		return
	}
	v := t.vec()
	VPMADDWD(x, y, v)
	VPADDD(v, acc, acc)
}

// vnni is an instruction that avo does not know.
func vnni(opcode string, x, y, acc reg.VecVirtual) {
	Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{x, y, acc}, Inputs: []Op{x, y, acc}, Outputs: []Op{acc}, ISA: []string{"AVX512_VNNI"}})
}
