package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// This file writes a WebAssembly module in the binary format (W3C: WebAssembly Core Specification 2.0, section 5). The
// module's functions work in the memory of another module, which it imports as go.mem.

// value is a sequence of instructions that leaves one value on the stack: a 32-bit integer or a 128-bit vector.
type value []byte

// local is the index of a variable of a function.
type local uint32

// function is a function of a module, with parameters that are integers of 32 bits, and no result.
type function struct {
	name   string // the name under which it is exported; empty if it is not
	is     string // the operation that it implements; empty if it implements none
	params []string
	types  []byte // the types of the variables after the parameters
	code   []byte
	module *module
	index  int // its position in module.functions
}

// The types of variables.
const (
	typeInt    = 0x7f
	typeVector = 0x7b
)

// module is a WebAssembly module under construction.
type module struct{ functions []*function }

// add adds a complete function, and returns it.
func (m *module) add(f *function) *function {
	f.module, f.index = m, len(m.functions)
	m.functions = append(m.functions, f)
	return f
}

// encode returns the module in the binary format: its types, the imported memory, its functions, exports and code.
// No two functions share a type, and no two variables a group.
func (m *module) encode() []byte {
	var types, functions, exports, code [][]byte
	for _, f := range m.functions {
		types = append(types, slices.Concat([]byte{0x60}, vectorOf(slices.Repeat([][]byte{{typeInt}}, len(f.params))),
			[]byte{0}))
		functions = append(functions, unsigned(len(types)-1))
		if f.name != "" {
			exports = append(exports, slices.Concat(text(f.name), []byte{0}, unsigned(f.index)))
		}
		var groups [][]byte
		for _, t := range f.types {
			groups = append(groups, []byte{1, t})
		}
		body := slices.Concat(vectorOf(groups), f.code, []byte{0x0b}) // which ends a function
		code = append(code, append(unsigned(len(body)), body...))
	}
	memory := slices.Concat(text("go"), text("mem"), []byte{2, 0, 0}) // a memory of 0 pages or more
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), section(1, types), section(2, [][]byte{memory}),
		section(3, functions), section(7, exports), section(10, code))
}

// section returns a section of a module, and vectorOf a list of entries with their number before them.
func section(id byte, entries [][]byte) []byte {
	content := vectorOf(entries)
	return slices.Concat([]byte{id}, unsigned(len(content)), content)
}

func vectorOf(entries [][]byte) []byte {
	return append(unsigned(len(entries)), bytes.Join(entries, nil)...)
}

func text(s string) []byte { return append(unsigned(len(s)), s...) }

// unsigned and signed return n in LEB128.
func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func signed(n int) (b []byte) {
	for ; n < -64 || n > 63; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n)&0x7f)
}

// op returns the code that pushes values, followed by an instruction that takes them from the stack.
func op(code byte, values ...value) value { return append(slices.Concat(values...), code) }

// vectorOp is op for vector instructions.
func vectorOp(code int, values ...value) value {
	return slices.Concat(slices.Concat(values...), []byte{0xfd}, unsigned(code))
}

// accessOp is op for a vector instruction that accesses memory at an address plus offset bytes.
func accessOp(code, offset int, values ...value) value {
	return slices.Concat(vectorOp(code, values...), []byte{0}, unsigned(offset))
}

// Values of integers.

func number(n int) value               { return append([]byte{0x41}, signed(n)...) }
func (l local) value() value           { return append([]byte{0x20}, unsigned(int(l))...) }
func add(x, y value) value             { return op(0x6a, x, y) }
func sub(x, y value) value             { return op(0x6b, x, y) }
func multiply(x, y value) value        { return op(0x6c, x, y) }
func shift(x value, n int) value       { return op(0x74, x, number(n)) }
func and(x, y value) value             { return op(0x71, x, y) }
func equal(x, y value) value           { return op(0x46, x, y) }
func below(x, y value) value           { return op(0x48, x, y) }
func above(x, y value) value           { return op(0x4a, x, y) }
func word(at value, offset int) value  { return slices.Concat(at, []byte{0x28, 0}, unsigned(offset)) }
func short(at value, offset int) value { return slices.Concat(at, []byte{0x2e, 0}, unsigned(offset)) }

// Values of vectors. The name says what the lanes are, where that matters.

