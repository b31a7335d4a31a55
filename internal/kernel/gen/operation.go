package main

import (
	"fmt"
	"slices"
	"strings"
)

// tier is a set of instructions that operations have assembly for.
type tier struct {
	arch, name string
	runs       string // in Go: whether this machine runs what the tier adds to those before it
	lanes      int    // how many float64 a vector has
}

// The names of the tiers.
const (
	AVX2     = "AVX2"
	AVX512BW = "AVX512BW"
	AVX512   = "AVX512"
	NEON     = "NEON"
)

// tiers are all that there are, on each architecture the slowest first.
var tiers = []tier{
	{"amd64", AVX2, "cpu.X86.HasAVX2 && cpu.X86.HasFMA", 4},
	{"amd64", AVX512BW, "cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW", 8},
	{"amd64", AVX512, "cpu.X86.HasAVX512VNNI", 8},
	{"arm64", NEON, "cpu.ARM64.HasASIMD", 2},
}

// An operation has a definition, nameGeneric in Go, and assembly, nameAVX2 and so on,
// which takes slices as pointers and those of their lengths that it needs as numbers. The
// generator writes the function name, which calls the assembly of the tier in use, or of
// the next slower one that has some.
//
// Note: whole slices would do without lengths, but are three words each on the stack: the
// smallest calls took a tenth longer.
type operation struct {
	name      string
	signature string       // parameters and results, in Go
	lengths   []string     // of which slices: that of v becomes vLen, after v
	needs     string       // what the assembly takes for granted: the exported function sees to it
	assembly  func(t tier) // writes the body for a tier of amd64

	// tiers are those with assembly; none stands for AVX2 and AVX512. What is for another
	// architecture than amd64 is written by hand, to a file such as dense_arm64.s.
	tiers []string
}

// lengthName is what the assembly calls the length of a slice.
func lengthName(slice string) string { return slice + "Len" }

var registered []operation

// register adds an operation to the table. It returns nothing of use.
func register(op operation) struct{} {
	if slices.ContainsFunc(registered, func(o operation) bool { return o.name == op.name }) {
		panic("two operations of the name " + op.name)
	}
	if op.tiers == nil {
		op.tiers = []string{AVX2, AVX512}
	}
	for _, name := range op.tiers {
		if !slices.ContainsFunc(tiers, func(t tier) bool { return t.name == name }) {
			panic(fmt.Sprintf("%s: no tier %q, expected %s, %s, %s or %s", op.name, name, AVX2, AVX512BW, AVX512, NEON))
		}
	}
	if len(op.on("amd64")) > 0 && op.assembly == nil {
		panic(op.name + ": no assembly for amd64")
	}
	if _, err := op.parse(); err != nil {
		panic(op.name + ": " + err.Error())
	}
	registered = append(registered, op)
	return struct{}{}
}

// operations are all that are registered, by name.
func operations() []operation {
	return slices.SortedFunc(slices.Values(registered), func(a, b operation) int { return strings.Compare(a.name, b.name) })
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

// architectures are those for which some operation has assembly.
func architectures(ops []operation) (list []string) {
	for _, t := range tiers {
		if !slices.Contains(list, t.arch) && slices.ContainsFunc(ops, func(op operation) bool { return len(op.on(t.arch)) > 0 }) {
			list = append(list, t.arch)
		}
	}
	return list
}
