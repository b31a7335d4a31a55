package kernel

import "runtime"

// Lengths and strides of float64 are multiples of Width. The number of rows of the result of Mul is a multiple of Rows.
const (
	Width = 8
	Rows  = 4
)

// Numbers of columns and of channels of float32 and of integers are multiples of Lanes. The number of rows of the
// result of Mul32 is a multiple of Rows32.
const (
	Lanes  = 16
	Rows32 = 8
)

func Pad(n int) int { return PadTo(n, Width) }

func PadTo(n, width int) int { return (n + width - 1) / width * width }

// tier is an index into tierNames, the names of the tiers of this architecture. Tier 0 is generic.
type tier int

// runnable lists the tiers that this machine runs. tierRuns says which tiers after generic it runs.
var runnable = func() []tier {
	list := []tier{0}
	for i, runs := range tierRuns {
		if runs {
			list = append(list, tier(i+1))
		}
	}
	return list
}()

// current is the tier in use. Only Use, for tests, changes it.
var current = runnable[len(runnable)-1]

// Tier returns the name of the tier in use, such as "avx512", "avx2" or "generic".
func Tier() string { return tierNames[current] }

// Plain says in words why no assembly runs. It returns "" if assembly runs, because the tier in use is not generic.
func Plain() string {
	switch {
	case current > 0:
		return ""
	case len(tierRuns) == 0:
		return "this build of superres has no assembly"
	case runtime.GOARCH == "wasm":
		return "this engine of WebAssembly has no vectors"
	}
	return "this processor lacks AVX2 with FMA, or NEON"
}

// Tiers returns the number of tiers that this machine runs, including generic.
func Tiers() int { return len(runnable) }

// Use makes the tier with the given number, from 0 to Tiers()-1, the tier in use until restore is called. It is for
// tests that compare tiers. No operation may run at the same time.
func Use(number int) (restore func()) {
	if number < 0 || number >= Tiers() {
		panic("kernel: no such tier on this machine")
	}
	was := current
	current = runnable[number]
	return func() { current = was }
}

// need panics unless every length is a multiple of Width.
func need(lengths ...int) {
	for _, n := range lengths {
		needOf(n, Width)
	}
}

func needOf(n, width int) {
	if n < 0 || n%width != 0 {
		panic("kernel: a length, a stride or a number of rows or lanes is not a multiple of the width")
	}
}

// checkOffsets panics unless the extent entries from each offset on lie within a slice of the given length.
func checkOffsets(offsets []int32, extent, length int) {
	for _, o := range offsets {
		if o < 0 || int(o)+extent > length {
			panic("kernel: an offset is out of range")
		}
	}
}
