package onnx

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"superres/internal/elementary"
	"superres/superres/networks/graph"
)

// maxRank is the greatest number of dimensions of a tensor.
const maxRank = 8

// tensor is a constant array of numbers in row-major order. At most one of reals, ints and bytes is not nil.
type tensor struct {
	dims  []int
	reals []float32
	ints  []int64
	// bytes are 8-bit numbers, signed if hasSign. Only DequantizeLinear and QuantizeLinear take them; others get ints.
	bytes   []byte
	hasSign bool
	usage   *usage // nil if its numbers never go back to the budget
}

// count returns the number of values of an array of the given dimensions. It fails for too many values or dimensions.
func count(dims []int) (int, error) {
	n := 1
	if len(dims) > maxRank {
		return 0, fmt.Errorf("a constant has %d dimensions, expected at most %d", len(dims), maxRank)
	}
	for _, d := range dims {
		if d < 0 || d > graph.MaxWeights/max(n, 1) {
			return 0, fmt.Errorf("a constant of %v numbers, expected at most %d", dims, graph.MaxWeights)
		}
		n *= d
	}
	return n, nil
}

// The types of ONNX's tensors that are supported.
const (
	typeFloat32  = 1
	typeUint8    = 2
	typeInt8     = 3
	typeUint16   = 4
	typeInt16    = 5
	typeInt32    = 6
	typeInt64    = 7
	typeBool     = 9
	typeFloat16  = 10
	typeFloat64  = 11
	typeUint32   = 12
	typeUint64   = 13
	typeBfloat16 = 16
)

// isReal reports whether the numbers of a type are real numbers, not integers.
func isReal(kind int) bool {
	return kind == typeFloat32 || kind == typeFloat16 || kind == typeFloat64 || kind == typeBfloat16
}

// sizeOf returns the number of bytes of a number in the raw data of a tensor; 0 if the type is not supported.
func sizeOf(kind int) int {
	switch kind {
	case typeUint8, typeInt8, typeBool:
		return 1
	case typeFloat16, typeBfloat16, typeInt16, typeUint16:
		return 2
	case typeFloat32, typeInt32, typeUint32:
		return 4
	case typeFloat64, typeInt64, typeUint64:
		return 8
	}
	return 0
}

