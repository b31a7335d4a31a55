package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// Small is the element type of arrays that are written unconverted. These arrays are large and must load fast, so only
// arrays of 16 bits are compressed: the weights of convolutions become a quarter smaller, and loading the 420 KB of the
// largest embedded model takes 3.5 ms longer.
type Small interface {
	int8 | uint8 | int16 | uint16 | int32 | float32 | float64
}

// Array is a member with rows×cols elements, row by row. Name is its name in NumPy.
type Array struct {
	Name string
	kind string // the name of the element type in NumPy
	rows int
	data []byte // the elements as they are in the file
	size int    // bytes of an element
}

// NewArray returns a member with the elements of data, row by row. It panics if rows does not divide len(data).
func NewArray[T Small](name string, rows int, data []T) Array {
	if rows < 1 || len(data)%rows != 0 {
		panic(fmt.Sprintf("npz: array %s of %d elements in %d rows", name, len(data), rows))
	}
	kind, size := element[T]()
	b, _ := binary.Append(nil, binary.LittleEndian, data) // cannot fail: every number has a fixed size
	return Array{Name: name, kind: kind, rows: rows, size: size, data: b}
}

func (a Array) Len() int { return len(a.data) / a.size }

// WriteContent writes name, type, shape and elements of the array to w, for a hash.
func (a Array) WriteContent(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s %s %d %d\n", a.Name, a.kind, a.rows, a.Len()); err != nil {
		return err
	}
	_, err := w.Write(a.data)
	return err
}

// write adds the array to z as a member. Uncompressed, the elements begin at a multiple of 64 bytes from its start.
func (a Array) write(z *zip.Writer) error {
	method := zip.Store
	if a.size == 2 { // see Small
		method = zip.Deflate
	}
	m, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: method})
	if err != nil {
		return err
	}
	shape := fmt.Sprintf("(%d, %d)", a.rows, len(a.data)/a.size/a.rows)
	if _, err := m.Write(alignedHeader(a.kind, shape)); err != nil {
		return err
	}
	_, err = m.Write(a.data)
	return err
}

// padding is how many bytes can be read after an array of bytes from Read, by loops that load whole vector registers.
const padding = 64

// Read returns the elements of the array called name in NumPy, row by row. It fails unless the array has exactly
// rows×cols elements of type T, and all are finite.
func Read[T Small](f *File, name string, rows, cols int) ([]T, error) {
	name += ".npy"
	r, got, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	kind, size := element[T]()
	const header = 1 << 10 // more bytes than any header that this package writes
	want := uint64(rows) * uint64(cols) * uint64(size)
	if got < want || got > want+header { // checked before memory is allocated
		return nil, fmt.Errorf("member %q has %d bytes, expected %d×%d elements of %d", name, got, rows, cols, size)
	}
	data := make([]byte, got, got+padding)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // reading to the end checks the checksum
		return nil, fmt.Errorf("member %q is damaged", name)
	}
	rest := bytes.NewReader(data)
	h, err := ReadHeader(rest)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	data = data[len(data)-rest.Len():]
	if h.Type != kind || h.Fortran || len(h.Shape) != 2 || h.Shape[0] != rows || h.Shape[1] != cols ||
		uint64(len(data)) != want {
		return nil, fmt.Errorf("member %q is %.20q of shape %v, expected %q of %d×%d", name, h.Type, h.Shape, kind,
			rows, cols)
	}
	if size == 1 && len(data) > 0 { // no copy is made: most of a model has this size
		return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), cap(data))[:len(data)], nil
	}
	out := make([]T, rows*cols)
	if _, err := binary.Decode(data, binary.LittleEndian, out); err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	if kind[1] != 'f' { // integers are always finite
		return out, nil
	}
	for _, v := range out {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("member %q is not finite", name)
		}
	}
	return out, nil
}
