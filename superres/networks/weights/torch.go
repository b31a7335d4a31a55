package weights

import (
	"errors"
	"fmt"

	"superres/superres/networks/pickle"
)

// maxPickle is the greatest size, in bytes, of the pickle in a PyTorch file. It does not hold the numbers of tensors.
const maxPickle = 16 << 20

// maxStored is the greatest number of elements of a storage, so that sums and products of sizes fit int64.
const maxStored int64 = 1 << 40

// storage is an array of numbers in a PyTorch file. Tensors are views of storages.
type storage struct {
	key      string
	kind     *number
	elements int64
}

// storageSlice is a part of a storage.
type storageSlice struct {
	*storage
	start, size int64 // in elements
}

// view is a tensor: it says of which elements of a storage the tensor consists.
type view struct {
	of            storageSlice
	offset        int64   // of the first element, from the start of the slice on
	shape, stride []int64 // the strides are distances in elements
}

// storageTypes maps PyTorch's classes of storages to names of numbers.
var storageTypes = map[string]string{
	"DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16",
	"LongStorage": "I64", "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8",
	"BoolStorage": "BOOL",
}

// container is a PyTorch file from which storages can be read.
type container interface {
	// read returns the bytes of a storage, little-endian.
	read(s *storage) ([]byte, error)
}

// torchReader makes the views that a pickle describes.
type torchReader struct {
	storages map[string]*storage
	values   int // how many more values the pickles of the file may make
}

// newTorchReader returns the reader of a file of size bytes, which may make 2¹⁵ + size/64 values; a tensor has some 40.
func newTorchReader(size int64) *torchReader {
	return &torchReader{map[string]*storage{}, int(min(1<<15+size/64, pickle.MaxValues))}
}

// parse returns the value of a pickle at the beginning of data, and the size of the pickle in bytes.
func (t *torchReader) parse(data []byte) (any, int, error) {
	return pickle.Reader{Global: t.resolve, Persistent: t.resolveStorage, Left: &t.values}.Read(data)
}

// resolve returns the value for a name that occurs in files of weights, and fails for all other names.
func (t *torchReader) resolve(module, name string) (any, error) {
	if kind, found := storageTypes[name]; found && (module == "torch" || module == "torch.cuda") {
		return numbers[kind], nil
	}
	switch module + "." + name {
	case "collections.OrderedDict":
		return pickle.Function(t.makeDict), nil
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2":
		return pickle.Function(makeView), nil
	case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state", "torch.Size":
		return pickle.Function(firstArgument), nil
	case "torch.float32", "torch.float16", "torch.bfloat16", "torch.float64":
		return name, nil
	case "numpy.dtype", "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar", "_codecs.encode",
		"torch.device": // in training statistics, which are left out
		return pickle.Function(func(pickle.Tuple) (any, error) { return nil, nil }), nil
	}
	return nil, fmt.Errorf("the file would call or make %.80q: nothing in a file is ever called; save the weights "+
		"alone, as torch.save(model.state_dict(), …) does", module+"."+name)
}

// makeDict returns a dictionary of the pairs in the list args[0]; an empty dictionary if args is empty.
func (t *torchReader) makeDict(args pickle.Tuple) (any, error) {
	d := &pickle.Dict{}
	if len(args) == 0 {
		return d, nil
	}
	pairs, isList := args[0].(*pickle.List)
	if !isList {
		return nil, errors.New("a dictionary is made of what is no list")
	}
	if t.values -= len(pairs.Items); t.values < 0 { // a file may name one list many times
		return nil, errors.New("has dictionaries of more items than a file of its size needs")
	}
	for _, item := range pairs.Items {
		var pair []any
		switch item := item.(type) {
		case pickle.Tuple:
			pair = item
		case *pickle.List:
			pair = item.Items
		}
		if len(pair) != 2 {
			return nil, errors.New("a dictionary is made of what are no pairs")
		}
		d.Set(pair[0], pair[1])
	}
	return d, nil
}

// firstArgument stands for functions of PyTorch that wrap their first argument, and returns it as it is.
func firstArgument(args pickle.Tuple) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("a parameter is made of nothing")
	}
	return args[0], nil
}

// makeView returns the view that args describe: a storage, an offset, a shape and strides. It ignores further args.
func makeView(args pickle.Tuple) (any, error) {
	v := &view{}
	isView := len(args) >= 4
	if isView {
		var fits [4]bool
		v.of, fits[0] = args[0].(storageSlice)
		v.offset, fits[1] = args[1].(int64)
		v.shape, fits[2] = integers(args[2])
		v.stride, fits[3] = integers(args[3])
		isView = fits == [4]bool{true, true, true, true} && len(v.shape) == len(v.stride)
	}
	if !isView {
		return nil, errors.New("a tensor is not made of a storage, an offset, and at most 8 sides and strides")
	}
	return v, nil
}

// integers returns the numbers in v, and reports whether v is a tuple or list of at most maxRank whole numbers.
func integers(v any) (list []int64, are bool) {
	items, isTuple := v.(pickle.Tuple)
	if l, isList := v.(*pickle.List); isList {
		items, isTuple = l.Items, true
	}
	if len(items) > maxRank {
		return nil, false
	}
	list = make([]int64, len(items))
	for i, item := range items {
		n, isNumber := item.(int64)
		if !isNumber {
			return nil, false
		}
		list[i] = n
	}
	return list, isTuple
}

// resolveStorage returns the part of a storage to which a pickle refers. id is a tuple of the word storage, the type,
// the key, the device, the number of elements and, in old files, the part: a key, an offset and a size.
func (t *torchReader) resolveStorage(id any) (any, error) {
	items, _ := id.(pickle.Tuple)
	if len(items) < 5 || items[0] != "storage" {
		return nil, errors.New("has a reference to what is no storage of numbers")
	}
	kind, isType := items[1].(*number)
	key, isKey := items[2].(string)
	elements, isCount := items[4].(int64)
	if !isType || !isKey || !isCount || elements < 0 || elements > maxStored {
		return nil, fmt.Errorf("has a storage that is not one of at most %d numbers", maxStored)
	}
	s := t.storages[key]
	if s == nil {
		s = &storage{key, kind, elements}
		t.storages[key] = s
	} else if s.kind != kind || s.elements != elements {
		return nil, fmt.Errorf("has two storages %.20q of different types or sizes", key)
	}
	part := storageSlice{s, 0, elements}
	if len(items) > 5 && items[5] != nil {
		view, _ := items[5].(pickle.Tuple)
		if len(view) != 3 {
			return nil, fmt.Errorf("has a part of the storage %.20q without offset and size", key)
		}
		at, fits := integers(view[1:])
		if !fits || at[0] < 0 || at[1] < 0 || at[0] > elements || at[1] > elements-at[0] {
			return nil, fmt.Errorf("has a part of the storage %.20q that reaches beyond it", key)
		}
		part.start, part.size = at[0], at[1]
	}
	return part, nil
}
