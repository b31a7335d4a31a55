package matfile_test

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
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

// python runs a script in a folder, or skips the test where a module is missing.
func python(t *testing.T, dir, module, script string) string {
	t.Helper()
	const program = "/usr/bin/python3"
	if exec.Command(program, "-c", "import "+module).Run() != nil {
		t.Skipf("python3-%s is not installed", module)
	}
	cmd := exec.Command(program, "-c", "import "+module+"\n"+script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestNumpyReadsWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	for _, format := range []string{"npy", "npz", "csv"} {
		var b bytes.Buffer
		matfile.Write(&b, format, "D", y)
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "D."+format), b.Bytes(), 0o666))
	}
	got := python(t, dir, "numpy", `
a, b, c = numpy.load("D.npy"), numpy.load("D.npz")["D"], numpy.loadtxt("D.csv", delimiter=",")
print(a.tolist(), (a == b).all(), (a == c).all())`)
	if want := "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] True True"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

func TestWhatNumpyWritesIsRead(t *testing.T) {
	dir := t.TempDir()
	python(t, dir, "numpy", `
y = numpy.array([[1, 2, 3], [4, 5, 6]])
for kind in "f8", "f4", ">f8", ">i4", "i1", "u2", "i8":
    numpy.save(kind.replace(">", "big-") + ".npy", y.astype(kind))
numpy.save("columns.npy", numpy.asfortranarray(y, dtype=float))
numpy.savez("plain.npz", y)
numpy.savez_compressed("packed.npz", y=y)
numpy.savetxt("text.txt", y)
numpy.savetxt("names.csv", y, delimiter=",", header="a,b,c")`)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 12 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if m, err := matfile.Open(f, matfile.Options{}); err != nil || !mat.Equal(m, y) {
			t.Errorf("%s: %v %v", f, m, err)
		}
	}
}

func TestScipyReadsCodes(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "X.npz"), sparseFile(t), 0o666))
	got := python(t, dir, "scipy.sparse", `
x = scipy.sparse.load_npz("X.npz")
x.check_format()
print(x.format, x.toarray().tolist())`)
	if want := "csc [[1.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.25], [-2.0, 0.0, 0.0]]"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}
