package main

import (
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

// pairs takes as many lanes as a vector has at a time.
func (t tier) pairs() {
	t.begin("pairs", "words *int32, ld int, scale, p *float32, ldp, entries, n int, peak float32)",
		"is Pairs; n is a multiple of 16.")
	words, ld, scale, p, ldp, n := pointer("words"), pointer("ld"), pointer("scale"), pointer("p"), pointer("ldp"), pointer("n")
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
		inverse, peak := t.vec(), t.spreadParam("peak")
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
	end()
}

// mulPairs is mul32 for integers.
func (t tier) mulPairs() {
	t.begin("mulPairs", "c *int32, ldc int, a *int32, lda int, b *int32, ldb int, rows, words, cols int)",
		"is MulPairs; rows is a multiple of 8, cols of 16.")
	tall, widths := t.integerTiles()
	t.tiles(tall, widths, func(acc []reg.VecVirtual, a, lda, b, ldb reg.GPVirtual, w int) {
		t.tile(acc, a, lda, b, ldb, pointer("words"), w, func(left reg.VecVirtual, right, acc []reg.VecVirtual) {
			for i, x := range right {
				t.dotPairs(x, left, acc[i])
			}
		})
	})
}

// pack takes as many lanes as a vector has and 16 entries of them at a time. Packing
// keeps lanes within 128 bits: there, 16 entries of four lanes are turned into rows.
func (t tier) pack() {
	t.begin("pack", "words *int32, ld int, scale *float32, sum, c *int32, ldc, k, n int)",
		"is Pack; k is a multiple of 8, n of 16.")
	words, ld, scale, sum, c, ldc, n := pointer("words"), pointer("ld"), pointer("scale"), pointer("sum"), pointer("c"), pointer("ldc"), pointer("n")
	SHLQ(U8(2), ld)
	SHLQ(U8(2), ldc)
	order := t.vec() // of bytes: 4×4 transposed
	if t.lanes == 8 {
		VBROADCASTI32X4(turnBytes(), order)
	} else {
		VBROADCASTI128(turnBytes(), order)
	}
	while(n, t.lanes32(), func() {
		most, row, k := t.constant32(1), GP64(), pointer("k")
		MOVQ(c, row)
		while(k, 4, func() {
			for range 4 {
				v := t.vec()
				VPABSD(from(row, 0), v)
				VPMAXSD(v, most, most)
				ADDQ(ldc, row)
			}
			SUBQ(U8(4), k)
		})
		inverse := t.vec()
		VCVTDQ2PS(most, most)
		VDIVPS(most, t.constant32(float127), inverse)
		VMULPS(t.constant32(float127th), most, most)
		VMULPS(from(scale, 0), most, most)
		VMOVUPS(most, from(scale, 0))
		total, ones, oneWords := t.zero(), t.constant32(0x01010101), t.constant32(0x00010001)
		to, column, left := GP64(), GP64(), pointer("k")
		MOVQ(words, to)
		MOVQ(c, column)
		quad := func() reg.VecVirtual {
			var v [4]reg.VecVirtual
			for j := range v {
				v[j] = t.vec()
				VCVTDQ2PS(from(column, 0), v[j])
				VMULPS(v[j], inverse, v[j])
				VCVTPS2DQ(v[j], v[j])
				ADDQ(ldc, column)
			}
			VPACKSSDW(v[1], v[0], v[0])
			VPACKSSDW(v[3], v[2], v[2])
			VPACKSSWB(v[2], v[0], v[0])
			VPSHUFB(order, v[0], v[0])
			if t.lanes == 8 {
				t.dotBytes(v[0], ones, nil, nil, total)
			} else {
				VPMADDUBSW(v[0], ones, v[1])
				VPMADDWD(oneWords, v[1], v[1])
				VPADDD(v[1], total, total)
			}
			return v[0]
		}
		for _, quads := range []int{4, 2} {
			while(left, 4*quads, func() {
				var q, half, out [4]reg.VecVirtual
				for i := range q {
					half[i], out[i] = t.vec(), t.vec()
					if i < quads {
						q[i] = quad()
					} else {
						q[i] = t.zero()
					}
				}
				t.turn4(q, half, out)
				line := GP64()
				MOVQ(to, line)
				for lane := range t.lanes32() {
					v := out[lane%4]
					switch {
					case lane < 4:
						VMOVUPS(v.AsX(), from(line, 0))
					case t.lanes == 8:
						VEXTRACTF32X4(U8(lane/4), v, from(line, 0))
					default:
						VEXTRACTF128(U8(lane/4), v, from(line, 0))
					}
					ADDQ(ld, line)
				}
				ADDQ(U8(16), to)
				SUBQ(U8(4*quads), left)
			})
		}
		VMOVUPS(total, from(sum, 0))
		for range t.lanes32() {
			ADDQ(ld, words)
		}
		for _, p := range []reg.GPVirtual{scale, sum, c} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes32()), n)
	})
	end()
}

const (
	floatFloor = 0x0da24260 // 1e-30
	float127   = 0x42fe0000
	float127th = 0x3c010204 // 1/127
)

// turnBytes is the order of bytes that turns 4×4 of them.
var turnBytes = sync.OnceValue(func() Mem {
	m := GLOBL("turnBytes", RODATA|NOPTR)
	for i := range 16 {
		DATA(i, U8(i%4*4+i/4))
	}
	return m
})

// turn4 turns 4×4 words in every 128 bits; in is lost.
func (t tier) turn4(in, half, out [4]reg.VecVirtual) {
	VUNPCKLPS(in[1], in[0], half[0])
	VUNPCKLPS(in[3], in[2], half[1])
	VUNPCKHPS(in[1], in[0], half[2])
	VUNPCKHPS(in[3], in[2], half[3])
	VUNPCKLPD(half[1], half[0], out[0])
	VUNPCKHPD(half[1], half[0], out[1])
	VUNPCKLPD(half[3], half[2], out[2])
	VUNPCKHPD(half[3], half[2], out[3])
}
