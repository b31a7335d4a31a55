package kernel

// Lanes is what numbers of lanes and of columns of float32 are multiples of, and
// Rows32 what the rows of Mul32, the entries of Pack and the vectors of Nearest are.
const (
	Lanes  = 16
	Rows32 = 8
)

// PadTo returns n rounded up to a multiple of width.
func PadTo(n, width int) int { return (n + width - 1) / width * width }

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

// Mul32 sets the first rows×cols of C to AᵀB: A is inner×rows, B is inner×cols, all by
// rows with their strides. rows is a multiple of Rows32, cols of Lanes. Every entry is
// one sum in the order of the inner dimension, the same wherever it stands.
func Mul32(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	needOf(cols, Lanes)
	needOf(rows, Rows32)
	if rows == 0 || cols == 0 {
		return
	}
	_ = c[(rows-1)*ldc+cols-1]
	if inner > 0 {
		_, _ = a[(inner-1)*lda+rows-1], b[(inner-1)*ldb+cols-1]
	} else {
		a, b = c, c // not read
	}
	mul32(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

// SumRows sets dst_i = Σ_o src[o+i] over the offsets o, in their order. The length of
// dst is a multiple of Lanes.
func SumRows(dst, src []float32, offsets []int32) {
	needOf(len(dst), Lanes)
	if len(dst) == 0 {
		return
	}
	if len(offsets) == 0 {
		clear(dst)
		return
	}
	inside(offsets, len(dst), len(src))
	sumRows(dst, src, offsets)
}
