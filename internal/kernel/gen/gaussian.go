package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

var (
	opAddShorts = operator{avx: VPADDW}
	opSubShorts = operator{avx: VPSUBW}
	opSubInts   = operator{avx: VPSUBD}
)

// shorts returns a parameter that is a number of int16, converted to bytes.
func (c *code) shorts(name string) integer {
	n := c.param(name)
	c.shift(n, 1)
	return n
}

// onAVX2 registers an operation that has assembly only for AVX2.
func onAVX2(name, signature, needs string, write func(c *code)) struct{} {
	return register(operation{name: name, signature: signature, needs: needs, tiers: []string{AVX2},
		assembly: func(t tier) { write(&code{tier: t}) }})
}

// spreadShorts is spreadRows for int16, and notes the largest magnitudes in seen: see gaussian.go of package kernel.
var _ = onAVX2("spreadShorts",
	"(dst []int16, dstGap, dstStep int, src []int16, rows []int, srcStep, k, n int, seen []int16)",
	"k is a multiple of 16, k and n are at least 1, len(seen) at least 16", func(c *code) {
		dst, gap, index, list := c.param("dst"), c.shorts("dstGap"), c.zeroNumber(), c.param("rows")
		var rows []integer
		for i := range 6 {
			r := c.word(list, 8*i)
			c.shift(r, 1)
			c.plus(r, c.param("src"))
			rows = append(rows, r)
		}
		seen := c.load(c.param("seen"), 0)
		c.repeat(c.param("n"), func() {
			k, to, at := c.param("k"), c.copyOf(dst), c.copyOf(index)
			c.while(k, 16, func() {
				var d []vector
				for _, r := range rows {
					v, size := c.loadAt(r, at), c.newVector()
					d = append(d, v)
					VPABSW(v.VecVirtual, size.VecVirtual)
					VPMAXUW(size.VecVirtual, seen.VecVirtual, seen.VecVirtual)
					c.prefetch(r, at)
				}
				store := c.storing(to, gap)
				plus := func(a, b vector) vector { return c.of(opAddShorts, a, b) }
				minus := func(a, b vector) vector { return c.of(opSubShorts, a, b) }
				store(0, minus(d[0], d[4]))
				even, odd := plus(d[2], d[4]), plus(d[1], d[3])
				store(1, plus(even, odd))
				store(2, minus(even, odd))
				even, odd = minus(d[4], d[2]), minus(d[1], d[3])
				store(3, minus(even, odd))
				store(4, plus(even, odd))
				store(5, odd)
				store(6, minus(d[5], d[1]))
				c.increase(at, c.bytes())
				c.increase(to, c.bytes())
				c.increase(k, -16)
			})
			c.plus(index, c.shorts("srcStep"))
			c.plus(dst, c.shorts("dstStep"))
		})
		c.store(seen, c.param("seen"), 0)
	})

// sumTiles computes the sums of a layer, and stores them without scaling.
var _ = register(operation{
	name:      "sumTiles",
	signature: "(dst []int32, samples int, src []int16, rows []int, step, words int, weights, bias []int32)",
	lengths:   []string{"rows", "bias"},
	needs:     "samples is at least 6, len(bias) a multiple of 16, at least 16",
	assembly: func(t tier) {
		t.filter(6, func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
			dst, line := pointer("dst"), lengthOf("bias")
			outputs(dst, line, sample, output, 4)
			for i, v := range acc {
				if VMOVUPS(v, from(dst, i%2*t.bytes())); i%2 == 1 {
					ADDQ(line, dst)
				}
			}
		})
	},
	tiers: []string{AVX2, AVXVNNI},
})

// gatherInts keeps a pointer to each of its four results.
var _ = onAVX2("gatherInts",
	"(dst []int32, rows []int, dstStep int, src []int32, srcGap, srcStep, k, n int)",
	"k is a multiple of 16, k and n are at least 1", func(c *code) {
		list, first := c.param("rows"), c.param("dst")
		var to []integer
		for i := range 4 {
			to = append(to, c.entry(first, list, 8*i))
		}
		from, gap, index := c.param("src"), c.bytesOf("srcGap"), c.zeroNumber()
		c.repeat(c.param("n"), func() {
			k, from2, at := c.param("k"), c.copyOf(from), c.copyOf(index)
			c.while(k, 8, func() {
				places := c.eachGap(from2, gap)
				var m []vector
				for range 7 {
					base, offset := places()
					m = append(m, c.loadPlace(base, offset))
				}
				plus := func(a, b vector) vector { return c.of(opAddInts, a, b) }
				minus := func(a, b vector) vector { return c.of(opSubInts, a, b) }
				s, t := plus(m[1], m[2]), minus(m[1], m[2])
				u, v := c.shiftInts(plus(m[3], m[5]), 1), c.shiftInts(plus(m[4], m[5]), 1)
				c.storeAt(plus(plus(s, u), c.shiftInts(m[0], 2)), to[0], at)
				c.storeAt(plus(t, v), to[1], at)
				c.storeAt(minus(s, u), to[2], at)
				c.storeAt(plus(minus(t, v), c.shiftInts(m[6], 2)), to[3], at)
				c.increase(at, c.bytes())
				c.increase(from2, c.bytes())
				c.increase(k, -8)
			})
			c.plus(from, c.bytesOf("srcStep"))
			c.plus(index, c.bytesOf("dstStep"))
		})
	})