func load(at value, offset int) value      { return accessOp(0x00, offset, at) }
func loadSplat(at value, offset int) value { return accessOp(0x09, offset, at) } // a 32-bit number in all lanes
func loadOne(at value, offset int) value   { return accessOp(0x5c, offset, at) } // a 32-bit number, then zeros
func loadTwo(at value, offset int) value   { return accessOp(0x5d, offset, at) } // 64 bits, then zeros
func splat(x value) value                  { return vectorOp(0x11, x) }
func dot(x, y value) value                 { return vectorOp(0xba, x, y) }
func addInts(x, y value) value             { return vectorOp(0xae, x, y) }
func subInts(x, y value) value             { return vectorOp(0xb1, x, y) }
func addShorts(x, y value) value           { return vectorOp(0x8e, x, y) }
func addShortsSaturated(x, y value) value  { return vectorOp(0x8f, x, y) }
func subShorts(x, y value) value           { return vectorOp(0x91, x, y) }
func minShorts(x, y value) value           { return vectorOp(0x96, x, y) }
func maxShorts(x, y value) value           { return vectorOp(0x98, x, y) }
func narrow(x, y value) value              { return vectorOp(0x85, x, y) }
func equalInts(x, y value) value           { return vectorOp(0x37, x, y) } // a lane is all ones or all zeros
func aboveInts(x, y value) value           { return vectorOp(0x3b, x, y) } // a lane is all ones or all zeros
func minUnsigned(x, y value) value         { return vectorOp(0xb7, x, y) }
func maxInts(x, y value) value             { return vectorOp(0xb8, x, y) }
func signs(x value) value                  { return vectorOp(0xac, x, number(31)) }
func choose(ones, zeros, mask value) value { return vectorOp(0x52, ones, zeros, mask) }
func toFloats(x value) value               { return vectorOp(0xfa, x) }
func addFloats(x, y value) value           { return vectorOp(0xe4, x, y) }
func mulFloats(x, y value) value           { return vectorOp(0xe6, x, y) }
func subFloats(x, y value) value           { return vectorOp(0xe5, x, y) }
func minFloats(x, y value) value           { return vectorOp(0xea, x, y) } // y < x ? y : x
func maxFloats(x, y value) value           { return vectorOp(0xeb, x, y) } // x < y ? y : x
func leastFloats(x, y value) value         { return vectorOp(0xe8, x, y) } // like Go's min for NaN and zeros
func greatestFloats(x, y value) value      { return vectorOp(0xe9, x, y) } // like Go's max

// loadLane returns x with one 32-bit lane replaced by the number in memory.
func loadLane(at value, offset int, x value, lane byte) value {
	return append(accessOp(0x56, offset, at, x), lane)
}

// same returns a vector with the given 32 bits in every lane.
func same(bits uint32) value {
	v := vectorOp(0x0c)
	for range 4 {
		v = binary.LittleEndian.AppendUint32(v, bits)
	}
	return v
}

func sameFloat(x float32) value { return same(math.Float32bits(x)) }

// arg returns the value of a parameter by its name.
func (f *function) arg(name string) value {
	i := slices.Index(f.params, name)
	if i < 0 {
		panic("no parameter " + name)
	}
	return local(i).value()
}

func (f *function) declare(kind byte) local {
	f.types = append(f.types, kind)
	return local(len(f.params) + len(f.types) - 1)
}

// int returns a new variable, set to v.
func (f *function) int(v value) local {
	l := f.declare(typeInt)
	f.set(l, v)
	return l
}

// vector returns a new variable, set to v.
func (f *function) vector(v value) local {
	l := f.declare(typeVector)
	f.set(l, v)
	return l
}

// vectors returns n new variables for vectors.
func (f *function) vectors(n int) []local {
	list := make([]local, n)
	for i := range list {
		list[i] = f.declare(typeVector)
	}
	return list
}

func (f *function) set(l local, v value) {
	f.code = slices.Concat(f.code, v, []byte{0x21}, unsigned(int(l)))
}

func (f *function) increase(l local, v value) { f.set(l, add(l.value(), v)) }

// store stores a vector at an address plus offset bytes.
func (f *function) store(at value, offset int, v value) {
	f.code = append(f.code, accessOp(0x0b, offset, at, v)...)
}

// storeLane stores one 32-bit lane of a vector, and storeTwo the first two lanes.
func (f *function) storeLane(at value, offset int, v value, lane byte) {
	f.code = append(append(f.code, accessOp(0x5a, offset, at, v)...), lane)
}

func (f *function) storeTwo(at value, offset int, v value) {
	f.code = append(append(f.code, accessOp(0x5b, offset, at, v)...), 0)
}

// repeat writes a loop that runs body once, and again as long as the condition holds.
func (f *function) repeat(body func() (condition value)) {
	f.code = append(f.code, 0x03, 0x40)
	condition := body()
	f.code = slices.Concat(f.code, condition, []byte{0x0d, 0, 0x0b})
}

// while writes a loop that runs body as long as the condition holds.
func (f *function) while(condition value, body func()) {
	f.when(condition, func() {
		f.repeat(func() value {
			body()
			return condition
		})
	}, nil)
}

// when writes an if statement: then writes its branch, and otherwise, unless it is nil, writes the else branch.
func (f *function) when(condition value, then, otherwise func()) {
	f.code = slices.Concat(f.code, condition, []byte{0x04, 0x40})
	then()
	if otherwise != nil {
		f.code = append(f.code, 0x05)
		otherwise()
	}
	f.code = append(f.code, 0x0b)
}

// call writes a call of another function of the module.
func (f *function) call(other *function, values ...value) {
	if len(values) != len(other.params) {
		panic("a call of " + other.is + " with too few or too many values")
	}
	f.code = slices.Concat(f.code, slices.Concat(values...), []byte{0x10}, unsigned(other.index))
}