// typeName returns the name of a type that is not supported, or its number.
func typeName(kind int) string {
	names := map[int]string{8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
		19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1"}
	return cmp.Or(names[kind], fmt.Sprint(kind))
}

// contents is a tensor as the file stores it.
type contents struct {
	name string
	kind int
	dims []int
	raw  []byte
	// message is the message of the tensor. Its fields hold the numbers if isListed is true and raw is nil.
	message             []byte
	isListed, isOutside bool
	outside             externalData // where the numbers are, if isOutside is true
}

// parseTensor parses a constant. *wholesLeft is how many more integers constants may hold as int64, of eight bytes
// each. parseTensor subtracts the integers of this one (8-bit ones may stay bytes: see decode), and fails below 0.
func (m *model) parseTensor(message []byte, wholesLeft *int) (name string, t *tensor, err error) {
	c, err := parseContents(message)
	if err == nil && c.isOutside {
		c.raw, err = m.beside.read(c)
	}
	if err == nil {
		t, err = c.decode(wholesLeft)
	}
	if err != nil && err != errBroken {
		err = fmt.Errorf("constant %q: %w", c.name, err)
	}
	return c.name, t, err
}

// parseContents parses a TensorProto by its fields, but not the numbers, which raw or the fields 4, 5, 7 and 10 hold.
func parseContents(message []byte) (*contents, error) {
	c := &contents{message: message, outside: externalData{length: -1}}
	return c, fields(message, func(f field) error {
		switch f.number {
		case 1:
			return f.numbers(protowire.VarintType, func(v uint64) error {
				if len(c.dims) <= maxRank {
					c.dims = append(c.dims, int(min(v, math.MaxInt32)))
				}
				return nil
			})
		case 2:
			c.kind = int(min(f.value, math.MaxInt32))
		case 4, 5, 7, 10:
			c.isListed = true
		case 8:
			c.name = string(f.bytes)
		case 9:
			c.raw = f.bytes
		case 13:
			key, value, err := parseEntry(f.bytes)
			c.outside.set(key, value)
			return err
		case 14:
			c.isOutside = f.value == 1
		}
		return nil
	})
}

// decode returns c as a tensor. 8-bit integers in c.raw stay bytes of the file. The number of other integers is taken
// from *wholesLeft. It fails if that falls below 0, and unless c has as many numbers as its dimensions say.
func (c *contents) decode(wholesLeft *int) (*tensor, error) {
	size := sizeOf(c.kind)
	if size == 0 {
		return nil, fmt.Errorf("numbers of type %s are not supported", typeName(c.kind))
	}
	n, err := count(c.dims)
	if err != nil {
		return nil, err
	}
	t := &tensor{dims: c.dims}
	if isByte := c.kind == typeUint8 || c.kind == typeInt8; isByte && len(c.raw) == n && n > 0 {
		t.bytes, t.hasSign = c.raw, c.kind == typeInt8
		return t, nil
	}
	if !isReal(c.kind) {
		if err := spendWholes(wholesLeft, n); err != nil {
			return nil, err
		}
	}
	if c.raw != nil || !c.isListed {
		if len(c.raw) != n*size {
			return nil, fmt.Errorf("has %d bytes, expected %d for the dimensions %v", len(c.raw), n*size, c.dims)
		}
		t.allocate(n, c.kind)
		for i := range n {
			t.set(i, c.kind, bitsAt(c.raw[i*size:], size))
		}
		return t, nil
	}
	return t, c.decodeLists(t, n)
}

// decodeLists fills t with n numbers from the fields that list numbers, if these are long enough to hold n.
func (c *contents) decodeLists(t *tensor, n int) error {
	least := 1 // the fewest bytes that a number takes
	kind := protowire.VarintType
	switch c.kind {
	case typeFloat32:
		least, kind = 4, protowire.Fixed32Type
	case typeFloat64:
		least, kind = 8, protowire.Fixed64Type
	}
	have := 0 // an upper bound of the count of numbers
	err := c.eachList(func(f field) error {
		if have += 1; f.kind == protowire.BytesType {
			have += len(f.bytes)/least - 1
		}
		return nil
	})
	if err != nil {
		return err
	}
	if have < n {
		return fmt.Errorf("has fewer numbers than the %d of the dimensions %v", n, c.dims)
	}
	t.allocate(n, c.kind)
	i := 0
	err = c.eachList(func(f field) error {
		return f.numbers(kind, func(v uint64) error {
			if i < n {
				t.set(i, c.kind, v)
			}
			i++
			return nil
		})
	})
	if err != nil {
		return err
	}
	if i != n {
		return fmt.Errorf("has %d numbers, expected %d for the dimensions %v", i, n, c.dims)
	}
	return nil
}

// eachList calls visit for the fields that list numbers one by one, and returns the first error.
func (c *contents) eachList(visit func(field) error) error {
	return fields(c.message, func(f field) error {
		switch f.number {
		case 4, 5, 7, 10: // float_data, int32_data, int64_data, double_data
			return visit(f)
		}
		return nil
	})
}

// spendWholes subtracts n from left, the number of whole numbers that may still be read. It fails if fewer are left.
func spendWholes(left *int, n int) error {
	if *left -= n; *left < 0 {
		return fmt.Errorf("more than %d whole numbers", maxWholes)
	}
	return nil
}

// allocate gives t room for n numbers of the given type of ONNX: float32 for all real numbers, int64 for integers.
func (t *tensor) allocate(n, kind int) {
	if isReal(kind) {
		t.reals = make([]float32, n)
	} else {
		t.ints = make([]int64, n)
	}
}

// bitsAt returns the first size bytes of b, at most 8, as a little-endian number.
func bitsAt(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// set sets number i from its bits in the file, which are of the given type.
func (t *tensor) set(i, kind int, bits uint64) {
	switch kind {
	case typeFloat32:
		t.reals[i] = math.Float32frombits(uint32(bits))
	case typeFloat64:
		t.reals[i] = float32(math.Float64frombits(bits))
	case typeFloat16:
		t.reals[i] = elementary.Float16(uint16(bits))
	case typeBfloat16:
		t.reals[i] = math.Float32frombits(uint32(bits) << 16)
	case typeInt8:
		t.ints[i] = int64(int8(bits))
	case typeInt16:
		t.ints[i] = int64(int16(bits))
	case typeInt32:
		t.ints[i] = int64(int32(bits))
	default:
		t.ints[i] = int64(bits)
	}
}

func scalar(v float32) *tensor { return &tensor{reals: []float32{v}} }

// vector returns a tensor of one dimension that holds the numbers of list.
func vector(list ...int64) *tensor {
	return &tensor{dims: []int{len(list)}, ints: append([]int64{}, list...)}
}

// whole returns v rounded towards 0 and limited to ±2⁵³; 0 if v is NaN.
func whole(v float64) int64 {
	if math.IsNaN(v) {
		return 0
	}
	return int64(max(min(v, 1<<53), -1<<53))
}

func (t *tensor) size() int { return max(len(t.reals), len(t.ints), len(t.bytes)) }

// real returns value i as a real number.
func (t *tensor) real(i int) float64 {
	switch {
	case t.ints != nil:
		return float64(t.ints[i])
	case t.hasSign:
		return float64(int8(t.bytes[i]))
	case t.bytes != nil:
		return float64(t.bytes[i])
	}
	return float64(t.reals[i])
}

// unpacked returns t, with ints in place of bytes if it has those. They reduce wholesLeft, and it fails below 0.
func (t *tensor) unpacked(wholesLeft *int) (*tensor, error) {
	if t.bytes == nil {
		return t, nil
	}
	if err := spendWholes(wholesLeft, len(t.bytes)); err != nil {
		return nil, err
	}
	out := &tensor{dims: t.dims, ints: make([]int64, len(t.bytes))}
	for i := range out.ints {
		out.ints[i] = int64(t.real(i))
	}
	return out, nil
}

// numbers returns the values, limited to the range of int32. It fails for more than 1000 values and for real numbers.
func (t *tensor) numbers() ([]int, error) {
	if t.size() > 1000 {
		return nil, fmt.Errorf("with a constant of %d indexes or sizes is not supported, 1000 at most", t.size())
	}
	if t.ints == nil && t.size() > 0 {
		return nil, fmt.Errorf("has a constant of %v numbers where whole numbers are expected", t.dims)
	}
	list := make([]int, len(t.ints))
	for i, v := range t.ints {
		list[i] = int(max(min(v, math.MaxInt32), math.MinInt32))
	}
	return list, nil
}
