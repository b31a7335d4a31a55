package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/internal/elementary"
)

// Header is the header of a .npy file, which describes the array after it.
type Header struct {
	Type    string // element type in the notation of NumPy: "<f8", "|u1"; "" for records
	Fortran bool   // column after column; false: row after row
	Shape   []int

	length int64 // length of the header itself, in bytes
}

// Length returns the number of bytes of the header in its file.
func (h Header) Length() int64 { return h.length }

// Magic begins every .npy file.
const Magic = "\x93NUMPY"

// maxHeader is the greatest length of a header that is read. NumPy's own limit is 10,000 bytes.
const maxHeader = 1 << 16

// The entries of the dictionary, a Python literal, in a header.
var (
	reType  = regexp.MustCompile(`['"]descr['"]\s*:\s*(?:['"]([^'"]*)['"]|\[)`)
	reOrder = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	reShape = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L, ]*)\)`)
)

var errHeader = errors.New("damaged .npy header")

// ReadHeader reads the header of a .npy file from r, up to the first byte of the array. It accepts any element type.
func ReadHeader(r io.Reader) (Header, error) {
	var h Header
	var start [len(Magic) + 2]byte // Magic and two bytes of version
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:len(Magic)]) != Magic {
		return h, errHeader
	}
	h.length = int64(len(start))
	var length uint32
	switch start[len(Magic)] {
	case 1:
		var short uint16
		if err := binary.Read(r, binary.LittleEndian, &short); err != nil {
			return h, errHeader
		}
		length = uint32(short)
		h.length += 2
	case 2, 3:
		if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
			return h, errHeader
		}
		h.length += 4
	default:
		return h, fmt.Errorf("version %d of the .npy format, expected 1 to 3", start[len(Magic)])
	}
	if length > maxHeader {
		return h, errHeader
	}
	h.length += int64(length)
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errHeader
	}
	kind, order, shape := reType.FindSubmatch(text), reOrder.FindSubmatch(text), reShape.FindSubmatch(text)
	if kind == nil || order == nil || shape == nil {
		return h, errHeader
	}
	h.Type, h.Fortran = string(kind[1]), string(order[1]) == "True"
	for side := range strings.SplitSeq(string(shape[1]), ",") {
		side = strings.TrimSuffix(strings.TrimSpace(side), "L") // Python 2 wrote 3L
		if side == "" {
			continue
		}
		n, err := strconv.Atoi(side)
		if err != nil {
			return h, errHeader
		}
		h.Shape = append(h.Shape, n)
	}
	return h, nil
}

// numeric is an element type of an array: its size in bytes, and a function that reads a value.
type numeric struct {
	size  int
	value func(order binary.ByteOrder, b []byte) float64
}

// numbers are the types that can be read, by their names without byte order.
var numbers = map[string]numeric{
	"f8": {8, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }},
	"f4": {4, func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
	"f2": {2, func(o binary.ByteOrder, b []byte) float64 { return float64(elementary.Float16(o.Uint16(b))) }},
	"i8": {8, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }},
	"i4": {4, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }},
	"i2": {2, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }},
	"i1": {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	"u8": {8, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }},
	"u4": {4, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }},
	"u2": {2, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }},
	"u1": {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	"b1": {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(min(b[0], 1)) }},
}

// number returns the type and the byte order of the elements. It fails for types that cannot be read.
func (h Header) number() (n numeric, order binary.ByteOrder, err error) {
	name := strings.TrimLeft(h.Type, "<>|=")
	n, known := numbers[name]
	switch {
	case known && strings.HasPrefix(h.Type, ">"):
		return n, binary.BigEndian, nil
	case known:
		return n, binary.LittleEndian, nil
	case h.Type == "":
		return n, nil, errors.New("holds records, not numbers; save one of their fields with numpy.save")
	case strings.HasPrefix(name, "O"):
		return n, nil, errors.New("holds Python objects, which are never unpacked; save it as numbers, with " +
			"astype(float)")
	case strings.HasPrefix(name, "c"):
		return n, nil, fmt.Errorf("holds complex numbers (%s), expected real ones; save Y.real, Y.imag or both stacked",
			h.Type)
	}
	return n, nil, fmt.Errorf("holds elements of type %.20q, expected floats, integers or bool; save it "+
		"with astype(float)", h.Type)
}

// maxSide is the greatest side of a matrix. It keeps products of sides and element sizes within an int64.
const maxSide = 1 << 30

// Matrix returns the size of the array and the number of its bytes in the file. It fails unless the array is a matrix
// of real numbers with at least one row and one column.
func (h Header) Matrix() (rows, cols int, bytes int64, err error) {
	n, _, err := h.number()
	if err != nil {
		return 0, 0, 0, err
	}
	switch len(h.Shape) {
	case 0:
		return 0, 0, 0, errors.New("holds a single number, expected a matrix")
	case 1:
		return 0, 0, 0, fmt.Errorf("has one dimension, of %d, expected a matrix; make it one with reshape(-1, 1) "+
			"(a column) or reshape(1, -1) (a row)", h.Shape[0])
	case 2:
	default:
		return 0, 0, 0, fmt.Errorf("has %d dimensions, expected a matrix; make it one with reshape(ROWS, -1)",
			len(h.Shape))
	}
	rows, cols = h.Shape[0], h.Shape[1]
	if rows < 1 || cols < 1 {
		return 0, 0, 0, fmt.Errorf("is empty (%d×%d), expected a row and a column at least", rows, cols)
	}
	if rows > maxSide || cols > maxSide {
		return 0, 0, 0, fmt.Errorf("says that it is %d×%d; damaged, or too large", rows, cols)
	}
	return rows, cols, int64(rows) * int64(cols) * int64(n.size), nil
}

// ReadMatrix reads the array after the header h, which Matrix must have accepted, from r. r must end after the array.
// The result takes 8 bytes of memory for each entry.
func (h Header) ReadMatrix(r io.Reader) (*mat.Dense, error) {
	rows, cols, left, err := h.Matrix()
	if err != nil {
		return nil, err
	}
	n, order, _ := h.number()
	out := make([]float64, rows*cols)
	buffer := make([]byte, min(left, 1<<16)/int64(n.size)*int64(n.size)) // a whole number of elements
	for at := 0; left > 0; {
		part := buffer[:min(left, int64(len(buffer)))]
		if _, err := io.ReadFull(r, part); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("ends too early, %d bytes are missing", left)
			}
			return nil, err
		}
		left -= int64(len(part))
		for ; len(part) > 0; part = part[n.size:] {
			to := at // the file and out have the same order, unless the file goes column after column
			if h.Fortran {
				to = at%rows*cols + at/rows
			}
			out[to] = n.value(order, part)
			at++
		}
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); {
	case err == nil:
		return nil, errors.New("has more bytes than its header says")
	case !errors.Is(err, io.EOF):
		return nil, err // for example, for a wrong checksum
	}
	return mat.NewDense(rows, cols, out), nil
}
