package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// code writes a float32 operation for any tier with vector registers: for amd64 with avo, for arm64 as text. So an
// operation is written only once, as a function of code.
type code struct {
	tier
	arm *armFunction // nil on amd64
}

// integer and vector are variables. A variable whose value a loop keeps from pass to pass must be set before the loop.
type (
	integer struct {
		reg.GPVirtual
		arm int
	}
	vector struct {
		reg.VecVirtual
		arm int
	}
)

// portable registers an operation that write writes for AVX2, AVX-512 and NEON.
func portable(name, signature string, lengths []string, needs string, write func(c *code)) struct{} {
	return portableOn([]string{AVX2, AVX512BW, NEON}, name, signature, lengths, needs, write)
}

// entrywise is portable without AVX-512, whose longer vectors hardly speed up few instructions for each entry.
func entrywise(name, signature string, lengths []string, needs string, write func(c *code)) struct{} {
	return portableOn([]string{AVX2, NEON}, name, signature, lengths, needs, write)
}

func portableOn(tiers []string, name, signature string, lengths []string, needs string, write func(c *code)) struct{} {
	return register(operation{
		name: name, signature: signature, lengths: lengths, needs: needs,
		assembly: func(t tier) { write(&code{tier: t}) }, arm: write, tiers: tiers,
	})
}

func (c *code) newNumber() integer {
	if c.arm != nil {
		return integer{arm: c.arm.newRegister(false)}
	}
	return integer{GPVirtual: GP64()}
}

func (c *code) newVector() vector {
	if c.arm != nil {
		return vector{arm: c.arm.newRegister(true)}
	}
	return vector{VecVirtual: c.vec()}
}

func (c *code) newVectors(n int) (list []vector) {
	for range n {
		list = append(list, c.newVector())
	}
	return list
}

// param returns the value of a parameter that is a pointer or an integer.
func (c *code) param(name string) integer {
	if c.arm == nil {
		return integer{GPVirtual: pointer(name)}
	}
	n := c.newNumber()
	c.arm.write("MOVD %s, %s", c.arm.param(name), n)
	return n
}

// moveParam adds a number of bytes to a parameter that is a pointer.
func (c *code) moveParam(name string, by integer) {
	if c.arm == nil {
		ADDQ(by.GPVirtual, place(Param(name)))
		return
	}
	n := c.param(name)
	c.plus(n, by)
	c.arm.write("MOVD %s, %s", n, c.arm.param(name))
}

// bytesOf returns a parameter that is a number of float32, converted to bytes.
func (c *code) bytesOf(name string) integer {
	n := c.param(name)
	c.shift(n, 2)
	return n
}

func (c *code) lengthOf(slice string) integer { return c.param(lengthName(slice)) }

// integers writes an instruction on two numbers, which changes the second: name for arm64, or avx for amd64.
func (c *code) integers(name string, avx func(from, to Op), from, to integer) {
	if c.arm != nil {
		c.arm.write(name+" %s, %s", from, to)
		return
	}
	avx(from.GPVirtual, to.GPVirtual)
}

// set sets the number to to from, and copyOf returns a copy of from.
func (c *code) set(to, from integer) { c.integers("MOVD", MOVQ, from, to) }

func (c *code) copyOf(from integer) integer {
	n := c.newNumber()
	c.set(n, from)
	return n
}

// zeroNumber returns a new number that is 0.
func (c *code) zeroNumber() integer {
	n := c.newNumber()
	if c.arm != nil {
		c.arm.write("MOVD $0, %s", n)
	} else {
		XORQ(n.GPVirtual, n.GPVirtual)
	}
	return n
}

func (c *code) plus(to, by integer)  { c.integers("ADD", ADDQ, by, to) }
func (c *code) minus(to, by integer) { c.integers("SUB", SUBQ, by, to) }

// increase adds by, which may be negative, to a number.
func (c *code) increase(to integer, by int) {
	switch {
	case c.arm != nil && by >= 0:
		c.arm.write("ADD $%d, %s", by, to)
	case c.arm != nil:
		c.arm.write("SUB $%d, %s", -by, to)
	case by >= 0:
		ADDQ(U32(by), to.GPVirtual)
	default:
		SUBQ(U32(-by), to.GPVirtual)
	}
}

