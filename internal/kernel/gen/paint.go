package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "paint",
	signature: "(dst []uint8, l, r, b []float32, wr, wb float32)",
	lengths:   []string{"l"},
	assembly:  tier.paint,
	tiers:     []string{AVX2},
})

// paint computes two steps of pixels: as many as a vector holds, and at the end of the row one at a time.
func (t tier) paint() {
	dst, l, r, b, n := pointer("dst"), pointer("l"), pointer("r"), pointer("b"), lengthOf("l")
	wr, wb := t.number32("wr"), t.number32("wb")
	zero, one, half := t.zero(), t.constant32(floatOne), t.constant32(floatHalf)
	most, alpha := t.constant32(float255), t.constant32(alphaBits)
	or := func(a, to reg.Register, wide bool) {
		if wide && t.lanes == 8 {
			VPORD(a, to, to)
		} else {
			VPOR(a, to, to)
		}
	}
	lanes := 2 * t.lanes
	while(n, lanes, func() {
		light, red, blue := t.load(Mem{Base: l}), t.load(Mem{Base: r}), t.load(Mem{Base: b})
		green, product := t.vec(), t.vec()
		VMULPS(red, wr, product)
		VSUBPS(product, light, green)
		VMULPS(blue, wb, product)
		VSUBPS(product, green, green)
		VADDPS(light, red, red)
		VADDPS(light, blue, blue)
		for _, v := range []reg.VecVirtual{red, green, blue} {
			scaled := t.vec()
			VMAXPS(zero, v, v) // NaN becomes the first operand, 0
			VMINPS(one, v, v)
			VMULPS(most, v, scaled)
			VADDPS(half, scaled, scaled)
			VCVTTPS2DQ(scaled, v)
		}
		VPSLLD(U8(8), green, green)
		VPSLLD(U8(16), blue, blue)
		or(green, red, true)
		or(blue, red, true)
		or(alpha, red, true)
		VMOVUPS(red, Mem{Base: dst})
		for _, p := range []reg.GPVirtual{dst, l, r, b} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(lanes), n)
	})
	while(n, 1, func() {
		light, red, blue, green, product := XMM(), XMM(), XMM(), XMM(), XMM()
		VMOVSS(Mem{Base: l}, light)
		VMOVSS(Mem{Base: r}, red)
		VMOVSS(Mem{Base: b}, blue)
		VMULSS(red, wr.AsX(), product)
		VSUBSS(product, light, green)
		VMULSS(blue, wb.AsX(), product)
		VSUBSS(product, green, green)
		VADDSS(light, red, red)
		VADDSS(light, blue, blue)
		for _, v := range []reg.VecVirtual{red, green, blue} {
			scaled := XMM()
			VMAXSS(zero.AsX(), v, v)
			VMINSS(one.AsX(), v, v)
			VMULSS(most.AsX(), v, scaled)
			VADDSS(half.AsX(), scaled, scaled)
			VCVTTPS2DQ(scaled, v)
		}
		VPSLLD(U8(8), green, green)
		VPSLLD(U8(16), blue, blue)
		or(green, red, false)
		or(blue, red, false)
		or(alpha.AsX(), red, false)
		VMOVD(red, Mem{Base: dst})
		for _, p := range []reg.GPVirtual{dst, l, r, b} {
			ADDQ(U8(4), p)
		}
		DECQ(n)
	})
}

const (
	floatHalf = 0x3f000000
	float255  = 0x437f0000
	alphaBits = 0xff000000
)
