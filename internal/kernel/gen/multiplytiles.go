package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// multiplyTiles multiplies 16 pairs of matrices, of n×channels and channels×outputs: one pair for each entry of the
// 4×4 samples of a transformed tile (Winograd's F(2×2,3×3)). outputs, the length of bias, is a multiple of one vector
// with AVX-512, else of two. For several tiles and outputs it keeps the sums of two entries of a column in registers:
// first the sums of the second and third row. The output transform needs their sum in its first row and their
// difference in its second, so the products of the first row are added to the sum, and the products of the last row,
// which transformInputColumn has negated (d−b), to the difference.
//
// With AVX-512 a block of 6 tiles by 2 vectors loads 16 operands for 24 products; a block of 12 by 1 loads 26, and
// Intel's processors load two vectors and multiply two in a cycle. Nine tenths of the time goes to products.
func (t tier) multiplyTiles() {
	output, column, left, last, acc := GP64(), AllocLocal(8), AllocLocal(8), AllocLocal(8), t.vecs(24+1)
	MOVQ(U32(0), column)
	top := label("column")
	Label(top)
	MOVQ(lengthOf("bias"), output)
	MOVQ(output, left)
	XORQ(output, output)
	block := func(tall, wide int) { // computes some vectors of outputs of all tiles
		tileRow("n", tall, func(tile reg.GPVirtual) { t.multiplyBlock(acc, column, last, tile, output, tall, wide) })
		ADDQ(U8(wide*t.lanes32()), output)
		SUBQ(U8(wide*t.lanes32()), left)
	}
	next, out := label("block"), label("all")
	Label(next)
	if t.lanes == 8 {
		other := label("other")
		CMPQ(left, U8(t.lanes32()))
		JNE(LabelRef(other))
		block(12, 1)
		JMP(LabelRef(out))
		Label(other)
		block(6, 2)
	} else {
		block(3, 2)
	}
	CMPQ(left, U8(0))
	JNE(LabelRef(next))
	Label(out)
	r := GP64() // moves the parameters to the next column
	for _, p := range []struct {
		name, stride string
		shift        int
	}{{"v", "stride", 1 + 2}, {"sums", "sumStride", 2 + 1}} {
		MOVQ(place(Param(p.stride)), r)
		SHLQ(U8(p.shift), r)
		ADDQ(r, place(Param(p.name)))
	}
	MOVQ(place(Param("channels")), r)
	IMULQ(lengthOf("bias"), r)
	SHLQ(U8(1+2), r)
	ADDQ(r, place(Param("weights")))
	ADDQ(U8(1), column)
	CMPQ(column, U8(4))
	JLT(LabelRef(top))
}

// multiplyBlock computes both sums of a column for a block of tall tiles, from tile on, and wide vectors of outputs,
// from output on. In memory, last is 0 for the second and third row of the column, then 1 for the first and last.
func (t tier) multiplyBlock(acc []reg.VecVirtual, column, last Mem, tile, output reg.GPVirtual, tall, wide int) {
	n := tall * wide
	first, second, difference := acc[:n], acc[n:2*n], acc[2*n]
	for _, v := range acc[:2*n] {
		t.clear(v)
	}
	begin := label("begin")
	CMPQ(column, U8(1))
	JNE(LabelRef(begin))
	bias := pointer("bias")
	LEAQ(Mem{Base: bias, Index: output, Scale: 4}, bias)
	for i := range first {
		VMOVUPS(from(bias, i%wide*t.bytes()), first[i])
	}
	Label(begin)
	tiles := steps{pointer("channels"), GP64(), GP64()}
	SHLQ(U8(1), tiles.one)
	LEAQ(Mem{Base: tiles.one, Index: tiles.one, Scale: 2}, tiles.three)
	LEAQ(Mem{Base: tiles.one, Index: tiles.one, Scale: 4}, tiles.five)
	weights, line, r := pointer("weights"), lengthOf("bias"), GP64()
	LEAQ(Mem{Base: weights, Index: output, Scale: 4}, weights)
	SHLQ(U8(2), line)
	base := pointer("v")
	MOVQ(tile, r)
	IMULQ(tiles.one, r)
	ADDQ(r, base)
	entries, sums := label("entries"), label("sums")
	MOVQ(U32(0), last)
	Label(entries)
	t.multiplyPairs([2][]reg.VecVirtual{first, second}, base, tiles, weights, line, tall, wide)
	CMPQ(last, U8(0))
	JNE(LabelRef(sums))
	for i, v := range first {
		VPSUBD(second[i], v, difference)
		VPADDD(second[i], v, v)
		VMOVAPS(difference, second[i])
	}
	MOVQ(U32(1), last)
	MOVQ(place(Param("stride")), r) // skips two entries, minus the channels that the pointer has already passed
	SHLQ(U8(2), r)
	SUBQ(tiles.one, r)
	ADDQ(r, base)
	JMP(LabelRef(entries))
	Label(sums)
	dst := pointer("sums")
	MOVQ(tile, r)
	IMULQ(line, r)
	ADDQ(r, dst)
	LEAQ(Mem{Base: dst, Index: output, Scale: 4}, dst)
	MOVQ(place(Param("sumStride")), r)
	LEAQ(Mem{Base: dst, Index: r, Scale: 4}, r)
	for s := range tall {
		for i := range wide {
			VMOVUPS(first[s*wide+i], from(dst, i*t.bytes()))
			VMOVUPS(second[s*wide+i], from(r, i*t.bytes()))
		}
		ADDQ(line, dst)
		ADDQ(line, r)
	}
}

// multiplyPairs adds to acc[e] the products for entry e, 0 or 1, of a transform: for tall tiles, wide vectors of
// outputs each. v points to the first tile of entry 0, and tiles holds the steps to the next tiles. For each pair of
// channels weights points to the weights for entry 0, which line bytes later are followed by the weights for entry 1.
func (t tier) multiplyPairs(acc [2][]reg.VecVirtual, v reg.GPVirtual, tiles steps, weights, line reg.GPVirtual, tall,
	wide int) {
	base := [2][]reg.GPVirtual{{v}, {GP64()}}
	pairs := GP64()
	MOVQ(place(Param("stride")), pairs)
	LEAQ(Mem{Base: v, Index: pairs, Scale: 2}, base[1][0])
	for e := range base {
		for len(base[e])*samplesPerPointer < tall {
			next := GP64()
			LEAQ(Mem{Base: base[e][len(base[e])-1], Index: tiles.three, Scale: 2}, next)
			base[e] = append(base[e], next)
		}
	}
	MOVQ(place(Param("channels")), pairs)
	SHRQ(U8(1), pairs)
	top := label("pairs")
	Label(top)
	for e := range acc {
		var w []reg.VecVirtual
		for i := range wide {
			m := from(weights, i*t.bytes())
			if e == 1 {
				m.Index, m.Scale = line, 1
			}
			w = append(w, t.load(m))
		}
		for s := range tall {
			x := t.broadcast32(tiles.at(base[e][s/samplesPerPointer], s%samplesPerPointer, 0))
			for i := range wide {
				t.dotPairs(w[i], x, acc[e][s*wide+i])
			}
		}
	}
	for _, b := range append(base[0], base[1]...) {
		ADDQ(U8(4), b)
	}
	LEAQ(Mem{Base: weights, Index: line, Scale: 2}, weights)
	DECQ(pairs)
	JNZ(LabelRef(top))
}
