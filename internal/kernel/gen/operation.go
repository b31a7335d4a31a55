package main

import (
	"fmt"
	"slices"
	"strings"
)

// tier is a set of instructions for which operations have assembly.
type tier struct {
	arch, name string
	runs       string // a Go expression: does this machine have the instructions that the tier adds?
	lanes      int    // the number of float64 in a vector
	isApart    bool   // a machine with later tiers may lack its instructions
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

// tiers lists all tiers. The tiers of an architecture are in order of speed, the slowest first.
var tiers = []tier{
	{arch: "amd64", name: AVX2, runs: "cpu.X86.HasAVX2 && cpu.X86.HasFMA", lanes: 4},
	{arch: "amd64", name: AVXVNNI, runs: "cpu.X86.HasAVXVNNI", lanes: 4, isApart: true},
	{arch: "amd64", name: AVX512BW, lanes: 8,
		runs: "cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW"},
	{arch: "amd64", name: AVX512, runs: "cpu.X86.HasAVX512VNNI", lanes: 8},
	{arch: "arm64", name: NEON, runs: "cpu.ARM64.HasASIMD", lanes: 2},
	{arch: "wasm", name: SIMD128, runs: "hasModule()", lanes: 2},
}

// operation is an operation with the given name. Its definition in Go is the function called name + "Generic", and its
// assembly the function called name + "Assembly", which takes slices as pointers, and lengths as numbers if it needs
// them. For WebAssembly, the assembly is a function of a module. The generator writes the function called name, which
// calls the definition or the assembly.
//
// Note: the assembly does not take whole slices, because a slice takes three words on the stack: with slices, the
// smallest calls took a tenth longer.
type operation struct {
	name      string
	signature string            // parameters and results, as in Go
	lengths   []string          // the slices with lengths in the signature of the assembly: vLen follows v
	needs     string            // what all assembly assumes, and the exported function checks
	assembly  func(t tier)      // writes the body for a tier of amd64
	simd      func(f *function) // writes the body for SIMD128
	arm       func(c *code)     // writes the body for NEON; nil if the body is written by hand

	// tiers names the tiers with assembly; nil stands for AVX2 and AVX512. If NEON is listed, arm writes the assembly
	// for arm64; if arm is nil, a file such as convolve_arm64.s holds it.
	tiers []string
}

func lengthName(slice string) string { return slice + "Len" }

var registered []operation

// register adds an operation to the table, after checks that it is complete and its tiers exist. It returns a value
// so that var _ = register(...) can call it.
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

// assemblyName returns the name of the assembly.
func (op operation) assemblyName() string { return op.name + "Assembly" }

// first returns the index of the first tier of an architecture for which the operation has assembly.
func (op operation) first(arch string) int { return op.on(arch)[0].index() }

// index returns the position of the tier in tierNames of its architecture, where generic is 0.
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

// architectures returns the architectures for which at least one of the operations has assembly.
func architectures(ops []operation) (list []string) {
	for _, t := range tiers {
		if !slices.Contains(list, t.arch) && slices.ContainsFunc(ops,
			func(op operation) bool { return len(op.on(t.arch)) > 0 }) {
			list = append(list, t.arch)
		}
	}
	return list
}
