package main

import (
	"fmt"
	"slices"
	"strings"
)

// tier is a set of instructions that operations have assembly for.
type tier struct {
	arch, name string
	runs       string // an expression in Go: whether this machine has the instructions that the tier adds
	lanes      int    // how many float64 a vector has
	isApart    bool   // the tiers after it may lack its instructions
}

// The names of the tiers.
const (
	AVX2     = "AVX2"
	AVXVNNI  = "AVXVNNI"
	AVX512BW = "AVX512BW"
	AVX512   = "AVX512"
	NEON     = "NEON"
	SIMD128  = "SIMD128"
)

// tiers has all tiers, those of each architecture from the slowest on.
var tiers = []tier{
	{arch: "amd64", name: AVX2, runs: "cpu.X86.HasAVX2 && cpu.X86.HasFMA", lanes: 4},
	{arch: "amd64", name: AVXVNNI, runs: "cpu.X86.HasAVXVNNI", lanes: 4, isApart: true},
	{arch: "amd64", name: AVX512BW, lanes: 8,
		runs: "cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW"},
	{arch: "amd64", name: AVX512, runs: "cpu.X86.HasAVX512VNNI", lanes: 8},
	{arch: "arm64", name: NEON, runs: "cpu.ARM64.HasASIMD", lanes: 2},
	{arch: "wasm", name: SIMD128, runs: "hasModule()", lanes: 2},
}

// operation has a definition in Go, the function nameGeneric, and assembly, the functions nameAssembly and
// nameWASM, which take slices as pointers, and the lengths that they need as numbers. The generator writes the
// function name, which calls the definition or the assembly.
//
// Note: the assembly does not take whole slices, because they are three words each on the stack: the smallest
// calls took a tenth longer.
type operation struct {
	name      string
	signature string            // parameters and results, in Go
	lengths   []string          // slices whose lengths the assembly takes: that of v as vLen, after v
	needs     string            // the assumptions of all assembly, which the exported function ensures
	assembly  func(t tier)      // writes the body for a tier of amd64
	simd      func(f *function) // writes the body for SIMD128
	arm       func(c *code)     // writes the body for NEON, unless that is written by hand

	// tiers names the tiers with assembly; nil stands for AVX2 and AVX512. The assembly for arm64 is written by hand
	// unless arm writes it, in a file such as dense_arm64.s.
	tiers []string
}

// lengthName is what the assembly calls the length of a slice.
func lengthName(slice string) string { return slice + "Len" }

var registered []operation

// register adds an operation to the table. The value that it returns is for var _ = register(...).
func register(op operation) struct{} {
	if slices.ContainsFunc(registered, func(o operation) bool { return o.name == op.name }) {
		panic("two operations of the name " + op.name)
	}
	if op.tiers == nil {
		op.tiers = []string{AVX2, AVX512}
	}
	for _, name := range op.tiers {
		if !slices.ContainsFunc(tiers, func(t tier) bool { return t.name == name }) {
			panic(fmt.Sprintf("%s: no tier %q, expected %s, %s, %s, %s, %s or %s", op.name, name, AVX2, AVXVNNI,
				AVX512BW, AVX512, NEON, SIMD128))
		}
	}
	if len(op.on("amd64")) > 0 && op.assembly == nil {
		panic(op.name + ": no assembly for amd64")
	}
	if len(op.on("wasm")) > 0 && op.simd == nil {
		panic(op.name + ": no code for WebAssembly")
	}
	if _, err := op.parse(); err != nil {
		panic(op.name + ": " + err.Error())
	}
	registered = append(registered, op)
	return struct{}{}
}

// operations returns all operations, sorted by name.
func operations() []operation {
	return slices.SortedFunc(slices.Values(registered),
		func(a, b operation) int { return strings.Compare(a.name, b.name) })
}

// on returns the tiers of an architecture for which the operation has assembly.
func (op operation) on(arch string) (list []tier) {
	for _, t := range tiers {
		if t.arch == arch && slices.Contains(op.tiers, t.name) {
			list = append(list, t)
		}
	}
	return list
}

// assemblyName returns the name of the assembly for an architecture.
func (op operation) assemblyName(arch string) string {
	if arch == "wasm" {
		return op.name + "WASM"
	}
	return op.name + "Assembly"
}

// first returns the number of the first tier of an architecture for which the operation has assembly.
func (op operation) first(arch string) int { return op.on(arch)[0].index() }

// index returns the number of the tier in tierNames of its architecture, where generic has 0.
func (t tier) index() (n int) {
	for _, other := range tiers {
		if other.arch == t.arch {
			n++
		}
		if other == t {
			break
		}
	}
	return n
}

// architectures returns those for which an operation has assembly.
func architectures(ops []operation) (list []string) {
	for _, t := range tiers {
		if !slices.Contains(list, t.arch) && slices.ContainsFunc(ops,
			func(op operation) bool { return len(op.on(t.arch)) > 0 }) {
			list = append(list, t.arch)
		}
	}
	return list
}
