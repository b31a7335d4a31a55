package kernel

// Width is what lengths and strides of float64 are multiples of, Rows what the number of
// rows of C in Mul is a multiple of.
const (
	Width = 8
	Rows  = 4
)

// Lanes is what numbers of lanes and of columns of float32 are multiples of, and
// Rows32 what the rows of Mul32, the entries of Pack and the candidates of Nearest are.
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

// inside panics unless extent entries from every offset are in a slice of the given
// length.
func inside(offsets []int32, extent, length int) { rowsInside(offsets, 1, extent, length) }

// rowsInside is inside for the numbers of rows of a stride. It returns the largest.
func rowsInside(order []int32, stride, extent, length int) (most int) {
	least, last := int32(0), int32(0)
	for _, o := range order {
		least, last = min(least, o), max(last, o)
	}
	if least < 0 || stride < 0 || int(last)*stride+extent > length {
		panic("kernel: an offset or a row is out of range")
	}
	return int(last)
}
