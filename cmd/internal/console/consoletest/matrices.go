package consoletest

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
)

// PutMatrix writes m to the file path in the format of its extension.
func PutMatrix(t *testing.T, path string, m mat.Matrix) {
	t.Helper()
	format, err := matfile.Format(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := matfile.Write(&b, format, "Y", mat.DenseCopyOf(m)); err != nil {
		t.Fatal(err)
	}
	Put(t, path, b.Bytes())
}

// OpenMatrix returns the matrix in the file path, in the format of its extension.
func OpenMatrix(t *testing.T, path string) *mat.Dense {
	t.Helper()
	m, err := matfile.Open(path, matfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
