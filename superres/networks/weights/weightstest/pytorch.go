package weightstest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"superres/superres/networks/weights"
)

// PyTorch returns a PyTorch file in the form of a zip archive. It holds a dictionary of the tensors in float32. Unless
// wrapper is empty, that dictionary is the value of the key wrapper in another dictionary.
func PyTorch(tensors map[string]weights.Tensor, wrapper string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	write := func(name string, data []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			panic(err) // never, in memory
		}
	}
	write("data.pkl", Pickle(tensors, wrapper))
	for i, name := range Sorted(tensors) {
		write(fmt.Sprintf("data/%d", i), appendFloats(nil, tensors[name].Data))
	}
	write("version", []byte("3\n"))
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// OldPyTorch returns a file of the tensors in the form of PyTorch before version 1.6: five pickles, then the storages,
// each after its number of elements. wrapper is the key of their dictionary in another one, or empty.
func OldPyTorch(tensors map[string]weights.Tensor, wrapper string) []byte {
	magic := []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.")
	version := []byte("\x80\x02M\xe9\x03.")                                 // 1001
	system := []byte("\x80\x02}q\x00(X\x0d\x00\x00\x00little_endian\x88u.") // {"little_endian": True}
	keys, storages := []byte("\x80\x02]("), []byte(nil)
	for i, name := range Sorted(tensors) {
		keys = appendString(keys, fmt.Sprint(i))
		storages = binary.LittleEndian.AppendUint64(storages, uint64(len(tensors[name].Data)))
		storages = appendFloats(storages, tensors[name].Data)
	}
	return slices.Concat(magic, version, system, Pickle(tensors, wrapper), append(keys, "e."...), storages)
}

// Pickle returns the pickle of a dictionary of tensors as PyTorch writes it, as value of the key wrapper of another
// dictionary unless wrapper is empty. The storages have the keys 0, 1, 2, …, in the order of the tensors' names.
func Pickle(tensors map[string]weights.Tensor, wrapper string) []byte {
	b := []byte("\x80\x02")
	if wrapper != "" {
		b = append(b, '}')
		b = appendString(b, wrapper)
	}
	b = append(b, "ccollections\nOrderedDict\nq\x00)R("...)
	for i, name := range Sorted(tensors) {
		b = appendString(b, name)
		b = append(b, "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"...)
		b = appendString(b, fmt.Sprint(i))
		b = appendString(b, "cpu")
		b = appendInt(b, len(tensors[name].Data))
		b = append(b, "tQK\x00("...) // the storage ends, its offset is 0, and the shape begins
		for _, side := range tensors[name].Shape {
			b = appendInt(b, side)
		}
		b = append(b, "t("...) // the shape ends, and the strides begin
		for d := range tensors[name].Shape {
			stride := 1
			for _, side := range tensors[name].Shape[d+1:] {
				stride *= side
			}
			b = appendInt(b, stride)
		}
		b = append(b, "t\x89h\x00)RtR"...) // and no gradient, no hooks
	}
	b = append(b, 'u')
	if wrapper != "" {
		b = append(b, 's')
	}
	return append(b, '.')
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(append(b, 'X'), uint32(len(s))), s...)
}

func appendInt(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(append(b, 'J'), uint32(n))
}
