// Package npz reads and writes matrices and texts in an .npz file: a zip archive of .npy members and any other files.
//
// Files are not trusted: before memory is allocated, sizes are compared with limits and with the bytes that are there.
package npz

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/internal/safefile"
)

// MaxBytes is the greatest size of all members of a file together, uncompressed, in bytes.
const MaxBytes = 256 << 20

// maxMembers is the greatest number of members in a file.
const maxMembers = 1024

// Write writes the texts, then the matrices as .npy members of float64, then the arrays, in the given order. The bytes
// depend only on the contents: the file contains no times and no user names.
func Write(w io.Writer, texts []Text, matrices []Matrix, arrays ...Array) error {
	z := zip.NewWriter(w)
	for _, t := range texts {
		m, err := z.Create(t.Name)
		if err != nil {
			return err
		}
		if _, err := m.Write(t.Data); err != nil {
			return err
		}
	}
	for _, x := range matrices {
		m, err := z.Create(x.Name + ".npy")
		if err != nil {
			return err
		}
		if err := WriteMatrix(m, x.Data); err != nil {
			return err
		}
	}
	for _, a := range arrays {
		if err := a.write(z); err != nil {
			return err
		}
	}
	return z.Close()
}

// Text is a member that is not an array, usually a text. Name is its file name in the archive.
type Text struct {
	Name string
	Data []byte
}

// Matrix is a member that holds a matrix. Name is its name in NumPy, without ".npy".
type Matrix struct {
	Name string
	Data *mat.Dense
}

// File is an open .npz file.
type File struct {
	members map[string]*zip.File
	arrays  []string // names in NumPy, in the order of the file
}

// Open reads the directory of an .npz file of the given size in bytes. It fails if the file is not a zip archive,
// contains the same member twice, or says that it unpacks to more than MaxBytes.
func Open(r io.ReaderAt, size int64) (*File, error) { return OpenUpTo(r, size, MaxBytes) }

// Has reports whether the archive contains a member with the file name member.
func (f *File) Has(member string) bool { return f.members[member] != nil }

// OpenUpTo is Open with the given limit, in bytes, of what all members unpack to, instead of MaxBytes.
func OpenUpTo(r io.ReaderAt, size int64, limit uint64) (*File, error) {
	z, err := safefile.OpenZip(r, size)
	if err != nil {
		return nil, errors.New("not an .npz file, or a damaged one")
	}
	if len(z.File) > maxMembers {
		return nil, fmt.Errorf("%d members, the limit is %d", len(z.File), maxMembers)
	}
	f := &File{members: map[string]*zip.File{}}
	total := uint64(0)
	for _, m := range z.File {
		if f.members[m.Name] != nil {
			return nil, fmt.Errorf("member %q is there twice", m.Name)
		}
		f.members[m.Name] = m
		if name, is := strings.CutSuffix(m.Name, ".npy"); is {
			f.arrays = append(f.arrays, name)
		}
		if m.UncompressedSize64 > limit-total {
			return nil, fmt.Errorf("unpacks to more than %d MiB", limit>>20)
		}
		total += m.UncompressedSize64
	}
	return f, nil
}

// Arrays returns the names of the arrays in NumPy, in the order of the file.
func (f *File) Arrays() []string { return slices.Clone(f.arrays) }

// open opens a member, and returns its size according to the directory of the archive.
func (f *File) open(member string) (r io.ReadCloser, size uint64, err error) {
	m := f.members[member]
	if m == nil {
		return nil, 0, fmt.Errorf("member %q is missing", member)
	}
	if r, err = m.Open(); err != nil {
		return nil, 0, fmt.Errorf("member %q: %w", member, err)
	}
	return r, m.UncompressedSize64, nil
}

// Array opens the .npy member of the array called name, and returns its size according to the directory of the archive.
func (f *File) Array(name string) (r io.ReadCloser, size uint64, err error) {
	return f.open(name + ".npy")
}

// Text returns the bytes of the member called name. It fails if the member is missing or has more than limit bytes.
func (f *File) Text(name string, limit uint64) ([]byte, error) {
	r, size, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size > limit {
		return nil, fmt.Errorf("member %q has %d bytes, the limit is %d", name, size, limit)
	}
	// The limit holds even if the directory is wrong.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	if uint64(len(data)) != size {
		return nil, fmt.Errorf("member %q has %d bytes, expected %d", name, len(data), size)
	}
	return data, nil
}

// Matrix returns the matrix called name in NumPy. It fails unless the matrix has rows×cols finite entries of float64 or
// float32. If rows or cols is negative, any number from 1 to its absolute value is allowed: -100 means 1 to 100.
func (f *File) Matrix(name string, rows, cols int) (*mat.Dense, error) {
	const header = 1 << 17 // more than the bytes of the longest header: see maxHeader
	most := 8 * max(rows, -rows) * max(cols, -cols)
	data, err := f.Text(name+".npy", uint64(most)+header)
	if err != nil {
		return nil, err
	}
	x, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	if r, c := x.Dims(); !fits(r, rows) || !fits(c, cols) {
		return nil, fmt.Errorf("member %q is %d×%d, expected %s×%s", name, r, c, side(rows), side(cols))
	}
	for _, v := range x.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("member %q is not finite", name)
		}
	}
	return x, nil
}

// fits reports whether a matrix with n rows or columns is as Matrix wants: n == want or, if want < 0, n <= -want.
func fits(n, want int) bool { return n == want || want < 0 && n <= -want }

func side(n int) string {
	if n < 0 {
		return fmt.Sprintf("1..%d", -n)
	}
	return fmt.Sprint(n)
}

// decode returns the matrix of floating-point numbers in data, a .npy file.
func decode(data []byte) (*mat.Dense, error) {
	r := bytes.NewReader(data)
	h, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if kind := strings.TrimLeft(h.Type, "<>="); kind != "f8" && kind != "f4" {
		return nil, fmt.Errorf("type %.20q, expected <f8 or <f4", h.Type)
	}
	_, _, size, err := h.Matrix()
	if err != nil {
		return nil, err
	}
	if size != int64(r.Len()) { // checked before memory is allocated
		return nil, fmt.Errorf("shape %v does not fit %d bytes", h.Shape, r.Len())
	}
	return h.ReadMatrix(r)
}
