package main

import (
	"fmt"
	"slices"
	"strings"
)

// The numbers of pointers and of integers in the operands of a call.
const (
	mostPointers = 12
	mostNumbers  = 12
)

// numbersAt is the byte offset of the integers in the operands of a call.
const numbersAt = 8 * mostPointers

// simd returns the module of WebAssembly with the operations of the tier SIMD128. It exports each operation under
// its name, as a function with one argument, the address of the operands. An operand takes 8 bytes, of which the
// module reads 4: first come the pointers, then, from numbersAt on, the integers, in the order of the signature.
func simd(ops []operation) ([]byte, error) {
	m := &module{}
	for _, op := range ops {
		if len(op.on("wasm")) == 0 {
			continue
		}
		sig, err := op.parse()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
		inner := m.operation(op.name)
		f := &function{name: op.name, params: []string{"operands"}}
		var values []value
		pointers, numbers := 0, numbersAt
		for _, p := range sig.parameters {
			at := &numbers
			if p.isPointer {
				at = &pointers
			}
			values = append(values, word(f.arg("operands"), *at))
			*at += 8
		}
		if pointers > numbersAt || numbers > numbersAt+8*mostNumbers {
			return nil, fmt.Errorf("%s: more than %d pointers or %d numbers", op.name, mostPointers, mostNumbers)
		}
		f.call(inner, values...)
		m.add(f)
	}
	return m.encode(), nil
}

// operation returns the module's function for an operation. It writes the function first if it is missing.
func (m *module) operation(name string) *function {
	i := slices.IndexFunc(m.functions, func(f *function) bool { return f.is == name })
	if i >= 0 {
		return m.functions[i]
	}
	i = slices.IndexFunc(registered, func(op operation) bool { return op.name == name })
	sig, err := registered[i].parse()
	if err != nil {
		panic(err)
	}
	f := &function{is: name, module: m}
	for _, p := range sig.parameters {
		f.params = append(f.params, p.name)
	}
	registered[i].simd(f)
	return m.add(f)
}

// moduleCall returns the Go text of a call of an operation of the module.
func (op operation) moduleCall(sig signature) string {
	var pointers, numbers []string
	for _, p := range sig.parameters {
		if p.isPointer {
			pointers = append(pointers, "unsafe.Pointer("+p.argument+")")
		} else {
			numbers = append(numbers, p.argument)
		}
	}
	return fmt.Sprintf("callModule(%q, &operands{\n[%d]unsafe.Pointer{%s},\n[%d]int{%s},\n})", op.name, mostPointers,
		strings.Join(pointers, ", "), mostNumbers, strings.Join(numbers, ", "))
}
