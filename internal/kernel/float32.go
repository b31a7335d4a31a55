package kernel

// Lanes is what numbers of lanes and of columns of float32 are multiples of, and
// Rows32 what the rows of Mul32 and the vectors of Nearest are.
const (
	Lanes  = 16
	Rows32 = 8
)

// PadTo returns n rounded up to a multiple of width.
func PadTo(n, width int) int { return (n + width - 1) / width * width }

// needOf panics unless n is a multiple of width.
func needOf(n, width int) {
	if n < 0 || n%width != 0 {
		panic("kernel: a number of rows or lanes is not a multiple of the width")
	}
}

// inside panics unless extent entries from every offset are in a slice of the given
// length.
func inside(offsets []int32, extent, length int) {
	least, most := int32(0), int32(0)
	for _, o := range offsets {
		least, most = min(least, o), max(most, o)
	}
	if least < 0 || int(most)+extent > length {
		panic("kernel: an offset is out of range")
	}
}

// rowsInside is inside for rows of a stride.
func rowsInside(order []int32, stride, extent, length int) {
	least, most := int32(0), int32(0)
	for _, o := range order {
		least, most = min(least, o), max(most, o)
	}
	if least < 0 || stride < 0 || int(most)*stride+extent > length {
		panic("kernel: a row is out of range")
	}
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

// Nearest sets index and best, for every lane, to the number and the value of the
// largest of the m products of a vector with the lane: the first of equal ones. A
// product that is NaN counts as nothing; where there is no other, or none above −Inf,
// they are 0 and −Inf. z is dims×lanes with stride ldz, the vectors are the columns of
// at, dims×m with stride lda. m is a multiple of Rows32, the number of lanes
// len(index) of Lanes.
func Nearest(index []int32, best, z []float32, ldz int, at []float32, lda, m, dims int) {
	n := len(index)
	needOf(n, Lanes)
	needOf(m, Rows32)
	if n == 0 {
		return
	}
	if dims < 1 || m < 1 {
		panic("kernel: no vectors to choose from")
	}
	_, _, _ = best[n-1], z[(dims-1)*ldz+n-1], at[(dims-1)*lda+m-1]
	nearest(index, best[:n], z, ldz, at, lda, m, dims)
}

// Transpose puts rows of src, k entries each, beside one another: entry i of row
// order[b], which begins at order[b]·stride, becomes dst[i·ld + b]. The number of rows
// is a multiple of Lanes, k of 4.
func Transpose(dst []float32, ld int, src []float32, stride int, order []int32, k int) {
	needOf(len(order), Lanes)
	needOf(k, 4)
	if len(order) == 0 || k == 0 {
		return
	}
	_ = dst[(k-1)*ld+len(order)-1]
	rowsInside(order, stride, k, len(src))
	transpose(dst, ld, src, stride, order, k)
}

// MaxOut is the most columns of a map of Regress.
const MaxOut = 256

// Regress sets rows of r to step·Rᵀq for rows of q: row j of r begins at j·ldr, row j of
// q at j·ldq, and order lists the rows. coefs begins with R, in×out row after row.
//
// next is what the next call will be given as coefs, which is fetched meanwhile, or nil.
//
// Note: out is rounded up to a multiple of Lanes in r, whose further entries are
// undefined, and as many bytes more are read of coefs, up to its capacity.
func Regress(r []float32, ldr int, q []float32, ldq int, order []int32, coefs, next []int8, in, out int, step float32) {
	if len(order) == 0 {
		return
	}
	if in < 1 || out < 1 || out > MaxOut {
		panic("kernel: a map of no size, or too large")
	}
	wide := PadTo(out, Lanes)
	coefs = coefs[:in*out+wide-out]
	rowsInside(order, ldr, wide, len(r))
	rowsInside(order, ldq, in, len(q))
	if len(next) == 0 {
		next = coefs
	}
	regress(r, ldr, q, ldq, order, coefs, next, in, out, step)
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
