package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "regress",
	signature: "(r []float32, ldr int, q []int32, ldq int, scale []float32, sum, order []int32, bytes []uint8, words, out int, step float32)",
	lengths:   []string{"order"},
	assembly:  tier.regress,
})

// regress goes over a map once for up to four patches, with AVX2 for two. With AVX-512,
// which has the registers, even and odd words are summed apart for one or two, so that no
// chain of additions holds the others up.
func (t tier) regress() {
	order, n := pointer("order"), lengthOf("order")
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
						by := t.number32("step")
						VMULPS(t.broadcast32(Mem{Base: scale, Index: number, Scale: 4}), by, by)
						var too reg.VecVirtual
						if t.lanes == 8 {
							too = t.broadcast32(Mem{Base: sum, Index: number, Scale: 4})
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
					x := t.broadcast32(Mem{Base: row[b], Index: i, Scale: 4})
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

var _ = register(operation{
	name:      "transpose",
	signature: "(dst []int32, ld int, src []int32, stride int, order []int32, k int)",
	lengths:   []string{"order"},
	needs:     "len(order) is a multiple of 16, k of 4",
	assembly:  tier.transpose,
})

// transpose takes four entries of as many rows as a vector has lanes at a time.
func (t tier) transpose() {
	dst, ld, src, stride, order, n := pointer("dst"), pointer("ld"), pointer("src"), pointer("stride"), pointer("order"), lengthOf("order")
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
}

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
