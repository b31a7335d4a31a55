package npz

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
)

func pack(t *testing.T, arrays ...Array) *File {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, Write(&b, nil, nil, arrays...))
	return must.Get(Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
}

// testArray writes an array in two rows and reads it again.
func testArray[T Small](t *testing.T, data ...T) {
	t.Helper()
	f := pack(t, NewArray("a", 2, data))
	if got, err := Read[T](f, "a", 2, len(data)/2); err != nil || !slices.Equal(got, data) {
		t.Errorf("%v of %T: %v, %v", data, data, got, err)
	}
}

func TestArrays(t *testing.T) {
	testArray[int8](t, -128, 127, 0, 1, -1, 5)
	testArray[uint8](t, 0, 255, 7, 1)
	testArray[int16](t, -32768, 32767, -1, 0, 1, 256)
	testArray[uint16](t, 0, 65535, 1, 256)
	testArray[int32](t, -1<<31, 1<<31-1, -1, 65536)
	testArray[float32](t, 0, -1.5, math.MaxFloat32, 1e-45, 3, 4)
	testArray[float64](t, 0, -1.5, math.MaxFloat64, 5e-324)
	testArray[float64](t)
	// As matrices too, as far as those can be of the type.
	if x, err := pack(t, NewArray("c", 1, []float32{0, -1.5})).Matrix("c", 1, 2); err != nil || x.At(0, 1) != -1.5 {
		t.Errorf("as a matrix: %v", err)
	}
}

func TestArraysAreRefused(t *testing.T) {
	f := pack(t, NewArray("a", 2, make([]int8, 600)), NewArray("n", 1, []float32{1, float32(math.NaN())}),
		NewArray("s", 1, make([]int16, 3)))
	for name, read := range map[string]func() error{
		"missing":     func() error { _, err := Read[int8](f, "z", 2, 300); return err },
		"rows":        func() error { _, err := Read[int8](f, "a", 3, 200); return err },
		"more":        func() error { _, err := Read[int8](f, "a", 2, 301); return err },
		"fewer":       func() error { _, err := Read[int8](f, "a", 2, 299); return err },
		"type":        func() error { _, err := Read[uint16](f, "a", 2, 150); return err },
		"sign":        func() error { _, err := Read[uint16](f, "s", 1, 3); return err },
		"much more":   func() error { _, err := Read[int8](f, "a", 1<<20, 1<<20); return err },
		"much fewer":  func() error { _, err := Read[int8](f, "a", 1, 1); return err },
		"not a float": func() error { _, err := Read[float32](f, "n", 1, 2); return err },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "member") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
