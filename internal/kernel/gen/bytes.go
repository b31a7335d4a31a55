package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vnni is an instruction that avo does not know.
func vnni(opcode string, x, y, acc reg.VecVirtual) {
	Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{x, y, acc}, Inputs: []Op{x, y, acc}, Outputs: []Op{acc}, ISA: []string{"AVX512_VNNI"}})
}

// dotPairs adds, in every lane, the products of two integers of x with two of y.
func (t tier) dotPairs(x, y, acc reg.VecVirtual) {
	if t.lanes == 8 {
		vnni("VPDPWSSD", x, y, acc)
		return
	}
	v := t.vec()
	VPMADDWD(x, y, v)
	VPADDD(v, acc, acc)
}

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

// integerTiles are the rows, and the vectors a row, of the tiles of products of integers.
func (t tier) integerTiles() (tall int, widths []int) {
	if t.lanes == 8 {
		return 8, []int{3, 2, 1}
	}
	return 4, []int{2} // a product takes a register of its own
}

// nearest compares the products of a tile with the best so far while they are in
// registers. Scores are never stored. The offset of a lane's scores is the same for all
// vectors.
func (t tier) nearest() {
	t.begin("nearest", "index, best, z *int32, ldz int, at *int32, lda, m, words, n int)",
		"is Nearest; m is a multiple of 8, n of 16.")
	index, best, z, ldz, lda, n := pointer("index"), pointer("best"), pointer("z"), pointer("ldz"), pointer("lda"), pointer("n")
	SHLQ(U8(2), ldz)
	SHLQ(U8(2), lda)
	tall, widths := t.integerTiles()
	ones, offset := t.byteConstants()
	acc := t.vecs(tall * widths[0])
	for _, w := range widths {
		while(n, w*t.lanes32(), func() {
			at, m, j := pointer("at"), pointer("m"), GP32()
			XORL(j, j)
			first, least := t.spreadInt(j), t.constant32(signBit)
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
					number := t.spreadInt(j)
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
	end()
}

// greaterInt is where a > b, of 32-bit integers.
func (t tier) greaterInt(a, b reg.VecVirtual) mask {
	return t.mask(func(to reg.Register) { VPCMPGTD(b, a, to) })
}

// regress goes over a map once for up to four patches, with AVX2 for two. With AVX-512,
// which has the registers, even and odd words are summed apart for one or two, so that no
// chain of additions holds the others up.
func (t tier) regress() {
	t.begin("regress", "r *float32, ldr int, q *int32, ldq int, scale *float32, sum, order *int32, n int, bytes *uint8, words, out int, step float32)",
		"is Regress for one map.")
	order, n := pointer("order"), pointer("n")
	ones, offset := t.byteConstants()
	talls, widths := []int{4, 2, 1}, []int{3, 2, 1}
	if t.lanes == 4 {
		talls, widths = []int{2, 1}, []int{3, 1}
	}
	acc := t.vecs(talls[0] * widths[0])
	for _, tall := range talls {
		chains := 1
		if t.lanes == 8 && tall < 4 {
			chains = 2
		}
		while(n, tall, func() {
			q, ldq, row := pointer("q"), pointer("ldq"), make([]reg.GPVirtual, tall)
			for b := range row {
				row[b] = GP64()
				MOVLQSX(from(order, 4*b), row[b])
				IMULQ(ldq, row[b])
				LEAQ(Mem{Base: q, Index: row[b], Scale: 4}, row[b])
			}
			left, column := pointer("out"), GP64()
			XORQ(column, column)
			for _, w := range widths {
				least := (w-1)*t.lanes32() + 1 // the last vector may reach beyond
				while(left, least, func() {
					t.regressTile(acc[:w*tall*chains], row, column, w, chains, ones, offset)
					r, ldr, scale, sum := pointer("r"), pointer("ldr"), pointer("scale"), pointer("sum")
					for b := range row {
						number, to := GP64(), GP64()
						MOVLQSX(from(order, 4*b), number)
						by := t.spreadParam("step")
						VMULPS(t.spread32(Mem{Base: scale, Index: number, Scale: 4}), by, by)
						var too reg.VecVirtual
						if t.lanes == 8 {
							too = t.spread32(Mem{Base: sum, Index: number, Scale: 4})
							VPSLLD(U8(7), too, too)
						}
						MOVQ(number, to)
						IMULQ(ldr, to)
						ADDQ(column, to)
						LEAQ(Mem{Base: r, Index: to, Scale: 4}, to)
						for i := range w {
							v := acc[b*w+i]
							if chains > 1 {
								VPADDD(acc[(tall+b)*w+i], v, v)
							}
							if too != nil {
								VPSUBD(too, v, v)
							}
							VCVTDQ2PS(v, v)
							VMULPS(by, v, v)
							VMOVUPS(v, from(to, i*t.bytes()))
						}
					}
					ADDQ(U8(w*t.lanes32()), column)
					SUBQ(U8(w*t.lanes32()), left)
				})
			}
			ADDQ(U8(4*tall), order)
			SUBQ(U8(tall), n)
		})
	}
	end()
}

// regressTile sums up the words of some patches and w vectors of columns of the map.
func (t tier) regressTile(acc []reg.VecVirtual, row []reg.GPVirtual, column reg.GPVirtual, w, chains int, ones, offset reg.VecVirtual) {
	for _, v := range acc {
		t.clear(v)
	}
	i, words, out, bytes := GP64(), pointer("words"), pointer("out"), pointer("bytes")
	LEAQ(Mem{Base: bytes, Index: column, Scale: 4}, bytes)
	SHLQ(U8(2), out)
	XORQ(i, i)
	part := len(acc) / chains
	for _, c := range []int{chains, 1}[:chains] {
		while(words, c, func() {
			for chain := range c {
				var y, magnitude []reg.VecVirtual
				for k := range w {
					signed, m := t.matrix(t.load(from(bytes, k*t.bytes())), offset)
					y, magnitude = append(y, signed), append(magnitude, m)
				}
				for b := range row {
					x := t.spread32(Mem{Base: row[b], Index: i, Scale: 4})
					for k := range w {
						t.dotBytes(x, y[k], magnitude[k], ones, acc[chain*part+b*w+k])
					}
				}
				ADDQ(out, bytes)
				INCQ(i)
			}
			SUBQ(U8(c), words)
		})
	}
}
