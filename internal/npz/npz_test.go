package npz_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/npz"
)

func sample(t testing.TB) []byte {
	var b bytes.Buffer
	err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: []byte("{}")}},
		[]npz.Matrix{{Name: "low", Data: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6.5})},
			{Name: "high", Data: mat.NewDense(1, 1, []float64{-7})}})
	must.Succeed(t, err)
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	data := sample(t)
	if !bytes.Equal(data, sample(t)) {
		t.Error("two writes give other bytes")
	}
	f := must.Get(npz.Open(bytes.NewReader(data), int64(len(data))))(t)
	x, err := f.Matrix("low", 2, -9)
	if err != nil || !mat.Equal(x, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6.5})) {
		t.Errorf("%v %v", x, err)
	}
	if text, err := f.Text("model.json", 99); string(text) != "{}" {
		t.Errorf("%q %v", text, err)
	}
	for want, call := range map[string]func() error{
		`member "low" is 2×3, expected 1..9×4`: func() error {
			_,
				err := f.Matrix("low", -9, 4)
			return err
		},
		`member "low" is 2×3, expected 1..1×3`: func() error {
			_,
				err := f.Matrix("low", -1, 3)
			return err
		},
		`member "model.json" has 2 bytes, the limit is 1`: func() error {
			_,
				err := f.Text("model.json", 1)
			return err
		},
		`member "mid.npy" is missing`: func() error {
			_,
				err := f.Matrix("mid", -9, -9)
			return err
		},
	} {
		if err := call(); err == nil || err.Error() != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// archive makes a zip of one member with the given bytes.
func archive(t testing.TB, name string, data []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w := must.Get(z.Create(name))(t)
	w.Write(data)
	z.Close()
	return b.Bytes()
}

func npyFile(descr string, values ...any) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(descr)+1))
	b.WriteString(descr + "\n")
	for _, v := range values {
		binary.Write(&b, binary.LittleEndian, v)
	}
	return b.Bytes()
}

func TestDamagedFilesAreErrors(t *testing.T) {
	header := func(shape string) []byte {
		return npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': "+shape+", }", 1.0, 2.0)
	}
	for name, data := range map[string][]byte{
		"text":       []byte("Dear all"),
		"truncated":  header("(1, 2)")[:60],
		"huge":       header("(1000000000, 1000000000)"),
		"overflow":   header("(4294967296, 4294967296)"),
		"negative":   header("(-1, -2)"),
		"one side":   header("(2,)"),
		"zero":       header("(0, 2)"),
		"version 2":  append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), make([]byte, 100)...),
		"no newline": []byte("\x93NUMPY\x01\x00\x04\x00abcd"),
		"int":        npyFile("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }", int64(1)),
		"NaN":        npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", math.NaN()),
		"no dict":    npyFile("{}", 1.0),
	} {
		z := archive(t, "x.npy", data)
		f := must.Get(npz.Open(bytes.NewReader(z), int64(len(z))))(t)
		if _, err := f.Matrix("x", -9, -9); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Any byte changed, any length cut: an error or the same shape, never a panic.
	rng := rand.New(rand.NewPCG(1, 0))
	whole := sample(t)
	for i := range 3000 {
		data := bytes.Clone(whole)
		if i%2 == 0 {
			data = data[:rng.IntN(len(data))]
		} else {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
		if f, err := npz.Open(bytes.NewReader(data), int64(len(data))); err == nil {
			f.Matrix("low", -9, -9)
			f.Text("model.json", 99)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(sample(f))
	f.Add(archive(f, "x.npy", npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", 1.0)))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := npz.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, name := range []string{"low", "high", "x"} {
			if x, err := file.Matrix(name, -9, -9); err == nil {
				if r, c := x.Dims(); r < 1 || c < 1 {
					t.Error(fmt.Sprint(r, c))
				}
			}
		}
	})
}
