package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

var _ = register(operation{
	name:      "peak",
	signature: "(sums []int32, x, y int32, rounds int)",
	needs:     "len(sums) is at least 384, rounds at least 1",
	assembly:  tier.peak,
})

// peak multiplies x and y in registers, as a benchmark of the fastest possible products of integers: 24 vectors of
// sums in one loop with AVX-512, 12 in each of four with AVX2.
func (t tier) peak() {
	acc := t.vecs(3 * t.lanes)
	sums, x, y := pointer("sums"), t.number32("x"), t.number32("y")
	parts := 24 * 16 / (len(acc) * t.lanes32())
	left := GP64()
	for part := range parts {
		for i, v := range acc {
			VMOVUPS(from(sums, (part*len(acc)+i)*t.bytes()), v)
		}
		MOVQ(pointer("rounds"), left)
		top := label("rounds")
		Label(top)
		for _, v := range acc {
			t.dotPairs(x, y, v)
		}
		DECQ(left)
		JNZ(LabelRef(top))
		for i, v := range acc {
			VMOVUPS(v, from(sums, (part*len(acc)+i)*t.bytes()))
		}
	}
}
