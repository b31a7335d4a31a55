package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes32 is how many float32 are in a vector.
func (t tier) lanes32() int { return 2 * t.lanes }

// spread32 is a vector of the float32 at m or in a register.
func (t tier) spread32(from Op) reg.VecVirtual {
	v := t.vec()
	VBROADCASTSS(from, v)
	return v
}

// constant32 is a vector of a 32-bit number.
func (t tier) constant32(bits uint32) reg.VecVirtual {
	r, x := GP32(), XMM()
	MOVL(U32(bits), r)
	VMOVD(r, x)
	return t.spread32(x)
}

// spreadInt is a vector of a 32-bit integer.
func (t tier) spreadInt(r reg.GPVirtual) reg.VecVirtual {
	v := t.vec()
	if t.lanes == 8 {
		VPBROADCASTD(r, v)
		return v
	}
	x := XMM()
	VMOVD(r, x)
	VPBROADCASTD(x, v)
	return v
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

// mul32 goes over tiles of rows that are held in registers while the inner dimension
// passes, so every entry is one chain of fused multiply-adds in its order, whatever
// the tile.
func (t tier) mul32() {
	t.begin("mul32", "c *float32, ldc int, a *float32, lda int, b *float32, ldb int, rows, inner, cols int)",
		"sets C to AᵀB; rows is a multiple of 8, cols of 16.")
	t.tiles(t.lanes, []int{3, 2, 1}, func(acc []reg.VecVirtual, a, lda, b, ldb reg.GPVirtual, w int) {
		t.tile(acc, a, lda, b, ldb, pointer("inner"), w, func(left reg.VecVirtual, right, acc []reg.VecVirtual) {
			for i, x := range right {
				VFMADD231PS(x, left, acc[i])
			}
		})
	})
}

// tiles goes over the rows and columns of a product of 32-bit numbers, and ends the
// function. tile makes one of tall rows and w vectors; the last of the widths must
// divide the columns.
func (t tier) tiles(tall int, widths []int, tile func(acc []reg.VecVirtual, a, lda, b, ldb reg.GPVirtual, w int)) {
	c, ldc, lda, ldb, rows := pointer("c"), pointer("ldc"), pointer("lda"), pointer("ldb"), pointer("rows")
	a := pointer("a")
	for _, r := range []reg.GPVirtual{ldc, lda, ldb} {
		SHLQ(U8(2), r)
	}
	acc := t.vecs(widths[0] * tall)
	while(rows, tall, func() {
		cols, b, to := pointer("cols"), pointer("b"), GP64()
		MOVQ(c, to)
		for _, w := range widths {
			while(cols, w*t.lanes32(), func() {
				tile(acc[:w*tall], a, lda, b, ldb, w)
				out := GP64()
				MOVQ(to, out)
				for r := range tall {
					for i := range w {
						VMOVUPS(acc[r*w+i], from(out, i*t.bytes()))
					}
					if r < tall-1 {
						ADDQ(ldc, out)
					}
				}
				ADDQ(U32(w*t.bytes()), b)
				ADDQ(U32(w*t.bytes()), to)
				SUBQ(U32(w*t.lanes32()), cols)
			})
		}
		ADDQ(U8(4*tall), a)
		for range tall {
			ADDQ(ldc, c)
		}
		SUBQ(U8(tall), rows)
	})
	end()
}

// tile sets the registers acc, w vectors a row, to a tile of AᵀB: for every step of the
// inner dimension and every row, add adds what left, of A, and right, of B, make.
func (t tier) tile(acc []reg.VecVirtual, aRows, lda, b, ldb, inner reg.GPVirtual, w int, add func(left reg.VecVirtual, right, acc []reg.VecVirtual)) {
	for _, v := range acc {
		t.clear(v)
	}
	a, row := GP64(), GP64()
	MOVQ(aRows, a)
	MOVQ(b, row)
	while(inner, 1, func() {
		var right []reg.VecVirtual
		for i := range w {
			right = append(right, t.load(from(row, i*t.bytes())))
		}
		for r := range len(acc) / w {
			add(t.spread32(from(a, 4*r)), right, acc[r*w:(r+1)*w])
		}
		ADDQ(lda, a)
		ADDQ(ldb, row)
		DECQ(inner)
	})
}

// transpose takes four entries of as many rows as a vector has lanes at a time.
func (t tier) transpose() {
	t.begin("transpose", "dst *int32, ld int, src *int32, stride int, order *int32, n, k int)",
		"is Transpose; n is a multiple of 16, k of 4.")
	dst, ld, src, stride, order, n := pointer("dst"), pointer("ld"), pointer("src"), pointer("stride"), pointer("order"), pointer("n")
	SHLQ(U8(2), ld)
	SHLQ(U8(2), stride)
	while(n, t.lanes32(), func() {
		k, to, column := pointer("k"), GP64(), GP64()
		MOVQ(dst, to)
		MOVQ(src, column)
		while(k, 4, func() {
			row := func(b int) Mem {
				r := GP64()
				MOVLQSX(from(order, 4*b), r)
				IMULQ(stride, r)
				return at(column, r, 0)
			}
			var in [4]reg.VecVirtual
			for i := range in {
				in[i] = t.vec()
				VMOVUPS(row(i), in[i].AsX())
				for part := 1; part < t.lanes32()/4; part++ {
					if t.lanes == 8 {
						VINSERTF32X4(U8(part), row(4*part+i), in[i], in[i])
					} else {
						VINSERTF128(U8(part), row(4*part+i), in[i], in[i])
					}
				}
			}
			var half, out [4]reg.VecVirtual
			for i := range half {
				half[i], out[i] = t.vec(), t.vec()
			}
			t.turn4(in, half, out)
			for i := range out {
				VMOVUPS(out[i], from(to, 0))
				ADDQ(ld, to)
			}
			ADDQ(U8(16), column)
			SUBQ(U8(4), k)
		})
		ADDQ(U8(t.bytes()), dst)
		ADDQ(U8(4*t.lanes32()), order)
		SUBQ(U8(t.lanes32()), n)
	})
	end()
}
