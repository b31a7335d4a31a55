package onnx

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// randomFile is a network of operations and attributes that are known, of which few fit each other.
func randomFile(r *rand.Rand) *file {
	f := newFile()
	f.opset = 9 + r.Uint64N(14)
	if r.IntN(2) == 0 {
		f.dims = []int{1, 3, 6, 8}
	}
	small := func() int { return []int{-2, -1, 0, 1, 1, 1, 2, 2, 3, 4, 1 << 40}[r.IntN(11)] }
	smalls := func(n int) (list []int) {
		for range n {
			list = append(list, small())
		}
		return list
	}
	names := []string{"_"}
	for i := range 12 {
		name := "c" + strconv.Itoa(i)
		switch dims := smalls(r.IntN(5)); {
		case r.IntN(3) == 0:
			f.constant(ints(name, smalls(r.IntN(8))...))
		case slices.ContainsFunc(dims, func(d int) bool { return d < 0 || d > 9 }):
			f.weights(name, 3, 3, 1+r.IntN(3), 1+r.IntN(3))
		default:
			f.weights(name, dims...)
		}
		names = append(names, name)
	}
	ops := slices.Sorted(maps.Keys(operations))
	last := "x"
	for i := range 1 + r.IntN(8) {
		op := ops[r.IntN(len(ops))]
		var attributes []attr
		for _, name := range strings.Fields(operations[op].attributes) {
			switch values := []any{small(), smalls(4), smalls(2), 1.5, "linear"}; r.IntN(3) {
			case 0:
				attributes = append(attributes, attr{name, values[r.IntN(len(values))]})
			case 1:
				attributes = append(attributes, attr{name, values[0]})
			}
		}
		line := op + " " + last
		for range r.IntN(4) {
			line += " " + names[r.IntN(len(names))]
		}
		if last = "n" + strconv.Itoa(i); r.IntN(3) > 0 {
			names = append(names, last)
		}
		f.node(line+" > "+last, attributes...)
	}
	return f.node("Identity " + last + " > y")
}

// TestRandomFiles reads files that are nonsense for the most part: none may end the program, and what is accepted is a
// network.
func TestRandomFiles(t *testing.T) {
	accepted := 0
	for seed := range uint64(4000) {
		g, err := Read(randomFile(rand.New(rand.NewPCG(seed, 7))).bytes(), nil)
		if err != nil {
			continue
		}
		if accepted++; g.Check() != nil {
			t.Errorf("seed %d: %v", seed, g.Check())
		}
	}
	if accepted < 40 {
		t.Errorf("%d files are accepted, which tests little", accepted)
	}
}
