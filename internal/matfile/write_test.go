package matfile_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
	"superres/internal/must"
	"superres/internal/npz"
)

// What is written is read back to the last bit, and the same bytes come every time.
func TestRoundTrip(t *testing.T) {
	m := mat.NewDense(3, 2, []float64{1.0 / 3, math.Copysign(0, -1), -math.MaxFloat64, math.SmallestNonzeroFloat64,
		1e-300, 123456789.125})
	for _, format := range []string{"npy", "npz", "csv"} {
		var a, b bytes.Buffer
		must.Succeed(t, matfile.Write(&a, format, "D", m))
		matfile.Write(&b, format, "D", m)
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two writes give other bytes", format)
		}
		got, err := read(a.Bytes(), matfile.Options{})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		for i, v := range got.RawMatrix().Data {
			if math.Float64bits(v) != math.Float64bits(m.RawMatrix().Data[i]) {
				t.Errorf("%s: entry %d is %g", format, i, v)
			}
		}
	}
	if err := matfile.Write(io.Discard, "png", "D", m); err == nil {
		t.Error("png")
	}
	for name, want := range map[string]string{"a.npy": "npy", "x/a.b.NPZ": "npz", "a.csv": "csv", "a.txt": "",
		"npy": "", "a.npy/": "", "": ""} {
		if got, err := matfile.Format(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

// sparseFile is a 4×3 sparse matrix in the form of scipy.sparse.save_npz.
func sparseFile(t *testing.T) []byte {
	var b bytes.Buffer
	must.Succeed(t, npz.WriteCSC(&b, 4, []int{0, 2, 2, 3}, []int32{0, 3, 2}, []float64{1.5, -2, 0.25}))
	return b.Bytes()
}

func TestSparseIsRefused(t *testing.T) {
	_, err := read(sparseFile(t), matfile.Options{})
	if err == nil || !strings.Contains(err.Error(), "is a sparse matrix of scipy") {
		t.Error(err)
	}
}
