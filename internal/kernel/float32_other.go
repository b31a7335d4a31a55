//go:build !amd64 || purego

package kernel

func mul32(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	mul32Generic(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

func nearest(index []int32, best, z []float32, ldz int, at []float32, lda, m, dims int) {
	nearestGeneric(index, best, z, ldz, at, lda, m, dims)
}

func transpose(dst []float32, ld int, src []float32, stride int, order []int32, k int) {
	transposeGeneric(dst, ld, src, stride, order, k)
}

func formsOf(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	formsGeneric(forms, mean, raw, offsets, weights)
}

func orient(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	orientGeneric(dst, to, src, from, forms, mean)
}

func restore(dst []float32, to []int32, src []float32, from, forms []int32) {
	restoreGeneric(dst, to, src, from, forms)
}

func regress(r []float32, ldr int, q []float32, ldq int, order []int32, coefs, next []int8, in, out int, step float32) {
	regressGeneric(r, ldr, q, ldq, order, coefs, in, out, step)
}

func sumRows(dst, src []float32, offsets []int32) {
	sumRowsGeneric(dst, src, offsets)
}
