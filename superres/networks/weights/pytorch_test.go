package weights_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/weights"
	"superres/superres/networks/weights/weightstest"
)

func TestPyTorch(t *testing.T) {
	want := someTensors()
	for _, wrapper := range []string{"", "params_ema", "state_dict", "anything"} {
		for name, file := range map[string][]byte{
			"zip": weightstest.PyTorch(want, wrapper),
			"old": weightstest.OldPyTorch(want, wrapper),
		} {
			f := must.Get(weights.Read(weightstest.Reader(file)))(t)
			if f.Format != "pth" || !reflect.DeepEqual(f.Tensors, want) {
				t.Errorf("%s, %q: got %+v", name, wrapper, f)
			}
		}
	}
}

// changeMember returns a zip archive with a member of other bytes, and with extra ones.
func changeMember(t *testing.T, file []byte, name string, data []byte) []byte {
	t.Helper()
	from := must.Get(zip.NewReader(weightstest.Reader(file)))(t)
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	found := false
	for _, m := range from.File {
		content := must.Get(io.ReadAll(must.Get(m.Open())(t)))(t)
		if m.Name == name {
			content, found = data, true
		}
		must.Get(must.Get(to.Create(m.Name))(t).Write(content))(t) // compressed
	}
	if !found {
		must.Get(must.Get(to.Create(name))(t).Write(data))(t)
	}
	must.Succeed(t, to.Close())
	return b.Bytes()
}

// oneTensor returns a pickle with a tensor "x" of the six numbers of the storage 0, of what makeView is given.
func oneTensor(storage, rest string) []byte {
	return []byte("\x80\x02}X\x01\x00\x00\x00xctorch._utils\n_rebuild_tensor_v2\n(" + storage + rest + "tRs.")
}

const storageOfSix = "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ"

func TestStrides(t *testing.T) {
	six := weights.Tensor{Shape: []int{6}, Data: []float32{0, 1, 2, 3, 4, 5}}
	base := weightstest.PyTorch(map[string]weights.Tensor{"x": six}, "")
	for rest, want := range map[string]weights.Tensor{
		"K\x00K\x03K\x02\x86K\x01K\x03\x86":       {Shape: []int{3, 2}, Data: []float32{0, 3, 1, 4, 2, 5}}, // turned
		"K\x01K\x02K\x02\x86K\x03K\x01\x86":       {Shape: []int{2, 2}, Data: []float32{1, 2, 4, 5}},       // a part
		"K\x04K\x02K\x02\x86K\x00K\x01\x86":       {Shape: []int{2, 2}, Data: []float32{4, 5, 4, 5}},       // expanded
		"K\x05))":                                 {Shape: []int{}, Data: []float32{5}},
		"K\x06K\x00K\x09\x86K\x63K\x63\x86":       {Shape: []int{0, 9}, Data: []float32{}},
		"K\x02K\x01K\x04\x86K\x63K\x01\x86":       {Shape: []int{1, 4}, Data: []float32{2, 3, 4, 5}},
		"K\x00(K\x01K\x01K\x06t(K\x09K\x09K\x01t": {Shape: []int{1, 1, 6}, Data: []float32{0, 1, 2, 3, 4, 5}},
	} {
		file := changeMember(t, base, "archive/data.pkl", oneTensor(storageOfSix, rest))
		f := must.Get(weights.Read(weightstest.Reader(file)))(t)
		if !reflect.DeepEqual(f.Tensors["x"], want) {
			t.Errorf("%q: got %v, expected %v", rest, f.Tensors["x"], want)
		}
	}
	big := changeMember(t, base, "archive/byteorder", []byte("big"))
	f := must.Get(weights.Read(weightstest.Reader(big)))(t)
	if got := f.Tensors["x"].Data[1]; got != 4.6006e-41 { // 1, bytes reversed
		t.Errorf("big-endian: got %g", got)
	}
}

