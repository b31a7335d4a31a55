package consoletest

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
	"superres/internal/must"
)

// PutMatrix writes m to the file at path, in the format that the extension of path names.
func PutMatrix(t *testing.T, path string, m mat.Matrix) {
	t.Helper()
	format := must.Get(matfile.Format(path))(t)
	var b bytes.Buffer
	must.Succeed(t, matfile.Write(&b, format, "Y", mat.DenseCopyOf(m)))
	Put(t, path, b.Bytes())
}

// OpenMatrix returns the matrix in the file at path, whose extension names the format.
func OpenMatrix(t *testing.T, path string) *mat.Dense {
	t.Helper()
	return must.Get(matfile.Open(path, matfile.Options{}))(t)
}
