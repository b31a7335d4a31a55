package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "paeth",
	signature: "(out, x, a, b, c []byte) (sum int)",
	lengths:   []string{"x"},
	needs:     "len(x) is a multiple of 32",
	assembly:  tier.paeth,
	tiers:     []string{AVX2, NEON}, // 32 bytes at a time are fast enough
})

// paeth writes Paeth for 32 bytes at a time. |(b-c)+(a-c)| is |b-c| + |a-c| if both differences have the same sign,
// otherwise the difference of these magnitudes. A sum limited to 255 is still no smaller than either magnitude.
func (t tier) paeth() {
	out, x, a, b, c, n := pointer("out"), pointer("x"), pointer("a"), pointer("b"), pointer("c"), lengthOf("x")
	zero, total := t.zero(), t.zero()
	i := GP64()
	XORQ(i, i)
	at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: i, Scale: 1} }
	load := func(p reg.GPVirtual) reg.VecVirtual {
		v := YMM()
		VMOVDQU(at(p), v)
		return v
	}
	difference := func(x, y reg.VecVirtual) (up, down, size reg.VecVirtual) { // max(x−y, 0), max(y−x, 0), |x−y|
		up, down, size = YMM(), YMM(), YMM()
		VPSUBUSB(y, x, up)
		VPSUBUSB(x, y, down)
		VPOR(up, down, size)
		return up, down, size
	}
	while(n, 32, func() {
		va, vb, vc := load(a), load(b), load(c)
		upA, downA, toA := difference(vb, vc)
		upB, downB, toB := difference(va, vc)
		_, _, toC := difference(toA, toB)
		same, sum := YMM(), YMM()
		VPMINUB(upA, downB, upA)
		VPMINUB(downA, upB, downA)
		VPOR(upA, downA, same)
		VPCMPEQB(zero, same, same)
		VPADDUSB(toA, toB, sum)
		VPBLENDVB(same, sum, toC, toC)
		least, choice := YMM(), YMM()
		VPMINUB(toA, toB, least)
		VPCMPEQB(least, toA, choice)
		VPBLENDVB(choice, va, vb, va)
		VPMINUB(least, toC, toC)
		VPCMPEQB(least, toC, choice)
		VPBLENDVB(choice, va, vc, va)
		v := load(x)
		VPSUBB(va, v, v)
		VMOVDQU(v, at(out))
		VPABSB(v, v)
		VPSADBW(zero, v, v)
		VPADDQ(v, total, total)
		ADDQ(U8(32), i)
		SUBQ(U8(32), n)
	})
	high := XMM()
	VEXTRACTI128(U8(1), total, high)
	VPADDQ(high, total.AsX(), high)
	low, sum := XMM(), GP64()
	VPSHUFD(U8(0xee), high, low)
	VPADDQ(high, low, low)
	VMOVQ(low, sum)
	Store(sum, ReturnIndex(0))
}
