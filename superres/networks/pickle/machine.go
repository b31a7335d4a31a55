package pickle

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"superres/superres/networks/fail"
)

// The operations, by their names in Python's pickletools.
const (
	opMark, opStop, opPop, opPopMark, opDup = '(', '.', '0', '1', '2'

	opNone, opNewTrue, opNewFalse                    = 'N', 0x88, 0x89
	opInt, opLong, opFloat, opBinFloat               = 'I', 'L', 'F', 'G'
	opBinInt, opBinInt1, opBinInt2, opLong1, opLong4 = 'J', 'K', 'M', 0x8a, 0x8b

	opString, opBinString, opShortBinString                   = 'S', 'T', 'U'
	opUnicode, opBinUnicode, opShortBinUnicode, opBinUnicode8 = 'V', 'X', 0x8c, 0x8d
	opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8    = 'B', 'C', 0x8e, 0x96
	opEmptyTuple, opTuple, opTuple1, opTuple2, opTuple3       = ')', 't', 0x85, 0x86, 0x87
	opEmptyList, opList, opAppend, opAppends                  = ']', 'l', 'a', 'e'
	opEmptyDict, opDict, opSetItem, opSetItems                = '}', 'd', 's', 'u'
	opEmptySet, opAddItems, opFrozenSet                       = 0x8f, 0x90, 0x91
	opPut, opBinPut, opLongBinPut, opMemoize                  = 'p', 'q', 'r', 0x94
	opGet, opBinGet, opLongBinGet                             = 'g', 'h', 'j'
	opGlobal, opStackGlobal, opReduce, opNewObj, opBuild      = 'c', 0x93, 'R', 0x81, 'b'
	opInst, opObj, opNewObjEx, opPersID, opBinPersID, opExt1  = 'i', 'o', 0x92, 'P', 'Q', 0x82
	opExt2, opExt4, opProto, opFrame                          = 0x83, 0x84, 0x80, 0x95
)

var errShort = fail.With("the pickle ends in the middle")

// machine is the state of reading a pickle. Its methods panic with a fail.Failure at the first error.
type machine struct {
	Reader
	data  []byte
	at    int
	stack []any
	marks []int // the length of the stack at each open mark
	memo  map[uint32]any
	most  int // *Left at the beginning
}

// Read returns the value of the pickle that data begins with, and the size of the pickle in bytes. Each value that the
// pickle makes lowers *r.Left, and Read fails if that falls below 0.
func (r Reader) Read(data []byte) (value any, size int, err error) {
	if r.Left == nil {
		left := MaxValues
		r.Left = &left
	}
	m := &machine{Reader: r, data: data, memo: map[uint32]any{}, most: *r.Left}
	err = fail.Catch(func() {
		for op := m.take(1)[0]; op != opStop; op = m.take(1)[0] {
			fail.When(!m.load(op) && !m.combine(op) && !m.name(op), "the pickle has the unknown operation %#02x", op)
		}
		value, size = m.pop(), m.at
	})
	return value, size, err
}

// load carries out op if it pushes a number, a string or a constant, or has no effect, and reports whether it did.
func (m *machine) load(op byte) bool {
	switch op {
	case opProto:
		if v := m.take(1)[0]; v > 5 {
			panic(fail.With("the pickle has the protocol %d, expected at most 5", v))
		}
	case opFrame:
		m.take(8)
	case opNone:
		m.push(nil)
	case opNewTrue, opNewFalse:
		m.push(op == opNewTrue)
	case opBinInt:
		m.push(int64(int32(binary.LittleEndian.Uint32(m.take(4)))))
	case opBinInt1:
		m.push(int64(m.take(1)[0]))
	case opBinInt2:
		m.push(int64(binary.LittleEndian.Uint16(m.take(2))))
	case opLong1:
		m.push(decodeLong(m.take(m.length(1))))
	case opLong4:
		m.push(decodeLong(m.take(m.length(4))))
	case opInt, opLong:
		m.push(parseInt(m.line()))
	case opFloat:
		m.push(fail.Need(strconv.ParseFloat(m.line(), 64)))
	case opBinFloat:
		m.push(math.Float64frombits(binary.BigEndian.Uint64(m.take(8))))
	case opUnicode, opString:
		m.push(m.line())
	case opShortBinString, opShortBinUnicode:
		m.push(string(m.take(m.length(1))))
	case opBinString, opBinUnicode:
		m.push(string(m.take(m.length(4))))
	case opBinUnicode8:
		m.push(string(m.take(m.length(8))))
	case opShortBinBytes:
		m.push(Bytes(m.take(m.length(1))))
	case opBinBytes:
		m.push(Bytes(m.take(m.length(4))))
	case opBinBytes8, opByteArray8:
		m.push(Bytes(m.take(m.length(8))))
	default:
		return false
	}
	return true
}

// take returns the next n bytes of the file and moves on past them. It fails if fewer are left.
func (m *machine) take(n int) []byte {
	errShort.When(n > len(m.data)-m.at)
	m.at += n
	return m.data[m.at-n : m.at]
}

// length reads a length, a number of size bytes, and returns it. It fails if fewer bytes than that follow.
func (m *machine) length(size int) int {
	var b [8]byte
	copy(b[:], m.take(size))
	n := binary.LittleEndian.Uint64(b[:])
	errShort.When(n > uint64(len(m.data)-m.at))
	return int(n)
}

// line returns the bytes up to the next end of line, and skips the end of line too.
func (m *machine) line() string {
	n := bytes.IndexByte(m.data[m.at:], '\n')
	errShort.When(n < 0)
	return string(m.take(n + 1)[:n])
}

// count subtracts n values, on the stack or in the memo, from *m.Left. It fails if fewer are left.
func (m *machine) count(n int) {
	if *m.Left -= n; *m.Left < 0 {
		panic(fail.With("the pickle has more than %d values", m.most))
	}
}

func (m *machine) push(v any) {
	m.count(1)
	m.stack = append(m.stack, v)
}

// base returns the length of the stack at the last mark; 0 if there is no mark.
func (m *machine) base() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

// top returns the last value of the stack. It fails if there is no value after the last mark.
func (m *machine) top() any {
	fail.When(len(m.stack) <= m.base(), "the pickle takes more from its stack than there is")
	return m.stack[len(m.stack)-1]
}

func (m *machine) pop() any {
	v := m.top()
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

// popMark removes the last mark and the values after it, and returns a copy of these values.
func (m *machine) popMark() []any {
	fail.When(len(m.marks) == 0, "the pickle takes more from its stack than there is")
	base := m.base()
	list := append([]any(nil), m.stack[base:]...)
	m.stack, m.marks = m.stack[:base], m.marks[:len(m.marks)-1]
	return list
}

// decodeLong returns a little-endian whole number in two's complement as int64, or as *big.Int if it is too large.
func decodeLong(b []byte) any {
	fail.When(len(b) > maxLong, "the pickle has a number of %d bytes, expected at most %d", len(b), maxLong)
	reversed := make([]byte, len(b))
	for i, v := range b {
		reversed[len(b)-1-i] = v
	}
	v := new(big.Int).SetBytes(reversed)
	if len(b) > 0 && b[len(b)-1] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if v.IsInt64() {
		return v.Int64()
	}
	return v
}

// parseInt parses a whole number in decimal, which may end with L, or a bool, 00 or 01.
func parseInt(text string) any {
	switch text {
	case "00", "01":
		return text == "01"
	}
	if n := len(text); n > 0 && text[n-1] == 'L' {
		text = text[:n-1]
	}
	return fail.Need(strconv.ParseInt(text, 10, 64))
}
