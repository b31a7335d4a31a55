package kernel

import "gonum.org/v1/gonum/blas/gonum"

// Mul32 is Mul for float32: it sets the first rows×cols entries of C to AᵀB, where A is inner×rows and B inner×cols.
// rows must be a multiple of Rows32, cols of Lanes.
func Mul32(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	needOf(cols, Lanes)
	needOf(rows, Rows32)
	if rows == 0 || cols == 0 {
		return
	}
	_ = c[(rows-1)*ldc+cols-1] // panics if c is too short, which assembly would not notice
	if inner > 0 {
		_, _ = a[(inner-1)*lda+rows-1], b[(inner-1)*ldb+cols-1] // so do a and b
	} else {
		a, b = c, c // not read: the sums are 0
	}
	mul32(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

var blas gonum.Implementation

// mul32Generic is the definition of Mul32, C = AᵀB. It adds to C the products of row i of A, as a column, and row i
// of B, by gonum's Sger, which on amd64 is three times as fast as plain Go.
func mul32Generic(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	for r := range rows {
		clear(c[r*ldc : r*ldc+cols])
	}
	for i := range inner {
		blas.Sger(rows, cols, 1, a[i*lda:i*lda+rows], 1, b[i*ldb:i*ldb+cols], 1, c, ldc)
	}
}

// SumRows sets dst[i] to the sum of src[o+i] over all offsets o, in their order. len(dst) is a multiple of Lanes.
func SumRows(dst, src []float32, offsets []int32) {
	needOf(len(dst), Lanes)
	if len(dst) == 0 {
		return
	}
	if len(offsets) == 0 {
		clear(dst)
		return
	}
	checkOffsets(offsets, len(dst), len(src))
	sumRows(dst, src, offsets)
}

// sumRowsGeneric is the definition of SumRows. Each offset is the start of a row in src that is as long as dst.
func sumRowsGeneric(dst, src []float32, offsets []int32) {
	clear(dst)
	for _, o := range offsets {
		for i, v := range src[int(o) : int(o)+len(dst)] {
			dst[i] += v
		}
	}
}