func (c *code) shift(to integer, by int) {
	if c.arm != nil {
		c.arm.write("LSL $%d, %s", by, to)
		return
	}
	SHLQ(U8(by), to.GPVirtual)
}

// word returns the 64-bit integer at base plus offset bytes.
func (c *code) word(base integer, offset int) integer {
	n := c.newNumber()
	if c.arm != nil {
		c.arm.write("MOVD %d(%s), %s", offset, base, n)
	} else {
		MOVQ(from(base.GPVirtual, offset), n.GPVirtual)
	}
	return n
}

// entry returns base plus four times the 64-bit integer at list plus offset bytes: the address of a float32.
func (c *code) entry(base, list integer, offset int) integer {
	n := c.word(list, offset)
	c.shift(n, 2)
	c.plus(n, base)
	return n
}

// while writes a loop that runs body as long as count is at least minimum. body must lower count.
func (c *code) while(count integer, minimum int, body func()) {
	if c.arm == nil {
		while(count.GPVirtual, minimum, body)
		return
	}
	top, out := label("loop"), label("done")
	begin := len(c.arm.lines)
	c.arm.write("%s:", top)
	c.arm.write("CMP $%d, %s", minimum, count)
	c.arm.write("BLT %s", out)
	body()
	c.arm.write("B %s", top)
	c.arm.write("%s:", out)
	c.arm.loops = append(c.arm.loops, [2]int{begin, len(c.arm.lines)})
}

// repeat writes a loop that runs body count times, at least once. It counts down count to 0.
func (c *code) repeat(count integer, body func()) { c.untilZero(count, -1, body) }

// untilZero writes a loop that runs body and then adds step, −1 or positive, to index, until index is 0. On arm64 it
// notes the lines of the loop, for assign.
func (c *code) untilZero(index integer, step int, body func()) {
	top := label("loop")
	if c.arm == nil {
		Label(top)
		body()
		if step < 0 {
			DECQ(index.GPVirtual)
		} else {
			ADDQ(U8(step), index.GPVirtual)
		}
		JNZ(LabelRef(top))
		return
	}
	begin := len(c.arm.lines)
	c.arm.write("%s:", top)
	body()
	c.increase(index, step)
	c.arm.write("CBNZ %s, %s", index, top)
	c.arm.loops = append(c.arm.loops, [2]int{begin, len(c.arm.lines)})
}

// load returns the vector at base plus offset bytes.
func (c *code) load(base integer, offset int) vector {
	v := c.newVector()
	c.loadTo(base, offset, v)
	return v
}

func (c *code) loadTo(base integer, offset int, v vector) {
	if c.arm != nil {
		c.arm.instruction(0x3dc00000|uint32(offset/16)<<10, "LDR", base, v)
		return
	}
	VMOVUPS(from(base.GPVirtual, offset), v.VecVirtual)
}

// loadAt returns the vector at base plus index bytes, and storeAt stores a vector there.
func (c *code) loadAt(base, index integer) vector {
	v := c.newVector()
	if c.arm != nil {
		c.arm.indexed(0x3ce06800, "LDR", base, index, v)
	} else {
		VMOVUPS(at(base.GPVirtual, index.GPVirtual, 0), v.VecVirtual)
	}
	return v
}

// prefetched is how many bytes ahead rows of samples are prefetched.
const prefetched = 1024

// prefetch makes amd64 prefetch the memory after the vector at base plus index bytes. It does nothing on arm64.
func (c *code) prefetch(base, index integer) {
	if c.arm == nil {
		PREFETCHT0(at(base.GPVirtual, index.GPVirtual, prefetched))
	}
}

func (c *code) storeAt(v vector, base, index integer) {
	if c.arm != nil {
		c.arm.indexed(0x3ca06800, "STR", base, index, v)
		return
	}
	VMOVUPS(v.VecVirtual, at(base.GPVirtual, index.GPVirtual, 0))
}

