package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name: "convolveDepthwise",
	signature: "(dst []int16, samples int, src []int16, rows []int, step, taps int, weights, bias []int32, " +
		"positive, negative []float32, limits []int16, skip []int16, skipStep, dstStep int)",
	lengths:  []string{"rows", "bias"},
	needs:    "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly: tier.convolveDepthwise,
	tiers:    []string{AVX2, AVX512BW, AVX512},
})

// convolveDepthwise keeps the sums of 16 channels of some samples in registers. An entry becomes a pair whose second
// entry is 0.
func (t tier) convolveDepthwise() {
	tall, wide := 12, 1
	if t.lanes == 4 {
		tall, wide = 4, 2
	}
	output := GP64()
	XORQ(output, output)
	acc := t.vecs(tall * wide)
	top := label("channels")
	Label(top)
	along("samples", tall, func(sample reg.GPVirtual) {
		t.overTaps(acc, wide, sample, output, tall, "taps",
			func(row reg.GPVirtual) { LEAQ(Mem{Base: row, Index: output, Scale: 2}, row) },
			func(step reg.GPVirtual) Op { return step },
			func(weights, _ reg.GPVirtual, at func(s int) Mem) (taps reg.GPVirtual, add, next func()) {
				return pointer("taps"), func() {
					for i := range wide {
						w, x := t.load(from(weights, i*t.bytes())), t.vec()
						for s := range tall {
							m := at(s)
							m.Disp = i * t.bytes() / 2
							VPMOVZXWD(m, x)
							t.dotPairs(w, x, acc[s*wide+i])
						}
					}
				}, func() {}
			})
		t.store(acc, sample, output, tall)
	})
	ADDQ(U8(16), output)
	CMPQ(output, lengthOf("bias"))
	JLT(LabelRef(top))
}