func TestRefusedPyTorch(t *testing.T) {
	base := weightstest.PyTorch(map[string]weights.Tensor{"x": {Shape: []int{6}, Data: make([]float32, 6)}}, "")
	change := func(pickle string) []byte { return changeMember(t, base, "archive/data.pkl", []byte(pickle)) }
	tensor := func(rest string) []byte { return change(string(oneTensor(storageOfSix, rest))) }
	huge := strings.Replace(storageOfSix, "K\x06", "J\x00\x00\x00\x10", 1)
	old := weightstest.OldPyTorch(someTensors(), "")
	for _, c := range []struct {
		file []byte
		want string
	}{
		{change("\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R."), `would call or make "posix.system"`},
		{change("cos\nsystem\n(S'ls'\ntR."), `would call or make "os.system"`},
		{change("(S'ls'\nios\nsystem\n."), `would call or make "os.system"`},
		{change("\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R."), `would call or make "builtins.eval"`},
		{change("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R."), "a tensor is not made of"},
		{change("\x80\x02]."), "holds no dictionary of tensors"},
		{change("\x80\x02}X\x06\x00\x00\x00paramsh\x00s."), "which it has not put"},
		{change("\x80\x02}q\x00X\x06\x00\x00\x00paramsh\x00s."), "holds no dictionary of tensors"}, // in itself
		{change("\x80\x02X\xff\xff\xff\xffabc."), "ends in the middle"},
		{tensor("K\x00K\x07\x85K\x01\x85"), "reaches to element 6 of a storage of 6"},
		{tensor("K\x07K\x00\x85K\x01\x85"), "begins at element 7"},
		{tensor("J\xff\xff\xff\xffK\x01\x85K\x01\x85"), "begins at element -1"},
		{tensor("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x02\x85K\x01\x85"), "begins at element 9223372036854775807"},
		{tensor("K\x00K\x02\x85J\xff\xff\xff\xff\x85"), "a stride of -1"},
		{tensor("K\x00K\x02\x85\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"), "a stride of 9223372036854775807"},
		{tensor("K\x00K\x02\x85K\x01K\x01\x86"), "a tensor is not made of"},
		{tensor("K\x00J\x00\x00\x00\x10\x85K\x00\x85"), "a side of 268435456"},
		{tensor("K\x00(J\x00\x00\x00\x01J\x00\x00\x00\x01t(K\x00K\x00t"), "more than 67108864 elements"},
		{change(string(oneTensor(huge, "K\x00K\x06\x85K\x01\x85"))), "a storage of 268435456 elements"},
		{change(string(oneTensor(strings.Replace(huge, "\x10", "\x01", 1), "K\x00K\x06\x85K\x01\x85"))),
			"a storage of 16777216 elements"},
		{changeMember(t, base, "archive/constants.pkl", nil), "TorchScript"},
		{changeMember(t, base, "archive/data.pkl", bytes.Repeat([]byte{'N'}, 1<<21)), "more than 32806 values"},
		{old[:len(old)-9], "no more than the file has"},
		{old[:40], "ends in the middle"},
		{[]byte("\x80\x02K\x05."), "not of PyTorch"},
		{append(make([]byte, 257), "ustar\x00\x00\x00"...), "tar archive"},
		{[]byte("<html>"), "neither a safetensors file nor one of PyTorch"},
		{nil, "neither a safetensors file nor one of PyTorch"},
	} {
		_, err := weights.Read(weightstest.Reader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, expected %q", err, c.want)
		}
	}
}

// A list that a file names again and again must not be copied each time.
func TestRepeatedList(t *testing.T) {
	var p bytes.Buffer
	p.WriteString("\x80\x02](" + strings.Repeat("K\x00K\x00\x86", 1000) + "eq\x00ccollections\nOrderedDict\nq\x01")
	p.WriteString(strings.Repeat("h\x01h\x00\x85R0", 100_000) + ".")
	base := weightstest.PyTorch(someTensors(), "")
	_, err := weights.Read(weightstest.Reader(changeMember(t, base, "archive/data.pkl", p.Bytes())))
	if err == nil || !strings.Contains(err.Error(), "items") {
		t.Errorf("got %v", err)
	}
}

func FuzzPyTorch(f *testing.F) {
	f.Add(weightstest.PyTorch(someTensors(), "params"))
	f.Add(weightstest.OldPyTorch(someTensors(), ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if file, err := weights.Read(weightstest.Reader(b)); err == nil {
			checkTensors(t, file, weights.MaxElements)
		}
	})
}

// FuzzPickle puts any pickle into a valid archive.
func FuzzPickle(f *testing.F) {
	tensors := map[string]weights.Tensor{"x": {Shape: []int{6}, Data: make([]float32, 6)}}
	base := weightstest.OldPyTorch(tensors, "")
	pickle := weightstest.Pickle(tensors, "")
	head, tail, _ := bytes.Cut(base, pickle)
	f.Add(pickle)
	f.Add(oneTensor(storageOfSix, "K\x00K\x03K\x02\x86K\x01K\x03\x86"))
	f.Add([]byte("\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R."))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := weights.Read(weightstest.Reader(bytes.Join([][]byte{head, b, tail}, nil)))
		if err == nil {
			checkTensors(t, file, weights.MaxElements)
		}
	})
}

func Example() {
	file := weightstest.PyTorch(map[string]weights.Tensor{"bias": {Shape: []int{2}, Data: []float32{1, 2}}}, "params")
	f, err := weights.Read(bytes.NewReader(file), int64(len(file)))
	fmt.Println(f.Tensors["bias"], err)
	// Output: {[2] [1 2]} <nil>
}