func (c *code) store(v vector, base integer, offset int) {
	if c.arm != nil {
		c.arm.instruction(0x3d800000|uint32(offset/16)<<10, "STR", base, v)
		return
	}
	VMOVUPS(v.VecVirtual, from(base.GPVirtual, offset))
}

// spreadNext sets all lanes of v to the float32 at base, and moves base to the next float32. It is only for arm64.
func (c *code) spreadNext(base integer, v vector) {
	c.arm.instruction(0x4ddfc800, "LD1R.P", base, v)
}

// float returns a vector with all lanes equal to a float32 parameter.
func (c *code) float(name string) vector {
	if c.arm == nil {
		return vector{VecVirtual: c.number32(name)}
	}
	n, v := c.newNumber(), c.newVector()
	c.arm.write("MOVWU %s, %s", c.arm.param(name), n)
	c.arm.instruction(0x4e040c00, "DUP", n, v)
	return v
}

// bits returns a vector with all lanes equal to the given bits. It may be called inside of loops: amd64 loads the
// vector where it is used; arm64 loads each of the first mostConstants before all loops, in the prologue, and keeps it.
func (c *code) bits(value uint32) vector {
	if c.arm == nil {
		v := c.vec()
		VBROADCASTSS(constantPlace(value), v)
		return vector{VecVirtual: v}
	}
	if v, ok := c.arm.constants[value]; ok {
		return v
	}
	n, v := c.newNumber(), c.newVector()
	f := *c.arm
	if len(f.constants) < mostConstants {
		c.arm.lines = nil // to collect the lines for the prologue
	}
	c.arm.write("MOVD $%#x, %s", value, n)
	c.arm.instruction(0x4e040c00, "DUP", n, v)
	if len(f.constants) < mostConstants {
		c.arm.constants[value] = v
		c.arm.prologue = append(c.arm.prologue, c.arm.lines...)
		c.arm.lines = f.lines
	}
	return v
}

// mostConstants is the largest number of constants that stay in registers on arm64.
const mostConstants = 20

// constants are the bits of the constants that amd64 loads from memory.
var constants []uint32

// constantPlace returns the memory of a constant, which it adds to constants if needed.
func constantPlace(value uint32) Mem {
	i := slices.Index(constants, value)
	if i < 0 {
		i, constants = len(constants), append(constants, value)
	}
	return Mem{Symbol: Symbol{Name: "floatConstants", Static: true}, Base: reg.StaticBase, Disp: 4 * i}
}

func writeConstants() {
	GLOBL("floatConstants", attr.RODATA|attr.NOPTR)
	for i, value := range constants {
		DATA(4*i, U32(value))
	}
}

func (c *code) constant(f float32) vector { return c.bits(math.Float32bits(f)) }

func (c *code) setVector(to, from vector) {
	if c.arm != nil {
		c.arm.vectors(0x4ea01c00, "MOV", from, from, to)
		return
	}
	VMOVAPS(from.VecVirtual, to.VecVirtual)
}

// multiplyAdd adds a·b to sum, fused, and fuse returns a·b + z.
func (c *code) multiplyAdd(a, b, sum vector) {
	if c.arm != nil {
		c.arm.vectors(0x4e20cc00, "FMLA", a, b, sum)
		return
	}
	VFMADD231PS(a.VecVirtual, b.VecVirtual, sum.VecVirtual)
}

func (c *code) fuse(a, b, z vector) vector {
	v := c.newVector()
	c.setVector(v, z)
	c.multiplyAdd(a, b, v)
	return v
}

// operator is an operation on two vectors.
type operator struct {
	name string
	arm  uint32
	avx  func(...Op) // takes the second operand first, as in avo
}

var (
	opAdd     = operator{"FADD", 0x4e20d400, VADDPS}
	opSub     = operator{"FSUB", 0x4ea0d400, VSUBPS}
	opMul     = operator{"FMUL", 0x6e20dc00, VMULPS}
	opDiv     = operator{"FDIV", 0x6e20fc00, VDIVPS}
	opAnd     = operator{"AND", 0x4e201c00, andBits}
	opOr      = operator{"ORR", 0x4ea01c00, orBits}
	opXor     = operator{"EOR", 0x6e201c00, xorBits}
	opAddInts = operator{"ADD", 0x4ea08400, VPADDD}

	// Each lane is a if a is less (opLesser) or greater (opGreater) than b, otherwise b.
	opLesser  = operator{"lesser", 0, VMINPS}
	opGreater = operator{"greater", 0, VMAXPS}
)

