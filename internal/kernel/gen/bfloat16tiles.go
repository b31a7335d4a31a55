package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of the registers of a tile of sums, the sums have the first, and these the last.
const (
	firstRight = 28 // and the next two
	left       = 31
)

// tiles has the heights of tiles of one, two or three vectors, each with the least number of rows for which it is
// used. The rows that a multiple of the highest leaves are divided so that no tile has fewer than about 12 vectors of
// sums, which hide the time that an instruction takes.
var tiles = map[int][][2]int{
	1: {{14, 14}, {7, 7}, {4, 4}, {2, 2}, {1, 1}},
	2: {{14, 20}, {10, 16}, {9, 15}, {14, 14}, {7, 13}, {12, 12}, {6, 11}, {10, 10}, {9, 9}, {8, 8}, {7, 7}, {6, 6},
		{5, 5}, {4, 4}, {3, 3}, {2, 2}, {1, 1}},
	3: {{9, 14}, {7, 13}, {6, 11}, {5, 10}, {9, 9}, {8, 8}, {7, 7}, {6, 6}, {5, 5}, {4, 4}, {3, 3}, {2, 2}, {1, 1}},
}

var _ = register(operation{
	name: "convolveBFloat16",
	signature: "(dst []float32, src []uint16, step, stride, rows, k int, weight []uint32, bias []float32, " +
		"n int)",
	lengths:  []string{"bias"},
	needs:    "len(bias) is a multiple of 16, k of 2; rows, k and n are at least 1",
	assembly: tier.convolveBFloat16,
	tiers:    bfloat16Tiers,
})

// convolveBFloat16 is convolve32 with pairs, in tiles of one, two or three vectors of channels.
func (t tier) convolveBFloat16() {
	c := convolution{
		pitch: lengthOf("bias"), step: pointer("step"), step3: GP64(), step5: GP64(),
		column: GP64(), to: GP64(), from: GP64(), n: GP64(),
	}
	XORQ(c.column, c.column)
	SHLQ(U8(1), c.step)
	SHLQ(U8(2), c.pitch)
	LEAQ(Mem{Base: c.step, Index: c.step, Scale: 2}, c.step3)
	LEAQ(Mem{Base: c.step, Index: c.step, Scale: 4}, c.step5)
	blocks(c.pitch, c.column, func(w int) {
		MOVQ(place(Param("src")), c.from)
		MOVQ(place(Param("dst")), c.to)
		ADDQ(c.column, c.to)
		MOVQ(place(Param("n")), c.n)
		for _, tile := range tiles[w] {
			tall, least := tile[0], tile[1]
			while(c.n, least, func() {
				sumTile(c, zmm[:w*tall], zmm[firstRight:][:w], 64, 2, func(i int, sample Mem) {
					VPBROADCASTD(sample, zmm[left])
					for j := range w {
						addPairs(i*w+j, left, firstRight+j)
					}
				})
				storeTile(c, zmm[:w*tall], w, 64)
			})
		}
	})
}

// blocks writes a loop over the columns of a row of pitch bytes, from column on, in blocks of w vectors: of three where
// just three are left, else of two, then of one.
func blocks(pitch, column reg.GPVirtual, body func(w int)) {
	for _, w := range []int{3, 2, 1} {
		top, out, room := label("columns"), label("done"), GP64()
		Label(top)
		MOVQ(pitch, room)
		SUBQ(column, room)
		CMPQ(room, U32(64*w))
		if w == 3 {
			JNE(LabelRef(out))
		} else {
			JL(LabelRef(out))
		}
		body(w)
		ADDQ(U32(64*w), column)
		JMP(LabelRef(top))
		Label(out)
	}
}

var _ = register(operation{
	name: "correlateBFloat16",
	signature: "(c []float32, cols int, a []uint32, stepA, strideA int, b []uint32, stepB, strideB, rows, n, " +
		"k int)",
	needs:    "k is a multiple of 8, cols of 16; rows and n are at least 1",
	assembly: tier.correlateBFloat16,
	tiers:    bfloat16Tiers,
})

// correlateBFloat16 is correlate with pairs, in tiles of eight entries by one, two or three vectors of channels.
func (t tier) correlateBFloat16() {
	const tall = 8
	c, a, pitch, k, column := pointer("c"), pointer("a"), pointer("cols"), pointer("k"), GP64()
	stepA, stepB := pointer("stepA"), pointer("stepB")
	SHLQ(U8(2), pitch)
	SHLQ(U8(2), stepA)
	SHLQ(U8(2), stepB)
	while(k, tall, func() {
		XORQ(column, column)
		blocks(pitch, column, func(w int) {
			tile := func(move func(sum reg.VecPhysical, place Mem)) {
				at := GP64()
				LEAQ(Mem{Base: c, Index: column, Scale: 1}, at)
				for r := range tall {
					for j := range w {
						move(zmm[r*w+j], from(at, 64*j))
					}
					ADDQ(pitch, at)
				}
			}
			tile(func(sum reg.VecPhysical, place Mem) { VMOVUPS(place, sum) })
			rows, rowA, rowB := pointer("rows"), GP64(), pointer("b")
			MOVQ(a, rowA)
			ADDQ(column, rowB)
			while(rows, 1, func() {
				n, pa, pb := pointer("n"), GP64(), GP64()
				MOVQ(rowA, pa)
				MOVQ(rowB, pb)
				loop := label("loop")
				Label(loop)
				for j := range w {
					VMOVUPS(from(pb, 64*j), zmm[firstRight+j])
				}
				for r := range tall {
					VPBROADCASTD(from(pa, 4*r), zmm[left])
					for j := range w {
						addPairs(r*w+j, left, firstRight+j)
					}
				}
				ADDQ(stepA, pa)
				ADDQ(stepB, pb)
				DECQ(n)
				JNZ(LabelRef(loop))
				stride := pointer("strideA")
				LEAQ(Mem{Base: rowA, Index: stride, Scale: 4}, rowA)
				stride = pointer("strideB")
				LEAQ(Mem{Base: rowB, Index: stride, Scale: 4}, rowB)
				DECQ(rows)
			})
			tile(func(sum reg.VecPhysical, place Mem) { VMOVUPS(sum, place) })
		})
		for range tall {
			ADDQ(pitch, c)
		}
		ADDQ(U8(4*tall), a)
		SUBQ(U8(tall), k)
	})
}
