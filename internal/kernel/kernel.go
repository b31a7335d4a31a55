// Package kernel holds the innermost loops, of learning in float64 and of the anchored
// stages in integers and float32: one small set of operations, each with a generic Go
// form that defines it (generic.go, generic32.go, genericbytes.go) and, on amd64,
// assembly for AVX2 with FMA and for AVX-512 with VNNI. Which of the three runs is chosen
// once, when the program starts; the build tag purego leaves only the first.
//
// What the anchored stages, interpolation and painting use gives the same bits in all
// forms: integers have no rounding, and products of float32 are rounded before they are
// added in one order. The operations in float64, those of learning and of coupled stages,
// and Mul32, of learning, differ between forms in the order of their sums and in what is
// fused, so by rounding, and by no more. Within one form a result depends on its operands
// alone, not on where in a larger operation they stood.
//
// Vectors are slices whose length is a multiple of [Width], in float32 of [Lanes]; a
// caller fills them up with zeros, which change no result. Matrices lie in flat slices
// with a stride. Assembly cannot be preempted: a call should stay below a millisecond.
//
// Note: the wrappers take the address of the last entry that the assembly touches, or
// look through lists of offsets, so a slice that is too short panics here as it would
// in Go.
package kernel

//go:generate go run -C gen . -out ../kernel_amd64.s -stubs ../stubs_amd64.go -pkg kernel

// Width is what lengths and strides are multiples of.
const Width = 8

// Rows is what the number of rows of C in Mul is a multiple of.
const Rows = 4

// Pad returns n rounded up to a multiple of Width.
func Pad(n int) int { return PadTo(n, Width) }

// Tier names the form in use: "avx512", "avx2" or "generic".
func Tier() string { return tiers[current].String() }

// Tiers is the number of forms that this machine can run, the generic one first.
func Tiers() int { return len(tiers) }

// Use takes the form of a number until the function it returns is called. It is for
// tests that compare the forms, and nothing may run beside them.
func Use(form int) (restore func()) {
	was := current
	current = form
	return func() { current = was }
}

// A tier is a form of the operations.
type tier int

const (
	generic tier = iota
	avx2
	avx512
)

func (t tier) String() string { return [...]string{"generic", "avx2", "avx512"}[t] }

// need panics unless every length is a multiple of Width.
func need(lengths ...int) {
	for _, n := range lengths {
		needOf(n, Width)
	}
}
