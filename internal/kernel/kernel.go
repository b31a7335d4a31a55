package kernel

// Width is what lengths and strides of float64 are multiples of, Rows what the number of
// rows of C in Mul is a multiple of.
const (
	Width = 8
	Rows  = 4
)

// Lanes is what numbers of columns and of channels of float32 and integers are multiples of, and
// Rows32 what the number of rows of C in Mul32 is a multiple of.
const (
	Lanes  = 16
	Rows32 = 8
)

// Pad returns n rounded up to a multiple of Width.
func Pad(n int) int { return PadTo(n, Width) }

// PadTo returns n rounded up to a multiple of width.
func PadTo(n, width int) int { return (n + width - 1) / width * width }

// A tier is a number of tierNames, which are those of the architecture, generic first.
type tier int

// fastest is that of this machine: all up to it run, as tierRuns tells for those after
// generic.
var fastest = func() (t tier) {
	for _, runs := range tierRuns {
		if !runs {
			break
		}
		t++
	}
	return t
}()

// current is the tier in use; only tests change it.
var current = fastest

// Tier names the tier in use, such as "avx512", "avx2" or "generic".
func Tier() string { return tierNames[current] }

// Tiers is the number of tiers that this machine runs, the generic one first.
func Tiers() int { return int(fastest) + 1 }

// Use takes the tier of a number until the function it returns is called. It is for
// tests that compare the tiers, and nothing may run beside them.
func Use(number int) (restore func()) {
	if number < 0 || number >= Tiers() {
		panic("kernel: no such tier on this machine")
	}
	was := current
	current = tier(number)
	return func() { current = was }
}

// need panics unless every length is a multiple of Width.
func need(lengths ...int) {
	for _, n := range lengths {
		needOf(n, Width)
	}
}

// needOf panics unless n is a multiple of width.
func needOf(n, width int) {
	if n < 0 || n%width != 0 {
		panic("kernel: a length, a stride or a number of rows or lanes is not a multiple of the width")
	}
}

// checkOffsets panics unless extent entries from every offset on are in a slice of the given length.
func checkOffsets(offsets []int32, extent, length int) {
	for _, o := range offsets {
		if o < 0 || int(o)+extent > length {
			panic("kernel: an offset is out of range")
		}
	}
}
