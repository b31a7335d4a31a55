package npz

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// number is an element type of the arrays that can be written.
type number interface{ Small | int64 }

// element returns the name of the type T in NumPy, and its size in bytes.
func element[T number]() (kind string, size int) {
	switch any(*new(T)).(type) {
	case int8:
		return "|i1", 1
	case uint8:
		return "|u1", 1
	case int16:
		return "<i2", 2
	case uint16:
		return "<u2", 2
	case int32:
		return "<i4", 4
	case int64:
		return "<i8", 8
	case float32:
		return "<f4", 4
	}
	return "<f8", 8
}

// alignedHeader returns a header in version 1 of the .npy format. As in NumPy, its length is a multiple of 64 bytes.
func alignedHeader(kind, shape string) []byte {
	const before = len(Magic) + 4 // bytes before text: Magic, the version (2) and the length of text (2)
	text := description(kind, shape)
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(Magic+"\x01\x00"), uint16(len(text))), text...)
}

// plainHeader returns a header in version 2 of the format. It may end at any offset.
//
// Note: the irregular number of spaces keeps files the same as from earlier versions of the program.
func plainHeader(kind, shape string) []byte {
	const before = len(Magic) + 6 // bytes before text: Magic, the version (2) and the length of text (4)
	text := description(kind, shape)
	text += strings.Repeat(" ", (before+len(text)+1)%16) + "\n"
	return append(binary.LittleEndian.AppendUint32([]byte(Magic+"\x02\x00"), uint32(len(text))), text...)
}

// description returns the dictionary in a header. kind is the name of the element type, and shape is a Python tuple.
func description(kind, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
}

// WriteMatrix writes m to w as a .npy file of float64, row after row.
func WriteMatrix(w io.Writer, m *mat.Dense) error {
	rows, cols := m.Dims()
	out := bufio.NewWriter(w) // Flush returns the first error
	out.Write(plainHeader("<f8", fmt.Sprintf("(%d, %d)", rows, cols)))
	for i := range rows {
		if err := binary.Write(out, binary.LittleEndian, m.RawRowView(i)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeVector writes data to w as a .npy file of one dimension.
func writeVector[T number](w io.Writer, data []T) error {
	kind, _ := element[T]()
	_, err := w.Write(plainHeader(kind, fmt.Sprintf("(%d,)", len(data))))
	for part := range slices.Chunk(data, 1<<12) {
		if err == nil {
			err = binary.Write(w, binary.LittleEndian, part)
		}
	}
	return err
}

// WriteCSC writes a sparse matrix by columns for scipy.sparse.load_npz: the non-zeros of column j are
// value[start[j]:start[j+1]], in the rows index[start[j]:start[j+1]]. The bytes depend only on the contents.
func WriteCSC(w io.Writer, rows int, start []int, index []int32, value []float64) error {
	z := zip.NewWriter(w)
	indptr := make([]int64, len(start))
	for i, v := range start {
		indptr[i] = int64(v)
	}
	for _, a := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"indices", func(w io.Writer) error { return writeVector(w, index) }},
		{"indptr", func(w io.Writer) error { return writeVector(w, indptr) }},
		{"data", func(w io.Writer) error { return writeVector(w, value) }},
		{"shape", func(w io.Writer) error { return writeVector(w, []int64{int64(rows), int64(len(start) - 1)}) }},
		{"format", func(w io.Writer) error {
			_, err := w.Write(append(alignedHeader("|S3", "()"), "csc"...))
			return err
		}},
	} {
		m, err := z.Create(a.name + ".npy")
		if err != nil {
			return err
		}
		if err := a.write(m); err != nil {
			return err
		}
	}
	return z.Close()
}

// IsSparse reports whether the arrays in the file form a sparse matrix written by scipy.sparse.save_npz.
func (f *File) IsSparse() bool {
	return f.members["format.npy"] != nil && f.members["shape.npy"] != nil && f.members["data.npy"] != nil
}
