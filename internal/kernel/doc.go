// Package kernel holds the innermost loops: those of learning in float64, those of convolutional stages in integers
// and float32. Each is an operation that is defined in Go and, for some processors, written in assembly too.
//
// # Words
//
// An operation is an exported function such as [Mul]. Its definition, mulGeneric, is clear Go, which runs where
// there is no assembly. Only layers of integers, which take nearly all the time there, run in Go that is made for speed
// (packed.go), and are defined in their test.
//
// A tier is a set of instructions. All architectures have the tier generic, Go alone. On amd64 follow avx2 (AVX2 with
// FMA), avxvnni (AVX2 with VPDPWSSD, as laptops of Intel have since 2021), avx512bw (AVX-512 without VNNI) and avx512
// (AVX-512 with VNNI), on arm64 neon, and on wasm, where it runs with JavaScript, simd128. A machine that runs a tier
// also runs the tiers before it, but for avxvnni, which those with AVX-512 may lack. The last that it runs is chosen
// when the program starts. GODEBUG=cpu.avx512f=off disables all tiers of AVX-512, and with the build tag purego there
// is only generic. Without assembly for a tier, an operation runs the nearest tier before it, never avxvnni.
//
// A matrix lies in a flat slice by rows, with a stride: the number of entries from one row to the next, in
// parameters that are called stride or begin with ld. A lane is one of the numbers of a vector register. A word
// is 32 bits that hold two integers of 16 bits.
//
// # Promises
//
// What convolutional stages, networks of other programs, interpolation and painting use gives the same bits in all
// tiers: integers have no rounding, and float32 are fused, or rounded before they are added, in one order. So do
// [Convolve32] and the maps of winograd32.go. The other operations of learning and those of coupled stages, which are
// those in float64, [Mul32] and those of descent.go, differ between tiers by rounding: in the order of their sums, and
// in which products are fused with sums. Within one tier a result depends on its operands alone, not on their position
// in a larger operation.
//
// Lengths in float64 are multiples of [Width], numbers of channels of [Lanes], unless an operation says
// otherwise; a caller pads with zeros, which change no result. Assembly cannot be preempted, so a call should
// take less than a millisecond.
//
// # What lies where
//
// A file such as dense.go holds operations and their definitions, gen/dense.go their assembly for amd64, and
// dense_test.go the tests that are not tables; tiers_test.go holds all tiers against the definitions, and
// bench_test.go the benchmarks. kernel.go has the tiers. The module in gen writes kernel_amd64.s, kernel_arm64.s,
// kernel.wasm and, in dispatch_*.go, the choice of a tier on each architecture, and the calls of Go alone where there
// is no assembly.
//
// Go's WebAssembly has no vectors. kernel.wasm is a module of its own, which works in the memory of Go's module:
// module_js.go starts it and calls it, gen/simd.go has the form of a call, and gen/wasm.go writes its binary format.
// In it are layers and sums of rows, a call of which is a whole row, since each call goes through JavaScript.
//
// # To add an operation
//
// Say it is Scale, v ← f·v.
//
//  1. scale.go: func Scale(v []float64, f float64) with its documentation. It refuses
//     operands that do not fit, which assembly would not notice, handles itself what the assembly
//     does not (as Mask does), and calls scale(v, f), which the generator writes.
//  2. scale.go: func scaleGeneric(v []float64, f float64), the definition.
//  3. gen/scale.go: the assembly, func (t tier) scale(), and its entry in the table, var _ =
//     register(operation{name: "scale", signature: "(v []float64, f float64)", lengths:
//     []string{"v"}, assembly: tier.scale}).
//  4. tiers_test.go: an entry in agreements, so that all tiers are held against the definition; bench_test.go: one
//     in listBenchmarks.
//  5. go generate ./internal/kernel
//
// An operation of float32 whose tiers give the same bits is written once, as a function of gen's code, for amd64 and
// for arm64: see gen/portable.go. Of others an entry may list the tiers that have assembly. If NEON is among them,
// scale_arm64.s has TEXT ·scaleAssembly, written by hand for the parameters that go generate declares in
// dispatch_both.go, with the instructions of neon_arm64.h. If SIMD128 is, the field simd writes the instructions of
// WebAssembly. A new tier is a line of the table in gen/operation.go.
//
// # How tiers were tested
//
// All tiers of amd64 run the tests of this package on a Sapphire Rapids, avxvnni and the VNNI of avx512 among them;
// generic and avx2 do on a Zen 3 too, and neon on qemu. The variable SUPERRES_TIER adds a tier to those that the tests
// try, for an emulator. The innermost loops of convolve, multiplyTiles and sumTiles have 18, 27 and 24 instructions in
// avxvnni where avx2 takes 26, 39 and 36.
//
// Note: exported functions access the last entry that the assembly touches, and check offsets, so that a slice
// that is too short panics as it would in Go.
package kernel

//go:generate go run -C gen .
