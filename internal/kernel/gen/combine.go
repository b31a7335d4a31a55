package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "combine",
	signature: "(dst, src []float32, at []int, weight []float32)",
	lengths:   []string{"dst", "at"},
	needs:     "len(at) is at least 1",
	assembly:  func(t tier) { t.combine(false) },
	simd:      func(f *function) { f.simdCombine(false) },
	arm:       func(c *code) { c.combine(false) },
	tiers:     []string{AVX2, AVX512, NEON, SIMD128},
})

var _ = register(operation{
	name:      "combineOnto",
	signature: "(dst, base, src []float32, at []int, weight []float32)",
	lengths:   []string{"dst", "at"},
	assembly:  func(t tier) { t.combine(true) },
	simd:      func(f *function) { f.simdCombine(true) },
	arm:       func(c *code) { c.combine(true) },
	tiers:     []string{AVX2, AVX512, NEON, SIMD128},
})

// combine writes combine, dst[x] = Σ_k weight[k]·src[at[k]+x], or combineOnto, which adds base[x] and clips to 0..1.
// It processes dst eight vectors at a time, then one vector, then one number. All three loops add in the order of k,
// and round products before they add them, so that all machines compute the same bits.
func (t tier) combine(onto bool) {
	dst, src, ats, weight, n := pointer("dst"), pointer("src"), pointer("at"), pointer("weight"), lengthOf("dst")
	var base reg.GPVirtual
	var most, least reg.VecVirtual
	if onto {
		base = pointer("base")
		most, least = t.constant32(floatOne), t.zero()
	}
	acc, k, from, w := t.vecs(8), GP64(), GP64(), t.vec()
	// parts writes a loop over the parts: load loads the weight of a part into w, and body finds its samples at from.
	parts := func(load func(), body func()) {
		XORQ(k, k)
		top, out := label("part"), label("done")
		Label(top)
		CMPQ(k, place(Param(lengthName("at"))))
		JGE(LabelRef(out))
		MOVQ(Mem{Base: ats, Index: k, Scale: 8}, from)
		LEAQ(Mem{Base: src, Index: from, Scale: 4}, from)
		load()
		body()
		INCQ(k)
		JMP(LabelRef(top))
		Label(out)
	}
	advance := func(bytes, samples int) {
		ADDQ(U32(bytes), dst)
		ADDQ(U32(bytes), src)
		if onto {
			ADDQ(U32(bytes), base)
		}
		SUBQ(U32(samples), n)
	}
	for _, vectors := range []int{8, 1} {
		while(n, vectors*t.lanes32(), func() {
			for i, v := range acc[:vectors] {
				if onto {
					VMOVUPS(Mem{Base: base, Disp: i * t.bytes()}, v)
				} else {
					t.clear(v)
				}
			}
			parts(func() { VBROADCASTSS(Mem{Base: weight, Index: k, Scale: 4}, w) }, func() {
				for i, v := range acc[:vectors] {
					product := t.vec()
					VMULPS(Mem{Base: from, Disp: i * t.bytes()}, w, product)
					VADDPS(product, v, v)
				}
			})
			for i, v := range acc[:vectors] {
				if onto {
					VMAXPS(least, v, v) // NaN becomes the first operand, 0
					VMINPS(most, v, v)
				}
				VMOVUPS(v, Mem{Base: dst, Disp: i * t.bytes()})
			}
			advance(vectors*t.bytes(), vectors*t.lanes32())
		})
	}
	while(n, 1, func() {
		v, w := acc[0].AsX(), w.AsX()
		if onto {
			VMOVSS(Mem{Base: base}, v)
		} else {
			VXORPS(v, v, v)
		}
		parts(func() { VMOVSS(Mem{Base: weight, Index: k, Scale: 4}, w) }, func() {
			VMULSS(Mem{Base: from}, w, w)
			VADDSS(w, v, v)
		})
		if onto {
			VMAXSS(least.AsX(), v, v)
			VMINSS(most.AsX(), v, v)
		}
		VMOVSS(v, Mem{Base: dst})
		advance(4, 1)
	})
}

// combine is the combine of tier for arm64. It processes four vectors at a time, then one vector, then one number.
func (c *code) combine(onto bool) {
	pointers := []integer{c.param("dst"), c.param("src")}
	if onto {
		pointers = append(pointers, c.param("base"))
	}
	n, zero, one := c.lengthOf("dst"), c.constant(0), c.constant(1)
	acc := c.newVectors(4)
	group := func(acc []vector, numbers int, load func(base integer, i int, v vector), store func(i int, v vector)) {
		c.while(n, numbers, func() {
			for i, v := range acc {
				if onto {
					load(pointers[2], i, v)
				} else {
					c.setVector(v, zero)
				}
			}
			at, weight, parts := c.param("at"), c.param("weight"), c.lengthOf("at")
			w := c.newVector()
			c.while(parts, 1, func() {
				from := c.entry(pointers[1], at, 0)
				c.spreadNext(weight, w)
				for i, v := range acc {
					x := c.newVector()
					load(from, i, x)
					c.apply(opMul, x, w, x)
					c.apply(opAdd, v, x, v)
				}
				c.increase(at, 8)
				c.increase(parts, -1)
			})
			for i, v := range acc {
				if onto {
					v = c.of(opLesser, c.of(opGreater, v, zero), one)
				}
				store(i, v)
			}
			for _, p := range pointers {
				c.increase(p, 4*numbers)
			}
			c.increase(n, -numbers)
		})
	}
	whole := func(base integer, i int, v vector) { c.loadTo(base, 16*i, v) }
	keep := func(i int, v vector) { c.store(v, pointers[0], 16*i) }
	group(acc, 16, whole, keep)
	group(acc[:1], 4, whole, keep)
	group(acc[:1], 1, func(base integer, _ int, v vector) { c.arm.instruction(0xbd400000, "LDR.S", base, v) },
		func(_ int, v vector) { c.arm.instruction(0xbd000000, "STR.S", pointers[0], v) })
}