// AVX-512F has no bitwise instructions for floats, only for integers.
func andBits(ops ...Op) { bitsOf(VPANDD, VANDPS, ops) }
func orBits(ops ...Op)  { bitsOf(VPORD, VORPS, ops) }
func xorBits(ops ...Op) { bitsOf(VPXORD, VXORPS, ops) }

// bitsOf writes the instruction long for vectors of 64 bytes, or short for others.
func bitsOf(long, short func(...Op), ops []Op) {
	if r, ok := ops[2].(reg.VecVirtual); ok && r.Size() == 64 {
		long(ops...)
	} else {
		short(ops...)
	}
}

// apply sets result to the operation op on a and b.
func (c *code) apply(op operator, a, b, result vector) {
	switch {
	case c.arm == nil:
		op.avx(b.VecVirtual, a.VecVirtual, result.VecVirtual) // the second operand comes first in Go's assembly
	case op.name == "lesser": // arm64's own minimum and maximum treat NaN and zeros in another way
		c.setVector(result, c.ifGreater(b, a, a, b))
	case op.name == "greater":
		c.setVector(result, c.ifGreater(a, b, a, b))
	default:
		c.arm.vectors(op.arm, op.name, a, b, result)
	}
}

// of returns a new vector with the operation op on a and b.
func (c *code) of(op operator, a, b vector) vector {
	v := c.newVector()
	c.apply(op, a, b, v)
	return v
}

// root returns the square root of each lane.
func (c *code) root(a vector) vector {
	v := c.newVector()
	if c.arm != nil {
		c.arm.vectors(0x6ea1f800, "FSQRT", a, vector{arm: -1}, v) // the code of the instruction
	} else {
		VSQRTPS(a.VecVirtual, v.VecVirtual)
	}
	return v
}

// shiftInts shifts each 32-bit lane of a to the left.
func (c *code) shiftInts(a vector, by int) vector {
	v := c.newVector()
	if c.arm != nil {
		c.arm.vectors(0x4f005400|uint32(32+by)<<16, "SHL", a, vector{arm: -1}, v) // the code of the instruction
	} else {
		VPSLLD(U8(by), a.VecVirtual, v.VecVirtual)
	}
	return v
}

// ifNegative returns, for each lane, a if the sign of x is negative, otherwise b.
func (c *code) ifNegative(x, a, b vector) vector {
	v := c.newVector()
	switch {
	case c.arm != nil:
		c.arm.vectors(0x4ea0a800, "CMLT", x, vector{arm: -1}, v)
		c.arm.vectors(0x6e601c00, "BSL", a, b, v)
	case c.lanes == 8:
		k := K()
		VPMOVD2M(x.VecVirtual, k)
		VBLENDMPS(a.VecVirtual, b.VecVirtual, k, v.VecVirtual)
	default:
		VBLENDVPS(x.VecVirtual, a.VecVirtual, b.VecVirtual, v.VecVirtual)
	}
	return v
}

// ifGreater returns, for each lane, a if x is greater than y, otherwise b.
func (c *code) ifGreater(x, y, a, b vector) vector {
	v := c.newVector()
	if c.arm != nil {
		c.arm.vectors(0x6ea0e400, "FCMGT", x, y, v)
		c.arm.vectors(0x6e601c00, "BSL", a, b, v)
		return v
	}
	m := c.compare(greater, x.VecVirtual, y.VecVirtual)
	VMOVAPS(b.VecVirtual, v.VecVirtual)
	c.choose(m, a.VecVirtual, v.VecVirtual)
	return v
}

// String returns the text that stands for a variable in a line of arm64 until the variable has a register.
func (n integer) String() string { return fmt.Sprintf("<%d>", n.arm) }
