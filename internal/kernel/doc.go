// Package kernel holds the innermost loops: of learning, in float64; of convolutional stages, in integers and float32.
// Each loop is an operation that is defined in Go and, for some processors, also written in assembly.
//
// # Words
//
// An operation is an exported function such as [Mul]. Its definition, mulGeneric, is clear Go, which runs where there
// is no assembly. Integer layers are the exception: they take nearly all the time there, so their Go code is written
// for speed (packed.go), and their clear definition is in the tests.
//
// A tier is a set of instructions. All architectures have the tier generic, which is Go alone. On amd64 it is followed
// by avx2 (AVX2 with FMA), avxvnni (AVX2 with VPDPWSSD, as in Intel's laptops since 2021), avx512bw (AVX-512 without
// VNNI) and avx512 (AVX-512 with VNNI), on arm64 by neon, and on wasm, under JavaScript, by simd128. A machine that
// runs a tier also runs the tiers before it, except that processors with AVX-512 may lack avxvnni. The program chooses
// the last tier that the machine runs when it starts. GODEBUG=cpu.avx512f=off disables all tiers of AVX-512, and the
// build tag purego all except generic. An operation without assembly for a tier runs the tier before it, never avxvnni.
//
// A matrix lies in a flat slice, row by row, with a stride: the number of entries from the start of one row to the
// start of the next. Parameters for it are called stride or begin with ld. A lane is one of the numbers in a vector
// register. A word is 32 bits that hold two integers of 16 bits.
//
// # Which results have the same bits
//
// All operations that convolutional stages, networks of other programs, interpolation and painting use give the same
// bits in all tiers: integers have no rounding, and sums of float32 have a fixed order, with each product either fused
// or rounded before it is added. So do [Convolve32] and the maps of winograd32.go. The operations in float64, [Mul32]
// and the rest of descent.go, which learning and coupled stages use, differ between tiers by rounding: in the order of
// their sums, and in which products are fused. Within one tier a result depends only on its operands, not on their
// position in a larger operation.
//
// Lengths in float64 are multiples of [Width], numbers of channels multiples of [Lanes], unless an operation says
// otherwise; a caller pads with zeros, which change no result. The scheduler cannot interrupt assembly, so a call
// should take less than a millisecond.
//
// # Files
//
// A file such as dense.go holds operations and their definitions, gen/dense.go their assembly for amd64, and
// dense_test.go the tests that are not entries of a table; tiers_test.go compares all tiers with the definitions, and
// bench_test.go holds the benchmarks. kernel.go chooses the tier. The module in gen writes kernel_amd64.s,
// kernel_arm64.s, kernel.wasm and, in dispatch_*.go, the functions that call the assembly of a tier or the definition.
//
// Go's WebAssembly has no vectors. kernel.wasm is a WebAssembly module of its own, which works in the memory of Go's
// module: module_js.go starts and calls it, gen/simd.go describes the form of a call, and gen/wasm.go writes its binary
// format. It contains integer layers, Combine and pixels.go. A call goes through JavaScript, so it takes a whole row.
//
// # Adding an operation
//
// As an example, Scale sets v to f·v.
//
//  1. scale.go: func Scale(v []float64, f float64) with its documentation. It panics on operands
//     that do not fit, which assembly would not notice, handles the entries that the assembly
//     does not (as Mask does), and calls scale(v, f), which the generator writes.
//  2. scale.go: func scaleGeneric(v []float64, f float64), the definition.
//  3. gen/scale.go: the assembly, func (t tier) scale(), and its entry in the table, var _ =
//     register(operation{name: "scale", signature: "(v []float64, f float64)", lengths:
//     []string{"v"}, assembly: tier.scale}).
//  4. tiers_test.go: an entry in agreements, so that all tiers are compared with the definition; bench_test.go: an
//     entry in listBenchmarks.
//  5. go generate ./internal/kernel
//
// If the tiers of a float32 operation give the same bits, it is written once for amd64 and arm64, as a function of
// gen's code: see gen/portable.go. The entry of any other operation may list the tiers that have assembly. If NEON is
// listed, scale_arm64.s has TEXT ·scaleAssembly, written by hand for the parameters that go generate declares in
// dispatch_both.go, with the instructions of neon_arm64.h. If SIMD128 is listed, the field simd writes the instructions
// of WebAssembly. A new tier is a line of the table in gen/operation.go.
//
// The tests of this package were run in all tiers of amd64 on a Sapphire Rapids, and in neon on qemu. The variable
// SUPERRES_TIER adds a tier to the tiers that the tests try, for an emulator.
//
// Note: exported functions access the last entry that the assembly touches, and check offsets, so that a slice that is
// too short panics as it would in Go.
package kernel

//go:generate go run -C gen .
