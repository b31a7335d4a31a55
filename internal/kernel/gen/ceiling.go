package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// stream is the ceiling of memory: both arrays are read and written, nothing is
// computed to speak of.
func (t tier) stream() {
	t.begin("stream", "a, b *float64, n int)", "swaps the signs of a and b in place; n is a multiple of 8.")
	a, b, n := pointer("a"), pointer("b"), pointer("n")
	minusOne := t.constant(minus)
	t.unroll(n, func(o reg.GPVirtual, vectors int) {
		for i := range vectors {
			PREFETCHT0(at(a, o, i*t.bytes()+ahead))
			PREFETCHT0(at(b, o, i*t.bytes()+ahead))
			x, y := t.vec(), t.vec()
			VMULPD(at(a, o, i*t.bytes()), minusOne, x)
			VMULPD(at(b, o, i*t.bytes()), minusOne, y)
			VMOVUPD(x, at(a, o, i*t.bytes()))
			VMOVUPD(y, at(b, o, i*t.bytes()))
		}
	})
	end()
}

// chains is how many independent multiply-adds keep both units busy.
const chains = 12

// multiplyAdd is the ceiling of arithmetic.
func (t tier) multiplyAdd() {
	t.begin("multiplyAdd", "rounds int) float64", "does rounds times 12 vector multiply-adds on registers.")
	rounds := pointer("rounds")
	x, acc := t.constant(half), t.zeros(chains)
	while(rounds, 1, func() {
		for i := range acc {
			VFMADD231PD(x, x, acc[i])
		}
		DECQ(rounds)
	})
	for i := 1; i < chains; i++ {
		VADDPD(acc[i], acc[0], acc[0])
	}
	result(t.sum(acc[0]))
	end()
}
