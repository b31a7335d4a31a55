package weights

import (
	"fmt"
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/pickle"
)

// dictionaries are the keys under which checkpoints store the weights of the network that enlarges, in the order in
// which they are tried: averaged weights before others.
var dictionaries = []string{"params_ema", "params-ema", "ema", "net_g_ema", "params", "state_dict", "model_state_dict",
	"generator", "net_g", "netG", "model", "module", "network", "net", "weights"}

// findState returns the dictionary of tensors in the value of a pickle: a dictionary nested in it under one of the keys
// in dictionaries, or else the value itself if it holds a tensor, or else its only item, in at most depth levels; nil
// if there is none. It skips dictionaries in seen, and adds to seen each that it visits.
func findState(value any, depth int, seen map[*pickle.Dict]bool) *pickle.Dict {
	d, isDict := value.(*pickle.Dict)
	if !isDict || depth == 0 || seen[d] {
		return nil
	}
	seen[d] = true
	for _, key := range dictionaries {
		if inner := findState(d.Get(key), depth-1, seen); inner != nil {
			return inner
		}
	}
	for _, item := range d.Items {
		if _, isView := item.Value.(*view); isView {
			return d
		}
	}
	if len(d.Items) == 1 {
		return findState(d.Items[0].Value, depth-1, seen)
	}
	return nil
}

// loadTensors sets the tensors of f to those in the dictionary that findState finds in the value of a pickle. It reads
// each storage once from c. size, the bytes of the file, limits how much it reads.
func (f *File) loadTensors(value any, c container, size int64) {
	const deepest = 4
	state := findState(value, deepest, map[*pickle.Dict]bool{})
	fail.When(state == nil,
		"holds no dictionary of tensors; save the weights, as torch.save(model.state_dict(), …) does")
	left := newBudget(size)
	names := map[*storage][]string{}
	views := map[string]*view{}
	var order []*storage
	for _, item := range state.Items {
		v, isView := item.Value.(*view)
		name, isName := item.Key.(string)
		if !isView || !isName {
			continue // numbers of the training, such as a count of iterations
		}
		err := v.check(left)
		fail.When(err != nil, "the tensor %.60q %w", name, err)
		s := v.of.storage
		if names[s] == nil {
			order = append(order, s)
			left.bytes -= s.elements * s.kind.size
			fail.When(left.bytes < 0,
				"the tensor %.60q has a storage of %d elements, more than there are", name, s.elements)
		}
		names[s] = append(names[s], name)
		views[name] = v
	}
	for _, s := range order {
		b, err := c.read(s)
		fail.When(err != nil, "the tensor %.60q: %w", names[s][0], err)
		for _, name := range names[s] {
			f.Tensors[name] = Tensor{ints(views[name].shape), views[name].load(b)}
		}
	}
}

// check fails if the view reaches beyond its storage, or if its elements exceed the budget left.
func (v *view) check(left *budget) error {
	elements, err := left.take(v.shape)
	if err != nil {
		return err
	}
	if v.offset < 0 || v.offset > v.of.size {
		return fmt.Errorf("begins at element %d of a storage of %d", v.offset, v.of.size)
	}
	last := v.offset
	for i, n := range v.shape {
		if v.stride[i] < 0 || v.stride[i] > 1<<30 { // sides are at most 2²⁶, so that last < 2⁶⁰
			return fmt.Errorf("has a stride of %d elements", v.stride[i])
		}
		last += (n - 1) * v.stride[i]
	}
	if elements > 0 && last >= v.of.size {
		return fmt.Errorf("reaches to element %d of a storage of %d", last, v.of.size)
	}
	return nil
}

// load returns the elements of a view, in row-major order, from the bytes of its storage. check must accept the view.
func (v *view) load(b []byte) []float32 {
	kind := v.of.kind
	elements, isContiguous := int64(1), true
	for i, n := range slices.Backward(v.shape) {
		isContiguous = isContiguous && (v.stride[i] == elements || n == 1)
		elements *= n
	}
	if elements == 0 {
		return []float32{}
	}
	at := v.of.start + v.offset
	if isContiguous {
		return kind.decodeAll(b[at*kind.size:], int(elements))
	}
	list := make([]float32, elements)
	index := make([]int64, len(v.shape))
	for i := range list {
		list[i] = kind.decode(b[at*kind.size:])
		for d := len(index) - 1; d >= 0; d-- { // count up like an odometer
			at += v.stride[d]
			if index[d]++; index[d] < v.shape[d] {
				break
			}
			at -= v.shape[d] * v.stride[d]
			index[d] = 0
		}
	}
	return list
}
