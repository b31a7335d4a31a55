package npz

import (
	"archive/zip"
	"io"
)

// WriteCSC writes a sparse matrix by columns as scipy.sparse.load_npz reads it: the non-zeros of column j are
// value[start[j]:start[j+1]], in the rows index[start[j]:start[j+1]]. The bytes depend on the contents alone.
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

// IsSparse reports whether the arrays of a file make a sparse matrix that scipy.sparse.save_npz wrote.
func (f *File) IsSparse() bool {
	return f.members["format.npy"] != nil && f.members["shape.npy"] != nil && f.members["data.npy"] != nil
}
