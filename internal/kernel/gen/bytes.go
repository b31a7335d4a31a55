package main

import (
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotBytes adds, in every lane, the products of four bytes of x with four of y. With
// AVX-512 the bytes of y have the offset, and so has the sum: offset times the bytes of
// x. With AVX2 y is signed, and magnitude is |y|.
func (t tier) dotBytes(x, y, magnitude, ones, acc reg.VecVirtual) {
	if t.lanes == 8 {
		vnni("VPDPBUSD", x, y, acc)
		return
	}
	v := t.vec()
	VPSIGNB(y, x, v)
	VPMADDUBSW(v, magnitude, v) // at most 2·127·128: no sum is cut off
	VPMADDWD(ones, v, v)
	VPADDD(v, acc, acc)
}

// matrix makes bytes with the offset ready for dotBytes.
func (t tier) matrix(y, offset reg.VecVirtual) (signed, magnitude reg.VecVirtual) {
	if t.lanes == 8 {
		return y, nil
	}
	magnitude = t.vec()
	VPXOR(offset, y, y)
	VPABSB(y, magnitude)
	return y, magnitude
}

// byteConstants are what dotBytes and matrix need.
func (t tier) byteConstants() (ones, offset reg.VecVirtual) {
	if t.lanes == 8 {
		return nil, nil
	}
	return t.constant32(0x00010001), t.constant32(0x80808080)
}

var _ = register(operation{
	name:      "pack",
	signature: "(words []int32, ld int, scale []float32, sum, c []int32, ldc, k int)",
	lengths:   []string{"scale"},
	needs:     "k is a multiple of 8, len(scale) of 16",
	assembly:  tier.pack,
})

// pack takes as many lanes as a vector has and 16 entries of them at a time. Packing
// keeps lanes within 128 bits: there, 16 entries of four lanes are turned into rows.
func (t tier) pack() {
	words, ld, scale, sum, c, ldc, n := pointer("words"), pointer("ld"), pointer("scale"), pointer("sum"), pointer("c"), pointer("ldc"), lengthOf("scale")
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

var _ = register(operation{
	name:      "nearest",
	signature: "(index, best, z []int32, ldz int, at []int32, lda, m, words int)",
	lengths:   []string{"index"},
	needs:     "m is a multiple of 8, len(index) of 16",
	assembly:  tier.nearest,
})

// nearest compares the products of a tile with the best so far while they are in
// registers. Scores are never stored. The offset of a lane's scores is the same for all
// vectors.
func (t tier) nearest() {
	index, best, z, ldz, lda, n := pointer("index"), pointer("best"), pointer("z"), pointer("ldz"), pointer("lda"), lengthOf("index")
	SHLQ(U8(2), ldz)
	SHLQ(U8(2), lda)
	tall, widths := t.integerTiles()
	ones, offset := t.byteConstants()
	acc := t.vecs(tall * widths[0])
	for _, w := range widths {
		while(n, w*t.lanes32(), func() {
			at, m, j := pointer("at"), pointer("m"), GP32()
			XORL(j, j)
			first, least := t.broadcastInt(j), t.constant32(signBit)
			for i := range w {
				VMOVUPS(first, from(index, i*t.bytes()))
				VMOVUPS(least, from(best, i*t.bytes()))
			}
			while(m, tall, func() {
				t.tile(acc[:tall*w], at, lda, z, ldz, pointer("words"), w, func(left reg.VecVirtual, right, acc []reg.VecVirtual) {
					left, magnitude := t.matrix(left, offset)
					for i, x := range right {
						t.dotBytes(x, left, magnitude, ones, acc[i])
					}
				})
				var most, place []reg.VecVirtual
				for i := range w {
					most, place = append(most, t.load(from(best, i*t.bytes()))), append(place, t.load(from(index, i*t.bytes())))
				}
				for r := range tall {
					number := t.broadcastInt(j)
					for i := range w {
						t.choose(t.greaterInt(acc[r*w+i], most[i]), number, place[i])
						VPMAXSD(acc[r*w+i], most[i], most[i])
					}
					INCL(j)
				}
				for i := range w {
					VMOVUPS(most[i], from(best, i*t.bytes()))
					VMOVUPS(place[i], from(index, i*t.bytes()))
				}
				ADDQ(U8(4*tall), at)
				SUBQ(U8(tall), m)
			})
			for _, p := range []reg.GPVirtual{index, best, z} {
				ADDQ(U32(w*t.bytes()), p)
			}
			SUBQ(U32(w*t.lanes32()), n)
		})
	}
}

// greaterInt is where a > b, of 32-bit integers.
func (t tier) greaterInt(a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VPCMPGTD(b, a, to) })
}
