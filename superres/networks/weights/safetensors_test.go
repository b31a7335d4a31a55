package weights_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/weights"
	"superres/superres/networks/weights/weightstest"
)

// someTensors are a few tensors of different ranks.
func someTensors() map[string]weights.Tensor {
	return map[string]weights.Tensor{
		"a.weight": {Shape: []int{2, 1, 3, 1}, Data: []float32{1, -2, 3.5, 4, 5e-9, -6e9}},
		"a.bias":   {Shape: []int{2}, Data: []float32{0.25, -0.1}},
		"no_norm":  {Shape: []int{}, Data: []float32{7}},
		"é\n\"":    {Shape: []int{0, 3}, Data: []float32{}},
	}
}

func TestSafetensors(t *testing.T) {
	want := someTensors()
	file := weightstest.Safetensors(want, map[string]string{"license": " MIT"})
	f := must.Get(weights.Read(weightstest.Reader(file)))(t)
	if f.Format != "safetensors" || f.Terms != "MIT" || !reflect.DeepEqual(f.Tensors, want) {
		t.Errorf("got %+v", f)
	}
}

// makeSafetensors returns a file with the given header and n bytes of tensors, 0, 1, 2 and so on.
func makeSafetensors(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range n {
		b = append(b, byte(i))
	}
	return b
}

func TestTypesOfNumber(t *testing.T) {
	for kind, want := range map[string][]float32{
		"F64":  {0}, // 0x0706050403020100 is 10⁻²⁷⁵
		"BF16": {math.Float32frombits(0x01000000), math.Float32frombits(0x03020000)},
		"I32":  {0x03020100, 0x07060504},
		"I64":  {0x0706050403020100},
		"U8":   {0, 1, 2, 3},
		"I16":  {0x0100, 0x0302},
	} {
		size := map[string]int{"F64": 8, "I64": 8, "I32": 4, "BF16": 2, "I16": 2, "U8": 1}[kind]
		shape, _ := json.Marshal([]int{len(want)})
		end, _ := json.Marshal(len(want) * size)
		header := `{"x":{"dtype":"` + kind + `","shape":` + string(shape) + `,"data_offsets":[0,` + string(end) + `]}}`
		f := must.Get(weights.Read(weightstest.Reader(makeSafetensors(header, len(want)*size))))(t)
		if got := f.Tensors["x"].Data; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, expected %v", kind, got, want)
		}
	}
}

// Numbers of 16 bits are compared with their definition.
func TestHalf(t *testing.T) {
	header := `{"x":{"dtype":"F16","shape":[65536],"data_offsets":[0,131072]}}`
	b := makeSafetensors(header, 0)
	for i := range 1 << 16 {
		b = binary.LittleEndian.AppendUint16(b, uint16(i))
	}
	f := must.Get(weights.Read(weightstest.Reader(b)))(t)
	for i, got := range f.Tensors["x"].Data {
		e, m := i>>10&31, i&1023
		want := math.Ldexp(float64(1024+m), e-25)
		switch e {
		case 0:
			want = math.Ldexp(float64(m), -24)
		case 31:
			if want = math.Inf(1); m != 0 {
				want = math.NaN()
			}
		}
		if i >= 1<<15 {
			want = -want
		}
		same := float64(got) == want && math.Signbit(float64(got)) == (i >= 1<<15)
		if !same && !(math.IsNaN(want) && got != got) {
			t.Fatalf("%#04x: got %g, expected %g", i, got, want)
		}
	}
}

func TestRefusedSafetensors(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, c := range []struct {
		header string
		bytes  int
		want   string
	}{
		{`{` + a + `}`, 12, "4 bytes belong to no tensor"},
		{`{` + a + `}`, 4, "expected it to begin"},
		{`{` + a + `,` + a + `}`, 8, `two entries "a"`},
		{`{` + a + `,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8, "expected it to begin at 8"},
		{`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8, "8 bytes, expected 3 numbers"},
		{`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}}`, 0, "a side of -1"},
		{`{"a":{"dtype":"F32","shape":[65536,65536,65536,65536],"data_offsets":[0,0]}}`, 0, "more than 67108864 elements"},
		{`{"a":{"dtype":"F32","shape":[0,0,0,0,0,0,0,0,0],"data_offsets":[0,0]}}`, 0, "9 dimensions"},
		{`{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}`, 1, "F8_E4M3"},
		{`{"a":{"dtype":"F32","shape":[0],"data_offsets":[-4,-4]}}`, 0, "takes the bytes -4"},
		{`{"a":{"dtype":"F32","shape":[0],"data_offsets":[9223372036854775807,0]}}`, 0, "takes the bytes 9223372036854775807"},
		{`{"a":5}`, 0, `the entry "a"`},
		{`{"a":`, 0, "EOF"},
		{`{`, 0, "EOF"},
	} {
		_, err := weights.Read(weightstest.Reader(makeSafetensors(c.header, c.bytes)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, expected %q", c.header, err, c.want)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(weightstest.Safetensors(someTensors(), map[string]string{"license": "MIT"}))
	f.Add(makeSafetensors(`{"a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}`, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		if file, err := weights.Read(weightstest.Reader(b)); err == nil {
			checkTensors(t, file, 8*len(b))
		}
	})
}

// checkTensors fails unless the tensors have as many elements as their shapes say, and no more than most.
func checkTensors(t *testing.T, f *weights.File, most int) {
	t.Helper()
	for name, tensor := range f.Tensors {
		n := 1
		for _, side := range tensor.Shape {
			n *= side
		}
		if n != len(tensor.Data) || n > most {
			t.Errorf("%q: %d elements of shape %v", name, len(tensor.Data), tensor.Shape)
		}
	}
}
