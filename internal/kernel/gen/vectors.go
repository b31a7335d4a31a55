package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (t tier) lanes32() int { return 2 * t.lanes }

func (t tier) bytes() int { return 8 * t.lanes }

func (t tier) vec() reg.VecVirtual {
	if t.lanes == 8 {
		return ZMM()
	}
	return YMM()
}

func (t tier) vecs(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = t.vec()
	}
	return list
}

func (t tier) zero() reg.VecVirtual {
	v := t.vec()
	t.clear(v)
	return v
}

func (t tier) clear(v reg.VecVirtual) {
	if t.lanes == 8 {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
}

func (t tier) zeros(n int) []reg.VecVirtual {
	list := t.vecs(n)
	for _, v := range list {
		t.clear(v)
	}
	return list
}

// load returns the vector at m.
func (t tier) load(m Mem) reg.VecVirtual {
	v := t.vec()
	VMOVUPD(m, v)
	return v
}

// broadcast returns a vector with all lanes equal to the float64 in memory or in a register.
func (t tier) broadcast(from Op) reg.VecVirtual {
	v := t.vec()
	VBROADCASTSD(from, v)
	return v
}

// constant returns a vector with the given 64 bits in every lane.
func (t tier) constant(bits uint64) reg.VecVirtual {
	r, x := GP64(), XMM()
	MOVQ(U64(bits), r)
	VMOVQ(r, x)
	return t.broadcast(x)
}

// The bits of float64 numbers; signOff clears the sign of a number by a bitwise and.
const (
	one     = 0x3ff0000000000000
	minus   = 0xbff0000000000000
	half    = 0x3fe0000000000000
	inf     = 0x7ff0000000000000
	signOff = 0x7fffffffffffffff
)

// place returns the memory of a parameter or of a result.
func place(c gotypes.Component) Mem {
	p, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// number returns a vector with all lanes equal to the named float64 parameter.
//
// Note: avo's own Load and Store of numbers use SSE instructions, which cost some processors hundreds of cycles while
// longer vectors are in use.
func (t tier) number(name string) reg.VecVirtual { return t.broadcast(place(Param(name))) }

// result stores x as the float64 that the function returns.
func result(x reg.Register) { VMOVSD(x, place(ReturnIndex(0))) }

// pointer returns a register with the named parameter, a pointer or an integer.
func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// lengthOf returns a register with the length of a slice, which the operation must list in lengths.
func lengthOf(name string) reg.GPVirtual { return pointer(lengthName(name)) }

// sum returns the sum of the lanes of v. It adds the halves of v first.
func (t tier) sum(v reg.VecVirtual) reg.VecVirtual { return t.fold(v, VADDPD, VADDSD) }

// most returns the largest lane of v.
func (t tier) most(v reg.VecVirtual) reg.VecVirtual { return t.fold(v, VMAXPD, VMAXSD) }

// fold combines the lanes of v to one lane: packed combines halves until two lanes are left, and last combines these.
func (t tier) fold(v reg.VecVirtual, packed, last func(...Op)) reg.VecVirtual {
	x, y, high := XMM(), YMM(), XMM()
	if t.lanes == 8 {
		VEXTRACTF64X4(U8(1), v, y)
		packed(v.AsY(), y, y)
		VEXTRACTF64X2(U8(1), y, x)
		packed(y.AsX(), x, x)
	} else {
		VEXTRACTF128(U8(1), v, x)
		packed(v.AsX(), x, x)
	}
	VUNPCKHPD(x, x, high)
	last(high, x, x)
	return x
}

// labels counts the labels of the function that is being written.
var labels int

// label returns a new label in the function that is being written.
func label(name string) string {
	labels++
	return name + strconv.Itoa(labels)
}

// while writes a loop that runs body as long as count is at least minimum. body must lower count.
func while(count reg.GPVirtual, minimum int, body func()) {
	top, out := label("loop"), label("done")
	Label(top)
	CMPQ(count, U32(minimum))
	JL(LabelRef(out))
	body()
	JMP(LabelRef(top))
	Label(out)
}

// at returns the memory at base plus index plus offset bytes.
func at(base, index reg.Register, offset int) Mem {
	return Mem{Base: base, Index: index, Scale: 1, Disp: offset}
}

func from(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// number32 returns a vector with all lanes equal to the named float32 parameter.
func (t tier) number32(name string) reg.VecVirtual { return t.broadcast32(place(Param(name))) }

// broadcast32 returns a vector with all lanes equal to the float32 in memory or in a register.
func (t tier) broadcast32(from Op) reg.VecVirtual {
	v := t.vec()
	VBROADCASTSS(from, v)
	return v
}

// constant32 returns a vector with the given 32 bits in every lane.
func (t tier) constant32(bits uint32) reg.VecVirtual {
	r, x := GP32(), XMM()
	MOVL(U32(bits), r)
	VMOVD(r, x)
	return t.broadcast32(x)
}

// unroll writes two loops that run body over n entries: one for four vectors at a time, then one for single vectors.
// body gets the byte offset of its first vector.
func (t tier) unroll(n reg.GPVirtual, body func(offset reg.GPVirtual, vectors int)) {
	offset := GP64()
	XORQ(offset, offset)
	for _, w := range []int{4, 1} {
		while(n, w*t.lanes, func() {
			body(offset, w)
			ADDQ(U32(w*t.bytes()), offset)
			SUBQ(U32(w*t.lanes), n)
		})
	}
}

// largestOf returns the largest lane of all vectors in list.
func (t tier) largestOf(list []reg.VecVirtual) reg.VecVirtual {
	for i := 1; i < len(list); i++ {
		VMAXPD(list[i], list[0], list[0])
	}
	return t.most(list[0])
}
