package matfile

import (
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
)

// Write writes m to w in a format that Format returned; array is the name of m in an .npz file. The bytes depend on the
// arguments alone.
func Write(w io.Writer, format, array string, m *mat.Dense) error {
	switch format {
	case "npy":
		return npz.WriteMatrix(w, m)
	case "npz":
		return npz.Write(w, nil, []npz.Matrix{{Name: array, Data: m}})
	case "csv":
		return writeText(w, m)
	}
	return fmt.Errorf("matfile: format %q, expected npy, npz or csv", format)
}

// writeText writes a line for every row, with commas.
func writeText(w io.Writer, m *mat.Dense) error {
	rows, _ := m.Dims()
	var line []byte
	for i := range rows {
		line = line[:0]
		for j, v := range m.RawRowView(i) {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
