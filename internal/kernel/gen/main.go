// Command gen writes the assembly of package kernel: every operation twice, for
// AVX2 with FMA and for AVX-512, from one description. What an operation computes
// is defined by the Go form in ../generic.go.
//
// It is a module of its own, so that avo is no dependency of superres. Run it with
// go generate in the folder above.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	for _, t := range []tier{{"AVX2", 4}, {"AVX512", 8}} {
		t.mul()
		t.maxAbs()
		t.indexAbs()
		t.advance()
		t.score()
		t.add()
		t.ropUpdate()
		t.shorten()
		t.ropResidual()
		t.powerStep()
		t.project()
		t.rescale()
		t.masked()
		t.mul32()
		t.pairs()
		t.mulPairs()
		t.pack()
		t.nearest()
		t.transpose()
		t.forms()
		t.orient("orient", false)
		t.orient("restore", true)
		t.regress()
		t.sumRows()
		t.stream()
		t.multiplyAdd()
		t.combine()
		t.combineOnto()
		t.paint()
	}
	tier{"AVX2", 4}.paeth() // 32 bytes at a time are fast enough
	Generate()
}

// tier is an instruction set with vectors of so many float64.
type tier struct {
	name  string
	lanes int
}

func (t tier) bytes() int { return 8 * t.lanes }

// begin opens a function of the tier.
func (t tier) begin(name, signature, doc string) {
	TEXT(name+t.name, NOSPLIT, "func("+signature)
	Pragma("noescape")
	Doc(name + t.name + " " + doc)
}

// end closes it.
func end() {
	VZEROUPPER()
	RET()
}

// vec is a new vector register.
func (t tier) vec() reg.VecVirtual {
	if t.lanes == 8 {
		return ZMM()
	}
	return YMM()
}

// vecs are n of them.
func (t tier) vecs(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = t.vec()
	}
	return list
}

// zero is a vector of zeros.
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

// zeros are n of them.
func (t tier) zeros(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = t.zero()
	}
	return list
}

// load is the vector at m.
func (t tier) load(m Mem) reg.VecVirtual {
	v := t.vec()
	VMOVUPD(m, v)
	return v
}

// spread is a vector of the number at m or in a register.
func (t tier) spread(from Op) reg.VecVirtual {
	v := t.vec()
	VBROADCASTSD(from, v)
	return v
}

// constant is a vector of a number.
func (t tier) constant(bits uint64) reg.VecVirtual {
	r, x := GP64(), XMM()
	MOVQ(U64(bits), r)
	VMOVQ(r, x)
	return t.spread(x)
}

const (
	one     = 0x3ff0000000000000
	minus   = 0xbff0000000000000
	half    = 0x3fe0000000000000
	inf     = 0x7ff0000000000000
	signOff = 0x7fffffffffffffff
)

// place is where a parameter or a result lies.
func place(c gotypes.Component) Mem {
	p, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// number is the float64 parameter of a name, in every lane.
//
// Note: avo's own Load and Store of numbers are SSE, which beside vectors that are in use
// costs some processors hundreds of cycles.
func (t tier) number(name string) reg.VecVirtual { return t.spread(place(Param(name))) }

// result stores the float64 that the function returns.
func result(x reg.Register) { VMOVSD(x, place(ReturnIndex(0))) }

// pointer is the pointer or count of a name, in a register.
func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// sum adds the lanes of v: the halves first.
func (t tier) sum(v reg.VecVirtual) reg.VecVirtual {
	x, y, high := XMM(), YMM(), XMM()
	if t.lanes == 8 {
		VEXTRACTF64X4(U8(1), v, y)
		VADDPD(v.AsY(), y, y)
		VEXTRACTF64X2(U8(1), y, x)
		VADDPD(y.AsX(), x, x)
	} else {
		VEXTRACTF128(U8(1), v, x)
		VADDPD(v.AsX(), x, x)
	}
	VUNPCKHPD(x, x, high)
	VADDSD(high, x, x)
	return x
}

// most is the largest lane of v.
func (t tier) most(v reg.VecVirtual) reg.VecVirtual {
	x, y, high := XMM(), YMM(), XMM()
	if t.lanes == 8 {
		VEXTRACTF64X4(U8(1), v, y)
		VMAXPD(v.AsY(), y, y)
		VEXTRACTF64X2(U8(1), y, x)
		VMAXPD(y.AsX(), x, x)
	} else {
		VEXTRACTF128(U8(1), v, x)
		VMAXPD(v.AsX(), x, x)
	}
	VUNPCKHPD(x, x, high)
	VMAXSD(high, x, x)
	return x
}

var labels int

// label is a new name for a place in the code.
func label(name string) string {
	labels++
	return name + string(rune('a'+labels/26%26)) + string(rune('a'+labels%26))
}

// while runs body as long as count, which body lowers, is at least least.
func while(count reg.GPVirtual, least int, body func()) {
	top, out := label("loop"), label("done")
	Label(top)
	CMPQ(count, U32(least))
	JL(LabelRef(out))
	body()
	JMP(LabelRef(top))
	Label(out)
}

// at is base + index bytes + an offset.
func at(base, index reg.Register, offset int) Mem {
	return Mem{Base: base, Index: index, Scale: 1, Disp: offset}
}

func from(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }
