// Package kernel holds the innermost loops: those of learning in float64, those of convolutional stages in
// integers and float32. Each is an operation that is defined in Go and, for some processors, written in
// assembly too.
//
// # Words
//
// An operation is an exported function such as [Mul]. Its definition, mulGeneric, is clear
// Go, which runs wherever there is nothing faster.
//
// A tier is what a processor offers operations: generic, Go alone; on amd64 avx2, AVX2
// with FMA, avx512bw, AVX-512 without VNNI, and avx512, AVX-512 with it; on arm64 neon. A
// machine that runs a tier runs those before it. The fastest is chosen once, when the
// program starts; GODEBUG=cpu.avx512vnni=off withholds avx512, cpu.avx512f=off avx512bw too,
// and the build tag purego leaves generic alone. In a tier for which an operation has no
// assembly it takes that of the tier before.
//
// A matrix lies in a flat slice by rows, with a stride: the number of entries from one row to
// the next, in parameters that are called stride or begin with ld. A lane is one of the numbers
// of a vector register. A word is 32 bits that hold two integers of 16 bits.
//
// # Promises
//
// What convolutional stages, interpolation and painting use gives the same bits in all tiers: integers have no rounding, and products of float32 are rounded before they are
// added in one order. The operations in float64, those of learning and of coupled stages,
// and [Mul32], of learning, differ between tiers in the order of their sums and in what is
// fused, so by rounding, and by no more. Within one tier a result depends on its operands
// alone, not on where in a larger operation they stood.
//
// Lengths in float64 are multiples of [Width], numbers of lanes of [Lanes], unless an
// operation says otherwise; a caller fills up with zeros, which change no result. Assembly
// cannot be preempted: a call should stay below a millisecond.
//
// # What lies where
//
// A file such as dense.go holds operations and their definitions, gen/dense.go their
// assembly for amd64, dense_test.go their tests and benchmarks; kernel.go holds what all
// need. The module in gen writes the rest: kernel_amd64.s, and in dispatch_*.go the choice
// among the tiers for every architecture.
//
// # To add an operation
//
// Say it is Scale, v ← f·v.
//
//  1. scale.go: func Scale(v []float64, f float64) with its documentation. It refuses
//     operands that do not fit, which assembly would not notice, splits off what assembly
//     does not take (as Mask does), and calls scale(v, f), which will be written for it.
//  2. scale.go: func scaleGeneric(v []float64, f float64), the definition.
//  3. gen/scale.go: the assembly, func (t tier) scale(), and its entry in the table, var _ =
//     register(operation{name: "scale", signature: "(v []float64, f float64)", lengths:
//     []string{"v"}, assembly: tier.scale}).
//  4. scale_test.go: all tiers against the definition, by eachTier; a benchmark.
//  5. go generate ./internal/kernel
//
// An entry may list the tiers that have assembly. Where NEON is among them, for arm64,
// scale_arm64.s holds TEXT ·scaleNEON, written by hand for the parameters that go generate
// declares in dispatch_arm64.go. A new tier is a line of the table in gen/operation.go.
//
// Note: the exported functions look at the last entry that the assembly touches, or
// through lists of offsets, so a slice that is too short panics here as it would in Go.
package kernel

//go:generate go run -C gen .
