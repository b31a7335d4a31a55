//go:build !amd64 || purego

package kernel

func mul32(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	mul32Generic(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

func formsOf(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	formsGeneric(forms, mean, raw, offsets, weights)
}

func orient(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	orientGeneric(dst, to, src, from, forms, mean)
}

func restore(dst []float32, to, src, from, forms []int32, scale []float32) {
	restoreGeneric(dst, to, src, from, forms, scale)
}

func sumRows(dst, src []float32, offsets []int32) {
	sumRowsGeneric(dst, src, offsets)
}
