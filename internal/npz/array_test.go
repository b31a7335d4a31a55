package npz

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func pack(t *testing.T, arrays ...Array) *File {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, nil, nil, arrays...); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestArrays(t *testing.T) {
	shorts := []int16{-32768, 32767, -1, 0, 1, 256}
	bytes8 := []int8{-128, 127, 0, 1, -1, 5}
	words := []uint16{0, 65535, 1, 256}
	longs := []int32{-1 << 31, 1<<31 - 1, -1, 65536}
	floats := []float32{0, -1.5, math.MaxFloat32, 1e-45, 3, 4, 5, 6}
	doubles := []float64{0, -1.5, math.MaxFloat64, 5e-324}
	f := pack(t, NewArray("a", 2, bytes8), NewArray("b", 4, words), NewArray("c", 1, floats), NewArray("d", 2, doubles), NewArray("e", 1, []float64{}), NewArray("u", 3, []uint8{0, 255, 7}), NewArray("s", 3, shorts), NewArray("l", 2, longs))
	if got, err := Read[int8](f, "a", 2, 3); err != nil || !slices.Equal(got, bytes8) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[uint8](f, "u", 3, 1); err != nil || !slices.Equal(got, []uint8{0, 255, 7}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[int16](f, "s", 3, 2); err != nil || !slices.Equal(got, shorts) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[int32](f, "l", 2, 2); err != nil || !slices.Equal(got, longs) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[uint16](f, "b", 4, 1); err != nil || !slices.Equal(got, words) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[float32](f, "c", 1, 8); err != nil || !slices.Equal(got, floats) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[float64](f, "d", 2, 2); err != nil || !slices.Equal(got, doubles) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Read[float64](f, "e", 1, 0); err != nil || len(got) != 0 {
		t.Errorf("of no elements: %v, %v", got, err)
	}
	// As matrices too, as far as those can be of the type.
	if x, err := f.Matrix("c", 1, 8); err != nil || x.At(0, 1) != -1.5 {
		t.Errorf("as a matrix: %v", err)
	}
}

func TestArraysAreRefused(t *testing.T) {
	f := pack(t, NewArray("a", 2, make([]int8, 600)), NewArray("n", 1, []float32{1, float32(math.NaN())}), NewArray("s", 1, make([]int16, 3)))
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
