package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "mul32",
	signature: "(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int)",
	needs:     "rows is a multiple of 8, cols of 16",
	assembly:  tier.mul32,
})

// mul32 writes C = AᵀB by tiles of C, which stay in registers during the loop over the inner dimension, so every
// entry is one chain of fused multiply-adds in the same order, in a tile of any width.
func (t tier) mul32() {
	tall, widths := t.lanes, []int{3, 2, 1} // the rows of a tile, and the vectors in a row
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
				t.mul32Tile(acc[:w*tall], a, lda, b, ldb, w)
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
}

// mul32Tile sets the registers acc, w vectors for each row, to a tile of AᵀB.
func (t tier) mul32Tile(acc []reg.VecVirtual, aRows, lda, b, ldb reg.GPVirtual, w int) {
	inner := pointer("inner")
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
			left := t.broadcast32(from(a, 4*r))
			for i, x := range right {
				VFMADD231PS(x, left, acc[r*w+i])
			}
		}
		ADDQ(lda, a)
		ADDQ(ldb, row)
		DECQ(inner)
	})
}

var _ = register(operation{
	name:      "sumRows",
	signature: "(dst, src []float32, offsets []int32)",
	lengths:   []string{"dst", "offsets"},
	needs:     "len(dst) is a multiple of 16",
	assembly:  tier.sumRows,
})

// sumRows writes dst[x] = Σ_k src[offsets[k]+x], with the sums of four vectors, then of 16 float32, in registers.
func (t tier) sumRows() {
	dst, src, n := pointer("dst"), pointer("src"), lengthOf("dst")
	for _, w := range []int{4, 64 / t.bytes()} {
		while(n, w*t.lanes32(), func() {
			offsets, terms := pointer("offsets"), lengthOf("offsets")
			sum := t.zeros(w)
			while(terms, 1, func() {
				r := GP64()
				MOVLQSX(from(offsets, 0), r)
				for i := range w {
					VADDPS(Mem{Base: src, Index: r, Scale: 4, Disp: i * t.bytes()}, sum[i], sum[i])
				}
				ADDQ(U8(4), offsets)
				DECQ(terms)
			})
			for i := range w {
				VMOVUPS(sum[i], from(dst, i*t.bytes()))
			}
			ADDQ(U32(w*t.bytes()), src)
			ADDQ(U32(w*t.bytes()), dst)
			SUBQ(U32(w*t.lanes32()), n)
		})
	}
}
